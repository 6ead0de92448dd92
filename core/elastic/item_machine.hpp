#pragma once

// The state machine of one item: elastic design §4, spec §8.8, §9.4, §21.4, §21.5. Pure: it decides, one transaction makes the
// decision durable, a message follows.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/elastic/item_actions.hpp"
#include "core/elastic/item_events.hpp"

namespace ringmaster::core::elastic {

enum class item_state : std::uint8_t {
  idle,
  /// A run is owed and waits for a host.
  wanted,
  /// The write of a grant is under way.
  granting,
  /// The grant was sent.
  sent,
  running,
  /// A cancel was sent.
  cancelling,
  /// The run is open, its host cannot be reached.
  unreachable,
};

/// Maximum number of requests that wait for one item.
inline constexpr std::size_t item_queue_max = 100;
/// Time for the answer to a grant; then the host is asked for its inventory, as often as this.
inline constexpr milliseconds grant_answer_limit{2000};
/// A lease is surely over this long after its end by the clock of the host (design §3).
inline constexpr milliseconds lease_margin{250};
/// Wait for a host before the alarm.
inline constexpr milliseconds unowned_after{30'000};
/// A host that refused a run of the item does not get it again for this time, so that a refusal is no busy loop.
inline constexpr milliseconds refusal_pause{1000};
/// Each lasting refusal in a row doubles the pause, this often.
inline constexpr std::uint8_t refusal_doublings_max = 5;

/// A request that waits for the item.
struct waiting_request {
  fire_key key;
  steady_time keep_until{};
};

/// One item in the memory of its coordinator. Plain data; only `apply` changes it.
struct item {
  item_state state = item_state::idle;
  /// A fire was missed: one compensation is owed. Never set in `idle`.
  bool missed = false;
  bool disabled = false;
  bool surplus = false;
  /// Attempt of the open or coming run; the first is 1.
  std::uint8_t attempt = 1;
  /// Set while the open run is to end.
  cancel_reason cancel = cancel_reason::none;
  bool cancel_sent = false;
  bool kill_sent = false;
  /// The stream is to hand over to another host; the order follows when the host can be reached.
  bool drain = false;
  /// The grant left for its host.
  bool sent_once = false;
  /// Noted while a grant is being written: its host cannot be reached, is gone; the slot leaves.
  bool host_away = false;
  bool host_dead = false;
  bool leaving = false;
  /// The keeper said `silent`: `due` is the end of the lease.
  bool silent = false;
  bool alarmed = false;
  /// Number of decided writes of the row, which tells an outdated reading of it.
  std::uint32_t writes = 0;
  /// As stored. While a grant is being written, the fence before it.
  fence_number fence{};
  /// The open run. In `wanted` and `granting`, the run that ended before, or 0.
  item_run_id run{};
  host_process host;
  run_cause cause;
  /// The newest missed fire, which a compensation belongs to.
  fire_key missed_fire;
  milliseconds lease{};
  steady_time sent_at{};
  /// Start of the body (its grant, if restored); unset while it is not known to run.
  std::optional<steady_time> began = std::nullopt;
  /// Deadline of the state; in `wanted`, the end of the wait for a compensation.
  std::optional<steady_time> due = std::nullopt;
  /// Last order to kill the body, and whether its host is known to have it.
  steady_time killed_at{};
  bool kill_heard = false;
  steady_time wanted_since{};
  /// Hosts that refused the item since one last took it; all of them may be asked again after the pause.
  std::vector<host_process> avoided = {};
  /// Refusals since a host last took the item: by hosts, and by the store for hosts that have ended.
  std::uint8_t refusals = 0;
  steady_time avoided_until{};
  /// End of the wait of the request whose grant is being written.
  steady_time request_until{};
  std::vector<waiting_request> queue = {};
};

/// Options of the job, and those of its fields that hold for one grant.
struct item_rules {
  /// False: the job is disabled or shut down, so that no further run begins.
  bool enabled = true;
  bool failover = false;
  bool misfire = true;
  /// Maximum number of takeovers of one run (spec §21.5, R5).
  std::uint8_t failover_max = 3;
  /// Time limit of a body; 0: none.
  milliseconds timeout{0};
  milliseconds cancel_grace{5000};
  /// Lease of a new grant, by `fence_mode`.
  milliseconds lease{500};
  /// Maximum age of a missed fire that waits for a host; `misfire_max_age_of` is its default.
  milliseconds misfire_max_age{86'400'000};
};

/// Chooses the host of the coming run: for takeovers by the takeover rule, else by the newest plan. A host that it returns is
/// granted, so that the caller may count its slot as taken. Unset: no host with a free slot. The second argument has hosts to
/// leave out.
using host_choice = std::function<std::optional<host_process>(const run_cause&, std::span<const host_process>)>;

/// Surroundings of one event.
struct item_scene {
  steady_time now{};
  /// Civil time, for the age of missed fires.
  time_point wall{};
  const item_rules& rules;
  const host_choice& choose;
  /// Set by `choose`: the host of the plan may run the item, but has no free slot. Null: unknown.
  const bool* is_full = nullptr;
};

/// Changes the item by an event and returns the decided actions. Never fails: an event that cannot happen in the item's state is
/// reported in the outcome and changes nothing.
[[nodiscard]] item_decision apply(item& one, const item_event& what, const item_scene& scene);

/// Returns the item of a row at adoption (E13). An open run is unreachable until the inventory of its host; a wanted item waits
/// for `event::host_freed`.
[[nodiscard]] item restore(const stored_item& row, const item_scene& scene);

/// Returns the moment at which the item needs `event::time_passed`; unset: no deadline of its own. `granting` waits for the
/// writer, `unreachable` for the keeper's verdict, a run without time limit for its host (design §4, table of waits).
[[nodiscard]] std::optional<steady_time> due_at(const item& one);

/// Returns true if a run of the item is open in the store, or will be once the write that is under way is stored (I1).
[[nodiscard]] constexpr bool is_open(item_state state) noexcept {
  return state != item_state::idle && state != item_state::wanted;
}

/// Returns true if the run is open with this fence: its cursor may be stored (E8).
[[nodiscard]] inline bool holds(const item& one, item_run_id run, fence_number fence) noexcept {
  return is_open(one.state) && one.state != item_state::granting && one.run == run && one.fence == fence;
}

} // namespace ringmaster::core::elastic
