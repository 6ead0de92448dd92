#include "actors/elastic/elastic_metrics.hpp"

#include <algorithm>
#include <chrono>
#include <variant>

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

constexpr std::array source_names{"normal", "misfire", "failover", "manual"};
/// From `item_run_end::finished` on.
constexpr std::array end_names{"finished", "error", "lost", "killed", "failed"};
/// By `loss_proof`; the last one: no proof.
constexpr std::array takeover_names{"process_ended", "lease_over", "host_answered", "never_sent", "moved", "other"};
/// By `elastic_refusal`.
constexpr std::array refusal_names{"none",     "old_epoch",       "other_process", "no_lease", "no_free_slot",
                                   "draining", "unknown_handler", "no_definition", "busy",     "unknown_pool",
                                   "unknown_error_handler", "unknown_listener"};
/// By `host_state`.
constexpr std::array host_state_names{"up", "silent", "dead", "left"};
constexpr std::array<double, 12> takeover_bounds{.01, .05, .1, .25, .5, 1., 2., 5., 10., 30., 60., 120.};
constexpr std::array<std::int64_t, 9> elastic_row_bounds{1, 2, 5, 10, 20, 50, 100, 200, 500};

double seconds_of(core::milliseconds time) { return std::chrono::duration<double>(time).count(); }

/// Returns the metric of a value. Rows and hosts may have values that this release does not know: the last one counts them.
template <class Metric, std::size_t Count>
const Metric& of_value(const std::array<Metric, Count>& metrics, std::size_t value) {
  return metrics[std::min(value, Count - 1)];
}

/// Returns the counters of all values of the only label.
template <std::size_t Count>
std::array<caf::telemetry::int_counter*, Count> counters_by(caf::actor_system& system, const char* name, const char* label,
                                                            const std::array<const char*, Count>& values, const char* help) {
  auto* family = system.metrics().counter_family("ringmaster", name, {label}, help, "1", true);
  std::array<caf::telemetry::int_counter*, Count> out{};
  for (std::size_t i = 0; i < Count; ++i)
    out[i] = family->get_or_add({{label, values[i]}});
  return out;
}

} // namespace

elastic_metrics::elastic_metrics(caf::actor_system& system)
  : fires_{counters_by(system, "elastic-fires", "source", source_names, "Fires of elastic jobs that were stored.")},
    dropped_fires_{make_counter(system, "elastic-fires-dropped", "Fires that the misfire rule dropped.")},
    takeovers_{counters_by(system, "elastic-takeovers", "case", takeover_names, "Runs of items that another host took over.")},
    refused_{counters_by(system, "elastic-grants-refused", "reason", refusal_names, "Grants that hosts refused.")},
    gone_{make_counter(system, "elastic-events-gone", "Results of runs that were not open any more.")},
    plans_{make_counter(system, "elastic-plans", "Plans that differ from the plan before.")},
    late_barriers_{make_counter(system, "elastic-barriers-late", "Barriers of once-listeners that were not complete in time.")} {
  auto& registry = system.metrics();
  lateness_ = registry.histogram_singleton<double>("ringmaster", "elastic-fire-lateness", time_bounds,
                                                   "Time from the instant of a fire until it is stored.", "seconds");
  takeover_time_ = registry.histogram_singleton<double>("ringmaster", "elastic-takeover", takeover_bounds,
                                                        "Time from the loss of a run to its stored takeover.", "seconds");
  batch_rows_ = registry.histogram_singleton<std::int64_t>("ringmaster", "elastic-writer-batch-rows", elastic_row_bounds,
                                                           "Writes of elastic jobs in one transaction.");
  open_ = registry.gauge_singleton("ringmaster", "elastic-items-open", "Items that run, or are being granted.");
  wanted_ = registry.gauge_singleton("ringmaster", "elastic-items-wanted", "Items that wait for a host.");
  far_ahead_ = registry.gauge_singleton("ringmaster", "elastic-jobs-far-ahead",
                                        "Elastic jobs of this node with times further ahead than their schedules allow.");
  tainted_ = registry.gauge_singleton("ringmaster", "elastic-hosts-tainted", "Hosts with a body that ignores its end.");
  slots_ = registry.gauge_singleton("ringmaster", "elastic-slots-held", "Slots whose elastic jobs this node has.");
  auto* runs = registry.counter_family("ringmaster", "elastic-runs", {"source", "result"}, "Ended runs of items.", "1", true);
  for (std::size_t source = 0; source < sources; ++source)
    for (std::size_t end = 0; end < ends; ++end)
      runs_[source][end] = runs->get_or_add({{"source", source_names[source]}, {"result", end_names[end]}});
  auto* hosts = registry.gauge_family("ringmaster", "elastic-hosts", {"state"}, "Hosts of elastic jobs that this node knows.");
  for (std::size_t state = 0; state < host_states; ++state)
    hosts_[state] = hosts->get_or_add({{"state", host_state_names[state]}});
}

void elastic_metrics::count(const job_fact& what, core::time_point now) const {
  std::visit([&](const auto& each) { add(each, now); }, what);
}

// A missed fire that is made up for is late on purpose.
void elastic_metrics::add(const fact::fire& what, core::time_point now) const {
  if (what.dropped)
    return dropped_fires_->inc();
  of_value(fires_, static_cast<std::size_t>(what.source))->inc();
  if (what.source == elastic::run_source::normal)
    lateness_->observe(seconds_of(std::max(now - what.due, core::milliseconds{0})));
}

void elastic_metrics::add(const fact::run_end& what, core::time_point) const {
  const auto first = static_cast<std::size_t>(elastic::item_run_end::finished);
  of_value(of_value(runs_, static_cast<std::size_t>(what.source)), static_cast<std::size_t>(what.end) - first)->inc();
}

void elastic_metrics::add(const fact::takeover& what, core::time_point) const {
  of_value(takeovers_, what.proof ? static_cast<std::size_t>(*what.proof) : takeover_cases)->inc();
  if (what.took)
    takeover_time_->observe(seconds_of(*what.took));
}

void elastic_metrics::add(const fact::refusal& what, core::time_point) const {
  of_value(refused_, static_cast<std::size_t>(what.why))->inc();
}

void elastic_metrics::add(const fact::gone&, core::time_point) const { gone_->inc(); }

void elastic_metrics::add(const fact::plan&, core::time_point) const { plans_->inc(); }

void elastic_metrics::add(const fact::late_barrier&, core::time_point) const { late_barriers_->inc(); }

void elastic_metrics::change_items(const item_counts& before, const item_counts& after) const {
  const auto move = [](caf::telemetry::int_gauge* gauge, std::uint32_t from, std::uint32_t to) {
    if (from != to)
      gauge->inc(static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from));
  };
  move(open_, before.open, after.open);
  move(wanted_, before.wanted, after.wanted);
  move(far_ahead_, before.far_ahead, after.far_ahead);
}

void elastic_metrics::show_slots(std::size_t held) const { slots_->value(static_cast<std::int64_t>(held)); }

void elastic_metrics::show_hosts(const protocol::known_hosts& known) const {
  std::array<std::int64_t, host_states> counts{};
  std::int64_t tainted = 0;
  for (const auto& seat : known.seats) {
    if (const auto* host = known.hosts.find(seat.host.host))
      ++counts[std::min(static_cast<std::size_t>(host->state), host_states - 1)];
    tainted += seat.tainted > 0 ? 1 : 0;
  }
  for (std::size_t state = 0; state < host_states; ++state)
    hosts_[state]->value(counts[state]);
  tainted_->value(tainted);
}

void elastic_metrics::wrote(std::size_t rows) const { batch_rows_->observe(static_cast<std::int64_t>(rows)); }

} // namespace ringmaster::actors
