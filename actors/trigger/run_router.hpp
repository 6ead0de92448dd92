#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/trigger/route_probes.hpp"
#include "actors/trigger/trigger_context.hpp"
#include "core/routing/address_avoidance.hpp"
#include "core/routing/routing.hpp"

namespace ringmaster::actors {

/// Half of the trigger pool that works before the claim: chooses an executor for each run of a candidate and takes its slot in a
/// lane. Owns the state of ROUND, LFU and LRU, and the probes of failover and busyover. Part of the state of trigger_pool.
///
/// Invariant: a candidate that is answered as routed holds a slot for each of its runs; one that is deferred, held or still waits
/// for probes holds none and has not moved the route history. Each candidate is answered once.
class run_router {
public:
  using steady = trigger_context::steady;

  /// `avoided`: addresses to which the last connection failed; owned by the sender. `stepped`: called after each step of the
  /// probes, because `next` may have changed.
  run_router(trigger_context& context, const core::address_avoidance& avoided, std::uint64_t random_seed,
             std::function<void()> stepped);

  /// Routes the candidates. The answer goes to the listener at once, without those that wait for probes; their answers follow.
  void route(protocol::route_request&& request);

  /// Asks executors that are to be probed by now, and routes the candidates whose executor is known.
  void go_on_probing();
  /// Returns the time at which `go_on_probing` has something to do; unset if no probe waits for a time.
  [[nodiscard]] std::optional<steady> next() const { return probes_.next(); }
  /// Returns the number of candidates that wait for probes.
  [[nodiscard]] std::size_t probing() const noexcept { return probes_.waiting(); }

  /// Forgets groups that are not missing or without an executor any more, after a change of the registry.
  void change_registry();

private:
  void route(protocol::route_candidate&& candidate, const protocol::route_listener& listener, protocol::routed_batch& answer);
  [[nodiscard]] const core::group* group_of(const core::job& spec, bool& wait);
  [[nodiscard]] bool awaits_executor(const core::group* group);
  [[nodiscard]] std::vector<core::planned_run> runs_of(const protocol::route_candidate& candidate) const;
  [[nodiscard]] std::optional<core::probe_in_order> address_runs(std::vector<core::planned_run>& runs, const core::group* group,
                                                                 std::vector<std::string>& choices);
  [[nodiscard]] std::span<const std::string> candidates_of(const core::job& spec, std::span<const std::string> live,
                                                           std::vector<std::string>& room) const;
  void place(protocol::route_candidate&& candidate, std::vector<core::planned_run>&& runs, protocol::routed_batch& answer,
             std::span<const std::string> choices = {});
  void ask(route_probes::question&& question);
  void take(route_probes::verdict&& verdict);

  trigger_context& context_;
  const core::address_avoidance& avoided_;
  std::function<void()> stepped_;
  core::route_history history_;
  route_probes probes_{probe_limits{}};
  /// Groups that a job names and the registry does not know (yet), since when.
  std::unordered_map<std::int32_t, core::time_point> missing_groups_;
  /// Automatic groups without an executor that a run needed, since when.
  std::unordered_map<std::int32_t, steady> empty_groups_;
  steady next_registry_look_{};
};

} // namespace ringmaster::actors
