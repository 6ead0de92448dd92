// T2 and edits of the intent's job: no intent is claimed with a definition that an edit replaced (firing protocol, F5).

#include <chrono>

#include "tests/storage/firing_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

/// A failed run, and the intent of its retry.
struct retried : firing_fixture {
  explicit retried(const test_backend& backend) : firing_fixture{backend} {
    intent = record({answer(claimed(7, 2), 500)}, {}).intents.at(0);
  }

  core::claim_batch claim_of(const core::job_ptr& spec) {
    auto one = batch();
    one.seen_revision = 1'000'000;
    one.runs = {run_of(spec)};
    one.runs[0].kind = intent.kind;
    one.runs[0].intent = intent.id;
    return one;
  }

  core::intent intent;
};

} // namespace

TEST_CASE("an intent keeps waiting when its job was edited since it was planned", "[storage][edits]") {
  retried f{GENERATE(from_range(backends_under_test()))};
  const auto planned = f.job(7);
  const auto edit = GENERATE(as<std::string>{}, "executor_handler = 'other'", "executor_param = 'y'", "job_group = 2",
                             "executor_route_strategy = 'LAST'", "executor_timeout = 7",
                             "executor_block_strategy = 'COVER_EARLY'", "child_jobid = '9'", "glue_type = 'GLUE_SHELL'",
                             "glue_updatetime = '2024-01-01 00:00:01'");
  CAPTURE(edit);
  f.db->exec("UPDATE xxl_job_info SET " + edit);
  auto batch = f.claim_of(planned);
  f.plan(batch, f.add_job(8));
  const auto outcome = require(f.firings().claim(batch, noon));
  // The other run of the batch is claimed.
  REQUIRE(outcome.runs.size() == 1);
  CHECK(outcome.runs[0].plan.spec->id == core::job_id{8});
  CHECK(outcome.stale_intents == std::vector{f.intent.id});
  CHECK(outcome.lost_intents.empty());
  CHECK(f.rows("rm_intent", "state = 0 AND node IS NULL") == "1");
  CHECK(require(f.firings().claim(f.claim_of(f.job(7)), noon)).runs.size() == 1);
}

TEST_CASE("an edit that changes no run does not delay an intent", "[storage][edits]") {
  retried f{GENERATE(from_range(backends_under_test()))};
  const auto planned = f.job(7);
  f.db->exec("UPDATE xxl_job_info SET schedule_conf = '0 0/5 * * * ?', job_desc = 'z', trigger_status = 0");
  f.db->exec("UPDATE rm_schedule SET revision = 5");
  CHECK(require(f.firings().claim(f.claim_of(planned), noon)).runs.size() == 1);
}

TEST_CASE("an intent waits for an edit of its job that is in progress, and its claim does not", "[storage][edits]") {
  if (const auto reason = mariadb_server::unavailable_reason())
    return skip(*reason);
  retried f{mysql_backend()};
  f.db->exec("START TRANSACTION");
  f.db->exec("UPDATE xxl_job_info SET executor_handler = 'other' WHERE id = 7");
  const auto early = require(f.firings().claim(f.claim_of(f.job(7)), noon));
  CHECK(early.runs.empty());
  CHECK(early.locked_intents == std::vector{f.intent.id});
  const auto planned = f.claim_of(f.job(7));
  f.db->exec("COMMIT");
  const auto outcome = require(f.firings().claim(planned, noon));
  CHECK(outcome.runs.empty());
  CHECK(outcome.stale_intents == std::vector{f.intent.id});
}
