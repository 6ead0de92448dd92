#pragma once

// Writes of elastic jobs as values: what coordinators and keepers ask of the store, and its answers (elastic design §2).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/elastic/item_actions.hpp"
#include "core/elastic/item_alarm.hpp"
#include "core/elastic/stored_rows.hpp"

namespace ringmaster::core::elastic {

/// Fate of one write.
enum class write_outcome : std::uint8_t {
  done,
  /// An earlier call with the same write, whose answer was lost, has done it.
  repeated,
  /// The slot has another epoch: the caller stops coordinating it.
  fenced,
  /// The conditions do not hold: the caller reads the rows again. Nothing of this write is stored.
  guard_lost,
};

/// Account of an ended run by its host.
struct run_report {
  /// Start of the body; the epoch: unknown.
  time_point started{};
  /// Unset: the moment of the write.
  std::optional<time_point> ended = std::nullopt;
  /// Text of a failure, cut to `run_message_chars`; empty: none.
  std::string message = {};
};
inline constexpr std::size_t run_message_chars = 4000;

/// E7 of one item, or a change of its mark without another write. Not while the row is open if `wanted`.
struct write_mark {
  /// Value of the mark.
  bool missed = true;
  /// The item also becomes wanted (state 2, run 0), if its row is idle.
  bool wanted = false;
};

/// E8: only while the item is open with this fence.
struct write_cursor {
  fence_number fence{};
  std::string value;
};

using item_change = std::variant<item_grant, action::write_end, action::write_loss, action::write_wait_end, write_mark,
                                 action::delete_item, write_cursor>;

/// One write of one item (E5-E9).
struct item_write {
  elastic_job_id job{};
  item_number item{};
  item_change what;
  /// The mark "missed" after the write; unset: unchanged. A granted compensation clears it anyway.
  std::optional<bool> missed = std::nullopt;
  /// Only for an ended or lost run.
  run_report report = {};
  /// If the run has succeeded, it ends the open alarm of the item, and that of the whole job.
  bool ends_alarm = false;
};

/// Answer to one write of an item.
struct item_answer {
  write_outcome outcome = write_outcome::guard_lost;
  /// Fate of the grant that the write contains; unset: it contains none. A lost grant leaves the rest of the write.
  std::optional<write_outcome> grant = std::nullopt;
  /// The granted run; 0: none.
  item_run_id run{};
  friend bool operator==(const item_answer&, const item_answer&) = default;
};

/// Move of a job's schedule. Its next time must be as expected, and no edit may be newer than `seen_revision`.
struct elastic_move {
  time_point expected_next{};
  time_point last{};
  /// Unset: the schedule has ended.
  std::optional<time_point> next;
  std::int64_t seen_revision = 0;
};

/// E4: fires of one job, in order, with their items. Parts of `items` are grants (E5) and marks (E7), each with its own answer.
struct fire_write {
  elastic_job_id job{};
  /// Unset: fires of requests.
  std::optional<elastic_move> move;
  std::vector<fire_row> fires;
  /// A plan that is used for the first time.
  std::optional<plan_row> plan;
  std::vector<item_write> items;
  /// Items to which the request of the fire still owes a run: they wait, or their grants follow. The store adds those whose
  /// grants are lost, and takes each away with its grant.
  std::vector<item_number> owed = {};
  /// Alarms about the fires. They are stored if the fires are.
  std::vector<raised_alarm> alarms = {};
};

/// E10: one step of a barrier, with the grant of its hook.
struct fire_step_write {
  elastic_job_id job{};
  fire_key fire;
  fire_state from{};
  fire_state to{};
  /// On item -1 or -2. A lost grant leaves the step.
  std::optional<item_write> hook;
  /// The barrier that the step leaves was not complete in time: the history gets a failed run of its hook (item -1 or -2), which
  /// has not begun, with this text. Empty: it was complete.
  std::string late = {};
};

/// End of a request for items that start no run. The request is deleted once it owes no item: here, or with a fire or a grant of
/// it.
struct request_end {
  elastic_job_id job{};
  request_id request{};
  std::vector<item_number> items = {};
};

/// An alarm that belongs to no other write.
struct alarm_write {
  elastic_job_id job{};
  raised_alarm what;
};

using elastic_op = std::variant<item_write, fire_write, fire_step_write, request_end, alarm_write>;

/// Returns the job of a write.
[[nodiscard]] inline elastic_job_id job_of(const elastic_op& op) {
  return std::visit([](const auto& what) { return what.job; }, op);
}

/// Maximum number of item writes in one batch.
inline constexpr std::size_t batch_items_max = 500;

/// Writes of many coordinators of one node, one transaction. They are decided in this order.
struct elastic_batch {
  node_incarnation owner;
  /// Leases that the node has in memory, of all slots of `ops`.
  std::vector<slot_lease> leases;
  std::vector<elastic_op> ops;
};

/// Answer to one op.
struct elastic_answer {
  write_outcome outcome = write_outcome::guard_lost;
  /// One for an `item_write`, one for each item of a `fire_write`, and one for the hook of a `fire_step_write`, if it has one.
  std::vector<item_answer> items = {};
};

/// E2: this node becomes the keeper of a host.
struct keeper_claim {
  host_process host;
  /// `keeper_no` as read.
  std::int64_t seen = 0;
};

/// E3: the state of a host.
struct host_verdict {
  host_process host;
  /// `keeper_no` as read. Not compared for `dead`, which any node with a proof may say.
  std::int64_t seen = 0;
  /// `silent`, `dead` or `left`.
  host_state state = host_state::silent;
  /// The caller has observed for long enough that the keeper's incarnation is over. The store checks that it is.
  bool keeper_over = false;
};

/// Answer to E1, E2, E3.
struct host_answer {
  write_outcome outcome = write_outcome::guard_lost;
  /// The row after the write; unset: there is no such host.
  std::optional<host_row> row = std::nullopt;
};

/// E11: a new job, or a new version of a job.
struct elastic_edit {
  /// Unset: a new job.
  std::optional<elastic_job_id> id;
  /// Version as read.
  std::int64_t version = 0;
  elastic_definition what;
  /// Status of a new job.
  job_status status = job_status::on;
  /// Permits another kind or handler.
  bool replace_class = false;
  std::optional<std::string> source = std::nullopt;
  std::string content_hash = {};
};

/// Result of an operator's edit of hosts.
struct host_edit_done {
  /// Ids of the hosts that were meant, by number.
  std::vector<std::string> hosts;
  /// False: all of them were so already.
  bool changed = false;
};

/// Result of E11 and E12.
struct elastic_edit_done {
  elastic_job_id id{};
  std::int64_t version = 0;
  /// Revision of the edit; 0: nothing was changed.
  std::int64_t revision = 0;
  std::optional<time_point> next;
};

} // namespace ringmaster::core::elastic
