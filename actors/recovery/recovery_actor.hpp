#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/executors/executor_inquiry.hpp"
#include "actors/logger.hpp"
#include "actors/pulse_gate.hpp"
#include "actors/recovery/adoption.hpp"
#include "actors/recovery/recovery_metrics.hpp"
#include "actors/recovery/recovery_queues.hpp"
#include "actors/recovery/recovery_verdict.hpp"
#include "actors/recovery/unknown_runs.hpp"
#include "actors/store/store_access.hpp"
#include "config/settings.hpp"
#include "core/maintenance/log_maintenance.hpp"
#include "core/result.hpp"
#include "core/run/log_row.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

struct recovery_settings {
  config::trigger_settings trigger;
  /// `schedule.misfire_after`.
  core::milliseconds misfire_after{5000};
  /// `cluster.dead_after` and `cluster.send_margin`.
  core::milliseconds dead_after{1500};
  core::milliseconds send_margin{300};
};

/// Actor that decides about runs whose delivery is unknown (firing protocol §6): runs that earlier incarnations claimed (adopted,
/// T6) and runs of this node without an answer. Works under one incarnation; when it ends, all of its cases end, and the next one
/// adopts them. Invariants: nothing is sent without T7, T7 counts for one sending, and a run whose row has a trigger code or a
/// result is never sent. Each case ends with one trigger result. If the row was decided or deleted meanwhile, the store's guards
/// make the result change nothing, and it only allows the claim to be closed.
class recovery_actor_state {
public:
  static inline const char* name = "ringmaster.recovery_actor";

  /// Maximum of runs about which executors are asked at once.
  static constexpr std::size_t asks_max = 1024;
  /// Limit for one executor that does not answer. An executor that answers gets as many as it has connections, so that the runs
  /// left by a crash are decided about as fast as they would have been sent.
  static constexpr std::size_t asks_per_quiet_address_max = 8;
  /// Maximum of runs under way. Beyond it nothing more is adopted, and reported runs wait with the slots that they hold in the
  /// pool until some are decided. So the undecided runs of one incarnation are limited by this, one adoption and the windows of
  /// the pool's lanes. If many executors stop answering, planning slows down as in any other burst, and the firings stay due in
  /// the store.
  static constexpr std::size_t runs_max = 10'000;
  /// Maximum of claims adopted by one transaction.
  static constexpr std::size_t adopt_limit = 500;

  recovery_actor_state(protocol::recovery_actor::pointer self, protocol::storage_actor storage, protocol::trigger_pool pool,
                       recovery_settings settings, protocol::wall_clock clock, logger log);
  protocol::recovery_actor::behavior_type make_behavior();

private:
  using steady = unknown_run::steady;
  using phase = unknown_run::phase;
  /// Delay before a request that the store did not answer is repeated.
  static constexpr std::chrono::milliseconds store_retry{1'000};
  /// Facts that the store has about some runs.
  struct findings {
    std::vector<core::log_row> rows;
    std::vector<core::scheduled_job> jobs;
    /// Open claims of this incarnation, ascending; read if a reported run is among the requested ones.
    std::vector<std::int64_t> claims;
  };

  // -- intake
  void change_incarnation(const protocol::incarnation_change& change);
  void adopt();
  void adopted(core::result<std::vector<core::adopted_run>>&& runs);
  void take(protocol::peer_fenced);
  void take(const protocol::pending_work_update& update);
  void adopt_due();
  void hurry();
  /// Returns the time after adoption for which no executor is asked about a run of such an incarnation.
  [[nodiscard]] core::milliseconds settle_of(core::incarnation_end ended) const;
  bool take(const core::adopted_run& adopted, bool never_sent = false);
  void take(const protocol::stray_claims& claims);
  void take_strays(const std::vector<core::stray_run>& strays, const std::vector<std::int64_t>& never_sent);
  void take(protocol::unknown_batch&& batch);
  void release(const protocol::slot_release& freed);

  // -- one case, step by step
  void tick();
  void look();
  void looked(const std::vector<core::log_id>& asked, core::result<findings>&& found);
  [[nodiscard]] static bool is_ours(const unknown_run& run, const findings& found);
  void decide(unknown_run& run, const core::log_row* row);
  void start_ready();
  void ask(unknown_run& run);
  void answered(core::log_id id, executor_answer&& answer);
  void not_received(unknown_run& run, const protocol::executor_link& link);
  void permit(unknown_run& run);
  void ask_permits();
  void permitted(const std::vector<core::resend>& asked, const core::result<std::vector<bool>>& granted);
  void permitted(const core::resend& asked, std::optional<bool> granted);
  void send(unknown_run& run);
  void send_over(core::log_id id, const protocol::executor_link& link);
  void take(protocol::send_results&& results);
  void sent(const protocol::send_result& result);
  void sent_first(unknown_run& run, const protocol::send_result& result);
  void ask_again(unknown_run& run, const std::string& why, bool silent = false);
  void look_again(unknown_run& run, core::milliseconds wait);
  /// Continues with everything that an event may have made possible.
  void go_on();

  /// Ends the case.
  void end(unknown_run& run, recovery_verdict&& verdict);
  void flush();

  /// Asks the store; drops the answer if the incarnation has ended meanwhile.
  template <class T, class UseCase, class Then>
  void query(UseCase use_case, Then then) {
    ask_store<T>(self_, storage_, std::move(use_case), [this, epoch = epoch_, then](core::result<T>&& answer) mutable {
      if (epoch == epoch_)
        then(std::move(answer));
    });
  }
  void arm();
  [[nodiscard]] steady steady_now() const { return self_->clock().now(); }
  [[nodiscard]] std::chrono::milliseconds patience() const;

  protocol::recovery_actor::pointer self_;
  protocol::storage_actor storage_;
  protocol::trigger_pool pool_;
  recovery_settings settings_;
  protocol::wall_clock clock_;
  logger log_;
  recovery_metrics metrics_;

  std::optional<core::node_incarnation> incarnation_;
  /// Number of incarnation changes: answers to requests of an earlier one are ignored.
  std::uint64_t epoch_ = 0;
  steady next_tick_{};
  adoption adoption_;
  pulse_gate gate_;
  reported_runs reported_;
  unknown_runs runs_;
  /// Rows of runs are being read.
  bool looking_ = false;
  permit_queue permits_;
  recovery_verdicts verdicts_;
};

} // namespace ringmaster::actors
