#include "actors/node/node_actor.hpp"

#include <algorithm>
#include <utility>

#include "actors/metrics.hpp"
#include "actors/next_tick.hpp"
#include "actors/store/store_access.hpp"
#include "protocol/error.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Time for connecting, a statement and one retry.
constexpr milliseconds enter_patience{10'000};
constexpr milliseconds enter_back_off_min{100};
constexpr milliseconds enter_back_off_max{1'000};
/// Incarnations that end sooner are suspicious: if two processes have one id, each lasts a second or two.
constexpr milliseconds short_life{5'000};
/// Interval in which a node that is alone looks for others.
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
    lives_{make_counter(self->system(), "node-lives", "Incarnations that this process began.")},
    lost_lives_{make_counter(self->system(), "node-lives-lost", "Incarnations that ended because the lease was not renewed.")},
    fenced_nodes_{make_counter(self->system(), "nodes-fenced", "Dead nodes that this node fenced.")},
    slots_served_{self->system().metrics().gauge_singleton("ringmaster", "slots-served", "Slots of jobs that this node plans.")},
    clock_distrusted_{self->system().metrics().gauge_singleton(
      "ringmaster", "clock-distrusted", "1 while this node plans nothing because its wall clock is not trusted.")},
    clock_steps_{make_counter(self->system(), "clock-steps", "Steps of this node's wall clock beyond cluster.clock_tolerance.")},
    went_back_{make_counter(self->system(), "database-set-back", "Times the database was found older than it had been.")},
    trust_{settings_.clock_tolerance, settings_.clock_settle},
    peers_{identity_.id, settings_.dead_after},
    former_{identity_.process, identity_.sole, settings_.dead_after} {
  clock_distrusted_->value(0);
  clocks_.wall.set_in_doubt(judges_clock());
}

protocol::node_actor::behavior_type node_actor_state::make_behavior() {
  next_tick_ = self_->clock().now();
  arm();
  // A step before the first answer of the database is a step, too.
  if (judges_clock())
    trust_.read(clocks_.system(), clocks_.boot());
  enter();
  return {
    [this](protocol::status_query) { return status(); },
    [this](protocol::nodes_query) { return nodes(); },
    [this](protocol::stop_request) { return stop(); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- incarnations ----------------------------------------------------------------------------------------------------------

void node_actor_state::enter() {
  entering_ = true;
  if (judges_clock())
    ask_clocks();
  else
    find_former();
}

void node_actor_state::find_former() {
  ask_store<std::vector<core::node_row>>(
    self_, links_.store, [](storage::store& store) { return store.cluster().nodes(); },
    [this](core::result<std::vector<core::node_row>>&& rows) { found(std::move(rows)); }, enter_patience,
    protocol::store_turn::first);
}

// No incarnation is ended before its deadline: if it may belong to another process, this node waits.
void node_actor_state::found(core::result<std::vector<core::node_row>>&& rows) {
  if (!rows || stopping_)
    return entered(0, tl::unexpected<core::error>{rows ? core::error{core::errc::unavailable, "stopping"} : rows.error()});
  core::node_row former;
  for (auto& row : *rows)
    if (row.id == identity_.id)
      former = std::move(row);
  const auto verdict = former_.judge(former, newest_incarnation_, clocks_.boot());
  if (verdict == former_incarnation::verdict::goes_on)
    return stand_by(former);
  begin(std::move(former), verdict == former_incarnation::verdict::silent);
}

void node_actor_state::stand_by(const core::node_row& other) {
  entering_ = false;
  note_success();
  if (!std::exchange(standing_by_, true))
    log_->warn("node={} is up already: incarnation {} at {} may be another process with this id; waiting until its beats stop for"
               " {} ms",
               identity_.id, other.incarnation, other.address, settings_.dead_after.count());
  next_enter_ = self_->clock().now() + settings_.beat / 2;
}

void node_actor_state::begin(core::node_row&& former, bool fence_first) {
  auto sent = clocks_.boot();
  ask_store<node_entry>(
    self_, links_.store,
    [identity = identity_, wanted = settings_.mode, former = std::move(former), fence_first](storage::store& store) {
      return enter_store(store, identity, wanted, former, fence_first);
    },
    [this, sent](core::result<node_entry>&& entry) { entered(sent, std::move(entry)); }, enter_patience,
    protocol::store_turn::first);
}

// Checks the mode again after the entry: a switch in between has ended this incarnation.
core::result<node_actor_state::node_entry> node_actor_state::enter_store(storage::store& store, const node_identity& identity,
                                                                         const std::string& wanted, core::node_row former,
                                                                         bool fence_first) {
  if (auto mode = storage::agreed_mode(store, wanted); !mode)
    return tl::unexpected<core::error>{mode.error()};
  if (fence_first) {
    auto fenced = store.cluster().fence(former);
    if (!fenced)
      return tl::unexpected<core::error>{fenced.error()};
    if (!*fenced)
      return core::fail(core::errc::conflict, "the node's earlier incarnation is still running");
    ++former.incarnation;
    former.state = core::node_state::fenced;
  }
  const auto marks = identity.marks ? identity.marks->marks() : core::kept_marks{};
  auto life = store.cluster().enter(identity.id, identity.address, {identity.process, std::move(former), marks.life});
  if (!life)
    return tl::unexpected<core::error>{life.error()};
  auto ids = raise_ids(store, marks);
  if (!ids)
    return tl::unexpected<core::error>{ids.error()};
  if (identity.marks)
    identity.marks->note_incarnation(life->incarnation);
  auto mode = storage::agreed_mode(store, wanted);
  if (!mode)
    return tl::unexpected<core::error>{mode.error()};
  return node_entry{std::move(*life), *mode, *ids};
}

// Runs before any claim of the new incarnation. A node that has seen no run yet has nothing to compare.
core::result<core::id_verdict> node_actor_state::raise_ids(storage::store& store, const core::kept_marks& marks) {
  if (core::number(marks.ceiling) == 0)
    return core::id_verdict::fine;
  return store.cluster().raise_run_ids(marks.ceiling).map(
    [&marks](core::log_id next) { return core::judge_next_id(marks, next); });
}

void node_actor_state::tell_of_ids(core::id_verdict ids) {
  if (ids == core::id_verdict::fine)
    return;
  const auto ceiling = core::number(identity_.marks->marks().ceiling);
  if (ids == core::id_verdict::unsure)
    return log_->info("node={} ended without noting its last runs: new run ids start above {}", identity_.id, ceiling);
  went_back_->inc();
  log_->warn("node={} the database is older than it was: it would give run ids a second time (was it restored, or did it fail "
             "over to a replica?); new run ids start above {}", identity_.id, ceiling);
}

void node_actor_state::enter_later(const core::error& why) {
  note_failure(why);
  back_off_ = std::clamp(back_off_ * 2, enter_back_off_min, enter_back_off_max);
  next_enter_ = self_->clock().now() + back_off_;
}

void node_actor_state::entered(std::int64_t sent, core::result<node_entry>&& entry) {
  entering_ = false;
  if (stopping_) {
    leave(entry ? std::optional{std::move(entry->life)} : std::nullopt);
    return;
  }
  if (entry && !confirm(entry->life.incarnation, sent))
    entry = core::fail(core::errc::timeout, "entering the cluster took longer than a lease");
  if (!entry)
    return enter_later(entry.error());
  note_success();
  standing_by_ = false;
  if (!trust_.trusted())
    return decline(entry->life);
  tell_of_ids(entry->ids);
  back_off_ = milliseconds{0};
  life_ = std::move(entry->life);
  mode_ = entry->mode;
  newest_incarnation_ = life_->incarnation;
  beat_ = 0;
  seen_revision_ = 0;
  slots_.reset();
  entered_at_ = self_->clock().now();
  lives_->inc();
  log_->info("node={} begins incarnation {} in {} mode", life_->node, life_->incarnation, core::stored_name(mode_));
  tell_listeners();
  next_beat_ = next_look_ = self_->clock().now();
  renew();
}

void node_actor_state::renew() {
  if (renewing_)
    return;
  renewing_ = true;
  auto now = self_->clock().now();
  next_beat_ = next_tick(next_beat_, settings_.beat, now);
  bool look = !peers_.alone() || now >= next_look_;
  if (look)
    next_look_ = now + lonely_look;
  auto sent = clocks_.boot(); // before the request: the store may process it any time after
  const auto wall = clocks_.system ? clocks_.system() : clocks_.wall.at(now);
  ask_store<node_view>(
    self_, links_.store,
    [life = *life_, beat = ++beat_, wall, look](storage::store& store) -> core::result<node_view> {
      if (auto done = store.cluster().beat(life, beat, wall); !done)
        return tl::unexpected<core::error>{done.error()};
      if (!look)
        return node_view{};
      // A failed read must not undo a successful renewal.
      auto view = store.cluster().view();
      return view ? node_view{std::move(*view)} : node_view{};
    },
    [this, sent, life = *life_](core::result<node_view>&& view) { renewed(sent, life, std::move(view)); }, settings_.dead_after,
    protocol::store_turn::first);
}

void node_actor_state::renewed(std::int64_t sent, const core::node_incarnation& life, core::result<node_view>&& view) {
  if (life_ != life)
    return;
  renewing_ = false;
  // An answer after the deadline is too late for this incarnation, whatever it says: its listeners may have stopped already.
  check_deadline();
  if (!life_)
    return;
  if (!view) {
    note_failure(view.error());
    if (view.error().code == core::errc::fenced) {
      if (self_->clock().now() < entered_at_ + short_life)
        log_->warn("node={} lost its incarnation within moments: does another process use this node id?", identity_.id);
      lose("another node fenced it");
    }
    return;
  }
  note_success();
  confirm(life_->incarnation, sent);
  if (*view)
    observe(**view, sent);
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
  log_->warn("node={} loses incarnation {}: {}", life_->node, life_->incarnation, why);
  gate_->close();
  life_.reset();
  slots_.reset();
  renewing_ = false;
  looking_ = false;
  tell_listeners();
  // Enters again at once, but not repeatedly: two processes with one id end each other's incarnation whenever they enter.
  auto now = self_->clock().now();
  next_enter_ = std::max(now, entered_at_ + enter_back_off_max);
  if (next_enter_ <= now)
    enter();
}

void node_actor_state::tell_listeners() {
  for (const auto& listener : links_.lives)
    protocol::send(self_, listener, protocol::incarnation_change{life_, mode_});
}

// -- peers -----------------------------------------------------------------------------------------------------------------

void node_actor_state::look_around() {
  if (looking_ || renewing_)
    return;
  looking_ = true;
  ask_store<core::cluster_view>(
    self_, links_.store, [](storage::store& store) { return store.cluster().view(); },
    [this, sent = clocks_.boot(), life = *life_](core::result<core::cluster_view>&& view) {
      if (life_ != life)
        return;
      looking_ = false;
      if (view)
        observe(*view, sent);
    },
    settings_.dead_after);
}

void node_actor_state::observe(const core::cluster_view& view, std::int64_t sent) {
  if (view.revision < seen_revision_)
    return went_back("edits that this node has seen are gone");
  seen_revision_ = view.revision;
  hear_clocks(view, sent);
  if (!life_)
    return;
  peers_.observe(view.nodes, clocks_.boot());
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
      self_, links_.store, [row](storage::store& store) { return store.cluster().fence(row); },
      [this, row](core::result<bool>&& fenced) {
        fencing_.erase(row.id);
        if (!fenced || !*fenced)
          return;
        fenced_nodes_->inc();
        if (links_.orphans)
          protocol::send(self_, links_.orphans, protocol::peer_fenced{});
        log_->warn("node={} fenced: incarnation {} has sent no heartbeat since beat {}", row.id, row.incarnation, row.beat);
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
  look_at_clock();
  if (life_ && identity_.marks && identity_.marks->take_repeated())
    went_back("it gave run ids a second time");
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
  // Four times a beat: peers are also checked between two renewals, and a takeover begins with the first check that sees a beat
  // missing.
  const auto now = self_->clock().now();
  next_tick_ = next_tick(next_tick_, std::max(settings_.beat / 4, milliseconds{1}), now);
  // Also when the next peer will have been silent for long enough.
  if (life_)
    if (const auto death = peers_.next_death(clocks_.boot()))
      next_tick_ = std::min(next_tick_, now + nanoseconds{*death});
  protocol::send_at(self_, caf::actor_cast<protocol::node_actor>(self_), next_tick_, protocol::tick_atom{});
}

protocol::node_status node_actor_state::status() const {
  protocol::node_status status;
  status.life = life_;
  if (stopping_)
    status.reasons.push_back("the node is stopping");
  else if (!life_ || !gate_->open_at(life_->incarnation, clocks_.boot()))
    status.reasons.push_back(standing_by_ ? "another process runs with this node's id" : "the node has no lease");
  if (!trust_.trusted())
    status.reasons.push_back(trust_.reason());
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

// Without an incarnation, this node shows itself as the others are about to see it.
core::seen_node node_actor_state::oneself() const {
  using core::node_health;
  const auto silent = nanoseconds{std::max<std::int64_t>(clocks_.boot() - renewed_at_, 0)};
  core::seen_node own;
  own.row = {identity_.id, newest_incarnation_, beat_, life_ ? core::node_state::up : core::node_state::down, identity_.address};
  own.health = life_ ? node_health::alive : stopping_ ? node_health::stopped : node_health::dead;
  if (newest_incarnation_ != 0 && !left_)
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

void node_actor_state::leave(std::optional<core::node_incarnation>&& life) {
  if (!life) {
    finish_stop({});
    return;
  }
  ask_store<void>(
    self_, links_.store, [life = std::move(*life)](storage::store& store) { return store.cluster().leave(life); },
    [this](const core::result<void>& left) { finish_stop(left); }, enter_patience);
}

void node_actor_state::finish_stop(const core::result<void>& outcome) {
  left_ = true;
  if (!outcome)
    log_->warn("node={} could not announce that it leaves: {}; the other nodes will detect it", identity_.id,
               outcome.error().context);
  for (auto& waiter : std::exchange(stop_waiters_, {})) {
    if (outcome)
      waiter.deliver();
    else
      waiter.deliver(protocol::to_caf(outcome.error()));
  }
}

void node_actor_state::note_failure(const core::error& error) {
  if (error.code == core::errc::conflict)
    return; // the row changed while it was read: it is read again
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
