#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>

#include "actors/trigger/trigger_context.hpp"
#include "actors/trigger/trigger_metrics.hpp"
#include "core/routing/address_avoidance.hpp"

namespace ringmaster::actors {

/// Half of the trigger pool that works after the claim: sends claimed runs to the links of their executors and takes the results.
/// Also knows which addresses could not be reached, which routing avoids for a while. Part of the state of trigger_pool.
///
/// Invariant: each run of a batch is sent to one link, or refused with a reason that goes to storage. The slot of a run is freed
/// once: here with its refusal or result, or by recovery if the result is unknown.
class run_sender {
public:
  run_sender(trigger_context& context, protocol::storage_actor storage, core::milliseconds misfire_after);

  /// Sends claimed runs that are due now.
  void fire(protocol::firing_batch&& batch);
  /// Hands results to storage, and runs without a usable answer to recovery.
  void take_results(protocol::send_results&& results);

  /// Ends the avoidance of an address whose executor can be reached; any other update changes nothing.
  void hear(const protocol::executor_update& update);
  /// Returns the addresses that are avoided; valid as long as the sender.
  [[nodiscard]] const core::address_avoidance& avoided() const noexcept { return avoidance_; }

  /// Called when the names of groups may have changed.
  void change_registry() noexcept { metrics_.forget_groups(); }

  /// Ends the avoidance of addresses whose time has ended, and shows the metrics of the pool. `probing`: number of candidates
  /// that wait for probes.
  void sweep(trigger_context::steady t, std::size_t probing);

private:
  void count_end(const protocol::send_result& result);
  void conclude(protocol::send_result&& result, protocol::trigger_results& recorded, protocol::unknown_batch& unknown);
  [[nodiscard]] bool missed(const core::claimed_run& run, core::time_point now) const;
  /// Prefers other addresses of the same groups for a while, after a failed connection.
  void avoid(const std::string& address);
  /// Tells the registry that an executor answers which could not be reached before.
  void tell_answer(const std::string& address);
  void show_avoided() { metrics_.avoided(avoidance_.size()); }

  trigger_context& context_;
  protocol::storage_actor storage_;
  core::milliseconds misfire_after_;
  core::address_avoidance avoidance_;
  /// Addresses without a connection since their last answer; at most `core::address_avoidance::addresses_max`.
  std::unordered_set<std::string> unreachable_;
  trigger_metrics metrics_;
};

} // namespace ringmaster::actors
