// node_actor: trust in the wall clock and in the database (firing protocol §9).

#include <chrono>
#include <optional>
#include <utility>

#include "actors/node/node_actor.hpp"
#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

/// Interval of checks of the other clocks while this node's own clock is not trusted.
constexpr auto clock_look_every = 500ms;
/// Time for connecting and one read.
constexpr auto clock_patience = 10s;

} // namespace

void node_actor_state::look_at_clock() {
  if (!clock_.look(self_->clock().now()))
    stop_planning();
}

void node_actor_state::hear_clocks(const core::cluster_view& view, std::int64_t sent) {
  if (!clock_.hear(view, sent, self_->clock().now()))
    stop_planning();
}

// The other nodes take its slots at once. Its claims go to them, or to its next incarnation.
void node_actor_state::stop_planning() {
  if (!incarnation_.is_up())
    return;
  const auto ended = *incarnation_.current();
  lose("its wall clock is not trusted");
  decline(ended);
}

void node_actor_state::decline(const core::node_incarnation& incarnation) {
  entry_.wait_at_least_until(self_->clock().now() + clock_look_every);
  ask_store<void>(
    self_, links_.store, [incarnation](storage::store& store) { return store.cluster().leave(incarnation); },
    [](const core::result<void>&) {}, clock_patience);
}

void node_actor_state::ask_clocks() {
  ask_store<core::cluster_view>(
    self_, links_.store, [](storage::store& store) { return store.cluster().view(); },
    [this, sent = clock_.boot()](core::result<core::cluster_view>&& view) { heard_clocks(sent, std::move(view)); },
    clock_patience, protocol::store_turn::first);
}

void node_actor_state::heard_clocks(std::int64_t sent, core::result<core::cluster_view>&& view) {
  if (stop_.has_begun() || !view) {
    entry_.end();
    if (stop_.has_begun())
      leave(std::nullopt);
    else
      enter_later(view.error());
    return;
  }
  hear_clocks(*view, sent);
  if (clock_.trusted())
    return find_former();
  store_trouble_.note_success();
  entry_.end();
  entry_.wait_until(self_->clock().now() + clock_look_every);
}

// Earlier reads may not be true any more, and the number of this incarnation may be assigned again.
void node_actor_state::went_back(const std::string& why) {
  metrics_.went_back->inc();
  log_->warn("node={} the database is older than it was: {} (was it restored, or did it fail over to a replica?); the node reads "
             "everything again", identity_.id, why);
  lose("the database is older than it was");
}

} // namespace ringmaster::actors
