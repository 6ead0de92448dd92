#include "actors/admin/recovery_actor.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "actors/rhythm.hpp"
#include "actors/store_access.hpp"
#include "core/trigger_note.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds tick_period{100};
/// How often orphans of fenced peers are looked for.
constexpr milliseconds adopt_period{500};
constexpr milliseconds store_retry{1'000};
constexpr milliseconds wait_min{1'000};
constexpr milliseconds wait_max{8'000};
constexpr std::size_t look_limit = 500;
constexpr std::int32_t accepted = 200;
constexpr std::int32_t failed = 500;
/// XXL §5.3, step 10.
constexpr auto address_empty = "Trigger Fail：registry address is empty";

constexpr auto no_answer = "the executor does not answer";

bool decided(const core::log_row& row) noexcept { return row.trigger_code != 0 || row.handle_code != 0; }

core::claimed_run claimed(const core::adopted_run& adopted) {
  core::claimed_run run;
  run.id = adopted.id;
  run.claim = adopted.claim;
  run.attempt = adopted.attempt;
  run.plan.fire_at = adopted.fire_at;
  run.plan.part = adopted.part;
  run.plan.address = adopted.address;
  run.plan.retry_left = adopted.retry_left;
  run.plan.param = adopted.param;
  return run;
}

} // namespace

recovery_actor_state::recovery_actor_state(protocol::recovery_actor::pointer self, protocol::storage_actor storage,
                                           protocol::trigger_pool pool, recovery_settings settings, protocol::wall_clock clock, logger log)
  : self_{self},
    storage_{std::move(storage)},
    pool_{std::move(pool)},
    settings_{settings},
    clock_{std::move(clock)},
    log_{std::move(log)} {}

protocol::recovery_actor::behavior_type recovery_actor_state::make_behavior() {
  next_tick_ = steady_now();
  arm();
  return {
    [this](protocol::unknown_batch& batch) { take(std::move(batch)); },
    [this](const protocol::life_change& change) { change_life(change); },
    [this](protocol::send_results& results) { take(std::move(results)); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- intake ----------------------------------------------------------------------------------------------------------------

void recovery_actor_state::change_life(const protocol::life_change& change) {
  ++epoch_;
  life_ = change.life;
  sequence_ = first_sequence;
  adopting_ = looking_ = false;
  runs_.clear();
  adopt();
}

void recovery_actor_state::adopt() {
  if (!life_ || adopting_ || runs_.size() >= runs_max)
    return;
  adopting_ = true;
  ask_store<std::vector<core::adopted_run>>(
    self_, storage_,
    [life = *life_, sequence = sequence_](storage::store& store) { return store.firings().adopt(life, sequence, adopt_limit); },
    [this, epoch = epoch_](core::result<std::vector<core::adopted_run>>&& runs) {
      if (epoch == epoch_)
        adopted(std::move(runs));
    });
}

void recovery_actor_state::adopted(core::result<std::vector<core::adopted_run>>&& runs) {
  adopting_ = false;
  next_adopt_ = steady_now() + adopt_period;
  if (!runs) {
    // The same number again: what was adopted by a transaction whose answer was lost is found by it.
    next_adopt_ = steady_now() + store_retry;
    return;
  }
  std::map<std::int64_t, std::uint32_t> opened;
  for (const auto& run : *runs) {
    sequence_ = std::max(sequence_, run.claim + 1);
    if (take(run))
      ++opened[run.claim];
  }
  if (opened.empty())
    return;
  log_->info("recovery: {} runs in {} claims of former lives adopted", runs->size(), opened.size());
  protocol::send(self_, storage_, protocol::claims_opened{{opened.begin(), opened.end()}});
  adopt();
}

bool recovery_actor_state::take(const core::adopted_run& adopted) {
  if (auto* known = runs_.find(adopted.id); known && known->run.claim != adopted.claim) {
    // Reported before its claim went over to this life: only the claim's new number counts.
    known->run.claim = adopted.claim;
    known->run.attempt = adopted.attempt;
    return true;
  }
  return runs_.add({.run = claimed(adopted), .job = adopted.job, .due = steady_now() + settings_.trigger.settle});
}

void recovery_actor_state::take(protocol::unknown_batch&& batch) {
  if (!life_)
    return; // their claims are this node's former life's: adopted as soon as there is a next one
  for (auto& run : batch.runs) {
    auto job = run.plan.spec ? run.plan.spec->id : core::job_id{};
    runs_.add({.run = std::move(run), .job = job, .due = steady_now() + settings_.trigger.settle});
  }
}

// -- one case, step by step ------------------------------------------------------------------------------------------------

void recovery_actor_state::tick() {
  if (steady_now() < next_tick_)
    return;
  arm();
  if (!life_)
    return;
  if (steady_now() >= next_adopt_)
    adopt();
  for (auto id : runs_.overdue_sends(steady_now()))
    give_up(*runs_.find(id), "no answer to the second sending");
  look();
  start_ready();
  flush();
}

void recovery_actor_state::look() {
  if (looking_)
    return;
  auto due = runs_.take_due(steady_now(), look_limit);
  if (due.empty())
    return;
  looking_ = true;
  std::vector<core::job_id> jobs;
  for (auto id : due)
    if (const auto* run = runs_.find(id); !run->run.plan.spec)
      jobs.push_back(run->job);
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  ask_store<findings>(
    self_, storage_,
    [due, jobs = std::move(jobs)](storage::store& store) -> core::result<findings> {
      auto rows = store.logs().rows(due);
      if (!rows)
        return tl::unexpected<core::error>{std::move(rows.error())};
      auto definitions = jobs.empty() ? std::vector<core::scheduled_job>{} : store.firings().read_jobs(jobs);
      if (!definitions)
        return tl::unexpected<core::error>{std::move(definitions.error())};
      return findings{std::move(*rows), std::move(*definitions)};
    },
    [this, due, epoch = epoch_](core::result<findings>&& found) {
      if (epoch == epoch_)
        looked(due, std::move(found));
    });
}

void recovery_actor_state::looked(const std::vector<core::log_id>& asked, core::result<findings>&& found) {
  looking_ = false;
  if (!found) {
    for (auto id : asked)
      look_again(*runs_.find(id), store_retry);
    return;
  }
  std::map<core::job_id, core::job_ptr> definitions;
  for (auto& job : found->jobs)
    definitions.emplace(job.spec->id, std::move(job.spec));
  std::map<core::log_id, const core::log_row*> rows;
  for (const auto& row : found->rows)
    rows.emplace(row.id, &row);
  for (auto id : asked) {
    auto& run = *runs_.find(id);
    if (auto definition = definitions.find(run.job); definition != definitions.end() && !run.run.plan.spec)
      run.run.plan.spec = definition->second;
    auto row = rows.find(id);
    decide(run, row == rows.end() ? nullptr : row->second);
  }
  start_ready();
  look();
  flush();
}

void recovery_actor_state::decide(unknown_run& run, const core::log_row* row) {
  if (!row)
    return succeed(run, "its row was deleted");
  if (decided(*row))
    return succeed(run, row->trigger_code != 0 ? "its row says what became of it" : "its result is there");
  if (run.permit_refused)
    return give_up(run, "it was sent a second time before");
  auto& plan = run.run.plan;
  if (plan.address.empty())
    return finish(run, failed, plan.route_note.empty() ? address_empty : plan.route_note, false);
  if (!plan.spec)
    return give_up(run, "its job was deleted");
  if (auto note = core::decode_trigger_note(row->trigger_msg))
    plan.kind = note->kind;
  if (plan.spec->on_unknown == core::unknown_policy::skip)
    return give_up(run, "such runs of this job are not sent again (on_unknown = skip)");
  runs_.move(run, phase::ready);
}

void recovery_actor_state::start_ready() {
  while (auto* run = runs_.take_ready()) {
    const auto& job = *run->run.plan.spec;
    bool may_resend = run->permitted || run->run.attempt == 0;
    // A second copy would kill the first of a COVER_EARLY job.
    if (runs_.is_silent(run->run.plan.address, steady_now()))
      ask_again(*run, no_answer);
    else if (job.on_unknown != core::unknown_policy::resend || job.block == core::block_strategy::cover_early || !may_resend)
      ask(*run);
    else if (run->permitted)
      send(*run);
    else
      permit(*run);
  }
}

void recovery_actor_state::ask(unknown_run& run) {
  runs_.move(run, phase::asking);
  if (!run.asked_since)
    run.asked_since = steady_now();
  const auto& plan = run.run.plan;
  ask_executor(self_, pool_, {plan.address, run.job, run.run.id, plan.fire_at}, patience(),
               [this, id = run.run.id, epoch = epoch_](executor_answer&& answer) {
                 if (epoch == epoch_)
                   answered(id, std::move(answer));
               });
}

void recovery_actor_state::answered(core::log_id id, executor_answer&& answer) {
  auto& run = *runs_.find(id);
  if (!answer.reached)
    runs_.mark_silent(run.run.plan.address, steady_now() + wait_min);
  switch (answer.verdict) {
  case core::unknown_verdict::known: succeed(run, "the executor has started it"); break;
  case core::unknown_verdict::not_received: not_received(run, answer.link); break;
  case core::unknown_verdict::busy: ask_again(run, "the executor is busy and may have queued it"); break;
  case core::unknown_verdict::cannot_tell: ask_again(run, answer.reached ? "the executor cannot tell" : no_answer); break;
  }
  start_ready();
  flush();
}

void recovery_actor_state::not_received(unknown_run& run, const protocol::executor_link& link) {
  const auto& plan = run.run.plan;
  auto late = clock_.at(steady_now()) - plan.fire_at;
  if (plan.kind == core::trigger_kind::cron && plan.spec->misfire == core::misfire_policy::do_nothing && late > settings_.misfire_after) {
    // Retries would run what the misfire rule says shall not run.
    finish(run, failed, "missed: not delivered at its time, and the misfire rule is DO_NOTHING", true);
  } else if (run.permitted) {
    runs_.move(run, phase::sending);
    send_over(run.run.id, link);
  } else if (run.run.attempt > 0) {
    give_up(run, "it was sent a second time before");
  } else {
    permit(run);
  }
}

void recovery_actor_state::permit(unknown_run& run) {
  runs_.move(run, phase::permitting);
  ask_store<bool>(
    self_, storage_,
    [life = *life_, claim = run.run.claim, id = run.run.id](storage::store& store) { return store.firings().permit_resend(life, claim, id); },
    [this, id = run.run.id, claim = run.run.claim, epoch = epoch_](const core::result<bool>& granted) {
      if (epoch == epoch_)
        permitted(id, claim, granted);
    });
}

void recovery_actor_state::permitted(core::log_id id, std::int64_t claim, const core::result<bool>& granted) {
  auto& run = *runs_.find(id);
  if (run.run.claim != claim) {
    look_again(run, milliseconds{0});
  } else if (!granted) {
    run.permit_in_doubt = true;
    look_again(run, store_retry);
  } else if (*granted) {
    run.permitted = true;
    ++run.run.attempt;
    send(run);
  } else if (std::exchange(run.permit_in_doubt, false)) {
    // Nobody but this life may ask for its claims, so it was granted to the question whose answer was lost, unless the row is decided.
    run.permitted = true;
    ++run.run.attempt;
    look_again(run, milliseconds{0});
  } else {
    run.permit_refused = true;
    look_again(run, milliseconds{0});
  }
  start_ready();
  look();
  flush();
}

void recovery_actor_state::send(unknown_run& run) {
  runs_.move(run, phase::sending);
  run.due = steady_now() + settings_.trigger.ask_limit;
  auto then = [this, id = run.run.id, epoch = epoch_](const protocol::executor_link& link) {
    if (epoch != epoch_)
      return;
    send_over(id, link);
    start_ready();
    flush();
  };
  protocol::request(self_, pool_, patience(), protocol::link_query{run.run.plan.address})
    .then([then](const protocol::link_handle& found) { then(found.link); }, [then](const caf::error&) { then({}); });
}

void recovery_actor_state::send_over(core::log_id id, const protocol::executor_link& link) {
  auto* run = runs_.find(id);
  if (!run || run->now != phase::sending)
    return;
  if (!link)
    return ask_again(*run, "there is no way to its executor");
  run->permitted = false;
  run->due = steady_now() + settings_.trigger.ask_limit;
  log_->info("recovery: job {} log {} is sent again", core::number(run->job), core::number(id));
  protocol::send(self_, link, protocol::send_batch{{run->run}, protocol::recovery_actor{self_}});
}

void recovery_actor_state::take(protocol::send_results&& results) {
  for (const auto& result : results.items)
    sent(result);
  start_ready();
  flush();
}

void recovery_actor_state::sent(const protocol::send_result& result) {
  auto* run = runs_.find(result.run.id);
  if (!run || run->now != phase::sending)
    return;
  switch (result.state) {
  case protocol::send_state::answered:
    if (result.code == accepted)
      succeed(*run, "the executor accepted the second sending");
    else // the refusal may be caused by the first copy
      give_up(*run, "the second sending was refused: " + result.message);
    break;
  case protocol::send_state::not_sent:
    run->permitted = true;
    ask_again(*run, "the second sending did not leave");
    break;
  case protocol::send_state::gate_closed:
    // The life is over; whoever adopts the run decides. Should it be alive after all, the run is not forgotten.
    run->permitted = true;
    look_again(*run, wait_min);
    break;
  case protocol::send_state::unknown: give_up(*run, "no answer to the second sending"); break;
  }
}

void recovery_actor_state::ask_again(unknown_run& run, const char* why) {
  if (!run.asked_since)
    run.asked_since = steady_now();
  if (steady_now() - *run.asked_since >= settings_.trigger.ask_limit)
    return give_up(run, why);
  run.wait = std::clamp(run.wait * 2, wait_min, wait_max);
  look_again(run, run.wait);
}

void recovery_actor_state::look_again(unknown_run& run, core::milliseconds wait) {
  runs_.move(run, phase::waiting);
  run.due = steady_now() + wait;
}

// -- verdicts --------------------------------------------------------------------------------------------------------------

void recovery_actor_state::succeed(unknown_run& run, const char* why) {
  log_->info("recovery: job {} log {} ends: {}", core::number(run.job), core::number(run.run.id), why);
  verdicts_.push_back({run.run.id, run.run.claim, run.run.plan.spec, accepted, {}, false});
  runs_.erase(run.run.id);
}

void recovery_actor_state::give_up(unknown_run& run, const std::string& why) { finish(run, failed, "delivery unknown: " + why, true); }

void recovery_actor_state::finish(unknown_run& run, std::int32_t code, std::string message, bool delivery_unknown) {
  log_->warn("recovery: job {} log {} fails: {}", core::number(run.job), core::number(run.run.id), message);
  verdicts_.push_back({run.run.id, run.run.claim, run.run.plan.spec, code, std::move(message), delivery_unknown});
  runs_.erase(run.run.id);
}

void recovery_actor_state::flush() {
  if (!verdicts_.empty())
    protocol::send(self_, storage_, protocol::trigger_results{std::exchange(verdicts_, {})});
}

void recovery_actor_state::arm() {
  next_tick_ = next_point(next_tick_, runs_.size() > 0 ? tick_period : adopt_period, steady_now());
  protocol::send_at(self_, protocol::recovery_actor{self_}, next_tick_, protocol::tick_atom{});
}

std::chrono::milliseconds recovery_actor_state::patience() const {
  // The link's own limits end first; waiting for a free connection is on top.
  return settings_.trigger.connect_timeout + settings_.trigger.request_timeout + std::chrono::seconds{2};
}

} // namespace ringmaster::actors
