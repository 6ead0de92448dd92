// run_admin: clearing of runs.

#include <algorithm>
#include <memory>
#include <utility>

#include "actors/console/run_admin.hpp"
#include "actors/store/store_access.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

/// Runs that one transaction removes, and the pause after each transaction, in which other requests run.
constexpr std::size_t clear_chunk = 500;
constexpr auto clear_pause = 25ms;
/// Number of retries and delay before a retry if the store does not answer.
constexpr int clear_retries = 3;
constexpr auto clear_retry = 5s;
/// The time limit of a search is computed from now, so a repeated request has a slightly different one.
constexpr auto same_until = 1h;

bool may_pass(core::errc code) noexcept { return code == core::errc::timeout || code == core::errc::unavailable; }

/// Returns true if both requests clear the same runs for the same user with the same permissions.
bool is_same(const protocol::clear_runs& a, const protocol::clear_runs& b) {
  if (a.by.user != b.by.user || a.by.name != b.by.name || a.by.admin != b.by.admin || a.by.rights != b.by.rights)
    return false;
  const auto& x = a.search;
  const auto& y = b.search;
  if (x.group != y.group || x.job != y.job || x.keep_newest != y.keep_newest || x.until.has_value() != y.until.has_value())
    return false;
  return !x.until || (*x.until <= *y.until ? *y.until - *x.until : *x.until - *y.until) < same_until;
}

} // namespace

caf::result<protocol::runs_cleared> run_admin_state::clear(protocol::clear_runs&& command) {
  auto promise = self_->make_response_promise<protocol::runs_cleared>();
  if (const auto same = find_clearing(command)) {
    same->waiting.push_back(promise);
    if (same->late && same->place)
      answer(*same);
    return promise;
  }
  auto work = std::make_shared<clearing>(clearing{std::move(command), {promise}});
  clearings_.push_back(work);
  clear_step(work);
  self_->run_delayed(clear_patience, [work] {
    work->late = true;
    if (work->place)
      answer(*work);
  });
  return promise;
}

run_admin_state::clearing_ptr run_admin_state::find_clearing(const protocol::clear_runs& asked) const {
  const auto found = std::find_if(clearings_.begin(), clearings_.end(),
                                  [&asked](const clearing_ptr& each) { return is_same(each->command, asked); });
  return found != clearings_.end() ? *found : nullptr;
}

void run_admin_state::answer(clearing& work) {
  for (auto& each : std::exchange(work.waiting, {}))
    each.deliver(protocol::runs_cleared{work.removed});
}

void run_admin_state::end(const clearing_ptr& work) { std::erase(clearings_, work); }

// Works chunk by chunk, so that no lock is held for long and other requests get their turn.
void run_admin_state::clear_step(clearing_ptr work) {
  ask_store<core::clear_step>(
    self_, stores_.edits,
    [work, t = now()](storage::store& store) {
      return store.run_reading().clear(work->command.search, work->place, clear_chunk, work->command.by, t);
    },
    [this, work](core::result<core::clear_step>&& step) { cleared(work, std::move(step)); });
}

void run_admin_state::cleared(const clearing_ptr& work, core::result<core::clear_step>&& step) {
  // A first step whose answer was lost may have written its audit row, so it is not repeated.
  if (!step && work->place && may_pass(step.error().code) && ++work->failures <= clear_retries) {
    self_->run_delayed(core::milliseconds{clear_retry}, [this, work] { clear_step(work); });
    return;
  }
  if (!step) {
    log_->warn("clearing ended after {} runs: {}", work->removed, step.error().context);
    for (auto& each : std::exchange(work->waiting, {}))
      each.deliver(protocol::to_caf(step.error()));
    return end(work);
  }
  work->failures = 0;
  work->removed += step->removed;
  work->place = step->next;
  if (work->place) {
    if (work->late)
      answer(*work);
    self_->run_delayed(core::milliseconds{clear_pause}, [this, work] { clear_step(work); });
    return;
  }
  log_->info("{} runs cleared by {}", work->removed, work->command.by.name);
  answer(*work);
  end(work);
}

} // namespace ringmaster::actors
