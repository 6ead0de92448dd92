// Tasks over real actors for jobs and runs, and a real store.

#include "actors/console/task_runner.hpp"

#include <string>
#include <vector>

#include "actors/console/job_admin.hpp"
#include "tests/actors/run_admin_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using core::errc;
using core::task_action;
using core::task_state;

namespace {

struct task_world : run_administration {
  task_world() { carol = user(core::group_right::editor); }

  core::job_id add_job(const std::string& name) {
    core::job_draft draft;
    draft.group = job->group;
    draft.name = name;
    draft.author = "ops";
    draft.schedule_type = "CRON";
    draft.schedule_conf = "0 0 2 * * ?";
    draft.misfire = "DO_NOTHING";
    draft.route = "FIRST";
    draft.block = "SERIAL_EXECUTION";
    draft.glue_type = "BEAN";
    draft.handler = "h";
    return expect(store.job_editing().add(draft, core::local_operator(), civil()));
  }
  std::vector<std::int64_t> add_jobs(int number) {
    std::vector<std::int64_t> ids;
    for (int i = 0; i < number; ++i)
      ids.push_back(core::number(add_job("bulk " + std::to_string(i))));
    return ids;
  }

  protocol::task_runner spawn_runner() {
    return spawn<actors::task_runner_state, protocol::task_runner>(jobs, actor, 8000ms, actors::task_pace::several, clock(),
                                                                      silent_log());
  }
  protocol::begin_task wish(task_action action, std::vector<std::int64_t> ids) {
    protocol::begin_task command;
    command.action = action;
    command.ids = std::move(ids);
    command.wanted.kind = core::trigger_kind::api;
    command.to_same_executor = true;
    command.by = carol;
    return command;
  }
  protocol::begin_task wish_of_named(task_action action, const std::string& name, std::size_t expected) {
    auto command = wish(action, {});
    command.by_search = true;
    command.jobs.name_part = name;
    command.expect = expected;
    return command;
  }
  core::task_id begin(protocol::begin_task command) {
    const auto begun = ask<protocol::task_begun>(runner, std::move(command));
    REQUIRE(begun);
    return begun->task;
  }
  core::error refusal(protocol::begin_task command) {
    const auto begun = ask<protocol::task_begun>(runner, std::move(command));
    REQUIRE_FALSE(begun);
    return protocol::to_core(begun.error());
  }
  core::task_progress progress(core::task_id task) {
    const auto found = ask<protocol::task_found>(runner, protocol::task_query{task, carol});
    REQUIRE(found);
    return found->progress;
  }
  core::task_progress result(protocol::begin_task command) {
    const auto task = begin(std::move(command));
    advance(30s);
    return progress(task);
  }
  std::size_t audited(core::audit_action action) {
    core::audit_search search;
    search.user_name = carol.name;
    search.limit = 1000;
    const auto rows = expect(store.audits().list(search, core::local_operator()));
    return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [action](const core::audit_row& row) { return row.action == action; }));
  }
  bool exists(std::int64_t id) {
    return store.job_editing().read(core::job_id{static_cast<std::int32_t>(id)}, core::local_operator()).has_value();
  }
  /// Returns the intents that planners were sent, each once.
  std::vector<std::int64_t> intents() {
    std::vector<std::int64_t> ids;
    for (const auto& each : schedule.record->intents)
      ids.push_back(core::number(each.id));
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
  }

  schedule_double schedule{*this};
  registry_monitor_double registry{*this};
  protocol::job_admin jobs = spawn<actors::job_admin_state, protocol::job_admin>(
    actors::query_workers{worker.actor, edits.actor, edits.actor}, schedule.actor, registry.actor, config::security_settings{},
    clock(), silent_log(), actors::declared_files{}, actors::forecast_rules{}, 9500ms);
  protocol::task_runner runner = spawn_runner();
  core::principal carol;
};

/// Requests of a worker of the store that takes its time.
struct worker_record {
  std::chrono::milliseconds duration{0};
  int open = 0;
  int open_max = 0;
  std::chrono::nanoseconds busy{0};
};

protocol::query_worker spawn_slow_worker(virtual_time& world, storage::store& store, std::shared_ptr<worker_record> record) {
  return world.track(protocol::query_worker{
    world.system().spawn([store = &store, record](protocol::query_worker::pointer self) -> protocol::query_worker::behavior_type {
      return {[self, store, record](const protocol::store_task& task) -> caf::result<void> {
        auto done = self->make_response_promise<void>();
        record->open_max = std::max(record->open_max, ++record->open);
        self->run_delayed(record->duration, [store, record, task, done]() mutable {
          --record->open;
          record->busy += record->duration;
          task.run(store);
          done.deliver();
        });
        return done;
      }};
    })});
}

/// A store whose edits and pages take their time.
struct slow_world : task_world {
  slow_world() {
    jobs = spawn<actors::job_admin_state, protocol::job_admin>(
      actors::query_workers{spawn_slow_worker(*this, store, pages), spawn_slow_worker(*this, store, slow), edits.actor},
      schedule.actor, registry.actor, config::security_settings{}, clock(), silent_log(), actors::declared_files{},
      actors::forecast_rules{}, 9500ms);
    runner = spawn<actors::task_runner_state, protocol::task_runner>(jobs, actor, 8000ms, actors::task_pace::one_writer, clock(),
                                                                     silent_log());
  }

  std::shared_ptr<worker_record> slow = std::make_shared<worker_record>();
  std::shared_ptr<worker_record> pages = std::make_shared<worker_record>();
};

} // namespace

TEST_CASE_METHOD(task_world, "a task removes jobs one by one, each with its row of the audit log", "[actors][tasks]") {
  const auto ids = add_jobs(10);
  const auto done = result(wish(task_action::remove, ids));
  CHECK(done.state == task_state::done);
  CHECK(done.total == 10);
  CHECK(done.done == 10);
  CHECK(done.failed == 0);
  for (const auto id : ids)
    CHECK_FALSE(exists(id));
  CHECK(audited(core::audit_action::remove) == 10);
}

TEST_CASE_METHOD(task_world, "a task works on few objects at once", "[actors][tasks]") {
  const auto task = begin(wish(task_action::start, add_jobs(10)));
  CHECK(progress(task).done == actors::task_runner_state::window);
  CHECK(progress(task).state == task_state::running);
  advance(30s);
  CHECK(progress(task).done == 10);
}

TEST_CASE_METHOD(task_world, "permissions are checked object by object", "[actors][tasks]") {
  auto ids = add_jobs(2);
  ids.push_back(99'999);
  carol = user(core::group_right::operate);
  const auto stopped = result(wish(task_action::stop, ids));
  CHECK(stopped.done == 2);
  REQUIRE(stopped.problems.size() == 1);
  CHECK(stopped.problems[0].object == 99'999);
  CHECK(stopped.problems[0].why.code == errc::not_found);
  carol.rights = {{core::group_id{core::number(job->group) + 1}, core::group_right::editor},
                  {job->group, core::group_right::operate}};
  const auto removed = result(wish(task_action::remove, {ids[0], ids[1]}));
  CHECK(removed.state == task_state::done);
  CHECK(removed.failed == 2);
  CHECK(removed.problems.at(0).why.code == errc::forbidden);
  CHECK(exists(ids[0]));
}

TEST_CASE_METHOD(task_world, "a user without the permission in any group begins no task", "[actors][tasks]") {
  const auto ids = add_jobs(1);
  carol = user(core::group_right::viewer);
  CHECK(refusal(wish(task_action::stop, ids)).code == errc::forbidden);
  carol = user(core::group_right::operate);
  CHECK(refusal(wish(task_action::remove, ids)).code == errc::forbidden);
}

TEST_CASE_METHOD(task_world, "a search with another number of objects than expected begins nothing", "[actors][tasks]") {
  add_jobs(3);
  const auto refused = refusal(wish_of_named(task_action::remove, "bulk", 2));
  CHECK(refused.code == errc::conflict);
  CHECK(refused.subject == "3");
  advance(30s);
  CHECK(audited(core::audit_action::remove) == 0);
  CHECK(result(wish_of_named(task_action::remove, "bulk", 3)).done == 3);
  const auto none = result(wish_of_named(task_action::remove, "bulk", 0));
  CHECK(none.state == task_state::done);
  CHECK(none.total == 0);
}

TEST_CASE_METHOD(task_world, "a search reads all pages", "[actors][tasks]") {
  const auto number = actors::task_runner_state::page_rows + 20;
  add_jobs(static_cast<int>(number));
  const auto task = begin(wish_of_named(task_action::stop, "bulk", number));
  CHECK(progress(task).total == number);
  advance(60s);
  CHECK(progress(task).done == number);
}

TEST_CASE_METHOD(task_world, "objects are fixed when a task begins, and one that disappears is a failure", "[actors][tasks]") {
  const auto ids = add_jobs(10);
  const auto task = begin(wish_of_named(task_action::remove, "bulk", 10));
  const auto later_one = core::number(add_job("bulk later"));
  expect(store.jobs().remove(core::job_id{static_cast<std::int32_t>(ids.back())}, false, civil(), core::local_operator(), {}));
  advance(30s);
  const auto done = progress(task);
  CHECK(done.state == task_state::done);
  CHECK(done.done == 9);
  REQUIRE(done.problems.size() == 1);
  CHECK(done.problems[0].object == ids.back());
  CHECK(exists(later_one));
}

TEST_CASE_METHOD(task_world, "an aborted task begins with no further object", "[actors][tasks]") {
  const auto ids = add_jobs(10);
  const auto task = begin(wish(task_action::remove, ids));
  const auto told = ask<protocol::task_found>(runner, protocol::abort_task{task, carol});
  REQUIRE(told);
  CHECK(told->progress.state == task_state::aborted);
  advance(30s);
  CHECK(progress(task).done == actors::task_runner_state::window);
  CHECK(exists(ids.back()));
  // A task that has ended stays as it is.
  const auto ended = begin(wish(task_action::stop, {ids.back()}));
  advance(1s);
  CHECK(ask<protocol::task_found>(runner, protocol::abort_task{ended, carol})->progress.state == task_state::done);
}

TEST_CASE_METHOD(task_world, "a task belongs to its user, and is forgotten after its end", "[actors][tasks]") {
  const auto task = begin(wish(task_action::stop, add_jobs(1)));
  advance(1s);
  auto other = carol;
  other.user = core::user_id{8};
  const auto code = [&](const core::principal& by) {
    const auto found = ask<protocol::task_found>(runner, protocol::task_query{task, by});
    return found ? std::optional<errc>{} : std::optional{protocol::to_core(found.error()).code};
  };
  CHECK(code(other) == errc::not_found);
  CHECK(code(core::local_operator()) == std::nullopt);
  CHECK(code(carol) == std::nullopt);
  advance(actors::task_runner_state::memory);
  CHECK(code(carol) == errc::not_found);
}

TEST_CASE_METHOD(task_world, "a user runs few tasks at once", "[actors][tasks]") {
  const auto ids = add_jobs(20);
  for (std::size_t i = 0; i < actors::task_runner_state::user_running_max; ++i)
    begin(wish(task_action::stop, ids));
  const auto refused = refusal(wish(task_action::stop, ids));
  CHECK(refused.code == errc::too_large);
  CHECK(refused.subject == "5");
  advance(30s);
  begin(wish(task_action::stop, ids));
}

TEST_CASE_METHOD(task_world, "runs are killed one by one", "[actors][tasks]") {
  const auto open = add_run(200);
  const auto ended = add_run(200, 200);
  const auto done = result(wish(task_action::kill, {core::number(open), core::number(ended)}));
  CHECK(done.done == 1);
  REQUIRE(done.problems.size() == 1);
  CHECK(done.problems[0].object == core::number(ended));
  CHECK(audited(core::audit_action::kill) == 1);
}

TEST_CASE_METHOD(task_world, "a search of runs fixes the runs that it finds", "[actors][tasks]") {
  add_run(200, 200);
  add_run(500);
  add_run(500);
  auto command = wish(task_action::kill, {});
  command.by_search = true;
  command.runs.status = core::run_status::failed;
  command.expect = 2;
  const auto done = result(command);
  CHECK(done.total == 2);
  CHECK(done.failed == 2);
  command.expect = 3;
  CHECK(refusal(command).subject == "2");
}

TEST_CASE_METHOD(task_world, "a rerun triggers the job with the parameter and the executor of the run", "[actors][tasks]") {
  const auto run = add_run(200, 500);
  CHECK(result(wish(task_action::rerun, {core::number(run)})).done == 0); // the group does not have the address
  carol.admin = true;
  CHECK(result(wish(task_action::rerun, {core::number(run)})).done == 1);
  REQUIRE(schedule.record->intents.size() == 1);
  const auto& intent = schedule.record->intents[0];
  CHECK(intent.job == job->id);
  CHECK(intent.param == std::optional<std::string>{job->param});
  CHECK(intent.addresses == std::vector<std::string>{executor_address});
  auto command = wish(task_action::rerun, {core::number(run)});
  command.wanted.param = "other";
  command.to_same_executor = false;
  CHECK(result(command).done == 1);
  CHECK(schedule.record->intents.at(1).param == std::optional<std::string>{"other"});
  CHECK(schedule.record->intents.at(1).addresses.empty());
  CHECK(result(wish(task_action::rerun, {99'999})).problems.at(0).why.code == errc::not_found);
}

TEST_CASE_METHOD(task_world, "a repeated request with a key repeats no run", "[actors][tasks]") {
  carol.admin = true;
  std::vector<std::int64_t> runs;
  for (int i = 0; i < 6; ++i)
    runs.push_back(core::number(add_run(200, 500)));
  auto command = wish(task_action::rerun, runs);
  command.wanted.token = 4711;
  command.digest = "a";
  const auto task = begin(command);
  CHECK(begin(command) == task);
  advance(30s);
  CHECK(progress(task).done == 6);
  CHECK(begin(command) == task);
  CHECK(intents().size() == 6);
  auto other = command;
  other.digest = "b";
  CHECK(refusal(other).code == errc::conflict);
  // Another node does not know the task; the store knows the requests.
  runner = spawn_runner();
  CHECK(result(command).done == 6);
  CHECK(intents().size() == 6);
}

TEST_CASE_METHOD(task_world, "the logs of removed jobs are deleted one job after the other", "[actors][tasks]") {
  const auto without_runs = add_job("without runs");
  for (int i = 0; i < 3; ++i)
    add_run(200, 200);
  REQUIRE(ask<core::job_edit>(jobs, protocol::remove_job{without_runs, false}));
  REQUIRE(ask<core::job_edit>(jobs, protocol::remove_job{job->id, true}));
  advance(5s);
  CHECK(rows() == 0);
}

TEST_CASE("reruns of one request have tokens of their own", "[actors][tasks]") {
  CHECK(core::rerun_token(0, core::log_id{71}) == 0);
  CHECK(core::rerun_token(5, core::log_id{71}) == core::rerun_token(5, core::log_id{71}));
  CHECK(core::rerun_token(5, core::log_id{71}) != core::rerun_token(5, core::log_id{72}));
  CHECK(core::rerun_token(5, core::log_id{71}) != core::rerun_token(6, core::log_id{71}));
  CHECK(core::rerun_token(5, core::log_id{71}) > 0);
}

TEST_CASE_METHOD(slow_world, "with one writer, one object of all tasks is worked on, with pauses that follow its duration",
                 "[actors][tasks]") {
  const auto took = GENERATE(1ms, 50ms);
  slow->duration = took;
  const auto first = begin(wish(task_action::stop, add_jobs(5)));
  const auto second = begin(wish(task_action::stop, add_jobs(5)));
  const auto done = [&] { return progress(first).done + progress(second).done; };
  const auto began = now();
  const auto cycle = took + std::max<std::chrono::milliseconds>(actors::task_runner_state::pause,
                                                                actors::task_runner_state::pause_factor * took);
  for (int i = 0; i < 10'000 && done() < 10; ++i) {
    advance(took);
    const auto passed = now() - began;
    REQUIRE(done() <= static_cast<std::size_t>(passed / cycle) + 1);
    // The tasks take turns.
    REQUIRE(progress(first).done - progress(second).done <= 1);
  }
  CHECK(done() == 10);
  CHECK(slow->open_max == 1);
  CHECK(6 * (slow->busy - 2 * took) <= now() - began);
}

TEST_CASE_METHOD(slow_world, "with one writer, the next task has its turn when one was aborted", "[actors][tasks]") {
  slow->duration = 50ms;
  const auto first = begin(wish(task_action::stop, add_jobs(5)));
  const auto second = begin(wish(task_action::stop, add_jobs(2)));
  REQUIRE(ask<protocol::task_found>(runner, protocol::abort_task{first, carol}));
  advance(10s);
  CHECK(progress(first).state == task_state::aborted);
  CHECK(progress(first).done == 1);
  CHECK(progress(second).done == 2);
}

TEST_CASE_METHOD(slow_world, "a task whose objects were listed too late does not begin", "[actors][tasks]") {
  add_jobs(3);
  pages->duration = GENERATE(6400ms, 7000ms, 9000ms);
  const auto begun = later<protocol::task_begun>(runner, wish_of_named(task_action::remove, "bulk", 3));
  advance(6500ms);
  REQUIRE(*begun); // before its caller gives up
  REQUIRE_FALSE(**begun);
  const auto why = protocol::to_core((*begun)->error());
  CHECK(why.code == errc::unavailable);
  CHECK(why.subject == "filter");
  advance(60s);
  CHECK(audited(core::audit_action::remove) == 0);
}

TEST_CASE_METHOD(task_world, "one shard of a broadcast is not repeated, the whole broadcast is", "[actors][tasks]") {
  carol.admin = true;
  const auto shard = core::number(add_broadcast({executor_address, "http://10.0.0.4:9999/"}, 500).at(1));
  const auto refused = result(wish(task_action::rerun, {shard}));
  REQUIRE(refused.problems.size() == 1);
  CHECK(refused.problems[0].why.why == core::refusal::one_shard);
  CHECK(refused.problems[0].why.context.find("shard 1/2 of a broadcast") != std::string::npos);
  CHECK(intents().empty());
  auto command = wish(task_action::rerun, {shard});
  command.to_same_executor = false; // addresses were given
  CHECK(result(command).done == 1);
  CHECK(schedule.record->intents.at(0).addresses.empty());
  // A broadcast to one executor is whole.
  const auto only = core::number(add_broadcast({executor_address}, 500).at(0));
  CHECK(result(wish(task_action::rerun, {only})).done == 1);
}
