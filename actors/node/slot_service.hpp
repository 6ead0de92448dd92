#pragma once

// Whether this node has a share of the slots.

#include <utility>

#include <caf/actor_clock.hpp>

#include "protocol/caf.hpp"

namespace ringmaster::actors {

/// The way of a node into its share of the slots and out of it (`core::node_row::serves`). A process joins until it has slots for
/// the first time: it gets none before their jobs are loaded, as long as other nodes have slots. Invariant: a node that hands its
/// slots over never takes slots again. Part of the state of node_actor.
class slot_service {
public:
  using steady = caf::actor_clock::time_point;
  using waiter = caf::typed_response_promise<bool>;

  /// Returns true if the next incarnation enters with slots. `others_serve`: other nodes have slots.
  [[nodiscard]] bool enters_serving(bool others_serve) const noexcept { return !hands_over_ && (has_served_ || !others_serve); }

  /// Begins with an incarnation, which entered as `serves` says.
  void enter(bool serves) {
    has_served_ = has_served_ || serves;
    serves_ = serves;
  }
  /// Ends with the incarnation, whose requests are under way no more.
  void end() { serves_ = is_loading_ = is_asking_ = false; }

  [[nodiscard]] bool serves() const noexcept { return serves_; }
  [[nodiscard]] bool is_joining() const noexcept { return !serves_ && !hands_over_; }

  /// Begins to load the jobs of the future slots. Returns false if that is under way.
  [[nodiscard]] bool begin_load() { return !std::exchange(is_loading_, true); }
  /// Begins to write that this node serves. Returns false if that is under way.
  [[nodiscard]] bool begin_request() { return !std::exchange(is_asking_, true); }
  /// Ends the join; `serves`: whether the node has its slots now. If not, it begins again.
  void end_join(bool serves) {
    is_loading_ = is_asking_ = false;
    enter(serves);
  }

  [[nodiscard]] bool hands_over() const noexcept { return hands_over_; }
  /// Begins to hand the slots over; later incarnations have none.
  void begin_hand_over() { hands_over_ = true; }
  /// The other nodes know, or will know with their next look, that this one has no slots. It plans its former slots until
  /// `until`, when they have looked.
  void handed_over(steady until, waiter caller) {
    serves_ = false;
    until_ = until;
    caller_ = std::move(caller);
  }
  /// Returns the caller that waits for the end of the hand-over if it has come at `now`; an invalid promise otherwise.
  [[nodiscard]] waiter take_caller(steady now) { return now >= until_ ? std::exchange(caller_, {}) : waiter{}; }

private:
  /// An incarnation of this process has had slots.
  bool has_served_ = false;
  bool serves_ = false;
  // Steps of the join that are under way.
  bool is_loading_ = false;
  bool is_asking_ = false;
  bool hands_over_ = false;
  steady until_{};
  waiter caller_;
};

} // namespace ringmaster::actors
