#include "actors/elastic/error_notifier.hpp"

#include <utility>

#include <spdlog/spdlog.h>

#include "core/editing/declared_elastic.hpp"
#include "core/elastic/error_target.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

/// Messages under way; further ones are given up, so that a notifier that hangs fills no memory.
constexpr std::size_t messages_max = 1'000;

caf::telemetry::int_counter* counter_of(caf::actor_system& system, const char* result) {
  auto* family =
    system.metrics().counter_family("ringmaster", "elastic-error-messages", {"result"},
                                    "Messages of error handlers of elastic jobs, and failures grouped into others.", "1", true);
  return family->get_or_add({{"result", result}});
}

} // namespace

error_notifier_state::error_notifier_state(protocol::error_notifier::pointer self, std::shared_ptr<protocol::notifier> notifier,
                                           logger log)
  : self_{self},
    notifier_{std::move(notifier)},
    log_{std::move(log)},
    sent_{counter_of(self->system(), "sent")},
    failed_{counter_of(self->system(), "failed")},
    suppressed_{counter_of(self->system(), "suppressed")} {}

protocol::error_notifier::behavior_type error_notifier_state::make_behavior() {
  return {
    [this](protocol::item_error& failed) { take(std::move(failed)); },
    [this](const protocol::notice_done& done) { answered(done); },
    [this](protocol::tick_atom) { tick(); },
  };
}

void error_notifier_state::take(protocol::item_error&& failed) {
  const auto job = failed.job->id;
  if (const auto due = windows_.add(job, std::move(failed), self_->clock().now()))
    send(*due);
  else
    suppressed_->inc();
  arm();
}

void error_notifier_state::tick() {
  armed_ = false;
  for (const auto& report : windows_.ended(self_->clock().now()))
    send(report);
  arm();
}

void error_notifier_state::arm() {
  if (armed_ || windows_.empty())
    return;
  armed_ = true;
  protocol::send_at(self_, protocol::error_notifier{self_}, self_->clock().now() + period, protocol::tick_atom{});
}

void error_notifier_state::send(const windows::report& report) {
  const auto& [job, item, run, host, at, text] = report.last;
  const auto& what = job->what;
  const auto& handler = what.options.error_handler;
  const auto name = core::full_name(what);
  const auto props = elastic::parse_props(what.props);
  if (props && elastic::is_notified_by_host(*props))
    return;
  auto target = props ? elastic::error_target_of(handler, *props) : tl::unexpected{props.error()};
  if (!target) {
    failed_->inc();
    log_->error("elastic job {}: no message of the error handler {}: {}", name, handler, target.error().context);
    return;
  }
  protocol::notice message;
  message.channel = target->channel;
  message.message_id = "ringmaster.elastic.";
  // A hook that did not begin has no run.
  if (core::number(run) == 0)
    message.message_id += "job." + std::to_string(core::number(job->id)) + '.' + std::to_string(core::to_ms(at)) + '.';
  else
    message.message_id += std::to_string(core::number(run)) + '.';
  message.message_id += std::to_string(report.count);
  message.message = elastic::error_message_of({job->id, name, item, run, host, at, text}, report.count, target->subject);
  auto recipients = target->recipients;
  if (recipients.empty())
    recipients.emplace_back();
  const auto shown = name + ", error handler " + handler;
  message.target = std::make_shared<const elastic::error_target>(std::move(*target));
  for (auto& recipient : recipients) {
    auto one = message;
    one.recipient = std::move(recipient);
    send_one(shown, std::move(one));
  }
}

void error_notifier_state::send_one(const std::string& shown, protocol::notice&& what) {
  const auto number = ++last_number_;
  under_way_.emplace(number, shown + ", message " + what.message_id);
  if (!notifier_ || under_way_.size() > messages_max)
    return answered({number, core::fail(core::errc::unavailable,
                                        notifier_ ? "too many messages are on their way" : "this node sends no messages")});
  notifier_->send(std::move(what), [to = protocol::error_notifier{self_}, number](core::result<void> outcome) {
    protocol::anon_send(to, protocol::notice_done{number, std::move(outcome)});
  });
}

void error_notifier_state::answered(const protocol::notice_done& done) {
  const auto found = under_way_.find(done.delivery);
  if (found == under_way_.end())
    return;
  if (done.outcome) {
    sent_->inc();
    log_->info("elastic job {}: sent", found->second);
  } else {
    failed_->inc();
    log_->error("elastic job {}: not sent: {}", found->second, done.outcome.error().context);
  }
  under_way_.erase(found);
}

} // namespace ringmaster::actors
