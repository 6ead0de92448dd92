#pragma once

// Steps that several events of an item share. Private to the item's state machine.

#include <optional>

#include "core/elastic/item_machine.hpp"

namespace ringmaster::core::elastic {

/// Returns true if the coming run is the one that the mark "missed" owes.
[[nodiscard]] inline bool is_compensation(const item& one) noexcept {
  return one.cause.source == run_source::misfire && one.missed && number(one.run) == 0;
}

/// Returns true if the coming run is the first of a request, whose row still exists.
[[nodiscard]] inline bool is_new_request(const item& one) noexcept {
  return one.cause.source == run_source::manual && number(one.run) == 0;
}

/// One event of an item: changes the item and collects the actions.
class item_step {
public:
  /// Keeps references to the arguments.
  item_step(item& one, const item_scene& scene, item_decision& out) : one_{one}, scene_{scene}, out_{out} {}

  template <class Action>
  void add(Action what) {
    out_.actions.emplace_back(std::move(what));
  }
  void stale() { out_.outcome = item_decision::kind::stale; }
  void impossible() { out_.outcome = item_decision::kind::impossible; }
  /// Adds an order for the open run.
  void order(item_order what) { add(action::send_order{one_.host, one_.run, one_.fence, what}); }

  /// A run that comes before those that the item owes: a takeover, a refused run, the rest of a stream.
  struct again {
    run_cause cause;
    std::uint8_t attempt = 1;
  };
  /// Moves an item without an open run to its next state: `first`, else the compensation, else the next request, else idle.
  /// Surplus items end with `action::delete_item`, which the caller adds after its write (`end_surplus`).
  [[nodiscard]] item_next next(const std::optional<again>& first = std::nullopt);
  /// Adds `action::delete_item` if the item is surplus and idle.
  void end_surplus();

  /// Waits for the host of a run.
  void begin_wait(const run_cause& cause, std::uint8_t attempt);
  /// Begins the grant of the run that the wanted item waits for. Returns unset if there is no host for it.
  [[nodiscard]] std::optional<item_grant> grant_wanted();

  /// Marks a fire as missed, or counts it as dropped.
  void miss(const fire_key& key);
  /// Marks a fire of an item without a run as missed, because no host has a free slot: it waits for one.
  void miss_idle(const fire_key& key);
  /// Goes on after a grant whose conditions did not hold: its run is still owed. `stored`: the row's state.
  void retry(stored_item_state stored);
  /// Leaves the host out until the end of the pause. Lasting refusals in a row double it.
  void avoid_host(bool lasting);
  /// Clears the mark.
  void forget_miss(miss_change why);
  /// Drops the mark and all waiting requests.
  void drop_owed();
  /// Drops requests whose wait is over.
  void expire_requests();
  /// Ends the wait of a wanted item; it may owe another run.
  void end_wait();
  /// Drops the compensation or the request that the item waits for, which a user cancelled.
  void drop_waited();
  /// Returns true if the item waits for the first run of a request that does not wait any more.
  [[nodiscard]] bool request_has_gone() const;
  /// Takes over a row that another write of this epoch changed; runs that the item owed are owed still.
  void adopt(const stored_item& row);

  /// Returns true if no run of the item may begin.
  [[nodiscard]] bool is_off() const { return one_.disabled || one_.surplus || !scene_.rules.enabled; }

  /// E6 of the open run.
  void end(item_run_end how, const std::optional<again>& first = std::nullopt);
  enum class loss : std::uint8_t {
    /// The host and perhaps the body are gone.
    died,
    /// The run never started: its attempt does not count, and it is repeated even without failover.
    not_started,
    /// Ended by a leaving host; as `not_started`.
    moved,
  };
  /// E9 of the open run: a takeover, or its end.
  void lose(loss why, loss_proof proof);
  /// E9 of the open run, which never started if its grant was never sent.
  void lose(loss_proof proof) {
    one_.sent_once ? lose(loss::died, proof) : lose(loss::not_started, loss_proof::never_sent);
  }

  /// Orders the end of the open run, whose host can be reached.
  void send_cancel();
  void send_kill();
  /// Takes an inventory that has the run after an order to kill. `asked_at`: time of its question.
  void hear_after_kill(steady_time asked_at);
  /// Ends the grace after an order to cancel or to kill: the next order, or the end of a run that ignores them.
  void end_grace();
  /// The host has the run: leaves `sent` and `unreachable`. `began`: start of its body if it has started.
  void resume(std::optional<steady_time> began);

private:
  [[nodiscard]] item_grant begin_grant(const host_process& host);
  /// Clears everything that belongs to the run that ended.
  void leave_run();

  item& one_;
  const item_scene& scene_;
  item_decision& out_;
};

} // namespace ringmaster::core::elastic
