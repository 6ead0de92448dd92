#include "actors/admin/run_admin.hpp"

#include "actors/admin/completion_actor.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

constexpr const char* executor_address = "http://10.0.0.3:9999/";

/// Counts steps of clearing, and lets some of them fail.
struct watched_runs final : storage::run_reader {
  explicit watched_runs(storage::run_reader& reader) : inner{reader} {}
  core::result<core::page<core::log_row>> page(const core::run_search& search, std::size_t count_max,
                                               const core::principal& by) override {
    return inner.page(search, count_max, by);
  }
  core::result<core::log_row> read(core::log_id run, core::group_right wanted, const core::principal& by) override {
    return inner.read(run, wanted, by);
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
  storage::run_reader& inner;
  std::vector<std::string> ends;
  int steps = 0;
  int fails_behind = 0;
  int fails = 0;
  /// Smaller steps than asked for; 0: as asked.
  std::size_t chunk_max = 0;
};

struct watched_store final : test::forwarding_store {
  explicit watched_store(storage::store& inner) : forwarding_store{inner}, runs{inner.run_reading()} {}
  storage::run_reader& run_reading() override { return runs; }
  watched_runs runs;
};

struct run_administration : test::virtual_time {
  run_administration() {
    core::declared_set declared;
    declared.source = "jobs.toml";
    declared.groups.push_back({"pay-worker", "Payments", {}});
    core::declared_job made;
    made.group = "pay-worker";
    made.key = "settle";
    made.name = "Settle";
    made.author = "ops";
    made.schedule = core::schedule_type::cron;
    made.schedule_conf = "0 0 1 * * ?";
    made.handler = "settleHandler";
    declared.jobs.push_back(made);
    test::expect(store.deploys().apply(declared, false, false, civil()));
    job = test::expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec;
    life = test::expect(store.cluster().enter("a", "a:8080"));
  }

  /// A run with this answer to its trigger and this result; 0: none.
  core::log_id add_run(std::int32_t trigger_code, std::int32_t handle_code = 0, const std::string& address = executor_address) {
    const auto next = *test::expect(store.firings().read_jobs({&job->id, 1})).at(0).next;
    core::claim_batch claim;
    claim.owner = life;
    claim.sequence = ++sequence;
    claim.seen_revision = 1000;
    claim.moves = {{job->id, next, next, next + std::chrono::hours{24}}};
    core::planned_run run;
    run.spec = job;
    run.fire_at = next;
    run.address = address;
    claim.runs = {run};
    const auto made = test::expect(store.firings().claim(claim, civil())).runs.at(0);
    core::record_batch batch;
    batch.owner = life;
    if (trigger_code != 0) {
      batch.triggers = {{made.id, made.claim, job, trigger_code, {}, false}};
      batch.resolved_claims = {made.claim};
    }
    if (handle_code != 0)
      batch.callbacks = {{made.id, handle_code, "done", job}};
    test::expect(store.firings().record(batch, civil()));
    return made.id;
  }

  /// A run for each address, in one broadcast. All were taken, and have this result; 0: none.
  std::vector<core::log_id> add_broadcast(const std::vector<std::string>& addresses, std::int32_t handle_code = 0) {
    const auto next = *test::expect(store.firings().read_jobs({&job->id, 1})).at(0).next;
    core::claim_batch claim;
    claim.owner = life;
    claim.sequence = ++sequence;
    claim.seen_revision = 1000;
    claim.moves = {{job->id, next, next, next + std::chrono::hours{24}}};
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      core::planned_run run;
      run.spec = job;
      run.fire_at = next;
      run.address = addresses[i];
      run.part = {static_cast<std::int32_t>(i), static_cast<std::int32_t>(addresses.size()), true};
      claim.runs.push_back(run);
    }
    std::vector<core::log_id> ids;
    core::record_batch batch;
    batch.owner = life;
    for (const auto& made : test::expect(store.firings().claim(claim, civil())).runs) {
      ids.push_back(made.id);
      batch.triggers.push_back({made.id, made.claim, job, 200, {}, false});
      if (handle_code != 0)
        batch.callbacks.push_back({made.id, handle_code, "done", job});
    }
    batch.resolved_claims = {claim.sequence};
    test::expect(store.firings().record(batch, civil()));
    return ids;
  }

  caf::expected<protocol::run_log> merged(core::log_id run, const core::principal& by = core::local_operator()) {
    return ask<protocol::run_log>(actor, protocol::run_log_query{run, 1, by, true});
  }

  core::error log_error(core::log_id run, const core::principal& by = core::local_operator()) {
    auto answer = ask<protocol::run_log>(actor, protocol::run_log_query{run, 1, by});
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
  std::size_t rows() { return test::expect(store.logs().rows_after(core::log_id{0}, 10'000)).size(); }

  test::memory_database database;
  std::unique_ptr<storage::store> inner = database.open();
  watched_store store{*inner};
  test::query_worker_double edits{*this, store};
  test::query_worker_double worker{*this, store};
  test::storage_double storage{*this, store};
  test::schedule_double schedule{*this};
  test::pool_double pool{*this};
  protocol::completion_actor completion =
    spawn<actors::completion_actor_state, protocol::completion_actor>(storage.actor, schedule.actor, 8000ms, silent_log());
  protocol::run_admin actor = spawn<actors::run_admin_state, protocol::run_admin>(
    actors::query_workers{worker.actor, edits.actor}, pool.actor, completion, std::chrono::milliseconds{6000}, core::language::en,
    clock(), silent_log());
  std::shared_ptr<test::executor_record> executor = pool.executor(executor_address);
  core::job_ptr job;
  core::node_life life;
  std::int64_t sequence = 0;
};

} // namespace

TEST_CASE_METHOD(run_administration, "pages, single runs and the report come from the store", "[actors][runs]") {
  const auto first = add_run(200, 200);
  const auto second = add_run(500);
  auto page = ask<protocol::run_page>(actor, protocol::run_page_query{{}, core::local_operator()});
  REQUIRE(page);
  CHECK(page->page.total == 2);
  CHECK(page->page.rows.at(0).id == second);
  auto found = ask<protocol::run_found>(actor, protocol::run_query{first, user(core::group_right::viewer)});
  REQUIRE(found);
  CHECK(found->run.handle_msg == "done");
  auto hidden = ask<protocol::run_found>(actor, protocol::run_query{first, user(core::group_right::none)});
  REQUIRE_FALSE(hidden);
  CHECK(protocol::to_core(hidden.error()).code == core::errc::forbidden);
  auto days = ask<protocol::day_reports>(actor, protocol::report_query{start, start + 24h});
  REQUIRE(days);
  CHECK(days->days.empty());
}

// -- the log of a run ------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(run_administration, "a log is read where the row says, from the line that is asked for", "[actors][runs]") {
  const auto run = add_run(200);
  executor->log = {true, 9, "lines", {}, 5, false};
  auto log = ask<protocol::run_log>(actor, protocol::run_log_query{run, 5, user(core::group_right::viewer)});
  REQUIRE(log);
  CHECK(log->run.id == run);
  CHECK(log->from_line == 5);
  CHECK(log->to_line == 9);
  CHECK(log->content == "lines");
  CHECK_FALSE(log->end);
  CHECK(executor->calls == std::vector<std::string>{"log " + std::to_string(core::number(run))});
}

TEST_CASE_METHOD(run_administration, "a log ends when its run has a result and there are no more lines", "[actors][runs]") {
  const auto running = add_run(200);
  const auto done = add_run(200, 200);
  const auto end = [&](core::log_id run, std::int32_t from_line, protocol::log_reply reply) {
    executor->log = std::move(reply);
    auto log = ask<protocol::run_log>(actor, protocol::run_log_query{run, from_line, core::local_operator()});
    REQUIRE(log);
    return log->end;
  };
  // Executors from 3.3 on say 0 behind the end, older ones the number of lines.
  CHECK(end(done, 5, {true, 0, "", {}, 5, false}));
  CHECK(end(done, 5, {true, 4, "", {}, 5, false}));
  CHECK_FALSE(end(done, 4, {true, 4, "x", {}, 4, false}));
  CHECK_FALSE(end(running, 5, {true, 4, "", {}, 5, false}));
  CHECK(end(running, 1, {true, 0, "readLog fail, logFile not exists", {}, 1, true}));
  // A line before the first one is the first one.
  CHECK_FALSE(end(done, -7, {true, 1, "x", {}, 1, false}));
}

TEST_CASE_METHOD(run_administration, "the logs of a broadcast are one text", "[actors][runs][merged]") {
  const std::string other_address = "http://10.0.0.4:9999/";
  const auto other = pool.executor(other_address);
  executor->log = {true, 2, "a\nb\n", {}, 1, false};
  other->log = {true, 1, "c", {}, 1, false};
  add_broadcast({executor_address, executor_address}, 200);
  const auto ids = add_broadcast({executor_address, other_address}, 200);
  const auto head = [&](std::size_t at, const std::string& address) {
    return "---- shard " + std::to_string(at) + "/2, run " + std::to_string(core::number(ids[at])) + ", " + address + " ----\n";
  };
  const auto log = merged(ids.at(1), user(core::group_right::viewer));
  REQUIRE(log);
  CHECK(log->run.id == ids[1]);
  CHECK(log->content == head(0, executor_address) + "a\nb\n" + head(1, other_address) + "c\n");
  CHECK(log->to_line == 5);
  CHECK(log->end);
  const auto hidden = merged(ids[1], user(core::group_right::none));
  REQUIRE_FALSE(hidden);
  CHECK(protocol::to_core(hidden.error()).code == core::errc::forbidden);
  REQUIRE_FALSE(merged(core::log_id{4711}));
  // A run without shards is a broadcast of one.
  const auto alone = merged(add_run(200));
  REQUIRE(alone);
  CHECK(alone->content.find("shard") == std::string::npos);
  CHECK(alone->content.find("a\nb\n") != std::string::npos);
  CHECK_FALSE(alone->end);
}

TEST_CASE_METHOD(run_administration, "who does not answer costs his own part alone", "[actors][runs][merged]") {
  const auto silent = pool.executor("http://10.0.0.4:9999/");
  silent->silent = true;
  executor->log = {true, 1, "a\n", {}, 1, false};
  const auto refusing = pool.executor("http://10.0.0.5:9999/");
  refusing->log = {.error = "connection refused"};
  const std::string unknown = "http://10.0.0.9:9999/";
  const auto ids = add_broadcast({"http://10.0.0.4:9999/", executor_address, "http://10.0.0.5:9999/", unknown});
  auto late = later<protocol::run_log>(actor, protocol::run_log_query{ids.at(0), 1, core::local_operator(), true});
  run();
  CHECK_FALSE(*late);
  advance(8s);
  REQUIRE(*late);
  REQUIRE(**late);
  const auto& content = (**late)->content;
  CHECK(content.find("10.0.0.3:9999/ ----\na\n") != std::string::npos);
  CHECK(content.find("10.0.0.4:9999/ ----\n[it did not answer in time]\n") != std::string::npos);
  CHECK(content.find("10.0.0.5:9999/ ----\n[it did not answer: connection refused]\n") != std::string::npos);
  CHECK(content.find("10.0.0.9:9999/ ----\n[there is no way to the executor") != std::string::npos);
  CHECK_FALSE((**late)->end);
}

TEST_CASE_METHOD(run_administration, "a large broadcast is asked in rounds, for a bounded time", "[actors][runs][merged]") {
  constexpr auto fan_out = actors::run_admin_state::merge_fan_out;
  executor->log = {true, 1, std::string(100'000, 'x'), {}, 1, false};
  const auto ids = add_broadcast(std::vector<std::string>(3 * fan_out, executor_address));
  const auto log = merged(ids.at(0));
  REQUIRE(log);
  CHECK(executor->calls.size() == 3 * fan_out);
  CHECK(log->content.size() < actors::run_admin_state::merged_bytes_max + 3 * fan_out * 200);
  CHECK(log->content.find("more bytes: read run " + std::to_string(core::number(ids[5]))) != std::string::npos);
  // Nobody answers: the second round has less time, the third one none.
  executor->silent = true;
  executor->calls.clear();
  auto late = later<protocol::run_log>(actor, protocol::run_log_query{ids.at(0), 1, core::local_operator(), true});
  run();
  CHECK(executor->calls.size() == fan_out);
  advance(actors::run_admin_state::merge_patience);
  REQUIRE(*late);
  REQUIRE(**late);
  CHECK(executor->calls.size() == 2 * fan_out);
  CHECK((**late)->content.find("[not asked: other executors took too long]") != std::string::npos);
}

TEST_CASE_METHOD(run_administration, "a log that cannot be read says why", "[actors][runs]") {
  const auto run = add_run(200);
  const auto failed = add_run(500);
  const auto nowhere = add_run(200, 0, "");
  const auto strange = add_run(200, 0, "http://10.0.0.4:9999/");
  CHECK(log_error(core::log_id{4711}).why == core::refusal::run_id_illegal);
  CHECK(log_error(failed).why == core::refusal::run_not_triggered);
  CHECK(log_error(nowhere).code == core::errc::invalid_argument);
  CHECK(log_error(strange).code == core::errc::unavailable);
  CHECK(log_error(run, user(core::group_right::none)).code == core::errc::forbidden);
  // The right comes first: who has none does not learn that the trigger failed.
  CHECK(log_error(failed, user(core::group_right::none)).code == core::errc::forbidden);
  CHECK(executor->calls.empty());
  executor->log = {.error = "connection refused"};
  const auto refused = log_error(run);
  CHECK(refused.code == core::errc::unavailable);
  CHECK(refused.context.find("10.0.0.3") != std::string::npos);
  // What has a subject may be shown to people.
  CHECK(refused.subject.find("10.0.0.3") != std::string::npos);
  CHECK(refused.context.find("connection refused") != std::string::npos);
  executor->silent = true;
  auto late = later<protocol::run_log>(actor, protocol::run_log_query{run, 1, core::local_operator()});
  advance(7s);
  REQUIRE(*late);
  REQUIRE_FALSE(**late);
  CHECK(protocol::to_core((*late)->error()).code == core::errc::timeout);
}

TEST_CASE_METHOD(run_administration, "a result that came before the answer to its trigger has a log", "[actors][runs]") {
  const auto early = add_run(0, 200);
  const auto waiting = add_run(0);
  executor->log = {true, 3, "x", {}, 1, false};
  CHECK(ask<protocol::run_log>(actor, protocol::run_log_query{early, 1, core::local_operator()}));
  CHECK(log_error(waiting).why == core::refusal::run_not_triggered);
}

// -- ending a run ----------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(run_administration, "a run that is ended fails with the words of its executor", "[actors][runs]") {
  const auto run = add_run(200);
  executor->kill = {200, "job thread killed"};
  auto killed = ask<protocol::run_killed>(actor, protocol::kill_run{run, user(core::group_right::operate)});
  REQUIRE(killed);
  CHECK(killed->message == "job thread killed");
  CHECK(executor->calls == std::vector<std::string>{"kill " + std::to_string(core::number(job->id))});
  CHECK(store.runs.ends == std::vector<std::string>{"Manual operation, kill job:"});
  REQUIRE(storage.record->callbacks.size() == 1);
  const auto& result = storage.record->callbacks[0].items.at(0);
  CHECK(result.id == run);
  CHECK(result.code == 500);
  CHECK(result.message == "Manual operation, kill job:job thread killed");
}

// The executor knows jobs only: it would end whatever it runs of the job now.
TEST_CASE_METHOD(run_administration, "a run that has ended is not ended again, nor another one of its job", "[actors][runs]") {
  const auto run = add_run(200, 200);
  const auto refused = kill_error(run);
  CHECK(refused.code == core::errc::invalid_argument);
  CHECK(refused.context.find("has ended") != std::string::npos);
  CHECK(executor->calls.empty());
  CHECK(store.runs.ends.empty());
  CHECK(storage.record->callbacks.empty());
}

TEST_CASE_METHOD(run_administration, "a success that comes before the executor has answered is an ended run", "[actors][runs]") {
  const auto run = add_run(200);
  executor->kill = {200, "job thread killed"};
  executor->before_answer = [&](test::executor_record&) {
    CHECK(store.runs.ends.size() == 1);
    tell(completion, protocol::callback_batch{{{run, 200, "fine", nullptr}, {core::log_id{4711}, 200, "fine", nullptr}}});
  };
  REQUIRE(ask<protocol::run_killed>(actor, protocol::kill_run{run, core::local_operator()}));
  REQUIRE(storage.record->callbacks.size() == 2);
  const auto& early = storage.record->callbacks[0].items;
  CHECK(early.at(0).code == 500);
  CHECK(early.at(0).message == "Manual operation, kill job:");
  CHECK(early.at(1).code == 200);
}

TEST_CASE_METHOD(run_administration, "a success of a run that its executor did not end is one", "[actors][runs]") {
  const auto run = add_run(200);
  executor->kill = {500, "not yet support, jobId(1)"};
  const auto state = GENERATE(500, 0, -1);
  executor->kill.code = state;
  executor->silent = state == -1;
  auto answer = later<protocol::run_killed>(actor, protocol::kill_run{run, core::local_operator()});
  advance(7s);
  REQUIRE(*answer);
  CHECK_FALSE(**answer);
  CHECK(ask<protocol::callbacks_stored>(completion, protocol::callback_batch{{{run, 200, "fine", nullptr}}}));
  CHECK(storage.record->callbacks.at(0).items.at(0).code == 200);
  CHECK(storage.record->callbacks.at(0).items.at(0).message == "fine");
}

TEST_CASE_METHOD(run_administration, "nothing is sent for a run that may not or cannot be ended", "[actors][runs]") {
  const auto run = add_run(200);
  const auto failed = add_run(500);
  const auto waiting = add_run(0);
  const auto nowhere = add_run(200, 0, "");
  CHECK(kill_error(run, user(core::group_right::viewer)).code == core::errc::forbidden);
  CHECK(kill_error(failed, user(core::group_right::viewer)).code == core::errc::forbidden);
  CHECK(kill_error(failed).why == core::refusal::run_not_triggered);
  CHECK(kill_error(waiting).why == core::refusal::run_not_triggered);
  CHECK(kill_error(core::log_id{4711}).why == core::refusal::run_id_illegal);
  CHECK(kill_error(nowhere).code == core::errc::invalid_argument);
  test::expect(store.jobs().remove(job->id, true, civil()));
  CHECK(kill_error(run).why == core::refusal::job_id_illegal);
  CHECK(executor->calls.empty());
  CHECK(store.runs.ends.empty());
}

TEST_CASE_METHOD(run_administration, "a run whose executor does not end it goes on", "[actors][runs]") {
  const auto run = add_run(200);
  executor->kill = {500, "not yet support, jobId(1)"};
  const auto refused = kill_error(run);
  CHECK(refused.code == core::errc::invalid_argument);
  CHECK(refused.context == "not yet support, jobId(1)");
  executor->kill = {0, "connection refused"};
  CHECK(kill_error(run).code == core::errc::unavailable);
  executor->silent = true;
  auto late = later<protocol::run_killed>(actor, protocol::kill_run{run, core::local_operator()});
  advance(7s);
  REQUIRE(*late);
  CHECK(protocol::to_core((*late)->error()).code == core::errc::timeout);
  // What was asked of it is written down all the same.
  CHECK(store.runs.ends.size() == 3);
  CHECK(storage.record->callbacks.empty());
}

TEST_CASE_METHOD(run_administration, "a result of an ended run that is not stored is no success", "[actors][runs]") {
  const auto run = add_run(200);
  storage.record->callback_error = core::error{core::errc::unavailable, "the database is away"};
  CHECK(kill_error(run).code == core::errc::unavailable);
}

// -- clearing --------------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(run_administration, "clearing goes by steps with pauses and answers when all is gone", "[actors][runs]") {
  for (int i = 0; i < 5; ++i)
    add_run(200, 200);
  auto cleared = later<protocol::runs_cleared>(actor, protocol::clear_runs{{.keep_newest = 2}, core::local_operator()});
  run();
  CHECK(rows() == 5);
  CHECK_FALSE(*cleared);
  advance(1s);
  REQUIRE((*cleared && **cleared));
  CHECK((**cleared)->removed == 3);
  CHECK(rows() == 2);
  // Pages need not wait for it.
  CHECK(*worker.tasks == 0);
}

TEST_CASE_METHOD(run_administration, "clearing without the right to leaves everything", "[actors][runs]") {
  add_run(200, 200);
  auto answer = ask<protocol::runs_cleared>(
    actor, protocol::clear_runs{{.group = job->group}, user(core::group_right::operate)});
  REQUIRE_FALSE(answer);
  CHECK(protocol::to_core(answer.error()).code == core::errc::forbidden);
  CHECK(store.runs.steps == 1);
  CHECK(rows() == 1);
}

TEST_CASE_METHOD(run_administration, "clearing outlives a store that is away for a while, and no longer", "[actors][runs]") {
  for (int i = 0; i < 3; ++i)
    add_run(200, 200);
  store.runs.fails_behind = 1;
  store.runs.fails = 3;
  auto cleared = later<protocol::runs_cleared>(actor, protocol::clear_runs{{}, core::local_operator()});
  advance(14s);
  // Nobody waits so long; whether all went is in the log and in the rows.
  REQUIRE((*cleared && **cleared));
  advance(2s);
  CHECK(rows() == 0);

  add_run(200, 200);
  store.runs.steps = 0;
  store.runs.fails = 1000;
  auto given_up = later<protocol::runs_cleared>(actor, protocol::clear_runs{{}, core::local_operator()});
  advance(60s);
  REQUIRE(*given_up);
  CHECK(store.runs.steps == 1 + 1 + 3);
  // It is given up, and nobody joins it.
  store.runs.fails = 0;
  auto anew = later<protocol::runs_cleared>(actor, protocol::clear_runs{{}, core::local_operator()});
  advance(1s);
  CHECK((*anew && **anew));
  CHECK(store.runs.steps > 1 + 1 + 3);
}

TEST_CASE_METHOD(run_administration, "long clearing answers after 5 seconds and goes on", "[actors][runs]") {
  constexpr std::size_t runs = 300;
  for (std::size_t i = 0; i < runs; ++i)
    add_run(200, 200);
  store.runs.chunk_max = 1;
  auto cleared = later<protocol::runs_cleared>(actor, protocol::clear_runs{{}, core::local_operator()});
  advance(4900ms);
  CHECK_FALSE(*cleared);
  advance(200ms);
  REQUIRE((*cleared && **cleared));
  const auto left = rows();
  CHECK(left > 0);
  CHECK((**cleared)->removed < runs);
  // Who asks again meanwhile joins it, and need not wait.
  const auto steps = store.runs.steps;
  auto again = later<protocol::runs_cleared>(actor, protocol::clear_runs{{}, core::local_operator()});
  run();
  REQUIRE((*again && **again));
  CHECK(store.runs.steps <= steps + 1);
  advance(30s);
  CHECK(rows() == 0);
  CHECK(store.runs.steps <= static_cast<int>(runs) + 1);
}

TEST_CASE_METHOD(run_administration, "one clearing of the same runs for one person at a time", "[actors][runs]") {
  for (int i = 0; i < 3; ++i)
    add_run(200, 200);
  store.runs.chunk_max = 1;
  const auto t = civil() + 240h; // runs are planned
  auto first = later<protocol::runs_cleared>(actor, protocol::clear_runs{{.until = t}, core::local_operator()});
  auto second = later<protocol::runs_cleared>(actor, protocol::clear_runs{{.until = t + 3s}, core::local_operator()});
  run();
  CHECK(store.runs.steps == 1);
  // Who may not clear is refused, whatever others do.
  auto stranger = later<protocol::runs_cleared>(actor, protocol::clear_runs{{.until = t}, user(core::group_right::operate)});
  run();
  REQUIRE((*stranger && !**stranger));
  advance(1s);
  REQUIRE((*first && **first && *second && **second));
  CHECK((**first)->removed == (**second)->removed);
  CHECK(rows() == 0);
  // It is over: the next one is a clearing of its own.
  store.runs.steps = 0;
  auto third = later<protocol::runs_cleared>(actor, protocol::clear_runs{{.until = t}, core::local_operator()});
  advance(1s);
  REQUIRE((*third && **third));
  CHECK((**third)->removed == 0);
  CHECK(store.runs.steps > 0);
}
