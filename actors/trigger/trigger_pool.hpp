#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/executors/link_set.hpp"
#include "actors/logger.hpp"
#include "actors/trigger/route_probes.hpp"
#include "actors/trigger/trigger_metrics.hpp"
#include "config/settings.hpp"
#include "core/routing/address_avoidance.hpp"
#include "core/routing/lanes.hpp"
#include "core/routing/routing.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actor that routes before the claim and sends after it. Has two lanes with bounded windows, of which no executor can take all.
/// A full window causes back-pressure (the firing stays due), never a drop. Owns the executor links and the state of ROUND, LFU
/// and LRU.
///
/// A run holds its slot from its routing until its answer, so that claims never run ahead of sending. A run without an answer
/// holds it until recovery has room for it, so that claims never run ahead of recovery either.
class trigger_pool_state {
public:
  static inline const char* name = "ringmaster.trigger_pool";

  trigger_pool_state(protocol::trigger_pool::pointer self, protocol::storage_actor storage, link_tools tools,
                     core::milliseconds misfire_after, std::uint64_t random_seed, protocol::wall_clock clock, logger log);
  protocol::trigger_pool::behavior_type make_behavior();

private:
  using steady = protocol::wall_clock::steady;

  // Routing.
  void route(protocol::route_request&& request);
  void route(protocol::route_candidate&& candidate, const protocol::route_listener& listener, protocol::routed_batch& answer);
  [[nodiscard]] const core::group* group_of(const core::job& spec, bool& wait);
  [[nodiscard]] bool awaits_executor(const core::group* group);
  [[nodiscard]] std::vector<core::planned_run> runs_of(const protocol::route_candidate& candidate);
  [[nodiscard]] std::optional<core::probe_in_order> address_runs(std::vector<core::planned_run>& runs, const core::group* group,
                                                                 std::vector<std::string>& choices);
  [[nodiscard]] std::span<const std::string> candidates_of(const core::job& spec, std::span<const std::string> live,
                                                           std::vector<std::string>& room) const;
  void place(protocol::route_candidate&& candidate, std::vector<core::planned_run>&& runs, protocol::routed_batch& answer,
             std::span<const std::string> choices = {});
  void go_on_probing();
  void ask(route_probes::question&& question);
  void take(route_probes::verdict&& verdict);

  // Sending.
  void fire(protocol::firing_batch&& batch);
  void take_results(protocol::send_results&& results);
  void count_end(const protocol::send_result& result);
  void count_end(const core::planned_run& plan, trigger_end how);
  void conclude(protocol::send_result&& result, protocol::trigger_results& recorded, protocol::unknown_batch& unknown);
  [[nodiscard]] core::trigger_result failure(const core::claimed_run& run, std::string message) const;
  [[nodiscard]] bool missed(const core::claimed_run& run, core::time_point now) const;

  void change_registry(const protocol::registry_change& change);
  void hear(const protocol::executor_update& update);
  /// Prefers other addresses of the same groups for a while, after a failed connection.
  void avoid(const std::string& address);
  void show_avoided();
  void tick();
  void arm();
  [[nodiscard]] core::time_point now() const;
  [[nodiscard]] steady steady_now() const { return self_->clock().now(); }

  protocol::trigger_pool::pointer self_;
  protocol::storage_actor storage_;
  protocol::completion_actor completion_;
  protocol::recovery_actor recovery_;
  protocol::registry_monitor registry_monitor_;
  core::milliseconds probe_limit_;
  core::milliseconds misfire_after_;
  protocol::wall_clock clock_;
  logger log_;
  core::lane_limits limits_;
  core::lanes lanes_;
  core::route_history history_;
  core::address_avoidance avoidance_;
  route_probes probes_;
  std::shared_ptr<const protocol::registry_view> registry_;
  /// Groups that a job names and the registry does not know (yet), since when.
  std::unordered_map<std::int32_t, core::time_point> missing_groups_;
  /// Automatic groups without an executor that a run needed, since when.
  std::unordered_map<std::int32_t, steady> empty_groups_;
  steady next_registry_look_{};
  link_set links_;
  steady next_sweep_;
  std::optional<steady> armed_;
  trigger_metrics metrics_;
  caf::telemetry::int_gauge* avoided_count_;
};

} // namespace ringmaster::actors
