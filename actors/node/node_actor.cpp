#include "actors/node/node_actor.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "actors/next_tick.hpp"
#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Incarnations that end sooner are suspicious: if two processes have one id, each lasts a second or two.
constexpr milliseconds short_incarnation{5'000};

} // namespace

node_actor_state::node_actor_state(protocol::node_actor::pointer self, node_links links, node_identity identity,
                                   config::cluster_settings settings, std::shared_ptr<protocol::send_gate> gate,
                                   node_clocks clocks, logger log)
  : self_{self},
    links_{std::move(links)},
    identity_{std::move(identity)},
    settings_{std::move(settings)},
    log_{std::move(log)},
    metrics_{self->system()},
    clock_{std::move(clocks), identity_.id, settings_, metrics_, log_},
    lease_{std::move(gate), settings_},
    beats_{settings_.beat},
    former_{identity_.process, identity_.sole, settings_.dead_after},
    peers_{identity_.id, settings_.dead_after},
    slots_{identity_.id, metrics_.slots_served},
    store_trouble_{identity_.id, log_} {}

protocol::node_actor::behavior_type node_actor_state::make_behavior() {
  next_tick_ = self_->clock().now();
  arm();
  clock_.start();
  started_ = clock_.shown(next_tick_);
  enter();
  return {
    [this](protocol::status_query) { return status(); },
    [this](protocol::nodes_query) { return nodes(); },
    [this](protocol::hand_over) { return hand_over(); },
    [this](protocol::stop_request) { return stop(); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- incarnations ----------------------------------------------------------------------------------------------------------

void node_actor_state::renew() {
  const auto now = self_->clock().now();
  if (!beats_.begin_beat(now))
    return;
  const bool look = beats_.take_look(peers_.alone(), now);
  const auto sent = clock_.boot(); // before the request: the store may process it any time after
  const auto wall = clock_.shown(now);
  ask_store<node_view>(
    self_, links_.store,
    [incarnation = *incarnation_.current(), beat = incarnation_.next_beat(), wall,
     look](storage::store& store) -> core::result<node_view> {
      if (auto done = store.cluster().beat(incarnation, beat, wall); !done)
        return tl::unexpected<core::error>{done.error()};
      if (!look)
        return node_view{};
      // A failed read must not undo a successful renewal.
      auto view = store.cluster().view();
      return view ? node_view{std::move(*view)} : node_view{};
    },
    [this, sent, incarnation = *incarnation_.current()](core::result<node_view>&& view) {
      renewed(sent, incarnation, std::move(view));
    },
    settings_.dead_after, protocol::store_turn::first);
}

void node_actor_state::renewed(std::int64_t sent, const core::node_incarnation& incarnation, core::result<node_view>&& view) {
  if (incarnation_.current() != incarnation)
    return;
  beats_.end_beat();
  // An answer after the deadline is too late for this incarnation, whatever it says: its listeners may have stopped already.
  check_deadline();
  if (!incarnation_.is_up())
    return;
  if (!view) {
    store_trouble_.note_failure(view.error());
    if (view.error().code == core::errc::fenced) {
      if (self_->clock().now() < incarnation_.began_at() + short_incarnation)
        log_->warn("node={} lost its incarnation within moments: does another process use this node id?", identity_.id);
      lose("another node fenced it");
    }
    return;
  }
  store_trouble_.note_success();
  lease_.confirm(incarnation_.number(), sent, clock_.boot());
  if (*view)
    observe(**view, sent);
}

void node_actor_state::check_deadline() {
  if (incarnation_.is_up() && lease_.has_ended(clock_.boot()))
    lose("its lease was not renewed in time");
}

void node_actor_state::lose(const std::string& why) {
  metrics_.lost_lives->inc();
  log_->warn("node={} loses incarnation {}: {}", identity_.id, incarnation_.number(), why);
  lease_.close();
  incarnation_.end();
  slots_.end();
  service_.end();
  beats_.end();
  tell_listeners();
  entry_.follow_incarnation(incarnation_.began_at());
  if (entry_.is_due(self_->clock().now()))
    enter();
}

void node_actor_state::tell_listeners() {
  for (const auto& listener : links_.listeners)
    protocol::send(self_, listener, protocol::incarnation_change{incarnation_.current(), incarnation_.mode()});
}

// -- peers -----------------------------------------------------------------------------------------------------------------

void node_actor_state::look_around() {
  if (!beats_.begin_look())
    return;
  ask_store<core::cluster_view>(
    self_, links_.store, [](storage::store& store) { return store.cluster().view(); },
    [this, sent = clock_.boot(), incarnation = *incarnation_.current()](core::result<core::cluster_view>&& view) {
      if (incarnation_.current() != incarnation)
        return;
      beats_.end_look();
      if (view)
        observe(*view, sent);
    },
    settings_.dead_after);
}

void node_actor_state::observe(const core::cluster_view& view, std::int64_t sent) {
  if (!incarnation_.see(view.revision))
    return went_back("edits that this node has seen are gone");
  hear_clocks(view, sent);
  if (!incarnation_.is_up())
    return;
  peers_.observe(view.nodes, clock_.boot());
  spread_slots();
  fence_dead();
}

void node_actor_state::fence_dead() {
  for (const auto& row : peers_.begin_fencing()) {
    ask_store<bool>(
      self_, links_.store, [row](storage::store& store) { return store.cluster().fence(row); },
      [this, row](core::result<bool>&& fenced) {
        peers_.end_fencing(row.id);
        if (!fenced || !*fenced)
          return;
        metrics_.fenced_nodes->inc();
        if (links_.orphans)
          protocol::send(self_, links_.orphans, protocol::peer_fenced{});
        log_->warn("node={} fenced: incarnation {} has sent no heartbeat after number {}", row.id, row.incarnation, row.beat);
      },
      enter_patience);
  }
}

// -- messages --------------------------------------------------------------------------------------------------------------

void node_actor_state::tick() {
  auto now = self_->clock().now();
  if (now < next_tick_ || stop_.has_begun())
    return;
  arm();
  look_at_clock();
  bool has_repeated = false; // both are taken: the next incarnation must not end for this one's ids
  for (const auto* marks : {&identity_.marks, &identity_.elastic_marks})
    has_repeated = (incarnation_.is_up() && *marks && (*marks)->take_repeated()) || has_repeated;
  if (has_repeated)
    went_back("it gave run ids a second time");
  check_deadline();
  end_hand_over();
  if (!incarnation_.is_up()) {
    if (entry_.is_due(now))
      enter();
  } else if (beats_.is_beat_due(now)) {
    renew();
  } else if (!peers_.alone()) {
    look_around();
  }
}

void node_actor_state::arm() {
  // Four times a beat: peers are also checked between two renewals, and a takeover begins with the first check that sees a beat
  // missing.
  const auto now = self_->clock().now();
  next_tick_ = next_tick(next_tick_, std::max(settings_.beat / 4, milliseconds{1}), now);
  // Also when the next peer will have been silent for long enough.
  if (incarnation_.is_up())
    if (const auto death = peers_.next_death(clock_.boot()))
      next_tick_ = std::min(next_tick_, now + nanoseconds{*death});
  protocol::send_at(self_, caf::actor_cast<protocol::node_actor>(self_), next_tick_, protocol::tick_atom{});
}

protocol::node_status node_actor_state::status() const {
  protocol::node_status status;
  status.life = incarnation_.current();
  if (stop_.has_begun())
    status.reasons.push_back("the node is stopping");
  else if (!incarnation_.is_up() || !lease_.is_open(incarnation_.number(), clock_.boot()))
    status.reasons.push_back(entry_.is_standing_by() ? "another process runs with this node's id" : "the node has no lease");
  else if (service_.is_joining())
    status.reasons.push_back("the node reads the jobs of its slots");
  if (!clock_.trusted())
    status.reasons.push_back(clock_.reason());
  if (!store_trouble_.text().empty())
    status.reasons.push_back("the database does not answer: " + store_trouble_.text());
  status.ready = status.reasons.empty();
  return status;
}

protocol::node_list node_actor_state::nodes() const {
  auto all = peers_.seen(clock_.boot());
  auto own = oneself();
  const auto place = std::upper_bound(all.begin(), all.end(), own,
                                      [](const auto& a, const auto& b) { return a.row.id < b.row.id; });
  all.insert(place, std::move(own));
  if (slots_.is_known() || (incarnation_.is_up() && !peers_.serving().empty()))
    count_slots(all);
  return {std::move(all), incarnation_.mode(), settings_.dead_after};
}

// Without an incarnation, this node shows itself as the others are about to see it.
core::seen_node node_actor_state::oneself() const {
  using core::node_health;
  const bool is_up = incarnation_.is_up();
  core::seen_node own;
  own.row = {identity_.id, incarnation_.number(), incarnation_.beat(), is_up ? core::node_state::up : core::node_state::down,
             identity_.address};
  own.health = is_up ? node_health::alive : stop_.has_begun() ? node_health::stopped : node_health::dead;
  if (incarnation_.number() != 0 && !stop_.has_ended())
    own.silent_for = std::chrono::floor<milliseconds>(lease_.silent_for(clock_.boot()));
  own.self = true;
  own.started = started_;
  return own;
}

caf::result<void> node_actor_state::stop() {
  if (stop_.has_ended())
    return caf::unit;
  auto promise = self_->make_response_promise<void>();
  if (!stop_.begin(promise))
    return promise;
  lease_.close();
  auto incarnation = incarnation_.end();
  if (incarnation)
    tell_listeners();
  if (!entry_.is_under_way())
    leave(std::move(incarnation));
  return promise;
}

void node_actor_state::leave(std::optional<core::node_incarnation>&& incarnation) {
  if (!incarnation) {
    end_stop({});
    return;
  }
  ask_store<void>(
    self_, links_.store,
    [incarnation = std::move(*incarnation)](storage::store& store) { return store.cluster().leave(incarnation); },
    [this](const core::result<void>& left) { end_stop(left); }, enter_patience);
}

void node_actor_state::end_stop(const core::result<void>& outcome) {
  if (!outcome)
    log_->warn("node={} could not announce that it leaves: {}; the other nodes will detect it", identity_.id,
               outcome.error().context);
  stop_.end(outcome);
}

} // namespace ringmaster::actors
