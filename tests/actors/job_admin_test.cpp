#include "actors/admin/job_admin.hpp"

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using test::store_fault;

namespace {

core::declared_set nightly() {
  core::declared_set declared;
  declared.source = "jobs.toml";
  declared.groups.push_back({"pay-worker", "Payments", {}});
  core::declared_job job;
  job.group = "pay-worker";
  job.key = "settle";
  job.name = "Settle";
  job.author = "ops";
  job.schedule = core::schedule_type::cron;
  job.schedule_conf = "0 0 1 * * ?";
  job.handler = "settleHandler";
  declared.jobs.push_back(job);
  return declared;
}

struct administration : test::virtual_time {
  caf::expected<core::deploy_report> apply(core::declared_set declared, bool dry_run = false) {
    return ask<core::deploy_report>(actor, protocol::apply_declared{std::move(declared), dry_run, false});
  }
  [[nodiscard]] std::size_t hints() const { return schedule.record->edit_hints + *registry.hints; }

  test::memory_database database;
  test::faulty_store store{database.open()};
  test::query_worker_double worker{*this, store};
  test::schedule_double schedule{*this};
  test::registry_monitor_double registry{*this};
  protocol::job_admin actor =
    spawn<actors::job_admin_state, protocol::job_admin>(worker.actor, schedule.actor, registry.actor, clock(), silent_log());
};

} // namespace

TEST_CASE_METHOD(administration, "what is declared is applied, and who plans and routes looks again", "[actors]") {
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

TEST_CASE_METHOD(administration, "nothing changed wakes nobody", "[actors]") {
  REQUIRE(apply(nightly()));
  auto report = apply(nightly());
  REQUIRE(report);
  CHECK_FALSE(report->changes_anything());
  CHECK(hints() == 2);
}

TEST_CASE_METHOD(administration, "a dry run says what it would do and wakes nobody", "[actors]") {
  auto report = apply(nightly(), true);
  REQUIRE(report);
  CHECK(report->changes_anything());
  CHECK(hints() == 0);
  CHECK(test::expect(store.firings().edits_since(0, 10)).empty());
}

TEST_CASE_METHOD(administration, "a refused declaration comes back as its error", "[actors]") {
  auto declared = nightly();
  declared.jobs[0].group = "nobody";
  auto report = apply(declared);
  REQUIRE_FALSE(report);
  CHECK(protocol::to_core(report.error()).code == core::errc::invalid_argument);
  CHECK(hints() == 0);
}

TEST_CASE_METHOD(administration, "a lost answer may hide a commit: everybody looks again", "[actors]") {
  store.once("apply", store_fault::answer_lost);
  auto report = apply(nightly());
  REQUIRE_FALSE(report);
  CHECK(protocol::to_core(report.error()).code == core::errc::unavailable);
  CHECK(hints() == 2);
}

// -- one job ---------------------------------------------------------------------------------------------------------------

namespace {

struct one_job : administration {
  one_job() {
    REQUIRE(apply(nightly()));
    schedule.record->edit_hints = 0;
    job = test::expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec->id;
    life = test::expect(store.cluster().enter("a", "a:8080"));
  }

  /// Claims the job's next instant; nobody has sent it yet.
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
  core::node_life life;
  std::int64_t sequence = 0;
};

} // namespace

TEST_CASE_METHOD(one_job, "stop and start are answered at once when nothing is on its way", "[actors]") {
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

TEST_CASE_METHOD(one_job, "an edit waits a second at most and says how many are on their way", "[actors]") {
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

TEST_CASE_METHOD(one_job, "a store that does not say what is on its way is asked again", "[actors]") {
  auto run_under_way = claim();
  store.fault_of = [](std::string_view method) {
    return method == "runs_on_their_way" ? test::store_fault::away : test::store_fault::none;
  };
  auto stopped = later<core::job_edit>(actor, protocol::stop_job{job});
  advance(std::chrono::milliseconds{900});
  CHECK_FALSE(*stopped);
  SECTION("it stays away: the edit is done all the same") {
    advance(std::chrono::milliseconds{200});
    REQUIRE(*stopped);
    CHECK(**stopped);
  }
  SECTION("it comes back, and the run is still there") {
    store.come_back();
    advance(std::chrono::milliseconds{200});
    REQUIRE(*stopped);
    CHECK((**stopped)->on_their_way == 1);
  }
  SECTION("it comes back, and the run was sent") {
    store.come_back();
    record(run_under_way);
    advance(std::chrono::milliseconds{60});
    REQUIRE(*stopped);
    CHECK((**stopped)->on_their_way == 0);
  }
}

TEST_CASE_METHOD(one_job, "a run by hand goes to the planner of this node", "[actors]") {
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

TEST_CASE_METHOD(one_job, "a removed job takes its log with it, chunk by chunk", "[actors]") {
  auto run_done = claim();
  record(run_done);
  CHECK_FALSE(ask<core::job_edit>(actor, protocol::remove_job{job, false})); // declared
  store.once("remove_logs", store_fault::away);
  REQUIRE(ask<core::job_edit>(actor, protocol::remove_job{job, true}));
  advance(std::chrono::seconds{6});
  CHECK(test::expect(store.logs().rows_after(core::log_id{0}, 10)).empty());
  CHECK_FALSE(ask<core::job_edit>(actor, protocol::start_job{job}));
}

TEST_CASE_METHOD(one_job, "a store that goes away: the edit is in doubt and the planner looks again", "[actors]") {
  store.once("stop", store_fault::answer_lost);
  auto stopped = ask<core::job_edit>(actor, protocol::stop_job{job});
  REQUIRE_FALSE(stopped);
  CHECK(protocol::to_core(stopped.error()).code == core::errc::unavailable);
  CHECK(schedule.record->edit_hints == 1);
}
