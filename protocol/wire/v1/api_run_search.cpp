// Requests for lists of runs, and for their removal.

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "core/run/run.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_runs.hpp"

namespace ringmaster::protocol::wire {

namespace {

using core::run_status;

/// Ten years.
constexpr core::milliseconds duration_max = std::chrono::hours{24 * 3650};

constexpr std::array<std::pair<std::string_view, run_status>, 10> statuses{{{"succeeded", run_status::succeeded},
                                                                           {"failed", run_status::failed},
                                                                           {"running", run_status::running},
                                                                           {"missed", run_status::missed},
                                                                           {"pending", run_status::pending},
                                                                           {"timed_out", run_status::timed_out},
                                                                           {"not_sent", run_status::not_sent},
                                                                           {"lost", run_status::lost},
                                                                           {"killed", run_status::killed},
                                                                           {"unknown", run_status::unknown}}};

core::result<run_status> read_run_status(std::string_view text) {
  if (const auto status = find_run_status(text))
    return *status;
  return core::fail(core::errc::invalid_argument,
                    "the parameter status must be any, or one or several, separated by commas, of succeeded, failed, running, "
                    "missed, pending, timed_out, not_sent, lost, killed, unknown");
}

/// Reads the wanted statuses into `search`.
core::result<void> read_run_statuses(std::string_view list, core::run_search& search) {
  if (list == "any")
    return {};
  std::vector<run_status> wanted;
  do {
    const auto status = read_run_status(core::take_item(list));
    if (!status)
      return tl::unexpected{status.error()};
    wanted.push_back(*status);
  } while (!list.empty());
  if (wanted.size() == 1)
    search.status = wanted.front();
  else
    search.one_of = std::move(wanted);
  return {};
}

/// Reads the wanted kinds into `search`.
core::result<void> read_run_kinds(std::string_view list, core::run_search& search) {
  using enum core::trigger_kind;
  do {
    const auto name = core::take_item(list);
    const std::array all{cron, misfire, manual, parent, retry, api, missed};
    const auto found = std::find_if(all.begin(), all.end(), [&](core::trigger_kind each) { return to_string(each) == name; });
    if (found == all.end())
      return core::fail(core::errc::invalid_argument,
                        "the parameter kind must be one or several, separated by commas, of cron, misfire, manual, parent, "
                        "retry, api, missed");
    search.kinds.push_back(*found);
  } while (!list.empty());
  return {};
}

/// Reads the conditions that no index serves. Returns whether there is one.
core::result<bool> read_unindexed(const form& sent, core::run_search& search) {
  const auto handler = sent.text("handler");
  const auto address = sent.text("address");
  const auto kind = sent.text("kind");
  const auto words = sent.text("q");
  const auto duration = api_number_of(sent, "min_duration_ms");
  search.handler = std::string{handler.value_or("")};
  search.address = std::string{address.value_or("")};
  if (kind)
    if (auto read = read_run_kinds(*kind, search); !read)
      return tl::unexpected{read.error()};
  if (!duration || (*duration && (**duration < 1 || **duration > duration_max.count())))
    return core::fail(core::errc::invalid_argument,
                      "the parameter min_duration_ms must be a number from 1 to " + std::to_string(duration_max.count()));
  if (*duration)
    search.min_duration = core::milliseconds{**duration};
  if (words && (core::is_blank(*words) || words->size() > api_run_words_max))
    return core::fail(core::errc::invalid_argument, "the parameter q must be a text of at most " +
                                                      std::to_string(api_run_words_max) + " bytes, not blank");
  search.words = std::string{words.value_or("")};
  return handler || address || kind || words || *duration;
}

/// Reads ids of runs, separated by commas.
core::result<std::vector<core::log_id>> read_run_ids(std::string_view list) {
  std::vector<core::log_id> ids;
  do {
    const auto item = core::take_item(list);
    std::int64_t id = 0;
    const auto [end, problem] = std::from_chars(item.data(), item.data() + item.size(), id);
    if (problem != std::errc{} || end != item.data() + item.size() || id < 1 || ids.size() >= api_run_ids_max)
      return core::fail(core::errc::invalid_argument, "the parameter ids must have 1 to " + std::to_string(api_run_ids_max) +
                                                        " ids of runs, separated by commas");
    ids.push_back(core::log_id{id});
  } while (!list.empty());
  return ids;
}

} // namespace

std::optional<run_status> find_run_status(std::string_view name) noexcept {
  const auto* const found =
    std::find_if(statuses.begin(), statuses.end(), [name](const auto& each) { return each.first == name; });
  return found == statuses.end() ? std::nullopt : std::optional{found->second};
}

core::result<core::run_search> api_run_search_of(const form& sent, const api_cursor& from) {
  const auto group = api_id_of(sent, "group");
  const auto job = api_id_of(sent, "job");
  const auto begin = instant_of(sent, "from_ms");
  const auto end = instant_of(sent, "to_ms");
  if (!group || !job)
    return tl::unexpected{group ? job.error() : group.error()};
  if (!begin || !end)
    return tl::unexpected{begin ? end.error() : begin.error()};
  core::run_search search;
  if (*group)
    search.group = core::group_id{**group};
  if (*job)
    search.job = core::job_id{**job};
  search.from = *begin;
  search.to = *end;
  if (from.place > 0)
    search.before = core::log_id{from.place};
  search.window.limit = from.limit;
  const auto unindexed = read_unindexed(sent, search);
  if (!unindexed)
    return tl::unexpected{unindexed.error()};
  const auto status = sent.text("status");
  if (auto read = read_run_statuses(status.value_or("any"), search); !read)
    return tl::unexpected{read.error()};
  const auto after = api_number_of(sent, "after");
  if (!after || (*after && **after < 0))
    return core::fail(core::errc::invalid_argument, "the parameter after must be the id of a run, or 0");
  if (*after)
    search.after = core::log_id{**after};
  const auto ids = sent.text("ids");
  if (!ids)
    return search;
  if (*group || *job || *begin || *end || *after || *unindexed || status || from.place > 0)
    return core::fail(core::errc::invalid_argument, "the parameter ids cannot be combined with other filters or a cursor");
  return read_run_ids(*ids).map([&](std::vector<core::log_id>&& wanted) {
    search.ids = std::move(wanted);
    return std::move(search);
  });
}

core::result<core::clear_search> parse_api_clear(std::string_view body) {
  return read_api_object(body, [](api_members& in) {
    core::clear_search search;
    if (const auto group = in.maybe_id("group"))
      search.group = core::group_id{*group};
    if (const auto job = in.maybe_id("job"))
      search.job = core::job_id{*job};
    if (const auto until = in.maybe_number("until_ms", 0, std::numeric_limits<std::int64_t>::max()))
      search.until = core::from_ms(*until);
    if (const auto keep = in.maybe_number("keep_newest", 0, std::numeric_limits<std::int32_t>::max()))
      search.keep_newest = static_cast<std::size_t>(*keep);
    const bool all = in.optional_boolean("all").value_or(false);
    if (int{search.until.has_value()} + int{search.keep_newest.has_value()} + int{all} != 1)
      in.wrong("all", "expected exactly one of until_ms, keep_newest and all: true");
    return search;
  });
}

} // namespace ringmaster::protocol::wire
