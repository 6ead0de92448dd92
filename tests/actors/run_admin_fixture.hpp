#pragma once

// run_admin over a real store and the completion of runs, with a double of the executors.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "actors/console/run_admin.hpp"
#include "actors/firing/completion_actor.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/declared_jobs.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::test {

inline constexpr const char* executor_address = "http://10.0.0.3:9999/";

/// Counts steps of clearing, and lets some of them fail.
struct watched_runs final : storage::run_reader {
  explicit watched_runs(storage::run_reader& reader) : inner{reader} {}
  core::result<core::run_list> page(const core::run_search& search, std::size_t count_max,
                                    const core::principal& by) override {
    return inner.page(search, count_max, by);
  }
  core::result<core::log_row> read(core::log_id run, core::group_right wanted, const core::principal& by) override {
    return inner.read(run, wanted, by);
  }
  core::result<core::run_names> names(const std::vector<core::log_row>& rows, const core::principal& by) override {
    return inner.names(rows, by);
  }
  core::result<core::related_runs> related(core::log_id run, const core::principal& by) override {
    return inner.related(run, by);
  }
  core::result<bool> end_run(core::log_id run, std::string_view message, const core::principal& by,
                             core::time_point now) override {
    ends.emplace_back(message);
    return inner.end_run(run, message, by, now);
  }
  core::result<core::clear_step> clear(const core::clear_search& search, const std::optional<core::clear_place>& from,
                                       std::size_t limit, const core::principal& by, core::time_point now) override {
    ++steps;
    if (chunk_max)
      limit = chunk_max;
    if (steps > fails_behind && fails-- > 0)
      return core::fail(core::errc::unavailable, "the database is away");
    return inner.clear(search, from, limit, by, now);
  }
  core::result<std::vector<core::day_report>> report(core::time_point from, core::time_point to) override {
    return inner.report(from, to);
  }
  core::result<std::vector<core::day_report>> count(const core::report_search& search, const core::principal& by) override {
    return inner.count(search, by);
  }
  storage::run_reader& inner;
  std::vector<std::string> ends;
  int steps = 0;
  int fails_behind = 0;
  int fails = 0;
  /// Limits steps to fewer runs than requested; 0: no limit.
  std::size_t chunk_max = 0;
};

struct watched_store final : forwarding_store {
  explicit watched_store(storage::store& inner) : forwarding_store{inner}, runs{inner.run_reading()} {}
  storage::run_reader& run_reading() override { return runs; }
  watched_runs runs;
};

struct run_administration : virtual_time {
  run_administration() {
    auto declared = nightly();
    declared.jobs.front().keep_logs = true;
    expect(store.deploys().apply(declared, false, false, civil()));
    job = expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec;
    life = expect(store.cluster().enter("a", "a:8080"));
  }

  /// Returns a claim of the job's next instant, without a run.
  core::claim_batch claim_next() {
    const auto next = *expect(store.firings().read_jobs({&job->id, 1})).at(0).next;
    core::claim_batch claim;
    claim.owner = life;
    claim.sequence = ++sequence;
    claim.seen_revision = 1000;
    claim.moves = {{job->id, next, next, next + std::chrono::hours{24}}};
    return claim;
  }

  /// Adds a run with this answer to its trigger and this result; 0: none.
  core::log_id add_run(std::int32_t trigger_code, std::int32_t handle_code = 0, const std::string& address = executor_address) {
    auto claim = claim_next();
    core::planned_run run;
    run.spec = job;
    run.fire_at = claim.moves.front().expected_next;
    run.address = address;
    claim.runs = {run};
    const auto made = expect(store.firings().claim(claim, civil())).runs.at(0);
    core::record_batch batch;
    batch.owner = life;
    if (trigger_code != 0) {
      batch.triggers = {{made.id, made.claim, job, trigger_code, {}, false}};
      batch.resolved_claims = {made.claim};
    }
    if (handle_code != 0)
      batch.callbacks = {{made.id, handle_code, "done", job}};
    expect(store.firings().record(batch, civil()));
    return made.id;
  }

  /// Adds a run for each address, in one broadcast. All were accepted and have this result; 0: none.
  std::vector<core::log_id> add_broadcast(const std::vector<std::string>& addresses, std::int32_t handle_code = 0) {
    auto claim = claim_next();
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      core::planned_run run;
      run.spec = job;
      run.fire_at = claim.moves.front().expected_next;
      run.address = addresses[i];
      run.part = {static_cast<std::int32_t>(i), static_cast<std::int32_t>(addresses.size()), true};
      claim.runs.push_back(run);
    }
    std::vector<core::log_id> ids;
    core::record_batch batch;
    batch.owner = life;
    for (const auto& made : expect(store.firings().claim(claim, civil())).runs) {
      ids.push_back(made.id);
      batch.triggers.push_back({made.id, made.claim, job, 200, {}, false});
      if (handle_code != 0)
        batch.callbacks.push_back({made.id, handle_code, "done", job});
    }
    batch.resolved_claims = {claim.sequence};
    expect(store.firings().record(batch, civil()));
    return ids;
  }

  caf::expected<core::run_log> merged(core::log_id run, const core::principal& by = core::local_operator()) {
    return ask<core::run_log>(actor, protocol::run_log_query{run, 1, by, true});
  }

  core::error log_error(core::log_id run, const core::principal& by = core::local_operator()) {
    auto answer = ask<core::run_log>(actor, protocol::run_log_query{run, 1, by});
    REQUIRE_FALSE(answer);
    return protocol::to_core(answer.error());
  }
  core::error kill_error(core::log_id run, const core::principal& by = core::local_operator()) {
    auto answer = ask<protocol::run_killed>(actor, protocol::kill_run{run, by});
    REQUIRE_FALSE(answer);
    return protocol::to_core(answer.error());
  }
  core::principal user(core::group_right right) const {
    return {core::user_id{7}, "carol", false, {{job->group, right}}, {}};
  }
  std::size_t rows() { return expect(store.logs().rows_after(core::log_id{0}, 10'000)).size(); }

  memory_database database;
  std::unique_ptr<storage::store> inner = database.open();
  watched_store store{*inner};
  query_worker_double edits{*this, store};
  query_worker_double worker{*this, store};
  storage_double storage{*this, store};
  pool_double pool{*this};
  protocol::completion_actor completion = spawn<actors::completion_actor_state, protocol::completion_actor>(
    storage.actor, worker.actor, std::chrono::milliseconds{8000}, silent_log());
  protocol::run_admin actor = spawn<actors::run_admin_state, protocol::run_admin>(
    actors::query_workers{worker.actor, edits.actor}, pool.actor, completion, std::chrono::milliseconds{6000}, core::language::en,
    clock(), silent_log());
  std::shared_ptr<executor_record> executor = pool.executor(executor_address);
  core::job_ptr job;
  core::node_incarnation life;
  std::int64_t sequence = 0;
};

} // namespace ringmaster::test
