#include "actors/executor/beat_actor.hpp"

#include <utility>

#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

protocol::admin_answer unanswered_beat(const caf::error& reason) {
  return {.accepted = false, .reached = false, .refusals = {protocol::end_in_words(reason)}};
}

} // namespace

beat_actor_state::beat_actor_state(protocol::beat_actor::pointer self, protocol::admin_link admins, beat_identity who,
                                   std::chrono::milliseconds patience, logger log)
  : self_{self}, admins_{std::move(admins)}, who_{std::move(who)}, patience_{patience}, log_{std::move(log)} {}

protocol::beat_actor::behavior_type beat_actor_state::make_behavior() {
  beat();
  return {
    [this](const protocol::end_registration&) { return end(); },
    [this](protocol::tick_atom) { beat(); },
  };
}

void beat_actor_state::beat() {
  if (ending_)
    return;
  beating_ = true;
  protocol::request(self_, admins_, patience_, protocol::admin_registration{who_.address, false})
    .then([this](const protocol::admin_answer& answer) { beaten(answer); },
          [this](const caf::error& reason) { beaten(unanswered_beat(reason)); });
}

void beat_actor_state::beaten(const protocol::admin_answer& answer) {
  beating_ = false;
  if (registered_ != answer.accepted) {
    // Admins accept app names without a group, too, and do not tell: XXL wire §1.6.
    if (answer.accepted)
      log_->info("registration of {} accepted by {}; runs come as soon as a group there has the app name {}", who_.address,
                 answer.accepted_by, who_.app_name);
    else
      log_->warn("no admin registered {}: {}", who_.address, answer.refusals.empty() ? "no answer" : answer.refusals.front());
  }
  registered_ = answer.accepted;
  if (ending_)
    return withdraw();
  protocol::send_at(self_, protocol::beat_actor{self_}, self_->clock().now() + period, protocol::tick_atom{});
}

caf::result<void> beat_actor_state::end() {
  if (ending_)
    return caf::unit;
  ending_ = self_->make_response_promise<void>();
  if (!beating_)
    withdraw();
  return *ending_;
}

void beat_actor_state::withdraw() {
  protocol::request(self_, admins_, patience_, protocol::admin_registration{who_.address, true})
    .then(
      [this](const protocol::admin_answer& answer) {
        if (!answer.accepted)
          log_->warn("no admin accepted the removal of {}", who_.address);
        ending_->deliver();
      },
      [this](const caf::error& reason) {
        log_->warn("no admin accepted the removal of {}: {}", who_.address, protocol::end_in_words(reason));
        ending_->deliver();
      });
}

} // namespace ringmaster::actors
