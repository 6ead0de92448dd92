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
