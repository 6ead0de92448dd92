// recovery_actor: the last steps of one run, i.e. the permission to send it again, and the sending.

#include "actors/recovery/recovery_actor.hpp"

#include <utility>

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds gate_wait{1'000};

} // namespace

void recovery_actor_state::permit(unknown_run& run) {
  runs_.move(run, phase::permitting);
  permits_.add(run.run.id);
}

void recovery_actor_state::ask_permits() {
  std::vector<core::resend> wanted;
  for (auto id : permits_.take())
    wanted.push_back({runs_.find(id)->run.claim, id});
  if (wanted.empty())
    return;
  query<std::vector<bool>>(
    [incarnation = *incarnation_, wanted](storage::store& store) { return store.firings().permit_resend(incarnation, wanted); },
    [this, wanted](const core::result<std::vector<bool>>& granted) { permitted(wanted, granted); });
}

void recovery_actor_state::permitted(const std::vector<core::resend>& asked, const core::result<std::vector<bool>>& granted) {
  permits_.answered();
  for (std::size_t i = 0; i < asked.size(); ++i)
    permitted(asked[i], granted ? std::optional{static_cast<bool>((*granted)[i])} : std::nullopt);
  go_on();
}

void recovery_actor_state::permitted(const core::resend& asked, std::optional<bool> granted) {
  auto& run = *runs_.find(asked.run);
  if (run.run.claim != asked.claim) {
    look_again(run, milliseconds{0});
  } else if (!granted) {
    run.permit_in_doubt = true;
    look_again(run, store_retry);
  } else if (*granted) {
    run.permitted = true;
    ++run.run.attempt;
    send(run);
  } else if (std::exchange(run.permit_in_doubt, false)) {
    // Only this incarnation may ask for its claims, so the permission was granted to the request whose answer was lost, unless
    // the row is decided.
    run.permitted = true;
    ++run.run.attempt;
    look_again(run, milliseconds{0});
  } else {
    run.permit_refused = true;
    look_again(run, milliseconds{0});
  }
}

void recovery_actor_state::send(unknown_run& run) {
  runs_.move(run, phase::sending);
  run.due = steady_now() + settings_.trigger.ask_limit;
  auto then = [this, id = run.run.id, epoch = epoch_](const protocol::executor_link& link) {
    if (epoch != epoch_)
      return;
    send_over(id, link);
    go_on();
  };
  protocol::request(self_, pool_, patience(), protocol::link_query{run.run.plan.address})
    .then([then](const protocol::link_handle& found) { then(found.link); }, [then](const caf::error&) { then({}); });
}

void recovery_actor_state::send_over(core::log_id id, const protocol::executor_link& link) {
  auto* run = runs_.find(id);
  if (!run || run->now != phase::sending)
    return;
  if (!link)
    return ask_again(*run, "cannot reach its executor");
  run->permitted = false;
  run->due = steady_now() + settings_.trigger.ask_limit;
  run->run.incarnation = incarnation_->incarnation;
  log_->info("job={} run={} {} begins", core::number(run->job), core::number(id), sending_of(*run));
  metrics_.sent->inc();
  protocol::send(self_, link, protocol::send_batch{{run->run}, protocol::recovery_actor{self_}});
}

void recovery_actor_state::take(protocol::send_results&& results) {
  for (const auto& result : results.items)
    sent(result);
  go_on();
}

void recovery_actor_state::sent(const protocol::send_result& result) {
  auto* run = runs_.find(result.run.id);
  // An earlier incarnation sent the run: its claim is responsible for it.
  if (!run || run->now != phase::sending || !incarnation_ || result.run.incarnation != incarnation_->incarnation)
    return;
  if (result.state != protocol::send_state::gate_closed && std::exchange(run->never_sent, false))
    return sent_first(*run, result);
  const std::string sending = sending_of(*run);
  switch (result.state) {
  case protocol::send_state::answered:
    runs_.note_answer(run->run.plan.address, steady_now());
    end(*run, judge_answer(*run, result));
    break;
  case protocol::send_state::not_sent:
    run->permitted = true;
    ask_again(*run, sending + " did not leave: " + result.message);
    break;
  case protocol::send_state::gate_closed:
    // The incarnation has ended, and the one that adopts the run decides. The run is kept in case the incarnation is still
    // running.
    run->permitted = true;
    look_again(*run, gate_wait);
    break;
  case protocol::send_state::unknown:
    end(*run, recovery_verdict::unknown("no answer to " + sending + (result.message.empty() ? "" : ": " + result.message)));
    break;
  }
}

void recovery_actor_state::sent_first(unknown_run& run, const protocol::send_result& result) {
  if (auto verdict = judge_first_sending(result))
    return end(run, std::move(*verdict));
  run.sent = true;
  run.repeated = result.repeated;
  run.first_error = result.message;
  look_again(run, settings_.trigger.settle);
}

} // namespace ringmaster::actors
