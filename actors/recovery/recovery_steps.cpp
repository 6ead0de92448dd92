// recovery_actor: one run step by step, its row and its executor. The later steps are in recovery_sending.cpp.

#include "actors/recovery/recovery_actor.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "actors/store/store_access.hpp"
#include "core/run/execution_state.hpp"
#include "core/run/trigger_note.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds wait_min{1'000};
constexpr milliseconds wait_max{8'000};
constexpr std::size_t recovery_look_limit = 500;
constexpr auto missed = "missed: not delivered at its time, and the misfire policy is DO_NOTHING";
constexpr auto used_up = "a second sending was permitted before";

bool decided(const core::log_row& row) noexcept { return row.trigger_code != 0 || row.handle_code != 0; }

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
    reported = reported || run.run.claim < first_sequence;
  }
  ask_store<findings>(
    self_, storage_,
    [due, jobs = std::move(jobs), reported, life = *life_](storage::store& store) -> core::result<findings> {
      auto rows = store.logs().rows(due);
      if (!rows)
        return tl::unexpected<core::error>{std::move(rows.error())};
      auto definitions = jobs.empty() ? std::vector<core::scheduled_job>{} : store.firings().read_jobs(jobs);
      if (!definitions)
        return tl::unexpected<core::error>{std::move(definitions.error())};
      auto claims = reported ? store.firings().open_claims(life) : std::vector<std::int64_t>{};
      if (!claims)
        return tl::unexpected<core::error>{std::move(claims.error())};
      return findings{std::move(*rows), std::move(*definitions), std::move(*claims)};
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
    if (is_ours(run, *found))
      decide(run, row == rows.end() ? nullptr : row->second);
    else
      runs_.erase(id);
  }
  go_on();
}

void recovery_actor_state::go_on() {
  admit();
  look();
  start_ready();
  ask_permits();
  flush();
}

// Returns true if this incarnation may decide about the run. A run that an earlier incarnation of this process sent and this one
// reported belongs to the incarnation that adopts its claim. Numbers of claims are used once in a process.
bool recovery_actor_state::is_ours(const unknown_run& run, const findings& found) {
  return run.run.claim >= first_sequence || std::binary_search(found.claims.begin(), found.claims.end(), run.run.claim);
}

void recovery_actor_state::decide(unknown_run& run, const core::log_row* row) {
  if (!row)
    return succeed(run, "its row was deleted");
  if (decided(*row))
    return succeed(run, row->trigger_code != 0 ? "its row has a trigger result" : "it has a result");
  if (run.permit_refused)
    return give_up(run, used_up);
  auto& plan = run.run.plan;
  if (plan.address.empty()) {
    if (plan.route_note.empty())
      plan.route_note = protocol::wire::log_text::address_empty;
    return finish(run, core::failure_code, plan.route_note, false);
  }
  if (!plan.spec)
    return give_up(run, "its job was deleted");
  if (auto note = core::decode_trigger_note(row->trigger_msg))
    plan.kind = note->kind;
  if (run.never_sent && is_missed(run))
    // no retries: they would run an instant that the misfire policy excludes
    return finish(run, core::failure_code, missed, true);
  if (!run.never_sent && plan.spec->on_unknown == core::unknown_policy::skip)
    return give_up(run, "such runs of this job are not sent again (on_unknown = skip)");
  runs_.move(run, phase::ready);
}

void recovery_actor_state::start_ready() {
  while (auto* run = runs_.take_ready()) {
    const auto& job = *run->run.plan.spec;
    // An executor that answered "repeat" to the first sending would answer it to the second, whichever run it means.
    bool may_resend = (run->permitted || run->run.attempt == 0) && !run->repeated;
    // A second copy would kill the first of a COVER_EARLY job.
    if (run->never_sent)
      send(*run);
    else if (const auto* silence = runs_.silence(*run, steady_now()))
      ask_again(*run, *silence, true);
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
  case core::unknown_verdict::known: succeed(run, "the executor has started it"); break;
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
  if (is_missed(run)) {
    // No retries: they would run an instant that the misfire policy excludes.
    finish(run, core::failure_code, missed, true);
  } else if (run.permitted) {
    runs_.move(run, phase::sending);
    send_over(run.run.id, link);
  } else if (run.run.attempt > 0) {
    give_up(run, used_up);
  } else {
    permit(run);
  }
}

// Returns true if the run is a misfire. The misfire policy applies to its lateness when this incarnation learnt of it, and to the
// time for which its executor gave no clear answer, but not to the time that it waited here for its turn.
bool recovery_actor_state::is_missed(const unknown_run& run) const {
  const auto& plan = run.run.plan;
  if (plan.kind != core::trigger_kind::cron || plan.spec->misfire != core::misfire_policy::do_nothing)
    return false;
  auto late = run.known_at - plan.fire_at;
  auto asked = run.asked_since ? steady_now() - *run.asked_since : steady::duration{0};
  return late + std::chrono::duration_cast<milliseconds>(asked) > settings_.misfire_after;
}

void recovery_actor_state::ask_again(unknown_run& run, const std::string& why, bool silent) {
  if (!run.asked_since)
    run.asked_since = steady_now();
  if (steady_now() - *run.asked_since >= settings_.trigger.ask_limit)
    return give_up(run, why);
  run.wait = std::clamp(run.wait * 2, wait_min, wait_max);
  if (silent)
    runs_.wait_for_answer(run, steady_now() + run.wait);
  else
    look_again(run, run.wait);
}

void recovery_actor_state::look_again(unknown_run& run, core::milliseconds wait) { runs_.wait(run, steady_now() + wait); }

} // namespace ringmaster::actors
