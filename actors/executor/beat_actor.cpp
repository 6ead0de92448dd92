#include "actors/executor/beat_actor.hpp"

#include <utility>

#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

protocol::admin_answer unanswered_beat(const caf::error& reason) {
  return {.accepted = false, .reached = false, .refusals = {protocol::end_in_words(reason)}};
}

} // namespace

beat_actor_state::beat_actor_state(protocol::beat_actor::pointer self, protocol::admin_link admins, std::string address,
                                   std::chrono::milliseconds patience, logger log)
  : self_{self}, admins_{std::move(admins)}, address_{std::move(address)}, patience_{patience}, log_{std::move(log)} {}

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
  protocol::request(self_, admins_, patience_, protocol::admin_registration{address_, false})
    .then([this](const protocol::admin_answer& answer) { beaten(answer); },
          [this](const caf::error& reason) { beaten(unanswered_beat(reason)); });
}

void beat_actor_state::beaten(const protocol::admin_answer& answer) {
  beating_ = false;
  if (registered_ != answer.accepted) {
    if (answer.accepted)
      log_->info("registered as {}", address_);
    else
      log_->warn("no admin registered {}: {}", address_, answer.refusals.empty() ? "no answer" : answer.refusals.front());
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
  protocol::request(self_, admins_, patience_, protocol::admin_registration{address_, true})
    .then(
      [this](const protocol::admin_answer& answer) {
        if (!answer.accepted)
          log_->warn("no admin accepted the removal of {}", address_);
        ending_->deliver();
      },
      [this](const caf::error& reason) {
        log_->warn("no admin accepted the removal of {}: {}", address_, protocol::end_in_words(reason));
        ending_->deliver();
      });
}

} // namespace ringmaster::actors
