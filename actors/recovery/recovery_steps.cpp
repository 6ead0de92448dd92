// recovery_actor: one run step by step, its row and its executor. The later steps are in recovery_sending.cpp.

#include "actors/recovery/recovery_actor.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/run/trigger_note.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds wait_min{1'000};
constexpr milliseconds wait_max{8'000};
constexpr std::size_t recovery_look_limit = 500;

} // namespace

void recovery_actor_state::look() {
  if (looking_)
    return;
  auto due = runs_.take_due(steady_now(), recovery_look_limit);
  if (due.empty())
    return;
  looking_ = true;
  std::vector<core::job_id> jobs;
  bool reported = false;
  for (auto id : due) {
    const auto& run = *runs_.find(id);
    if (!run.run.plan.spec)
      jobs.push_back(run.job);
    reported = reported || run.run.claim < adoption::first_sequence;
  }
  query<findings>(
    [due, jobs = std::move(jobs), reported, incarnation = *incarnation_](storage::store& store) -> core::result<findings> {
      auto rows = store.logs().rows(due);
      if (!rows)
        return tl::unexpected<core::error>{std::move(rows.error())};
      auto definitions = jobs.empty() ? std::vector<core::scheduled_job>{} : store.firings().read_jobs(jobs);
      if (!definitions)
        return tl::unexpected<core::error>{std::move(definitions.error())};
      auto claims = reported ? store.firings().open_claims(incarnation) : std::vector<std::int64_t>{};
      if (!claims)
        return tl::unexpected<core::error>{std::move(claims.error())};
      return findings{std::move(*rows), std::move(*definitions), std::move(*claims)};
    },
    [this, due](core::result<findings>&& found) { looked(due, std::move(found)); });
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
    if (is_ours(run, *found))
      decide(run, row == rows.end() ? nullptr : row->second);
    else
      runs_.erase(id);
  }
  go_on();
}

void recovery_actor_state::go_on() {
  release(reported_.admit(runs_, runs_max));
  look();
  start_ready();
  ask_permits();
  flush();
}

// Returns true if this incarnation may decide about the run. A run that an earlier incarnation of this process sent and this one
// reported belongs to the incarnation that adopts its claim. Numbers of claims are used once in a process.
bool recovery_actor_state::is_ours(const unknown_run& run, const findings& found) {
  return run.run.claim >= adoption::first_sequence || std::binary_search(found.claims.begin(), found.claims.end(), run.run.claim);
}

void recovery_actor_state::decide(unknown_run& run, const core::log_row* row) {
  if (const auto note = row ? core::decode_trigger_note(row->trigger_msg) : std::nullopt)
    run.run.plan.kind = note->kind;
  if (auto verdict = judge_row(run, row, settings_.misfire_after, steady_now()))
    end(run, std::move(*verdict));
  else
    runs_.move(run, phase::ready);
}

void recovery_actor_state::start_ready() {
  while (auto* run = runs_.take_ready()) {
    if (const auto* silence = run->never_sent ? nullptr : runs_.silence(*run, steady_now())) {
      ask_again(*run, *silence, true);
      continue;
    }
    switch (step_of(*run)) {
    case recovery_step::ask: ask(*run); break;
    case recovery_step::permit: permit(*run); break;
    case recovery_step::send: send(*run); break;
    }
  }
}

void recovery_actor_state::ask(unknown_run& run) {
  runs_.move(run, phase::asking);
  if (!run.asked_since)
    run.asked_since = steady_now();
  const auto& plan = run.run.plan;
  const auto group = plan.spec ? plan.spec->group : core::group_id{0};
  ask_executor(self_, pool_, {plan.address, run.job, run.run.id, plan.fire_at, clock_.at(steady_now()), group}, patience(),
               [this, id = run.run.id, epoch = epoch_](executor_answer&& answer) {
                 if (epoch == epoch_)
                   answered(id, std::move(answer));
               });
}

void recovery_actor_state::answered(core::log_id id, executor_answer&& answer) {
  auto& run = *runs_.find(id);
  const auto& address = run.run.plan.address;
  if (answer.reached)
    runs_.note_answer(address, steady_now());
  else
    runs_.note_failure(address, answer.timed_out, steady_now() + wait_min, answer.reason);
  switch (answer.verdict) {
  case core::unknown_verdict::known: end(run, recovery_verdict::delivered("the executor has started it")); break;
  case core::unknown_verdict::not_received:
    run.never_came = answer.certain;
    not_received(run, answer.link);
    break;
  case core::unknown_verdict::busy:
  case core::unknown_verdict::cannot_tell: ask_again(run, answer.reason, !answer.reached); break;
  }
  go_on();
}

void recovery_actor_state::not_received(unknown_run& run, const protocol::executor_link& link) {
  if (is_missed(run, settings_.misfire_after, steady_now()))
    return end(run, recovery_verdict::missed());
  const auto step = step_after_denial(run);
  if (!step)
    return end(run, recovery_verdict::used_up());
  if (*step == recovery_step::permit)
    return permit(run);
  runs_.move(run, phase::sending);
  send_over(run.run.id, link);
}

void recovery_actor_state::ask_again(unknown_run& run, const std::string& why, bool silent) {
  if (!run.asked_since)
    run.asked_since = steady_now();
  if (steady_now() - *run.asked_since >= settings_.trigger.ask_limit)
    return end(run, recovery_verdict::unknown(why));
  run.wait = std::clamp(run.wait * 2, wait_min, wait_max);
  if (silent)
    runs_.wait_for_answer(run, steady_now() + run.wait);
  else
    look_again(run, run.wait);
}

void recovery_actor_state::look_again(unknown_run& run, core::milliseconds wait) { runs_.wait(run, steady_now() + wait); }

} // namespace ringmaster::actors
