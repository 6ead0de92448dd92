#include "actors/alarms/alarm_tester.hpp"

#include <algorithm>
#include <utility>

#include "core/alarm/alarm_text.hpp"
#include "core/text/mail_text.hpp"
#include "core/text/text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

core::result<protocol::notice> test_notice_of(const core::alarm_channel& channel, std::string_view recipient,
                                              const test_form& form, core::time_point now) {
  std::string to;
  if (channel.name == protocol::mail_channel) {
    to = recipient.empty() ? channel.sender : std::string{recipient};
    if (!core::is_mail_address(to))
      return core::fail(core::errc::invalid_argument, "to: \"" + core::valid_utf8(to) + "\" is not a valid e-mail address");
  } else if (!recipient.empty()) {
    return core::fail(core::errc::invalid_argument, "to: applies only to the channel mail");
  }
  return protocol::notice{channel.name, std::move(to), "ringmaster.test." + std::to_string(core::to_ms(now)),
                          form.as_xxl ? core::test_message_of(form.host, form.language)
                                      : core::plain_test_message_of(form.host, form.language)};
}

alarm_tester_state::alarm_tester_state(protocol::alarm_tester::pointer self, std::shared_ptr<protocol::notifier> notifier,
                                       test_form form, std::chrono::milliseconds patience, protocol::wall_clock clock, logger log)
  : self_{self},
    notifier_{std::move(notifier)},
    form_{std::move(form)},
    patience_{patience},
    clock_{std::move(clock)},
    log_{std::move(log)} {}

protocol::alarm_tester::behavior_type alarm_tester_state::make_behavior() {
  return {
    [this](const protocol::channels_query& asked) { return list(asked); },
    [this](const protocol::test_channel& asked) { return test(asked); },
    [this](const protocol::notice_done& done) { answered(done); },
    [this](protocol::tick_atom) { give_up_late(); },
  };
}

caf::result<protocol::channel_list> alarm_tester_state::list(const protocol::channels_query& asked) const {
  if (auto allowed = core::check_admin(asked.by); !allowed)
    return protocol::to_caf(allowed.error());
  return notifier_ ? protocol::channel_list{notifier_->channels()} : protocol::channel_list{};
}

caf::result<protocol::channel_tested> alarm_tester_state::test(const protocol::test_channel& asked) {
  if (auto allowed = core::check_admin(asked.by); !allowed)
    return protocol::to_caf(allowed.error());
  const auto channels = notifier_ ? notifier_->channels() : std::vector<core::alarm_channel>{};
  const auto channel =
    std::find_if(channels.begin(), channels.end(), [&](const auto& each) { return each.name == asked.channel; });
  if (channel == channels.end())
    return protocol::to_caf({core::errc::not_found, "no alarm channel named \"" + core::valid_utf8(asked.channel) + "\""});
  auto notice = test_notice_of(*channel, asked.recipient, form_, clock_.at(now()));
  if (!notice)
    return protocol::to_caf(notice.error());
  if (auto admitted = admit(asked.channel); !admitted)
    return protocol::to_caf(admitted.error());
  const auto number = ++last_number_;
  auto answer = self_->make_response_promise<protocol::channel_tested>();
  open_.emplace(number, open_test{answer, asked.channel, asked.by.name, now()});
  notifier_->send(std::move(*notice), [to = protocol::alarm_tester{self_}, number](core::result<void> outcome) {
    protocol::anon_send(to, protocol::notice_done{number, std::move(outcome)});
  });
  protocol::send_at(self_, protocol::alarm_tester{self_}, now() + patience_, protocol::tick_atom{});
  return answer;
}

core::result<void> alarm_tester_state::admit(const std::string& channel) {
  std::erase_if(begun_, [this](const auto& each) { return each.second + pause <= now(); });
  const auto last = begun_.find(channel);
  if (last == begun_.end() && open_.size() < tests_max) {
    begun_.emplace(channel, now());
    return {};
  }
  const bool too_soon = last != begun_.end();
  const auto wait = too_soon ? std::chrono::ceil<std::chrono::seconds>(last->second + pause - now()) : 1s;
  const auto seconds = std::to_string(wait.count());
  const std::string reason = too_soon ? "the channel was tested a moment ago" : "too many tests at once";
  return core::refuse(core::errc::too_large, core::refusal::none, reason + ": try again in " + seconds + " s", seconds);
}

void alarm_tester_state::answered(const protocol::notice_done& done) {
  auto found = open_.extract(done.delivery);
  if (!found.empty())
    answer(std::move(found.mapped()), done.outcome.has_value(), done.outcome ? std::string{} : done.outcome.error().context);
}

// The notifier still sends the message: it cannot be taken back.
void alarm_tester_state::give_up_late() {
  while (!open_.empty() && open_.begin()->second.since + patience_ <= now()) {
    auto late = open_.extract(open_.begin());
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience_).count();
    answer(std::move(late.mapped()), false, "no answer within " + std::to_string(seconds) + " s; the message may still arrive");
  }
}

void alarm_tester_state::answer(open_test&& test, bool delivered, std::string detail) {
  log_->info("alarm channel {} tested by {}: {}", test.channel, test.by, delivered ? "delivered" : detail);
  const auto took = std::chrono::duration_cast<core::milliseconds>(now() - test.since);
  test.answer.deliver(protocol::channel_tested{delivered, core::valid_utf8(detail), took});
}

} // namespace ringmaster::actors
