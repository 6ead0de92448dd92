#pragma once

// Events of an item: the rows of the table of elastic design §4. An event that names a run with another fence than that of the
// open run is stale in every state.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <variant>

#include "core/elastic/elastic_ids.hpp"
#include "core/elastic/run_cause.hpp"

namespace ringmaster::core::elastic {

/// Time of deadlines: only differences count.
using steady_time = std::chrono::steady_clock::time_point;

/// Longest wait, in both directions: nanoseconds count no year 9999, which an instant may be in.
inline constexpr milliseconds longest_wait{std::chrono::hours{100 * 365 * 24}};
/// Returns the moment that follows `now` by `wait`, or by `longest_wait`.
[[nodiscard]] constexpr steady_time moment_after(steady_time now, milliseconds wait) {
  return now + std::clamp(wait, -longest_wait, longest_wait);
}

/// The columns of an item and of its run.
struct item_columns {
  fence_number fence{};
  stored_item_state state = stored_item_state::idle;
  /// The open run; of a wanted item, the run that ended before, or 0 for a compensation.
  item_run_id run{};
  /// Process of the open run, or of the last one.
  host_process host;
  /// Attempt of the open run; of a wanted item, the attempt of the coming run. The first is 1.
  std::uint8_t attempt = 1;
  bool missed = false;
  bool disabled = false;
  bool surplus = false;
  milliseconds lease{0};
  /// Cause of the open or coming run. For a compensation: `misfire` with the last fire of the job.
  run_cause cause;
};

/// The state of an item at adoption (E13) or after a lost guard.
struct stored_item : item_columns {
  /// Moment of the grant of the open run. `timeout` of a restored run counts from it: starts are not stored.
  steady_time granted_at{};
};

/// Decision about a request for an item that is not idle: `trigger_policy`.
enum class request_policy : std::uint8_t {
  /// Drops the request (spec §22, TR-1).
  discard,
  /// Lets it wait, up to `item_queue_max`.
  queue,
  /// Lets it wait unless another request waits.
  coalesce,
};

/// End of a run in the words of its host.
enum class host_outcome : std::uint8_t {
  success,
  error,
  /// A stream ended because of a drain: another host goes on.
  yielded,
  /// The body ended because of a cancel.
  cancelled,
};

enum class cancel_reason : std::uint8_t {
  none,
  /// A user or a limit ended it: the run is not repeated.
  asked,
  timed_out,
  /// Its host leaves and the drain limit has passed: the run is repeated elsewhere with the same attempt (design §3, case D).
  moved,
};

namespace event {

/// A fire of the job includes this item. Its source may be `misfire`: the one fire that replaces missed ones.
struct fired {
  fire_key key;
};
/// A manual or API trigger for this item.
struct requested {
  fire_key key;
  request_policy policy = request_policy::discard;
  /// End of its wait: creation + `misfire_max_age`.
  steady_time keep_until{};
};
/// Some host has a free slot again, or a host became eligible.
struct host_freed {};
/// The grant is stored (E5, also as part of E4, E6 or E9).
struct grant_stored {
  item_run_id run{};
};
/// The slot of the job belongs to another epoch.
struct fenced {};
/// The conditions of a write of this item did not hold.
struct guard_lost {};
/// Answer to `action::reread_item`.
struct row_read {
  stored_item row;
  std::uint32_t writes = 0;
};
struct accepted {
  host_process host;
  item_run_id run{};
  fence_number fence{};
};
struct started {
  host_process host;
  item_run_id run{};
  fence_number fence{};
};
struct refused {
  item_run_id run{};
  fence_number fence{};
  /// The host is likely to refuse the item again: it lacks something, or an older body goes on there.
  bool lasting = false;
  /// The host has no free slot: it is no reason to avoid it once it has one.
  bool full = false;
};
struct finished {
  item_run_id run{};
  fence_number fence{};
  host_outcome outcome = host_outcome::success;
  /// The host is about to leave, and cancels its runs at the end of its drain.
  bool leaving = false;
};
struct cancelled {
  cancel_reason why = cancel_reason::asked;
  /// The run that the caller means; unset: the current one.
  std::optional<item_run_id> run = std::nullopt;
};
/// `due_at` has passed.
struct time_passed {};
/// The link to the host ended, or two heartbeats are missing.
struct link_lost {
  host_process host;
};
/// The keeper's verdict `silent` (E3).
struct host_silent {
  host_process host;
  /// Last heartbeat; for a coordinator that has just begun, the moment of its start (design §3, case F).
  steady_time last_beat{};
};
/// A proof that no body of this process runs any more: it is dead, or a newer process has replaced it.
struct host_gone {
  host_process host;
};
/// The inventory of the host has this run.
struct run_present {
  host_process host;
  item_run_id run{};
  fence_number fence{};
  bool started = true;
  /// Moment when the inventory was asked for; zero if the body has ended, and its result follows.
  steady_time asked_at{};
};
/// The host no longer has the item's run, or never had it.
struct run_absent {
  host_process host;
  /// Moment when the inventory was asked for: a grant that was sent later proves nothing.
  steady_time asked_at{};
  /// The host has ended it with its lease; false: its inventory does not name it.
  bool fenced = false;
};
/// A user disabled or enabled the item.
struct disabled_set {
  bool disabled = true;
};
/// The number of items became smaller than this item's number (true), or grew again.
struct surplus_set {
  bool surplus = true;
};
struct misfire_off {};
struct failover_off {};
/// The open run is asked to end: the plan has another host for the stream, or operators drain its host or the job. What a stream
/// leaves goes on elsewhere.
struct stream_moved {};
/// The job was disabled or shut down: no run is owed any more. An open run goes on.
struct job_off {};
/// The slot of the job goes to another node.
struct slot_released {};

} // namespace event

using item_event =
  std::variant<event::fired, event::requested, event::host_freed, event::grant_stored, event::fenced, event::guard_lost,
               event::row_read, event::accepted, event::started, event::refused, event::finished, event::cancelled,
               event::time_passed, event::link_lost, event::host_silent, event::host_gone, event::run_present, event::run_absent,
               event::disabled_set, event::surplus_set, event::misfire_off, event::failover_off, event::stream_moved,
               event::job_off, event::slot_released>;

} // namespace ringmaster::core::elastic
