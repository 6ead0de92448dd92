// log_spool: searches in copies, in slices, so that readers and answers are not held up.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "actors/console/log_spool.hpp"
#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

namespace {

/// Time of one slice.
constexpr std::chrono::milliseconds slice_time{8};
/// Searches that take turns; further ones begin when one of them has ended.
constexpr std::size_t searches_at_a_time = 4;

} // namespace

void log_spool_state::begin_search(const entry& of, core::log_search&& wanted,
                                   caf::typed_response_promise<protocol::log_matches> promise) {
  // Nothing is read after the end of a copy.
  if (!of.log.has_line(wanted.from_line))
    return deliver(promise, of.log.search(wanted, [] { return true; }));
  searches_.push_back({of.log.run().id, of.copy, std::move(wanted), std::move(promise)});
  if (searches_.size() == 1)
    protocol::anon_send(protocol::log_spool{self_}, protocol::spool_arrival{});
}

void log_spool_state::go_on_searching() {
  if (searches_.empty())
    return;
  auto task = std::move(searches_.front());
  searches_.pop_front();
  if (!search_slice(task)) {
    const auto turn = std::min(searches_.size(), searches_at_a_time - 1);
    searches_.insert(searches_.begin() + static_cast<std::ptrdiff_t>(turn), std::move(task));
  }
  if (!searches_.empty())
    protocol::anon_send(protocol::log_spool{self_}, protocol::spool_arrival{});
}

/// Returns true if the search has been answered.
bool log_spool_state::search_slice(search_task& task) {
  const auto known = logs_.find(task.run);
  if (known == logs_.end() || known->second.copy != task.copy) {
    // The copy was dropped: the next search makes it again.
    task.found.next_line = task.wanted.from_line;
    task.found.scanned_to = task.wanted.from_line - 1;
    task.promise.deliver(std::move(task.found));
    return true;
  }
  auto& of = known->second;
  of.used = now();
  if (task.until == time_point{})
    task.until = now() + search_time;
  const auto until = std::min<time_point>(task.until, now() + slice_time);
  auto found = of.log.search(task.wanted, [this, until] { return now() >= until; });
  if (!found) {
    if (task.found.next_line)
      task.promise.deliver(std::move(task.found));
    else
      deliver(task.promise, std::move(found));
    return true;
  }
  task.wanted.limit -= std::min(task.wanted.limit, found->matches.size());
  found->matches.insert(found->matches.begin(), std::make_move_iterator(task.found.matches.begin()),
                        std::make_move_iterator(task.found.matches.end()));
  task.found = std::move(*found);
  const auto next = task.found.next_line;
  if (next && of.log.has_line(*next) && task.wanted.limit > 0 && now() < task.until) {
    task.wanted.from_line = *next;
    return false;
  }
  task.promise.deliver(std::move(task.found));
  return true;
}

} // namespace ringmaster::actors
