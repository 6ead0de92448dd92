#include "actors/maintenance/doctor.hpp"

#include <utility>

#include "core/text/text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

using report_progress = protocol::doctor_report::progress;

doctor_state::doctor_state(protocol::doctor::pointer self, std::shared_ptr<protocol::examiner> examiner, std::string node,
                           protocol::wall_clock clock, logger log)
  : self_{self}, examiner_{std::move(examiner)}, clock_{std::move(clock)}, log_{std::move(log)} {
  report_.node = std::move(node);
}

doctor_state::~doctor_state() {
  if (wanted_)
    *wanted_ = false;
}

protocol::doctor::behavior_type doctor_state::make_behavior() {
  return {
    [this](const protocol::doctor_query& asked) { return read(asked); },
    [this](const protocol::start_doctor& asked) { return start(asked); },
    [this](protocol::doctor_progress& step) { take(std::move(step)); },
    [this](protocol::tick_atom) { give_up_late(); },
  };
}

caf::result<protocol::doctor_report> doctor_state::read(const protocol::doctor_query& asked) const {
  if (auto allowed = core::check_admin(asked.by); !allowed)
    return protocol::to_caf(allowed.error());
  return report_;
}

caf::result<protocol::doctor_report> doctor_state::start(const protocol::start_doctor& asked) {
  if (auto allowed = core::check_admin(asked.by); !allowed)
    return protocol::to_caf(allowed.error());
  if (!examiner_)
    return protocol::to_caf({core::errc::unsupported, "this node makes no checks"});
  if (report_.state == report_progress::running)
    return report_;
  auto wanted = std::make_shared<wanted_flag>(true);
  auto take = [to = protocol::doctor{self_}, number = number_ + 1, wanted](std::vector<core::finding>&& found, bool done) {
    protocol::anon_send(to, protocol::doctor_progress{number, std::move(found), done});
    return wanted->load();
  };
  if (!examiner_->start(std::move(take)))
    return protocol::to_caf(
      {core::errc::unavailable, "a check of the last report has not ended after its time limit; try again later"});
  ++number_;
  wanted_ = std::move(wanted);
  begun_ = self_->clock().now();
  report_ = {report_progress::running, clock_.at(begun_), std::move(report_.node)};
  log_->info("checks of this node started by {}", asked.by.name);
  protocol::send_at(self_, protocol::doctor{self_}, begun_ + patience, protocol::tick_atom{});
  return report_;
}

void doctor_state::take(protocol::doctor_progress&& step) {
  if (step.number != number_ || report_.state != report_progress::running)
    return;
  for (auto& each : step.found)
    report_.findings.push_back(
      {each.how, core::valid_utf8(each.what), core::valid_utf8(each.detail), core::valid_utf8(each.remedy)});
  if (step.done)
    finish();
}

// A thread that waits in a check cannot be ended: the report goes without it, and the checks after it are left out.
void doctor_state::give_up_late() {
  if (report_.state != report_progress::running || self_->clock().now() < begun_ + patience)
    return;
  const auto last = report_.findings.empty() ? std::string{} : "; the last one that ended: " + report_.findings.back().what;
  report_.findings.push_back({core::finding::level::failure, "time limit",
                              "the checks did not end within " + std::to_string(patience.count()) + " s" + last,
                              "run `ringmaster doctor` on the node: it has no time limit"});
  finish();
}

void doctor_state::finish() {
  *wanted_ = false;
  report_.state = report_progress::done;
  std::size_t warnings = 0, failures = 0;
  for (const auto& each : report_.findings) {
    warnings += each.how == core::finding::level::warning;
    failures += each.how == core::finding::level::failure;
  }
  log_->info("checks of this node ended: {} findings, {} warnings, {} failures", report_.findings.size(), warnings, failures);
}

} // namespace ringmaster::actors
