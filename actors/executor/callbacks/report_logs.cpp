#include "actors/executor/callbacks/report_logs.hpp"

#include <functional>
#include <utility>

#include "actors/executor/callbacks/admin_reach.hpp"

namespace ringmaster::actors {

namespace {

/// Missing logs created at a time.
constexpr std::size_t batch_of_logs = 200;

} // namespace

void report_logs::tell_left(const core::run_report& report) {
  std::string lines{"<br>----------- reported by the next start of the executor<br>----------- Result: handleCode="};
  lines.append(std::to_string(report.code)).append(", handleMsg = ").append(report.message.value_or("null")).append("\n");
  write({report}, std::move(lines), false);
}

void report_logs::tell_answer(const report_list& of, const protocol::admin_answer& answer) {
  std::string lines;
  for (const auto& refusal : answer.refusals)
    lines.append("<br>----------- xxl-job job callback fail, callbackResult:").append(refusal).append("\n");
  if (answer.accepted)
    lines += "<br>----------- xxl-job job callback finish.\n";
  if (lane_.waiting() >= log_work_max)
    lines.clear();
  write(of, std::move(lines), answer.accepted);
}

void report_logs::write(const report_list& of, std::string lines, bool are_safe) {
  if (lines.empty() && !are_safe)
    return;
  std::vector<core::run_identity> which;
  for (const auto& report : of)
    which.push_back(core::identity_of(report));
  lane_.add([this, logs = logs_, runs = runs_, which = std::move(which), lines = std::move(lines),
             are_safe]() -> std::function<void()> {
    bool missing = false;
    for (const auto& run : which) {
      const bool is_there = logs->append(run, lines).has_value();
      missing = missing || (are_safe && !is_there);
      if (are_safe)
        is_there ? runs->remove(run) : runs->close(run);
    }
    if (!missing)
      return {};
    return [this] { missing_ = true; };
  });
}

void report_logs::make_missing(steady t) {
  if (!missing_ || t < retry_at_ || !lane_.idle())
    return;
  retry_at_ = t + report_pause_min;
  const auto closed = runs_->closed(batch_of_logs);
  write(closed, {}, !closed.empty());
  missing_ = closed.size() == batch_of_logs;
}

} // namespace ringmaster::actors
