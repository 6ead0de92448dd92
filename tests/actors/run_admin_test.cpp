#include "actors/console/run_admin.hpp"

#include <vector>

#include "tests/actors/run_admin_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::run_administration;

TEST_CASE_METHOD(run_administration, "pages, single runs and the report come from the store", "[actors][runs]") {
  const auto first = add_run(200, 200);
  const auto second = add_run(500);
  protocol::run_page_query query;
  query.by = core::local_operator();
  auto page = ask<protocol::run_page>(actor, query);
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

TEST_CASE_METHOD(run_administration, "two reports are counted at once, more are refused", "[actors][runs]") {
  std::size_t asked = 0;
  std::chrono::milliseconds takes = 1s;
  const auto slow = track(system().spawn([&](protocol::query_worker::pointer self) -> protocol::query_worker::behavior_type {
    return {[&, self](const protocol::store_task& task) -> caf::result<void> {
      ++asked;
      auto done = self->make_response_promise<void>();
      self->run_delayed(takes, [this, task, done]() mutable {
        task.run(&store);
        done.deliver();
      });
      return done;
    }};
  }));
  const auto busy = spawn<actors::run_admin_state, protocol::run_admin>(
    actors::query_workers{slow, edits.actor}, pool.actor, completion, 6000ms, core::language::en, clock(), silent_log());
  const protocol::report_query counted{start, start + 24h, core::report_search{start, start + 24h, job->group},
                                       user(core::group_right::viewer)};
  const auto first = later<protocol::day_reports>(busy, counted);
  const auto second = later<protocol::day_reports>(busy, counted);
  run();
  const auto third = ask<protocol::day_reports>(busy, counted);
  REQUIRE_FALSE(third);
  CHECK(protocol::to_core(third.error()).code == core::errc::unavailable);
  // The figures of the leader need no count.
  const auto daily = later<protocol::day_reports>(busy, protocol::report_query{start, start + 24h});
  run();
  CHECK(asked == 3);
  advance(2s);
  REQUIRE((*first && *second && *daily));
  CHECK((**first && **second && **daily));
  // A read whose caller waits no more is not made.
  takes = config::ask_limit(config::server_settings{}) + 1s;
  const auto late = later<protocol::day_reports>(busy, counted);
  const auto late_page = later<protocol::run_page>(busy, protocol::run_page_query{{}, core::local_operator()});
  advance(takes + 1s);
  CHECK(asked == 5);
  REQUIRE(*late_page);
  REQUIRE_FALSE(**late_page);
  CHECK(protocol::to_core((*late_page)->error()).code == core::errc::timeout);
  REQUIRE(*late);
  REQUIRE_FALSE(**late);
  CHECK(protocol::to_core((*late)->error()).code == core::errc::timeout);
}

// -- killing a run ---------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(run_administration, "a killed run fails with the message of its executor", "[actors][runs]") {
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

// The executor knows only jobs: it would kill whatever run of the job it has now.
TEST_CASE_METHOD(run_administration, "a run that has ended is not killed again, nor another one of its job", "[actors][runs]") {
  const auto run = add_run(200, 200);
  const auto refused = kill_error(run);
  CHECK(refused.code == core::errc::invalid_argument);
  CHECK(refused.context.find("has ended") != std::string::npos);
  CHECK(executor->calls.empty());
  CHECK(store.runs.ends.empty());
  CHECK(storage.record->callbacks.empty());
}

TEST_CASE_METHOD(run_administration, "a success that arrives before the executor's answer counts as a killed run",
                 "[actors][runs]") {
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

TEST_CASE_METHOD(run_administration, "a success of a run that its executor did not kill is a success", "[actors][runs]") {
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

TEST_CASE_METHOD(run_administration, "no request is sent for a run that may not or cannot be killed", "[actors][runs]") {
  const auto run = add_run(200);
  const auto failed = add_run(500);
  const auto waiting = add_run(0);
  const auto nowhere = add_run(200, 0, "");
  CHECK(kill_error(run, user(core::group_right::viewer)).code == core::errc::forbidden);
  CHECK(kill_error(failed, user(core::group_right::viewer)).code == core::errc::forbidden);
  CHECK(kill_error(failed).why == core::refusal::run_not_triggered);
  CHECK(kill_error(failed).context
        == "run " + std::to_string(core::number(failed)) + " cannot be killed: no executor accepted it");
  CHECK(kill_error(waiting).why == core::refusal::run_not_triggered);
  CHECK(kill_error(waiting).context.find(" has not confirmed it yet; ") != std::string::npos);
  CHECK(kill_error(add_run(0, 0, "")).context.find("it has not been sent yet") != std::string::npos);
  CHECK(kill_error(core::log_id{4711}).why == core::refusal::run_id_illegal);
  CHECK(kill_error(nowhere).code == core::errc::invalid_argument);
  test::expect(store.jobs().remove(job->id, true, civil()));
  CHECK(kill_error(run).why == core::refusal::job_id_illegal);
  CHECK(executor->calls.empty());
  CHECK(store.runs.ends.empty());
}

TEST_CASE_METHOD(run_administration, "a run that its executor does not kill goes on", "[actors][runs]") {
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
  // The requests are recorded all the same.
  CHECK(store.runs.ends.size() == 3);
  CHECK(storage.record->callbacks.empty());
}

TEST_CASE_METHOD(run_administration, "a killed run whose result is not stored is not reported as success", "[actors][runs]") {
  const auto run = add_run(200);
  storage.record->callback_error = core::error{core::errc::unavailable, "the database is away"};
  CHECK(kill_error(run).code == core::errc::unavailable);
}

// -- clearing --------------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(run_administration, "clearing runs in steps with pauses and answers when all runs are removed",
                 "[actors][runs]") {
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

TEST_CASE_METHOD(run_administration, "clearing without permission removes nothing", "[actors][runs]") {
  add_run(200, 200);
  auto answer = ask<protocol::runs_cleared>(
    actor, protocol::clear_runs{{.group = job->group}, user(core::group_right::operate)});
  REQUIRE_FALSE(answer);
  CHECK(protocol::to_core(answer.error()).code == core::errc::forbidden);
  CHECK(store.runs.steps == 1);
  CHECK(rows() == 1);
}

TEST_CASE_METHOD(run_administration, "clearing survives a store that is away for a while, but not longer", "[actors][runs]") {
  for (int i = 0; i < 3; ++i)
    add_run(200, 200);
  store.runs.fails_behind = 1;
  store.runs.fails = 3;
  auto cleared = later<protocol::runs_cleared>(actor, protocol::clear_runs{{}, core::local_operator()});
  advance(14s);
  // The client does not wait that long; the log and the rows show whether all runs were removed.
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
  // The clearing is given up, and no request joins it.
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
  // A repeated request joins it and need not wait.
  const auto steps = store.runs.steps;
  auto again = later<protocol::runs_cleared>(actor, protocol::clear_runs{{}, core::local_operator()});
  run();
  REQUIRE((*again && **again));
  CHECK(store.runs.steps <= steps + 1);
  advance(30s);
  CHECK(rows() == 0);
  CHECK(store.runs.steps <= static_cast<int>(runs) + 1);
}

TEST_CASE_METHOD(run_administration, "one clearing of the same runs for one user at a time", "[actors][runs]") {
  for (int i = 0; i < 3; ++i)
    add_run(200, 200);
  store.runs.chunk_max = 1;
  const auto t = civil() + 240h; // runs are planned
  auto first = later<protocol::runs_cleared>(actor, protocol::clear_runs{{.until = t}, core::local_operator()});
  auto second = later<protocol::runs_cleared>(actor, protocol::clear_runs{{.until = t + 3s}, core::local_operator()});
  run();
  CHECK(store.runs.steps == 1);
  // A user without permission is refused, whatever others do.
  auto stranger = later<protocol::runs_cleared>(actor, protocol::clear_runs{{.until = t}, user(core::group_right::operate)});
  run();
  REQUIRE((*stranger && !**stranger));
  advance(1s);
  REQUIRE((*first && **first && *second && **second));
  CHECK((**first)->removed == (**second)->removed);
  CHECK(rows() == 0);
  // It has ended: the next request starts a new clearing.
  store.runs.steps = 0;
  auto third = later<protocol::runs_cleared>(actor, protocol::clear_runs{{.until = t}, core::local_operator()});
  advance(1s);
  REQUIRE((*third && **third));
  CHECK((**third)->removed == 0);
  CHECK(store.runs.steps > 0);
}
