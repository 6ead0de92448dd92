#include "actors/console/job_admin.hpp"

#include "tests/actors/job_admin_fixture.hpp"

using namespace ringmaster;
using test::job_administration;
using test::nightly;
using test::store_fault;

// Sign-ins are read by the same worker as pages.
TEST_CASE_METHOD(job_administration, "an edit of a job that waits delays no page", "[actors]") {
  REQUIRE(apply(nightly()));
  CHECK(*worker.tasks == 0);
  const auto edited = *edits.tasks;
  REQUIRE(ask<protocol::job_page>(actor, protocol::job_page_query{{}, core::local_operator()}));
  CHECK(*worker.tasks == 1);
  CHECK(*edits.tasks == edited);
}

TEST_CASE_METHOD(job_administration, "declared jobs are applied, and planner and router read again", "[actors]") {
  auto report = apply(nightly());
  REQUIRE(report);
  CHECK(report->changes.size() == 2);
  CHECK(schedule.record->edit_hints == 1);
  CHECK(*registry.hints == 1);
  auto jobs = test::expect(store.firings().edits_since(0, 10));
  REQUIRE(jobs.size() == 1);
  // The clock of the world is at 12:00 UTC.
  CHECK(jobs[0].next == start + std::chrono::hours{13});
}

TEST_CASE_METHOD(job_administration, "an apply without changes notifies no actor", "[actors]") {
  REQUIRE(apply(nightly()));
  auto report = apply(nightly());
  REQUIRE(report);
  CHECK_FALSE(report->changes_anything());
  CHECK(hints() == 2);
}

TEST_CASE_METHOD(job_administration, "a dry run reports its changes and notifies no actor", "[actors]") {
  auto report = apply(nightly(), true);
  REQUIRE(report);
  CHECK(report->changes_anything());
  CHECK(hints() == 0);
  CHECK(test::expect(store.firings().edits_since(0, 10)).empty());
}

TEST_CASE_METHOD(job_administration, "a refused declaration returns its error", "[actors]") {
  auto declared = nightly();
  declared.jobs[0].group = "unknown";
  auto report = apply(declared);
  REQUIRE_FALSE(report);
  CHECK(protocol::to_core(report.error()).code == core::errc::invalid_argument);
  CHECK(hints() == 0);
}

TEST_CASE_METHOD(job_administration, "a lost answer may hide a commit, so all actors read again", "[actors]") {
  store.once("apply", store_fault::answer_lost);
  auto report = apply(nightly());
  REQUIRE_FALSE(report);
  CHECK(protocol::to_core(report.error()).code == core::errc::unavailable);
  CHECK(hints() == 2);
}

// -- one job ---------------------------------------------------------------------------------------------------------------

namespace {

struct one_job : job_administration {
  one_job() {
    REQUIRE(apply(nightly()));
    schedule.record->edit_hints = 0;
    job = test::expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec->id;
    life = test::expect(store.cluster().enter("a", "a:8080"));
  }

  /// Claims the job's next instant; it has not been sent yet.
  core::claimed_run claim() {
    auto read = test::expect(store.firings().read_jobs({&job, 1})).at(0);
    core::claim_batch batch;
    batch.owner = life;
    batch.sequence = ++sequence;
    batch.seen_revision = 1000;
    batch.moves = {{job, *read.next, *read.next, *read.next + std::chrono::hours{24}}};
    core::planned_run run;
    run.spec = read.spec;
    run.fire_at = *read.next;
    batch.runs = {run};
    return test::expect(store.firings().claim(batch, civil())).runs.at(0);
  }
  void record(const core::claimed_run& run) {
    core::record_batch batch;
    batch.owner = life;
    batch.triggers = {{run.id, run.claim, run.plan.spec, 200, {}, false}};
    test::expect(store.firings().record(batch, civil()));
  }

  core::job_id job{};
  core::node_incarnation life;
  std::int64_t sequence = 0;
};

} // namespace

TEST_CASE_METHOD(one_job, "stop and start are answered at once when no run is on its way", "[actors]") {
  auto stopped = ask<core::job_edit>(actor, protocol::stop_job{job});
  REQUIRE(stopped);
  CHECK_FALSE(stopped->next);
  CHECK(stopped->on_their_way == 0);
  CHECK(schedule.record->edit_hints == 1);
  auto started = ask<core::job_edit>(actor, protocol::start_job{job});
  REQUIRE(started);
  CHECK(started->next == start + std::chrono::hours{13});
  CHECK(schedule.record->edit_hints == 2);
}

TEST_CASE_METHOD(one_job, "an edit waits for the runs that were claimed before it", "[actors]") {
  auto run_under_way = claim();
  auto stopped = later<core::job_edit>(actor, protocol::stop_job{job});
  advance(std::chrono::milliseconds{300});
  CHECK_FALSE(*stopped);
  CHECK(schedule.record->edit_hints == 1); // the planner need not wait for it
  record(run_under_way);
  advance(std::chrono::milliseconds{100});
  REQUIRE(*stopped);
  CHECK((**stopped)->on_their_way == 0);
}

TEST_CASE_METHOD(one_job, "an edit waits at most a second and returns the number of runs on their way", "[actors]") {
  claim();
  auto changed = nightly();
  changed.jobs[0].params = "new";
  auto applied = later<core::deploy_report>(actor, protocol::apply_declared{changed, false, false});
  auto stopped = later<core::job_edit>(actor, protocol::stop_job{job});
  advance(std::chrono::milliseconds{900});
  CHECK_FALSE(*stopped);
  advance(std::chrono::milliseconds{200});
  REQUIRE(*stopped);
  CHECK((**stopped)->on_their_way == 1);
  REQUIRE(*applied);
  CHECK((**applied)->on_their_way == 1);
}

TEST_CASE_METHOD(one_job, "an edit does not claim to be free of runs if the store could not count them", "[actors]") {
  claim();
  store.fault_of = [](std::string_view method) {
    return method == "runs_on_their_way" ? store_fault::away : store_fault::none;
  };
  auto stopped = later<core::job_edit>(actor, protocol::stop_job{job});
  SECTION("never: the edit is durable, and nothing more is known") {
    advance(std::chrono::milliseconds{900});
    CHECK_FALSE(*stopped);
    advance(std::chrono::milliseconds{200});
    REQUIRE(*stopped);
    REQUIRE(**stopped);
    CHECK((**stopped)->on_their_way == std::nullopt);
  }
  SECTION("at first: the store is asked again") {
    advance(std::chrono::milliseconds{500});
    CHECK_FALSE(*stopped);
    store.come_back();
    advance(std::chrono::milliseconds{600});
    REQUIRE(*stopped);
    CHECK((**stopped)->on_their_way == 1);
  }
  CHECK_FALSE(test::expect(store.inner().firings().read_jobs({&job, 1})).at(0).next);
}

TEST_CASE_METHOD(one_job, "a manual run goes to the planner of this node", "[actors]") {
  protocol::trigger_job command{{job, core::trigger_kind::api, "x=1", {"http://10.0.0.1:9999/"}, 0}};
  auto asked = ask<core::intent>(actor, command);
  REQUIRE(asked);
  CHECK(core::number(asked->origin) < 0);
  REQUIRE(schedule.record->intents.size() == 1);
  CHECK(schedule.record->intents[0].id == asked->id);
  CHECK(schedule.record->intents[0].addresses == std::vector<std::string>{"http://10.0.0.1:9999/"});
  auto again = ask<core::intent>(actor, command);
  REQUIRE(again);
  CHECK(again->id != asked->id);
}

TEST_CASE_METHOD(one_job, "the intent of a manual run is read on the worker for pages", "[actors]") {
  const auto asked = ask<core::intent>(actor, protocol::trigger_job{{job, core::trigger_kind::manual, {}, {}, 0}});
  REQUIRE(asked);
  const auto found = ask<protocol::intent_found>(actor, protocol::intent_query{asked->id, core::local_operator()});
  REQUIRE(found);
  CHECK(found->waiting);
  CHECK(found->runs.empty());
  CHECK(*worker.tasks == 1);
  const core::principal guest{core::user_id{3}, "guest"};
  const auto refused = ask<protocol::intent_found>(actor, protocol::intent_query{asked->id, guest});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == core::errc::forbidden);
}

TEST_CASE_METHOD(one_job, "the log of a removed job is deleted chunk by chunk", "[actors]") {
  auto run_done = claim();
  record(run_done);
  CHECK_FALSE(ask<core::job_edit>(actor, protocol::remove_job{job, false})); // declared
  store.once("remove_logs", store_fault::away);
  REQUIRE(ask<core::job_edit>(actor, protocol::remove_job{job, true}));
  advance(std::chrono::seconds{6});
  CHECK(test::expect(store.logs().rows_after(core::log_id{0}, 10)).empty());
  CHECK_FALSE(ask<core::job_edit>(actor, protocol::start_job{job}));
}

TEST_CASE_METHOD(one_job, "when the store fails, the edit is in doubt and the planner reads again", "[actors]") {
  store.once("stop", store_fault::answer_lost);
  auto stopped = ask<core::job_edit>(actor, protocol::stop_job{job});
  REQUIRE_FALSE(stopped);
  CHECK(protocol::to_core(stopped.error()).code == core::errc::unavailable);
  CHECK(schedule.record->edit_hints == 1);
}
