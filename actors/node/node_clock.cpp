// node_actor: trust in the wall clock and in the database (firing protocol §9).

#include <algorithm>
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

bool node_actor_state::judges_clock() const noexcept { return clocks_.system && settings_.clock_tolerance.count() > 0; }

// Actors see the system's clock only through `wall`, so a time that is not taken over here moves no job.
void node_actor_state::look_at_clock() {
  if (judges_clock()) {
    const bool was_trusted = trust_.trusted();
    const auto steps = trust_.steps();
    const bool trusted = trust_.read(clocks_.system(), clocks_.boot());
    if (trust_.steps() > steps)
      clock_steps_->inc(trust_.steps() - steps);
    if (was_trusted != trusted) {
      clock_distrusted_->value(trusted ? 0 : 1);
      if (trusted)
        log_->info("node={} trusts its wall clock again", identity_.id);
      else
        log_->warn("node={} {}", identity_.id, trust_.reason());
    }
    if (!trusted)
      return stop_planning();
  }
  if (clocks_.follow_system)
    clocks_.wall.follow_system();
  else if (clocks_.system)
    clocks_.wall.set_offset(clocks_.system().time_since_epoch() - self_->clock().now().time_since_epoch());
}

void node_actor_state::hear_clocks(const core::cluster_view& view, std::int64_t sent) {
  if (!judges_clock())
    return;
  if (view.clock)
    trust_.hear_database(*view.clock, sent, clocks_.boot());
  hear_nodes(view.nodes, sent);
  look_at_clock();
  if (trust_.trusted())
    clocks_.wall.set_in_doubt(false);
}

// The clock in a row is as old as its beat. A beat that is new since the last view was sent between the two views, except for its
// time on the way.
void node_actor_state::hear_nodes(const std::vector<core::node_row>& rows, std::int64_t sent) {
  decltype(heard_beats_) beats;
  const auto earliest = heard_ns_ - std::chrono::nanoseconds{settings_.dead_after}.count();
  for (const auto& row : rows) {
    if (row.id == identity_.id || row.state != core::node_state::up)
      continue;
    const std::pair beat{row.incarnation, row.beat};
    beats.emplace(row.id, beat);
    const auto known = heard_beats_.find(row.id);
    if (known != heard_beats_.end() && known->second != beat && row.wall != core::time_point{})
      trust_.hear_node(row.id, row.wall, earliest, clocks_.boot());
  }
  for (const auto& [id, beat] : heard_beats_)
    if (!beats.contains(id))
      trust_.forget_node(id);
  heard_beats_ = std::move(beats);
  heard_ns_ = sent;
}

// The other nodes take its slots at once. Its claims go to them, or to its next incarnation.
void node_actor_state::stop_planning() {
  if (!life_)
    return;
  const auto ended = *life_;
  lose("its wall clock is not trusted");
  decline(ended);
}

void node_actor_state::decline(const core::node_incarnation& life) {
  next_enter_ = std::max(next_enter_, self_->clock().now() + clock_look_every);
  ask_store<void>(
    self_, links_.store, [life](storage::store& store) { return store.cluster().leave(life); },
    [](const core::result<void>&) {}, clock_patience);
}

void node_actor_state::ask_clocks() {
  ask_store<core::cluster_view>(
    self_, links_.store, [](storage::store& store) { return store.cluster().view(); },
    [this, sent = clocks_.boot()](core::result<core::cluster_view>&& view) { heard_clocks(sent, std::move(view)); },
    clock_patience, protocol::store_turn::first);
}

void node_actor_state::heard_clocks(std::int64_t sent, core::result<core::cluster_view>&& view) {
  if (stopping_ || !view) {
    entering_ = false;
    if (stopping_)
      leave(std::nullopt);
    else
      enter_later(view.error());
    return;
  }
  hear_clocks(*view, sent);
  if (trust_.trusted())
    return find_former();
  note_success();
  entering_ = false;
  next_enter_ = self_->clock().now() + clock_look_every;
}

// Earlier reads may not be true any more, and the number of this incarnation may be assigned again.
void node_actor_state::went_back(const std::string& why) {
  went_back_->inc();
  log_->warn("node={} the database is older than it was: {} (was it restored, or did it fail over to a replica?); the node reads "
             "everything again", identity_.id, why);
  lose("the database is older than it was");
}

} // namespace ringmaster::actors
