#pragma once

// The barriers of one fire for its once-listeners: elastic design §4 (table of fires), spec §12.2. Pure: the coordinator makes
// each change of `state` durable (E10). A fire without once-listeners needs no machine: it stays `open` and has no end row.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/elastic/elastic_ids.hpp"
#include "core/elastic/item_events.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// State of a fire: `ej_fire.state`.
enum class fire_state : std::uint8_t {
  /// No barrier.
  open = 0,
  /// Participants hold until all of them have arrived.
  gathering = 1,
  /// The hook before all items runs; participants hold.
  before_hook = 2,
  /// Participants run.
  released = 3,
  /// The hook after all items runs.
  after_hook = 4,
  done = 5,
  /// The fire was too late: nothing ran.
  dropped = 6,
};

/// Part of an item in a fire.
struct fire_part {
  item_number item{};
  bool disabled = false;
  /// The plan has no host for it.
  bool unassigned = false;
  /// Its run before was still open: spec §9.4, O1.
  bool missed = false;
};

/// Returns the items that a fire waits for: planned − disabled − unassigned − missed, in the given order.
[[nodiscard]] std::vector<item_number> expected_items(std::span<const fire_part> planned);

/// Returns the state in which E4 inserts a fire. Nothing expected: no listener is called, the fire is done at once.
[[nodiscard]] fire_state initial_state(std::size_t expected, bool has_once_listeners) noexcept;

/// Limit of a barrier whose time-out is 0.
inline constexpr milliseconds barrier_limit{std::chrono::hours{1}};

/// Time-outs of the once-listeners, from the first arrival on; 0 or less: `barrier_limit`.
struct barrier_limits {
  milliseconds started{0};
  milliseconds completed{0};
};

namespace fire_event {

/// A participant holds at the first barrier (host event `arrived`).
struct arrived {
  item_number item{};
  host_process host;
};
/// A run of a participant ended, in any way but a takeover: finished, error, killed, failed.
struct ended {
  item_number item{};
  host_process host;
};
/// A participant's run was lost (E9), or gave up its wait for a host.
struct lost {
  item_number item{};
  /// The item is wanted or granted again for this fire: its takeover, a refused run, the rest of a stream.
  bool taken_over = false;
  /// It has no host yet. The barrier before the items does not wait for it: those that hold there may have all free slots.
  bool waits = false;
};
/// A compensation of this fire was granted. The barrier before the items does not wait for it, the one after them does.
struct joined {
  item_number item{};
};
/// First event of a restored fire: it may have all that it waits for.
struct restored {};
/// The item -1 or -2 ended, in any way but a takeover.
struct hook_ended {
  item_number hook{};
};
/// `due_at` has passed.
struct time_passed {};

} // namespace fire_event

using fire_machine_event = std::variant<fire_event::arrived, fire_event::ended, fire_event::lost, fire_event::joined,
                                        fire_event::restored, fire_event::hook_ended, fire_event::time_passed>;

namespace fire_action {

/// E10.
struct write_state {
  fire_state from{};
  fire_state to{};
  friend bool operator==(const write_state&, const write_state&) = default;
};
/// E5 of the item -1 or -2, in the same transaction. If the host is 0 or has no free slot, another one takes it.
struct start_hook {
  item_number hook{};
  host_process host;
  friend bool operator==(const start_hook&, const start_hook&) = default;
};
/// Order `go` for each participant that holds, once the state is stored.
struct release_all {
  friend bool operator==(const release_all&, const release_all&) = default;
};
/// Order `go` for a run that arrived after the release.
struct release_one {
  item_number item{};
  friend bool operator==(const release_one&, const release_one&) = default;
};
/// A barrier was not complete in time: an event, and the error handler of the job.
struct report_timeout {
  /// True: the barrier before the items; false: the one after them.
  bool before = true;
  friend bool operator==(const report_timeout&, const report_timeout&) = default;
};

} // namespace fire_action

using fire_machine_action = std::variant<fire_action::write_state, fire_action::start_hook, fire_action::release_all,
                                         fire_action::release_one, fire_action::report_timeout>;

/// Result of one event.
struct fire_decision {
  enum class kind : std::uint8_t {
    taken,
    /// It says nothing new: a repeated message, or an item or a hook that this fire does not wait for.
    stale,
  };
  kind outcome = kind::taken;
  std::vector<fire_machine_action> actions = {};
};

/// The barriers of one fire. Owned by its coordinator, for one thread. Times are those of the steady clock. The coordinator may
/// remove a fire that is done; a run that arrives after that gets its `go` at once.
class fire_machine {
public:
  /// Begins the barriers of a new fire; `expected` has at least one item, each once.
  fire_machine(std::span<const item_number> expected, barrier_limits limits);

  /// Restores the barriers of a stored fire at adoption (E13). `ended`: those of `expected` whose runs of this fire are closed.
  /// Time-outs start again at `now`. Arrivals are repeated by the hosts. `fire_event::restored` comes next.
  [[nodiscard]] static fire_machine restore(fire_state state, std::span<const item_number> expected,
                                            std::span<const item_number> ended, barrier_limits limits, steady_time now);

  /// Changes the state by an event and returns the decided actions, in the order of their execution.
  [[nodiscard]] fire_decision apply(const fire_machine_event& what, steady_time now);

  /// Returns true if a run of this fire that is granted now waits for `go` (field `hold` of its grant).
  [[nodiscard]] bool holds() const noexcept { return state_ == fire_state::gathering || state_ == fire_state::before_hook; }
  /// Returns true if a compensation still joins the barrier after the items.
  [[nodiscard]] bool may_join() const noexcept { return holds() || state_ == fire_state::released; }
  [[nodiscard]] bool is_done() const noexcept { return state_ == fire_state::done; }
  /// Returns the hook that the state waits for; unset: none. The caller starts it when its item and a host are free.
  [[nodiscard]] std::optional<item_number> hook() const noexcept;
  /// Returns the host that has the last arrival, or the last end, and should run the hook; 0: unknown.
  [[nodiscard]] host_process hook_host() const noexcept;
  [[nodiscard]] fire_state state() const noexcept { return state_; }
  /// Returns the moment at which the fire needs `fire_event::time_passed`; unset: no barrier has an arrival yet.
  [[nodiscard]] std::optional<steady_time> due_at() const noexcept;
  /// Number of participants that the next barrier still waits for.
  [[nodiscard]] std::size_t missing() const noexcept;

private:
  friend class fire_step;

  /// Stage of an item.
  enum class part : std::uint8_t { none, expected, joined, arrived, ended };

  /// Returns the stage of an item; `none` for an item that no job can have.
  [[nodiscard]] part part_of(item_number item) const noexcept;
  void set(item_number item, part stage);
  [[nodiscard]] std::size_t count(part stage) const noexcept { return counts_[static_cast<std::size_t>(stage)]; }

  fire_state state_ = fire_state::gathering;
  barrier_limits limits_;
  /// By item number.
  std::vector<part> parts_;
  /// Number of items in each stage but `none`.
  std::array<std::size_t, 5> counts_{};
  /// Arrivals in order. Those of participants that left are not removed: `parts_` tells.
  std::vector<std::pair<item_number, host_process>> arrivals_;
  host_process last_end_;
  std::optional<steady_time> started_due_;
  std::optional<steady_time> completed_due_;
};

} // namespace ringmaster::core::elastic
