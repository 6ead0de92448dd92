#pragma once

// Decisions about a run whose delivery is unknown (firing protocol §6), as far as no executor has to be asked.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/logger.hpp"
#include "actors/recovery/recovery_metrics.hpp"
#include "actors/recovery/unknown_runs.hpp"
#include "core/run/log_row.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Trigger result of a run, with which its case ends.
struct recovery_verdict {
  /// 200: delivered, or decided by another writer.
  std::int32_t code = 0;
  std::string message;
  /// No retry follows.
  bool delivery_unknown = false;

  [[nodiscard]] static recovery_verdict delivered(std::string why);
  [[nodiscard]] static recovery_verdict failed(std::int32_t code, std::string message);
  /// The run may or may not have been executed.
  [[nodiscard]] static recovery_verdict unknown(const std::string& why);
  /// The misfire policy excludes the run's instant, so a retry would run it after all.
  [[nodiscard]] static recovery_verdict missed();
  /// T7 was granted before, so there is no third sending.
  [[nodiscard]] static recovery_verdict used_up();
};

/// Step of a run that may be asked about or sent.
enum class recovery_step : std::uint8_t { ask, permit, send };

/// Returns true if the run is a misfire of a job that drops misfires. The misfire policy applies to its lateness when this
/// incarnation learnt of it, and to the time for which its executor gave no clear answer, but not to the time that it waited for
/// its turn. Its definition must be known.
[[nodiscard]] bool is_missed(const unknown_run& run, core::milliseconds misfire_after, unknown_run::steady t);

/// Decides by the run's row and definition alone; unset: an executor is asked, or the run is sent. `row`: null if it was deleted.
[[nodiscard]] std::optional<recovery_verdict> judge_row(const unknown_run& run, const core::log_row* row,
                                                        core::milliseconds misfire_after, unknown_run::steady t);

/// Returns the step of a run that has a row and a definition.
[[nodiscard]] recovery_step step_of(const unknown_run& run);

/// Returns the step of a run that its executor denies having: `send` or `permit`; unset: it was sent twice.
[[nodiscard]] std::optional<recovery_step> step_after_denial(const unknown_run& run);

/// Decides by the executor's answer to a second sending, or to one of which it is unknown whether it is the second.
[[nodiscard]] recovery_verdict judge_answer(const unknown_run& run, const protocol::send_result& result);

/// Decides by the outcome of a first sending, as for any other first one; unset: it is unknown whether the run arrived.
[[nodiscard]] std::optional<recovery_verdict> judge_first_sending(const protocol::send_result& result);

/// Returns the name of a sending by this incarnation: "second" only if the run was sent before.
[[nodiscard]] const char* sending_of(const unknown_run& run) noexcept;

/// Verdicts on their way to the store: each is logged, counted and sent once. Part of the state of recovery_actor.
class recovery_verdicts {
public:
  recovery_verdicts(logger log, const recovery_metrics& metrics) : log_{std::move(log)}, metrics_{metrics} {}

  void add(const unknown_run& run, recovery_verdict&& verdict);
  [[nodiscard]] std::vector<core::trigger_result> take() { return std::exchange(results_, {}); }

private:
  logger log_;
  recovery_metrics metrics_;
  std::vector<core::trigger_result> results_;
};

} // namespace ringmaster::actors
