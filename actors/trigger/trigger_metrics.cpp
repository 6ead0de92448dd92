#include "actors/trigger/trigger_metrics.hpp"

#include <algorithm>

namespace ringmaster::actors {

namespace {

constexpr std::array lane_names{"fast", "slow"};
constexpr std::array trigger_end_names{"accepted", "failed", "unknown"};

} // namespace

trigger_metrics::trigger_metrics(caf::actor_system& system)
  : sent_{make_counter(system, "runs-sent", "Runs handed to executor links.")} {
  auto& registry = system.metrics();
  auto* ended = registry.counter_family("ringmaster", "triggers", {"kind", "result"},
                                        "Attempts to trigger a run: accepted by the executor, failed, or without an answer.", "1",
                                        true);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const std::string name{core::to_string(static_cast<core::trigger_kind>(kind))};
    for (std::size_t end = 0; end < ends; ++end)
      ended_[kind][end] = ended->get_or_add({{"kind", name}, {"result", trigger_end_names[end]}});
  }
  lateness_ = registry.histogram_family<double>("ringmaster", "firing-lateness", {"group"}, time_bounds,
                                                "From a run's instant to the first byte of its request.", "seconds");
  auto* used = registry.gauge_family("ringmaster", "lane-slots-used", {"lane"}, "Runs that hold a slot of the lane.");
  auto* slots = registry.gauge_family("ringmaster", "lane-slots", {"lane"}, "Runs that the lane can hold.");
  for (std::size_t lane = 0; lane < lane_names.size(); ++lane) {
    slots_used_[lane] = used->get_or_add({{"lane", lane_names[lane]}});
    slots_[lane] = slots->get_or_add({{"lane", lane_names[lane]}});
  }
  probes_ = registry.gauge_singleton("ringmaster", "route-probes-waiting", "Jobs that wait for probes of their route.");
  avoided_ = registry.gauge_singleton("ringmaster", "executors-avoided",
                                      "Executor addresses to which the last connection failed.");
}

void trigger_metrics::ended(core::trigger_kind kind, trigger_end how) noexcept {
  ended_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(how)]->inc();
}

void trigger_metrics::late(core::group_id group, const protocol::registry_view& view, std::chrono::duration<double> late) {
  lateness_of(group, view)->observe(std::max(late.count(), 0.0));
}

caf::telemetry::dbl_histogram* trigger_metrics::lateness_of(core::group_id group, const protocol::registry_view& view) {
  auto [known, fresh] = lateness_by_group_.try_emplace(core::number(group), nullptr);
  if (!fresh)
    return known->second;
  const auto found = view.groups.find(core::number(group));
  std::string name = found == view.groups.end() ? "other" : found->second.app_name;
  if (lateness_by_name_.size() >= groups_max && !lateness_by_name_.contains(name))
    name = "other";
  auto& histogram = lateness_by_name_[name];
  if (histogram == nullptr)
    histogram = lateness_->get_or_add({{"group", name}});
  return known->second = histogram;
}

void trigger_metrics::show(const core::lanes& lanes, std::size_t probes) {
  for (std::uint8_t lane = 0; lane < lane_names.size(); ++lane) {
    slots_used_[lane]->value(static_cast<std::int64_t>(lanes.used(lane)));
    slots_[lane]->value(static_cast<std::int64_t>(lanes.window(lane)));
  }
  probes_->value(static_cast<std::int64_t>(probes));
}

void trigger_metrics::avoided(std::size_t addresses) { avoided_->value(static_cast<std::int64_t>(addresses)); }

core::lateness_counts trigger_metrics::lateness() const {
  static_assert(time_bounds.size() == core::lateness_bounds_ms.size());
  core::lateness_counts sum{};
  auto add_group = [&sum](const auto*, const auto*, const caf::telemetry::dbl_histogram* of_group) {
    const auto buckets = of_group->buckets();
    for (std::size_t i = 0; i < std::min(sum.size(), buckets.size()); ++i)
      sum[i] += buckets[i].count.value();
  };
  lateness_->collect(add_group);
  return sum;
}

std::array<core::lane_load, 2> trigger_metrics::lanes() const {
  std::array<core::lane_load, 2> out{};
  for (std::size_t lane = 0; lane < out.size(); ++lane)
    out[lane] = {lane_names[lane], slots_used_[lane]->value(), slots_[lane]->value()};
  return out;
}

} // namespace ringmaster::actors
