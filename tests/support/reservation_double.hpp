#pragma once

// Reservations of a database, scripted by a test.

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/reservations.hpp"

namespace ringmaster::test {

/// Answers `reserve` with the queued result, else with nothing due; stores the requests.
class reservation_double final : public storage::reservation_store {
public:
  core::result<core::mode_state> mode() override { return state; }

  core::result<core::reserve_outcome> reserve(const core::node_incarnation& owner, const core::reserve_window& window) override {
    owners.push_back(owner);
    windows.push_back(window);
    if (trouble)
      return tl::unexpected{*trouble};
    if (outcomes.empty())
      return core::reserve_outcome{};
    auto next = std::move(outcomes.front());
    outcomes.pop_front();
    return next;
  }

  core::result<std::vector<core::job_id>> unplanned() override { return with_options; }

  core::result<core::drop_outcome> drop(const core::node_incarnation&,
                                        std::span<const core::dropped_instant> instants) override {
    if (drop_trouble)
      return tl::unexpected{*drop_trouble};
    core::drop_outcome outcome;
    for (const auto& one : instants) {
      dropped.push_back(one.id);
      if (!taken_elsewhere.contains(one.id))
        ++(one.covered_by ? outcome.merged : outcome.dropped);
    }
    return outcome;
  }

  core::result<std::size_t> put_back(const core::node_incarnation& owner) override {
    put_back_for.push_back(owner);
    if (on_put_back)
      on_put_back();
    if (put_back_trouble)
      return tl::unexpected{*put_back_trouble};
    return 0;
  }

  core::result<std::size_t> forget(core::time_point before, std::size_t limit) override {
    forgotten_before.push_back(before);
    const auto gone = std::min(limit, old);
    old -= gone;
    return gone;
  }

  core::result<bool> hold() override {
    ++holds;
    held = state.mode == core::cluster_mode::native && !state.switching && !trouble;
    if (trouble)
      return tl::unexpected{*trouble};
    return held;
  }

  core::result<void> let_go() override {
    held = false;
    return {};
  }

  core::result<core::mode_switch> switch_mode(core::cluster_mode to, core::milliseconds) override {
    state = {to, false};
    return core::mode_switch{.changed = true};
  }

  core::result<core::note_rewrite> rewrite_notes(core::log_id) override { return core::note_rewrite{}; }

  core::mode_state state;
  std::deque<core::reserve_outcome> outcomes;
  std::optional<core::error> trouble;
  std::optional<core::error> put_back_trouble;
  std::optional<core::error> drop_trouble;
  /// Called in the middle of `put_back`. Null: no call.
  std::function<void()> on_put_back;
  /// Number of taken instants that wait to be forgotten.
  std::size_t old = 0;
  bool held = false;
  std::size_t holds = 0;
  std::vector<core::node_incarnation> owners;
  std::vector<core::reserve_window> windows;
  /// Instants that `drop` was called for.
  std::vector<core::intent_id> dropped;
  /// Instants that another node has claimed or dropped.
  std::set<core::intent_id> taken_elsewhere;
  std::vector<core::job_id> with_options;
  std::vector<core::node_incarnation> put_back_for;
  std::vector<core::time_point> forgotten_before;
};

} // namespace ringmaster::test
