#include "actors/recovery/recovery_verdict.hpp"

#include <chrono>
#include <utility>

#include "core/run/execution_state.hpp"
#include "core/run/trigger_note.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::actors {

recovery_verdict recovery_verdict::delivered(std::string why) { return {core::success_code, std::move(why)}; }

recovery_verdict recovery_verdict::failed(std::int32_t code, std::string message) { return {code, std::move(message)}; }

recovery_verdict recovery_verdict::unknown(const std::string& why) {
  return {core::failure_code, std::string{core::unknown_delivery} + why, true};
}

recovery_verdict recovery_verdict::missed() {
  return {core::failure_code, "missed: not delivered at its time, and the misfire policy is DO_NOTHING", true};
}

recovery_verdict recovery_verdict::used_up() { return unknown("a second sending was permitted before"); }

bool is_missed(const unknown_run& run, core::milliseconds misfire_after, unknown_run::steady t) {
  const auto& plan = run.run.plan;
  if (plan.kind != core::trigger_kind::cron || plan.spec->misfire != core::misfire_policy::do_nothing)
    return false;
  const auto asked = run.asked_since ? t - *run.asked_since : unknown_run::steady::duration{0};
  return run.known_at - plan.fire_at + std::chrono::duration_cast<core::milliseconds>(asked) > misfire_after;
}

std::optional<recovery_verdict> judge_row(const unknown_run& run, const core::log_row* row, core::milliseconds misfire_after,
                                          unknown_run::steady t) {
  if (!row)
    return recovery_verdict::delivered("its row was deleted");
  if (row->trigger_code != 0)
    return recovery_verdict::delivered("its row has a trigger result");
  if (row->handle_code != 0)
    return recovery_verdict::delivered("it has a result");
  if (run.permit_refused)
    return recovery_verdict::used_up();
  const auto& plan = run.run.plan;
  if (plan.address.empty())
    return recovery_verdict::failed(core::failure_code, plan.route_note.empty()
                                                          ? std::string{protocol::wire::log_text::address_empty}
                                                          : plan.route_note);
  if (!plan.spec)
    return recovery_verdict::unknown("its job was deleted");
  if (run.never_sent)
    return is_missed(run, misfire_after, t) ? std::optional{recovery_verdict::missed()} : std::nullopt;
  if (plan.spec->on_unknown == core::unknown_policy::skip)
    return recovery_verdict::unknown("such runs of this job are not sent again (on_unknown = skip)");
  return std::nullopt;
}

recovery_step step_of(const unknown_run& run) {
  if (run.never_sent)
    return recovery_step::send;
  const auto& job = *run.run.plan.spec;
  // An executor that answered "repeat" to the first sending would answer it to the second, whichever run it means.
  const bool may_resend = (run.permitted || run.run.attempt == 0) && !run.repeated;
  // A second copy would kill the first of a COVER_EARLY job.
  if (job.on_unknown != core::unknown_policy::resend || job.block == core::block_strategy::cover_early || !may_resend)
    return recovery_step::ask;
  return run.permitted ? recovery_step::send : recovery_step::permit;
}

std::optional<recovery_step> step_after_denial(const unknown_run& run) {
  if (run.permitted)
    return recovery_step::send;
  return run.run.attempt > 0 ? std::nullopt : std::optional{recovery_step::permit};
}

recovery_verdict judge_answer(const unknown_run& run, const protocol::send_result& result) {
  const std::string sending = sending_of(run);
  if (result.repeated && run.repeated)
    return recovery_verdict::unknown(sending + " was answered as the first one was");
  if (result.code == core::success_code)
    return recovery_verdict::delivered("the executor accepted " + sending);
  if (run.never_came)
    return recovery_verdict::failed(result.code, core::refusal_message(result.message));
  // the refusal may be caused by the first copy
  return recovery_verdict::unknown(sending + " was refused: " + result.message);
}

std::optional<recovery_verdict> judge_first_sending(const protocol::send_result& result) {
  if (result.state == protocol::send_state::unknown)
    return std::nullopt;
  if (result.state != protocol::send_state::answered)
    return recovery_verdict::failed(core::failure_code, result.message);
  if (result.code == core::success_code)
    return recovery_verdict::delivered("the executor accepted it");
  return recovery_verdict::failed(result.code, core::refusal_message(result.message));
}

const char* sending_of(const unknown_run& run) noexcept {
  return run.sent ? "the second sending" : "the sending by this incarnation";
}

void recovery_verdicts::add(const unknown_run& run, recovery_verdict&& verdict) {
  const bool was_delivered = verdict.code == core::success_code;
  const auto first = run.first_error.empty() ? std::string{} : "; the first sending: " + run.first_error;
  auto stored = verdict.message + first;
  if (was_delivered) {
    log_->info("job={} run={} delivered after all: {}", core::number(run.job), core::number(run.run.id), verdict.message);
    metrics_.known->inc();
    if (first.empty())
      stored.clear();
  } else {
    log_->warn("job={} run={} given up: {}", core::number(run.job), core::number(run.run.id), stored);
    (verdict.delivery_unknown ? metrics_.given_up : metrics_.failed)->inc();
  }
  results_.push_back(
    {run.run.id, run.run.claim, run.run.plan.spec, verdict.code, std::move(stored), verdict.delivery_unknown});
}

} // namespace ringmaster::actors
