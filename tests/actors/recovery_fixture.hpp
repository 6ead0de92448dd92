#pragma once

// Fixture for recovery_actor: a node in its second incarnation and the runs of its first one.

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "actors/recovery/recovery_actor.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::test {

using calls = std::vector<std::string>;
using core::log_id;

constexpr auto address = "http://10.0.0.3:9999/";
inline const protocol::log_reply missing{true, 0, "readLog fail, logFile not exists"};
inline const protocol::log_reply started{true, 1, "<br>----------- xxl-job job execute start -----------\n"};
inline const protocol::probe_reply idle{200, {}};
inline const protocol::probe_reply busy{500, "job thread is running or has trigger queue."};

inline protocol::send_result answer(std::int32_t code, std::string message = {}) {
  return send_outcome(protocol::send_state::answered, code, std::move(message));
}
inline protocol::send_result no_answer(protocol::send_state state) { return send_outcome(state); }

inline core::planned_run planned(const core::scheduled_job& job, const std::string& to) {
  core::planned_run run;
  run.spec = job.spec;
  run.fire_at = *job.next;
  run.address = to;
  run.retry_left = job.spec->retry_count;
  return run;
}

/// Node in its second incarnation, with runs that its first one claimed.
struct recovery : virtual_time {
  recovery() { former = expect(look->cluster().enter("a", "a:8080")); }

  core::declared_job& declare(const std::string& key) {
    core::declared_job job;
    job.group = "pay";
    job.key = job.name = key;
    job.author = "ops";
    job.schedule = core::schedule_type::cron;
    job.schedule_conf = "* * * * * ?";
    job.handler = "handler";
    return declared.jobs.emplace_back(std::move(job));
  }

  std::vector<std::string> declare_many(std::size_t count) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < count; ++i)
      keys.push_back(declare("job-" + std::to_string(i)).key);
    return keys;
  }

  /// Claims one run for each of `keys` in the earlier incarnation, due now.
  std::vector<core::claimed_run> claim(const std::vector<std::string>& keys, const std::string& to = address) {
    declared.source = "test";
    declared.groups = {{"pay", "Payments", std::nullopt}};
    expect(look->deploys().apply(declared, false, false, civil()));
    core::claim_batch batch;
    batch.owner = former;
    batch.sequence = ++sequence;
    batch.seen_revision = 1'000'000;
    for (const auto& job : expect(look->firings().edits_since(0, 1000))) {
      // A fresh database numbers jobs in the order in which they were declared.
      const auto& key = declared.jobs.at(static_cast<std::size_t>(core::number(job.spec->id)) - 1).key;
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        continue;
      batch.moves.push_back({job.spec->id, *job.next, *job.next, *job.next + 1s});
      batch.runs.push_back(planned(job, to));
    }
    auto outcome = expect(look->firings().claim(batch, civil()));
    REQUIRE(outcome.runs.size() == keys.size());
    if (claims_late)
      for (const auto& run : outcome.runs)
        advance(std::max(run.plan.fire_at - civil(), 0ms));
    return outcome.runs;
  }
  core::claimed_run claim_one(const std::string& to = address) { return claim({declared.jobs.back().key}, to)[0]; }

  /// Starts the second incarnation.
  void begin() { begin_with({}); }
  void begin_with(const actors::recovery_settings& settings) {
    life = expect(look->cluster().enter("a", "a:8080"));
    storage.record->records_for = life;
    actor = spawn<actors::recovery_actor_state, protocol::recovery_actor>(storage.actor, pool.actor, settings, clock(),
                                                                          silent_log());
    tell(actor, protocol::incarnation_change{life});
    run();
  }

  /// Reports a run that this incarnation sent without getting an answer.
  void report(const core::claimed_run& run, const std::string& error = "timeout") {
    protocol::unknown_batch batch;
    batch.runs.push_back({run, error});
    tell(actor, batch);
  }

  /// Stores the executor's result.
  void call_back(const core::claimed_run& run, const core::node_incarnation& recorder) {
    core::record_batch batch;
    batch.owner = recorder;
    batch.callbacks.push_back({run.id, 200, "done", run.plan.spec});
    expect(look->firings().record(batch, civil()));
  }

  [[nodiscard]] core::log_row row(const core::claimed_run& run) { return expect(look->logs().rows(std::vector{run.id})).at(0); }
  [[nodiscard]] const std::vector<core::trigger_result>& verdicts() const { return storage.record->triggers; }
  [[nodiscard]] static std::string id(const core::claimed_run& run) { return std::to_string(core::number(run.id)); }
  [[nodiscard]] static std::string job(const core::claimed_run& run) { return std::to_string(core::number(run.plan.spec->id)); }
  [[nodiscard]] calls asked(const core::claimed_run& run) const { return {"idle " + job(run), "log " + id(run)}; }
  [[nodiscard]] calls asked_and_sent(const core::claimed_run& run) const {
    return {"idle " + job(run), "log " + id(run), "run " + id(run) + "/1"};
  }

  memory_database database;
  std::unique_ptr<storage::store> look = database.open();
  faulty_store store{database.open()};
  storage_double storage{*this, store};
  pool_double pool{*this};
  std::shared_ptr<executor_record> executor = pool.executor(address);
  core::declared_set declared;
  core::node_incarnation former;
  core::node_incarnation life;
  std::int64_t sequence = 0;
  /// Claimed runs are due by then; otherwise their instant is up to a second ahead.
  bool claims_late = true;
  protocol::recovery_actor actor;
};

} // namespace ringmaster::test
