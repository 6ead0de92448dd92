// lost_monitor: one run, its row, its executor and the verdict.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "actors/recovery/lost_monitor.hpp"
#include "core/run/execution_state.hpp"
#include "core/text/result_text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t lost_look_limit = 500;
constexpr std::size_t lost_batch = 500;
/// Time for which an undecidable old run is not examined again.
constexpr std::chrono::minutes rest_old{5};
/// Rest of a young run whose executor may have died; after it, the walk finds the run.
constexpr milliseconds rest_young{30'000};
/// Time for which an executor that did not answer is not asked.
constexpr milliseconds silence{30'000};
constexpr milliseconds callback_limit{30'000};

} // namespace

void lost_monitor_state::look() {
  if (looking_)
    return;
  auto due = runs_.take_due(steady_now(), lost_look_limit);
  if (due.empty())
    return;
  looking_ = true;
  store_.read<std::vector<core::log_row>>(
    [due](storage::store& store) { return store.logs().rows(due); },
    [this, due](const core::result<std::vector<core::log_row>>& rows) { looked(due, rows); });
}

void lost_monitor_state::looked(const std::vector<core::log_id>& asked, const core::result<std::vector<core::log_row>>& rows) {
  looking_ = false;
  std::unordered_map<core::log_id, const core::log_row*> found;
  if (rows)
    for (const auto& row : *rows)
      found.emplace(row.id, &row);
  for (auto id : asked) {
    auto* run = runs_.find(id);
    if (!run)
      continue;
    const auto row = found.find(id);
    const auto open = row != found.end() && row->second->trigger_code == core::success_code && row->second->handle_code == 0;
    const auto& retention = settings_.retention.days;
    if (!rows)
      runs_.wait(*run, steady_now() + store_retry);
    else if (!open)
      runs_.erase(id);
    else if (retention > 0 && age_of(*run) >= std::chrono::days{static_cast<int>(retention)})
      give_up(*run, "it has reached the age limit of the log");
    else
      runs_.make_ready(*run);
  }
  go_on();
}

void lost_monitor_state::start_ready() {
  while (auto* run = runs_.take_ready()) {
    if (silent_until_.contains(run->run.address))
      conclude(*run, core::judge(evidence_of(*run, {})), false);
    else
      ask(*run);
  }
}

// `/idleBeat` first, then `/log`: in the other order a run that leaves the queue in between looks as if it had never arrived.
void lost_monitor_state::ask(watched_run& run) {
  auto done = [this, id = run.run.id, epoch = store_.epoch()](const executor_says& says) {
    if (epoch == store_.epoch())
      answered(id, says);
  };
  const protocol::log_request log_of{run.run.id, run.run.fire_at, 1, run.run.group};
  auto ask_log = [this, done, question = log_of](const protocol::executor_link& link) {
    protocol::request(self_, link, patience(), question)
      .then(
        [done](const protocol::log_reply& log) {
          done({true, core::idle_reply,
                log.answered ? core::judge({core::idle_reply, true, log.content, log.to_line})
                             : core::unknown_verdict::cannot_tell});
        },
        [done](const caf::error&) {
          done({true, core::idle_reply, core::unknown_verdict::cannot_tell});
        });
  };
  protocol::request(self_, pool_, patience(), protocol::link_query{run.run.address})
    .then(
      [this, done, ask_log,
       question = protocol::probe_request{run.run.job, true, run.run.group}](const protocol::link_handle& found) {
        protocol::request(self_, found.link, patience(), question)
          .then(
            [done, ask_log, link = found.link](const protocol::probe_reply& reply) {
              if (reply.code == core::idle_reply)
                ask_log(link);
              else
                done({reply.code != 0, reply.code});
            },
            [done](const caf::error&) { done({}); });
      },
      [done](const caf::error&) { done({}); });
}

void lost_monitor_state::answered(core::log_id id, const executor_says& says) {
  auto* run = runs_.find(id);
  if (!run || run->now != phase::asking)
    return;
  if (!says.reached)
    silent_until_.insert_or_assign(run->run.address, steady_now() + silence);
  conclude(*run, core::judge(evidence_of(*run, says)), says.reached);
  go_on();
}

core::lost_evidence lost_monitor_state::evidence_of(const watched_run& run, const executor_says& says) {
  auto since = [this](const std::optional<steady>& then) {
    return then ? std::optional{std::chrono::duration_cast<milliseconds>(steady_now() - *then)} : std::nullopt;
  };
  core::lost_evidence evidence;
  evidence.old = age_of(run) >= core::lost_age(run.timeout);
  evidence.reached = says.reached;
  evidence.idle_code = says.idle_code;
  evidence.log = says.log;
  evidence.listed = executors_.listed().contains(run.run.address);
  evidence.once_registered = executors_.was_registered(run.run.group, run.run.address);
  evidence.idle_since = since(run.idle_since);
  evidence.denied_since = since(run.denied_since);
  return evidence;
}

void lost_monitor_state::conclude(watched_run& run, core::lost_verdict verdict, bool reached) {
  const auto t = steady_now();
  switch (verdict) {
  case core::lost_verdict::lost:
    give_up(run, !reached            ? "its executor is gone"
                 : run.denied_since ? "its executor does not have it"
                                    : "its executor is idle, and no result came");
    break;
  case core::lost_verdict::idle:
    run.denied_since.reset();
    if (!run.idle_since)
      run.idle_since = t;
    runs_.wait(run, std::max(*run.idle_since + core::idle_confirmed_after, t + core::denial_confirmed_after));
    break;
  case core::lost_verdict::denied:
    run.idle_since.reset();
    if (!run.denied_since)
      run.denied_since = t;
    runs_.wait(run, t + core::denial_confirmed_after);
    break;
  case core::lost_verdict::leave:
    runs_.rest(run.run.id, t + (age_of(run) >= core::lost_age(run.timeout) ? milliseconds{rest_old} : rest_young));
    break;
  }
}

core::milliseconds lost_monitor_state::age_of(const watched_run& run) { return now() - run.run.fire_at; }

void lost_monitor_state::give_up(const watched_run& run, const char* why) {
  const auto id = run.run.id;
  log_->warn("job={} run={} at {}: the result is lost: {}", core::number(run.run.job), core::number(id), run.run.address, why);
  lost_.push_back({id, core::failure_code, std::string{core::lost_result(settings_.language)}, nullptr});
  lost_count_->inc();
  runs_.rest(id, steady_now() + rest_old);
  if (lost_.size() >= lost_batch)
    flush();
}

// If the store does not take the results, the rows stay unchanged and the next walk finds them again.
void lost_monitor_state::flush() {
  if (lost_.empty())
    return;
  protocol::request(self_, completion_, callback_limit, protocol::callback_batch{std::exchange(lost_, {})})
    .then([](const protocol::callbacks_stored&) {},
          [this](const caf::error& why) {
            log_->warn("lost results could not be recorded now: {}", protocol::end_in_words(why));
          });
}

} // namespace ringmaster::actors
