#include "actors/cluster/node_actor.hpp"

#include <algorithm>
#include <utility>

#include "actors/metrics.hpp"
#include "actors/rhythm.hpp"
#include "actors/store_access.hpp"
#include "protocol/error.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Connecting, a statement and one retry.
constexpr milliseconds enter_patience{10'000};
constexpr milliseconds enter_back_off_min{100};
constexpr milliseconds enter_back_off_max{1'000};
/// A life that ends sooner is odd: of two processes with one id, each lives a second or two.
constexpr milliseconds short_life{5'000};
/// How often a node that is alone looks for others.
constexpr milliseconds lonely_look{1'000};

} // namespace

node_actor_state::node_actor_state(protocol::node_actor::pointer self, node_links links, node_identity identity,
                                   config::cluster_settings settings, std::shared_ptr<protocol::send_gate> gate,
                                   node_clocks clocks, logger log)
  : self_{self},
    links_{std::move(links)},
    identity_{std::move(identity)},
    settings_{std::move(settings)},
    gate_{std::move(gate)},
    clocks_{std::move(clocks)},
    log_{std::move(log)},
    lives_{make_counter(self->system(), "node-lives", "Lives that this process began.")},
    lost_lives_{make_counter(self->system(), "node-lives-lost", "Lives that ended because the lease was not renewed.")},
    fenced_nodes_{make_counter(self->system(), "nodes-fenced", "Other nodes that this one found dead and fenced.")},
    slots_served_{self->system().metrics().gauge_singleton("ringmaster", "slots-served", "Slots of jobs that this node plans.")},
    peers_{identity_.id, settings_.dead_after} {}

protocol::node_actor::behavior_type node_actor_state::make_behavior() {
  next_tick_ = self_->clock().now();
  arm();
  enter();
  return {
    [this](protocol::status_query) { return status(); },
    [this](protocol::nodes_query) { return nodes(); },
    [this](protocol::stop_request) { return stop(); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- lives -----------------------------------------------------------------------------------------------------------------

void node_actor_state::enter() {
  entering_ = true;
  auto sent = clocks_.boot();
  ask_store<node_entry>(
    self_, links_.storage,
    [identity = identity_, wanted = settings_.mode](storage::store& store) { return enter_store(store, identity, wanted); },
    [this, sent](core::result<node_entry>&& entry) { entered(sent, std::move(entry)); }, enter_patience,
    protocol::store_turn::first);
}

// The mode is looked at again behind the entry: a switch in between ended this very life.
core::result<node_actor_state::node_entry> node_actor_state::enter_store(storage::store& store, const node_identity& identity,
                                                                         const std::string& wanted) {
  if (auto mode = storage::agreed_mode(store, wanted); !mode)
    return tl::unexpected<core::error>{mode.error()};
  auto life = store.cluster().enter(identity.id, identity.address);
  if (!life)
    return tl::unexpected<core::error>{life.error()};
  auto mode = storage::agreed_mode(store, wanted);
  if (!mode)
    return tl::unexpected<core::error>{mode.error()};
  return node_entry{std::move(*life), *mode};
}

void node_actor_state::entered(std::int64_t sent, core::result<node_entry>&& entry) {
  entering_ = false;
  if (stopping_) {
    leave(entry ? std::optional{std::move(entry->life)} : std::nullopt);
    return;
  }
  if (entry && !confirm(entry->life.incarnation, sent))
    entry = core::fail(core::errc::timeout, "entering took longer than a lease lasts");
  if (!entry) {
    note_failure(entry.error());
    back_off_ = std::clamp(back_off_ * 2, enter_back_off_min, enter_back_off_max);
    next_enter_ = self_->clock().now() + back_off_;
    return;
  }
  note_success();
  back_off_ = milliseconds{0};
  life_ = std::move(entry->life);
  mode_ = entry->mode;
  newest_life_ = life_->incarnation;
  beat_ = 0;
  slots_.reset();
  entered_at_ = self_->clock().now();
  lives_->inc();
  log_->info("node={} begins life {} in {} mode", life_->node, life_->incarnation, core::stored_name(mode_));
  tell_listeners();
  next_beat_ = next_look_ = self_->clock().now();
  renew();
}

void node_actor_state::renew() {
  if (renewing_)
    return;
  renewing_ = true;
  auto now = self_->clock().now();
  next_beat_ = next_point(next_beat_, settings_.beat, now);
  bool look = !peers_.alone() || now >= next_look_;
  if (look)
    next_look_ = now + lonely_look;
  auto sent = clocks_.boot(); // before the request: the store may take it any time after
  ask_store<node_rows>(
    self_, links_.storage,
    [life = *life_, beat = ++beat_, look](storage::store& store) -> core::result<node_rows> {
      if (auto done = store.cluster().beat(life, beat); !done)
        return tl::unexpected<core::error>{done.error()};
      if (!look)
        return node_rows{};
      // A read that fails must not undo a renewal that succeeded.
      auto rows = store.cluster().nodes();
      return rows ? node_rows{std::move(*rows)} : node_rows{};
    },
    [this, sent, life = *life_](core::result<node_rows>&& rows) { renewed(sent, life, std::move(rows)); }, settings_.dead_after,
    protocol::store_turn::first);
}

void node_actor_state::renewed(std::int64_t sent, const core::node_life& life, core::result<node_rows>&& rows) {
  if (life_ != life)
    return;
  renewing_ = false;
  // An answer after the deadline comes too late for this life, whatever it says: its holders may have stopped on their own.
  check_deadline();
  if (!life_)
    return;
  if (!rows) {
    note_failure(rows.error());
    if (rows.error().code == core::errc::fenced) {
      if (self_->clock().now() < entered_at_ + short_life)
        log_->warn("node={} lived for a moment only: does another process use its id?", identity_.id);
      lose("another node fenced it");
    }
    return;
  }
  note_success();
  confirm(life_->incarnation, sent);
  if (*rows)
    observe(**rows);
}

bool node_actor_state::confirm(std::int64_t incarnation, std::int64_t sent) {
  auto lease = nanoseconds{settings_.dead_after}.count();
  auto margin = nanoseconds{settings_.send_margin}.count();
  deadline_ = sent + lease - lease / 1000 - margin;
  renewed_at_ = sent;
  if (clocks_.boot() >= deadline_)
    return false;
  gate_->open_until(incarnation, deadline_);
  return true;
}

void node_actor_state::check_deadline() {
  if (life_ && clocks_.boot() >= deadline_)
    lose("its lease was not renewed in time");
}

void node_actor_state::lose(const std::string& why) {
  lost_lives_->inc();
  slots_served_->value(0);
  log_->warn("node={} loses life {}: {}", life_->node, life_->incarnation, why);
  gate_->close();
  life_.reset();
  slots_.reset();
  renewing_ = false;
  looking_ = false;
  tell_listeners();
  // At once, but not again and again: two processes with one id take each other's life whenever they enter.
  auto now = self_->clock().now();
  next_enter_ = std::max(now, entered_at_ + enter_back_off_max);
  if (next_enter_ <= now)
    enter();
}

void node_actor_state::tell_listeners() {
  for (const auto& listener : links_.lives)
    protocol::send(self_, listener, protocol::life_change{life_, mode_});
}

// -- peers -----------------------------------------------------------------------------------------------------------------

void node_actor_state::look_around() {
  if (looking_ || renewing_)
    return;
  looking_ = true;
  ask_store<std::vector<core::node_row>>(
    self_, links_.storage, [](storage::store& store) { return store.cluster().nodes(); },
    [this, life = *life_](core::result<std::vector<core::node_row>>&& rows) {
      if (life_ != life)
        return;
      looking_ = false;
      if (rows)
        observe(*rows);
    },
    settings_.dead_after);
}

void node_actor_state::observe(const std::vector<core::node_row>& rows) {
  peers_.observe(rows, clocks_.boot());
  spread_slots();
  fence_dead();
}

void node_actor_state::spread_slots() {
  auto live = peers_.live();
  auto slots = core::slots_of(identity_.id, live);
  if (slots_ == slots)
    return;
  slots_ = slots;
  slots_served_->value(static_cast<std::int64_t>(slots.count()));
  log_->info("node={} serves {} slots among {} nodes", identity_.id, slots.count(), live.size());
  protocol::send(self_, links_.schedule, protocol::slot_change{slots});
  for (const auto& duty : links_.duties)
    protocol::send(self_, duty, protocol::slot_change{slots});
}

void node_actor_state::fence_dead() {
  for (const auto& row : peers_.dead()) {
    if (!fencing_.insert(row.id).second)
      continue;
    ask_store<bool>(
      self_, links_.storage, [row](storage::store& store) { return store.cluster().fence(row); },
      [this, row](core::result<bool>&& fenced) {
        fencing_.erase(row.id);
        if (!fenced || !*fenced)
          return;
        fenced_nodes_->inc();
        log_->warn("node={} fenced: life {} has not beaten since beat {}", row.id, row.incarnation, row.beat);
      },
      enter_patience);
  }
}

// -- messages --------------------------------------------------------------------------------------------------------------

void node_actor_state::tick() {
  auto now = self_->clock().now();
  if (now < next_tick_ || stopping_)
    return;
  arm();
  if (clocks_.follow_system)
    clocks_.wall.follow_system();
  check_deadline();
  if (!life_) {
    if (!entering_ && now >= next_enter_)
      enter();
  } else if (now >= next_beat_) {
    renew();
  } else if (!peers_.alone()) {
    look_around();
  }
}

void node_actor_state::arm() {
  // Twice a beat: peers are looked at between two renewals, too.
  next_tick_ = next_point(next_tick_, std::max(settings_.beat / 2, milliseconds{1}), self_->clock().now());
  protocol::send_at(self_, caf::actor_cast<protocol::node_actor>(self_), next_tick_, protocol::tick_atom{});
}

protocol::node_status node_actor_state::status() const {
  protocol::node_status status;
  status.life = life_;
  if (stopping_)
    status.reasons.push_back("the node is stopping");
  else if (!life_ || !gate_->open_at(life_->incarnation, clocks_.boot()))
    status.reasons.push_back("the node has no lease");
  if (!store_trouble_.empty())
    status.reasons.push_back("the store does not answer: " + store_trouble_);
  status.ready = status.reasons.empty();
  return status;
}

protocol::node_list node_actor_state::nodes() const {
  auto all = peers_.seen(clocks_.boot());
  auto own = oneself();
  const auto place = std::upper_bound(all.begin(), all.end(), own,
                                      [](const auto& a, const auto& b) { return a.row.id < b.row.id; });
  all.insert(place, std::move(own));
  return {std::move(all), mode_, settings_.dead_after};
}

// Without a life it is what the others are about to make of it.
core::seen_node node_actor_state::oneself() const {
  using core::node_health;
  const auto silent = nanoseconds{std::max<std::int64_t>(clocks_.boot() - renewed_at_, 0)};
  core::seen_node own;
  own.row = {identity_.id, newest_life_, beat_, life_ ? core::node_state::up : core::node_state::down, identity_.address};
  own.health = life_ ? node_health::alive : stopping_ ? node_health::stopped : node_health::dead;
  if (newest_life_ != 0 && !left_)
    own.silent_for = std::chrono::floor<milliseconds>(silent);
  own.self = true;
  return own;
}

caf::result<void> node_actor_state::stop() {
  if (left_)
    return caf::unit;
  auto promise = self_->make_response_promise<void>();
  stop_waiters_.push_back(promise);
  if (std::exchange(stopping_, true))
    return promise;
  gate_->close();
  auto life = std::exchange(life_, std::nullopt);
  if (life)
    tell_listeners();
  if (!entering_)
    leave(std::move(life));
  return promise;
}

void node_actor_state::leave(std::optional<core::node_life>&& life) {
  if (!life) {
    finish_stop({});
    return;
  }
  ask_store<void>(
    self_, links_.storage, [life = std::move(*life)](storage::store& store) { return store.cluster().leave(life); },
    [this](const core::result<void>& left) { finish_stop(left); }, enter_patience);
}

void node_actor_state::finish_stop(const core::result<void>& outcome) {
  left_ = true;
  if (!outcome)
    log_->warn("node={} could not say that it leaves: {}; the others will notice", identity_.id, outcome.error().context);
  for (auto& waiter : std::exchange(stop_waiters_, {})) {
    if (outcome)
      waiter.deliver();
    else
      waiter.deliver(protocol::to_caf(outcome.error()));
  }
}

void node_actor_state::note_failure(const core::error& error) {
  if (store_trouble_.empty() && error.code != core::errc::fenced)
    log_->warn("node={} the store does not answer: {}: {}", identity_.id, core::to_string(error.code), error.context);
  if (error.code != core::errc::fenced)
    store_trouble_ = error.context.empty() ? std::string{core::to_string(error.code)} : error.context;
}

void node_actor_state::note_success() {
  if (!store_trouble_.empty())
    log_->info("node={} the store answers again", identity_.id);
  store_trouble_.clear();
}

} // namespace ringmaster::actors
