#include "apps/client/run_waiting.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "apps/client/api_queries.hpp"
#include "core/run/execution_state.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;
using core::errc;

namespace {

using steady = std::chrono::steady_clock;

/// Delay after the first check.
constexpr std::chrono::milliseconds pause_first = 100ms;
constexpr std::chrono::milliseconds pause_max = 1s;
/// Time to wait for a retry: it is claimed at once, or later by another node if its node died.
constexpr auto retry_patience = 15s;
/// Number of newest runs of the job among which a retry is searched.
constexpr std::size_t newest_runs = 50;

bool heals_by_itself(errc code) noexcept { return code == errc::unavailable || code == errc::timeout; }

core::error was_dropped() { return {errc::not_found, "the run was dropped: its job or its row was removed"}; }

bool is_over(const api_document& run) {
  const auto triggered = number_in(run, "trigger_code").value_or(0);
  return number_in(run, "handle_code").value_or(0) != 0 || (triggered != 0 && triggered != core::success_code);
}

/// Calls `look` with growing delays until it returns a value, because servers limit requests. Returns nullopt at `end`.
template <class Look>
auto repeat(const api_client& client, steady::time_point end, Look look) -> decltype(look()) {
  for (auto pause = pause_first;; std::this_thread::sleep_for(pause)) {
    auto found = look();
    if (!found || *found || steady::now() >= end)
      return found;
    pause = client.is_server() ? std::min(pause * 3 / 2, pause_max) : pause_first;
  }
}

} // namespace

core::result<std::vector<std::int64_t>> await_runs(api_client& client, std::int64_t intent, steady::time_point end) {
  using found_runs = std::optional<std::vector<std::int64_t>>;
  const auto found = repeat(client, end, [&]() -> core::result<found_runs> {
    const auto asked = client.ask({"GET", "/intents/" + std::to_string(intent)});
    if (!asked && heals_by_itself(asked.error().code))
      return found_runs{};
    if (!asked)
      return tl::unexpected{asked.error().code == errc::not_found ? was_dropped() : asked.error()};
    std::vector<std::int64_t> runs;
    for (const auto& id : items_in(*asked, "runs"))
      if (id.is_number_integer())
        runs.push_back(id.get<std::int64_t>());
    if (runs.empty() && !boolean_in(*asked, "waiting"))
      return tl::unexpected{was_dropped()};
    return runs.empty() ? found_runs{} : found_runs{std::move(runs)};
  });
  if (!found)
    return tl::unexpected{found.error()};
  return found->value_or(std::vector<std::int64_t>{});
}

bool await_sending(api_client& client, std::int64_t run, steady::time_point end) {
  const auto sent = repeat(client, end, [&]() -> core::result<std::optional<bool>> {
    const auto row = client.ask({"GET", "/runs/" + std::to_string(run)});
    if (!row)
      return tl::unexpected{row.error()};
    const bool waits = number_in(*row, "trigger_code") == 0 && !is_over(*row);
    return waits ? std::optional<bool>{} : true;
  });
  return sent && *sent && steady::now() < end;
}

core::result<api_document> await_end(api_client& client, std::int64_t run, steady::time_point end) {
  std::string why = "the run has no result yet";
  const auto over = repeat(client, end, [&]() -> core::result<std::optional<api_document>> {
    auto row = client.ask({"GET", "/runs/" + std::to_string(run)});
    if (!row && !heals_by_itself(row.error().code))
      return tl::unexpected{row.error().code == errc::not_found ? was_dropped() : row.error()};
    why = row ? "run " + std::to_string(run) + " has no result yet" : row.error().context;
    return row && is_over(*row) ? std::optional{std::move(*row)} : std::nullopt;
  });
  if (!over)
    return tl::unexpected{over.error()};
  return *over ? core::result<api_document>{**over} : core::fail(errc::timeout, why);
}

core::result<std::optional<std::int64_t>> await_retry(api_client& client, const api_document& run, steady::time_point end) {
  if (number_in(run, "retry_left").value_or(0) <= 0 || number_in(run, "handle_code") == core::success_code)
    return std::optional<std::int64_t>{};
  query_text list{"/runs"};
  list.add("job", std::to_string(number_in(run, "job").value_or(0)));
  return repeat(client, std::min(end, steady::now() + retry_patience), [&]() -> core::result<std::optional<std::int64_t>> {
    const auto page = ask_page(client, list, newest_runs);
    if (!page && !heals_by_itself(page.error().code))
      return tl::unexpected{page.error()};
    if (page)
      for (const auto& each : items_in(*page))
        if (number_in(each, "origin") == number_in(run, "id") && text_in(each, "kind") == "retry")
          return number_in(each, "id");
    return std::optional<std::int64_t>{};
  });
}

} // namespace ringmaster::apps
