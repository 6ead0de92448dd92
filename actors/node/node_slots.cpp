// node_actor: this node's share of the slots, how it gets it and how it hands it over.

#include <algorithm>
#include <chrono>
#include <utility>

#include "actors/node/node_actor.hpp"
#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

/// Longest wait for the jobs of this node's slots. After it the node serves, and plans jobs as they are read.
constexpr auto load_patience = 60s;

} // namespace

std::vector<std::string> node_actor_state::serving_nodes() const {
  auto nodes = peers_.serving();
  if (service_.serves())
    nodes.push_back(identity_.id);
  return nodes;
}

// A node that hands its slots over plans them until the others have looked.
void node_actor_state::spread_slots() {
  if (service_.is_joining())
    join();
  else if (service_.serves())
    share_slots();
}

void node_actor_state::share_slots() {
  const auto nodes = serving_nodes();
  const auto slots = slots_.spread(nodes);
  if (!slots)
    return;
  log_->info("node={} serves {} slots among {} nodes", identity_.id, slots->count(), nodes.size());
  protocol::send(self_, links_.schedule, protocol::slot_change{*slots});
  for (const auto& duty : links_.duties)
    protocol::send(self_, duty, protocol::slot_change{*slots});
}

void node_actor_state::count_slots(std::vector<core::seen_node>& all) const {
  const auto serving = serving_nodes();
  const auto counts = core::slot_counts(serving);
  for (auto& node : all) {
    const auto at = std::find(serving.begin(), serving.end(), node.row.id);
    node.slots = at == serving.end() ? 0 : counts[static_cast<std::size_t>(at - serving.begin())];
  }
}

// -- join ------------------------------------------------------------------------------------------------------------------

// The others plan this node's future slots until it knows their jobs.
void node_actor_state::join() {
  auto nodes = peers_.serving();
  if (nodes.empty()) // at first, or since the load began
    return begin_service();
  if (!service_.begin_load())
    return;
  nodes.push_back(identity_.id);
  const auto go_on = [this, incarnation = *incarnation_.current()] {
    if (incarnation_.current() == incarnation)
      begin_service();
  };
  protocol::request(self_, links_.schedule, load_patience, protocol::prepare_slots{core::slots_of(identity_.id, nodes)})
    .then(go_on, [go_on](const caf::error&) { go_on(); });
}

// A failure is repeated after the next look.
void node_actor_state::begin_service() {
  if (!service_.is_joining() || !service_.begin_request())
    return;
  ask_store<void>(
    self_, links_.store,
    [incarnation = *incarnation_.current()](storage::store& store) { return store.cluster().serve(incarnation, true); },
    [this, incarnation = *incarnation_.current()](core::result<void>&& done) {
      if (incarnation_.current() != incarnation || !service_.is_joining())
        return;
      service_.end_join(done.has_value());
      if (service_.serves())
        share_slots();
    },
    settings_.dead_after);
}

// -- hand-over -------------------------------------------------------------------------------------------------------------

caf::result<bool> node_actor_state::hand_over() {
  if (!incarnation_.is_up() || stop_.has_begun())
    return false;
  auto promise = self_->make_response_promise<bool>();
  ask_store<core::cluster_view>(
    self_, links_.store, [](storage::store& store) { return store.cluster().view(); },
    [this, promise, sent = clock_.boot(),
     incarnation = *incarnation_.current()](core::result<core::cluster_view>&& view) mutable {
      if (view && incarnation_.current() == incarnation)
        observe(*view, sent);
      if (!view || incarnation_.current() != incarnation || peers_.serving().empty())
        promise.deliver(false);
      else if (service_.hands_over())
        promise.deliver(true);
      else
        withdraw(std::move(promise));
    },
    settings_.dead_after);
  return promise;
}

void node_actor_state::withdraw(slot_service::waiter caller) {
  service_.begin_hand_over();
  ask_store<void>(
    self_, links_.store,
    [incarnation = *incarnation_.current()](storage::store& store) { return store.cluster().serve(incarnation, false); },
    [this, caller, incarnation = *incarnation_.current()](core::result<void>&& done) mutable {
      if (!done || incarnation_.current() != incarnation)
        return caller.deliver(false);
      log_->info("node={} hands its slots over to the other nodes", identity_.id);
      for (const auto& duty : links_.duties)
        protocol::send(self_, duty, protocol::slot_change{});
      // Reservations are not tied to slots: in shared mode the others need no time.
      const bool plans = incarnation_.mode() == core::cluster_mode::native;
      service_.handed_over(self_->clock().now() + (plans ? settings_.beat : std::chrono::milliseconds{0}), std::move(caller));
      end_hand_over();
    },
    settings_.dead_after);
}

// Two nodes that plan the same slots for a moment lose claims, and no time.
void node_actor_state::end_hand_over() {
  auto caller = service_.take_caller(self_->clock().now());
  if (!caller.pending())
    return;
  slots_.end();
  if (incarnation_.mode() == core::cluster_mode::native)
    protocol::send(self_, links_.schedule, protocol::slot_change{});
  caller.deliver(true);
}

} // namespace ringmaster::actors
