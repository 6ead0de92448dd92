#pragma once

// Decisions of the item's state machine as values. Writes are ops of elastic design §2; the caller puts the writes of one event
// into one transaction. The order `close` and receipts leave once all earlier writes of the item are stored: if the conditions of
// one of them do not hold, the run is open still, and its host must not have dropped it. All other messages leave at once: an
// inventory that is asked for after `send_grant` must not overtake it.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/elastic/item_alarm.hpp"
#include "core/elastic/item_events.hpp"

namespace ringmaster::core::elastic {

/// Arguments of E5.
struct item_grant {
  /// As read; the write stores and returns `next_fence(fence)`.
  fence_number fence{};
  host_process host;
  /// Source `misfire` also clears `ej_item.missed`; a request in the fire is deleted with the write.
  run_cause cause;
  std::uint8_t attempt = 1;
  milliseconds lease{};
  friend bool operator==(const item_grant&, const item_grant&) = default;
};

/// Part of E6, E9: the item after its run.
struct item_next {
  /// Idle or wanted: the row if there is no grant, or if the conditions of the grant do not hold (the rest of the write counts
  /// all the same, and the answer is `event::guard_lost`).
  stored_item_state state = stored_item_state::idle;
  /// Column `run` of a wanted item: the run that ended, or 0 for a compensation.
  item_run_id kept_run{};
  /// Column `attempt` of a wanted item: that of the coming run.
  std::uint8_t attempt = 1;
  /// E5 in the same transaction.
  std::optional<item_grant> grant = std::nullopt;
  friend bool operator==(const item_next&, const item_next&) = default;
};

/// Reason why no body of a lost run begins or goes on. It selects the condition of E9.
enum class loss_proof : std::uint8_t {
  /// The host process is dead, or a newer process has replaced it.
  process_ended,
  /// The host is silent and the lease of the grant is over. The store refuses it if the host has returned meanwhile.
  lease_over,
  /// The host said so under this epoch: it refused the run, does not have it, or has ended it.
  host_answered,
  /// This coordinator has not sent the grant.
  never_sent,
  /// The host has ended the run early because it leaves, or because the run moves. The loss is the effect of this result, which
  /// may be in the inbox.
  moved,
};

enum class item_order : std::uint8_t { go, cancel, kill, drain, close };

/// Change of the mark "missed".
enum class miss_change : std::uint8_t {
  /// The mark was set (E7).
  marked,
  /// The mark was set already: nothing to store.
  merged,
  /// Misfire is off: the fire counts as dropped (E7, spec §9.4 O4).
  dropped,
  /// Cleared because misfire was switched off (O6).
  cleared,
  /// Cleared because no host was found in `misfire_max_age` (O5).
  expired,
  /// Cleared because the item or the job was disabled, or the item is surplus.
  disabled,
  /// Cleared because a user cancelled the wait for a host.
  cancelled,
};

enum class request_drop : std::uint8_t { busy, coalesced, queue_full, expired, disabled, cancelled };

namespace action {

/// E5; for `event::fired` it is part of E4.
struct write_grant {
  item_grant grant;
  friend bool operator==(const write_grant&, const write_grant&) = default;
};
/// E7, or a change of the mark that the next write of the item stores.
struct write_miss {
  fire_key fire;
  miss_change change = miss_change::marked;
  /// The item becomes wanted (stored state 2, run 0) in the same write, provided that its row is idle.
  bool wanted = false;
  friend bool operator==(const write_miss&, const write_miss&) = default;
};
/// E6. The receipt to the host follows once it is stored.
struct write_end {
  item_run_id run{};
  fence_number fence{};
  item_run_end end = item_run_end::finished;
  item_next next;
  std::optional<alarm_cause> alarm = std::nullopt;
  friend bool operator==(const write_end&, const write_end&) = default;
};
/// E9 of an open run.
struct write_loss {
  item_run_id run{};
  fence_number fence{};
  loss_proof proof = loss_proof::process_ended;
  item_run_end end = item_run_end::lost;
  item_next next;
  std::optional<alarm_cause> alarm = std::nullopt;
  friend bool operator==(const write_loss&, const write_loss&) = default;
};
/// E9 of a wanted item: its wait ends without the run that it waited for. Also makes an idle item wanted. Only if the row has
/// this fence and is not open; otherwise the answer is `event::guard_lost`.
struct write_wait_end {
  fence_number fence{};
  item_next next;
  friend bool operator==(const write_wait_end&, const write_wait_end&) = default;
};
/// Removes the row of a surplus item, after the other writes of the event.
struct delete_item {
  friend bool operator==(const delete_item&, const delete_item&) = default;
};
/// The grant leaves for the host. Its other fields are those of the item.
struct send_grant {
  host_process host;
  item_run_id run{};
  fence_number fence{};
  friend bool operator==(const send_grant&, const send_grant&) = default;
};
struct send_order {
  host_process host;
  item_run_id run{};
  fence_number fence{};
  item_order order = item_order::close;
  friend bool operator==(const send_order&, const send_order&) = default;
};
/// Asks the host for its runs. If the caller knows already that the process has ended or is silent, it passes that event instead.
struct ask_inventory {
  host_process host;
  friend bool operator==(const ask_inventory&, const ask_inventory&) = default;
};
/// Counts a result of a run that is not open any more (`TASK_GONE`); its receipt leaves at once.
struct count_gone {
  item_run_id run{};
  fence_number fence{};
  friend bool operator==(const count_gone&, const count_gone&) = default;
};
/// Removes the request, with an event for the user.
struct drop_request {
  request_id request{};
  request_drop why = request_drop::busy;
  friend bool operator==(const drop_request&, const drop_request&) = default;
};
/// An alarm that belongs to no write.
struct raise_alarm {
  alarm_cause cause = alarm_cause::waits;
  friend bool operator==(const raise_alarm&, const raise_alarm&) = default;
};
/// The host has a body that ignored cancel and kill (design §3, R3).
struct taint_host {
  host_process host;
  friend bool operator==(const taint_host&, const taint_host&) = default;
};
/// Reads the item's rows, after its writes that are under way, and passes them as `event::row_read`.
struct reread_item {
  /// Number of the writes before, which the answer repeats.
  std::uint32_t writes = 0;
  friend bool operator==(const reread_item&, const reread_item&) = default;
};
/// Removes the item from memory.
struct forget_item {
  friend bool operator==(const forget_item&, const forget_item&) = default;
};
/// Removes the coordinator: the slot has another owner.
struct stop_coordinating {
  friend bool operator==(const stop_coordinating&, const stop_coordinating&) = default;
};

} // namespace action

using item_action = std::variant<action::write_grant, action::write_miss, action::write_end, action::write_loss,
                                 action::write_wait_end, action::delete_item, action::send_grant, action::send_order,
                                 action::ask_inventory, action::count_gone, action::drop_request, action::raise_alarm,
                                 action::taint_host, action::reread_item, action::forget_item, action::stop_coordinating>;

/// Result of one event.
struct item_decision {
  enum class kind : std::uint8_t {
    taken,
    /// The event names an earlier run, another process or an earlier inventory, or came too early: the state is unchanged.
    stale,
    /// "–" of the table: a defect of the caller, who logs and counts it. The state is unchanged.
    impossible,
  };
  kind outcome = kind::taken;
  /// In the order of their execution.
  std::vector<item_action> actions = {};
};

} // namespace ringmaster::core::elastic
