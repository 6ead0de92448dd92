#include "actors/node/trusted_clock.hpp"

namespace ringmaster::actors {

trusted_clock::trusted_clock(node_clocks clocks, std::string node, const config::cluster_settings& settings,
                             node_metrics metrics, logger log)
  : clocks_{std::move(clocks)},
    node_{std::move(node)},
    dead_after_ns_{std::chrono::nanoseconds{settings.dead_after}.count()},
    is_judged_{clocks_.system && settings.clock_tolerance.count() > 0},
    metrics_{metrics},
    log_{std::move(log)},
    trust_{settings.clock_tolerance, settings.clock_settle} {
  metrics_.clock_distrusted->value(0);
  clocks_.wall.set_verdict(is_judged_ ? protocol::clock_verdict::pending : protocol::clock_verdict::trusted);
}

void trusted_clock::start() {
  if (is_judged_)
    trust_.read(clocks_.system(), clocks_.boot());
}

// Actors see the system's clock only through `wall`, so a time that is not taken over here moves no job.
bool trusted_clock::look(steady now) {
  if (is_judged_ && !judge())
    return false;
  if (clocks_.follow_system)
    clocks_.wall.follow_system();
  else if (clocks_.system)
    clocks_.wall.set_offset(clocks_.system().time_since_epoch() - now.time_since_epoch());
  return true;
}

bool trusted_clock::judge() {
  const bool was_trusted = trust_.trusted();
  const auto steps = trust_.steps();
  const bool trusted = trust_.read(clocks_.system(), clocks_.boot());
  if (trust_.steps() > steps)
    metrics_.clock_steps->inc(trust_.steps() - steps);
  if (was_trusted != trusted) {
    metrics_.clock_distrusted->value(trusted ? 0 : 1);
    if (trusted)
      log_->info("node={} trusts its wall clock again", node_);
    else
      log_->warn("node={} {}", node_, trust_.reason());
  }
  return trusted;
}

bool trusted_clock::hear(const core::cluster_view& view, std::int64_t sent, steady now) {
  if (!is_judged_)
    return true;
  if (view.clock)
    trust_.hear_database(*view.clock, sent, clocks_.boot());
  hear_nodes(view.nodes, sent);
  const bool trusted = look(now);
  if (trusted)
    clocks_.wall.set_verdict(protocol::clock_verdict::trusted);
  else if (clocks_.wall.in_doubt())
    clocks_.wall.set_verdict(protocol::clock_verdict::distrusted);
  return trusted;
}

// The clock in a row is as old as its beat. A beat that is new since the last view was sent between the two views, except for its
// time on the way.
void trusted_clock::hear_nodes(const std::vector<core::node_row>& rows, std::int64_t sent) {
  decltype(heard_beats_) beats;
  const auto earliest = heard_ns_ - dead_after_ns_;
  for (const auto& row : rows) {
    if (row.id == node_ || row.state != core::node_state::up)
      continue;
    const node_beat beat{row.incarnation, row.beat};
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

} // namespace ringmaster::actors
