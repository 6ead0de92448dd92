#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/admin/executor_link.hpp"
#include "actors/logger.hpp"
#include "config/settings.hpp"
#include "core/lanes.hpp"
#include "core/routing.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Routes before the claim, sends after it. Two lanes with bounded windows: a full one is back-pressure (the firing stays due),
/// never a drop. Owns the executor links and what ROUND, LFU and LRU remember.
///
/// A run holds its slot from its routing until its answer, so that claims never run ahead of sending; one whose answer never
/// comes until recovery has room for it, so that they never run ahead of that either.
class trigger_pool_state {
public:
  static inline const char* name = "ringmaster.trigger_pool";

  trigger_pool_state(protocol::trigger_pool::pointer self, protocol::storage_actor storage, link_tools tools,
                     core::milliseconds misfire_after, std::uint64_t random_seed, protocol::wall_clock clock, logger log);
  ~trigger_pool_state();
  protocol::trigger_pool::behavior_type make_behavior();

private:
  /// A failover or busyover route whose executors are being asked.
  struct probing {
    protocol::routed_job job;
    protocol::route_listener listener;
    std::size_t run = 0;
    std::vector<std::string> addresses;
    std::vector<std::optional<protocol::probe_reply>> replies;
    bool decided = false;
  };

  struct known_link {
    protocol::executor_link link;
    core::time_point used{};
  };

  // Routing.
  void route(protocol::route_request&& request);
  [[nodiscard]] const core::group* group_of(const core::job& spec, bool& wait);
  [[nodiscard]] std::vector<core::planned_run> runs_of(const protocol::route_candidate& candidate, const core::group* group,
                                                       std::vector<std::pair<std::size_t, core::probe_in_order>>& probes);
  void address_run(core::planned_run run, const core::group* group, std::vector<core::planned_run>& runs,
                   std::vector<std::pair<std::size_t, core::probe_in_order>>& probes);
  void start_probe(protocol::routed_job&& job, std::size_t run, core::probe_in_order&& ask,
                   const protocol::route_listener& listener);
  void probed(const std::shared_ptr<probing>& of, std::size_t index, protocol::probe_reply&& reply);
  void decide(probing& of, std::optional<std::size_t> winner);

  // Sending.
  void fire(protocol::firing_batch&& batch);
  void take_results(protocol::send_results&& results);
  void conclude(protocol::send_result&& result, protocol::trigger_results& recorded, protocol::unknown_batch& unknown);
  [[nodiscard]] core::trigger_result failure(const core::claimed_run& run, std::string message) const;
  [[nodiscard]] bool missed(const core::claimed_run& run, core::time_point now) const;

  void change_registry(const protocol::registry_change& change);
  caf::result<protocol::link_handle> answer_link(const protocol::link_query& query);
  protocol::executor_link& link_of(const std::string& address);
  /// Of a link that is not used any more, or that failed: then the pool ends with it, and so the process.
  void link_ended(const std::string& address, const caf::error& reason);
  void tick();
  [[nodiscard]] core::time_point now() const;

  protocol::trigger_pool::pointer self_;
  protocol::storage_actor storage_;
  protocol::completion_actor completion_;
  protocol::recovery_actor recovery_;
  link_tools tools_;
  core::milliseconds misfire_after_;
  protocol::wall_clock clock_;
  logger log_;
  core::lanes lanes_;
  core::route_history history_;
  std::shared_ptr<const protocol::registry_view> registry_;
  /// Groups that a job names and the registry does not know (yet), since when.
  std::unordered_map<std::int32_t, core::time_point> missing_groups_;
  std::unordered_map<std::string, known_link> links_;
  protocol::watcher watcher_;

  caf::telemetry::int_counter* sent_count_;
  caf::telemetry::int_counter* accepted_count_;
  caf::telemetry::int_counter* failed_count_;
  caf::telemetry::int_counter* unknown_count_;
  caf::telemetry::dbl_histogram* lateness_;
};

} // namespace ringmaster::actors
