// Edits of jobs during claims and during passes of Java admins.

#include <atomic>
#include <chrono>
#include <thread>

#include "core/editing/edit_tag.hpp"
#include "tests/storage/editor_fixture.hpp"
#include "tests/storage/reservation_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::errc;

namespace {

using fixture = editing<deploy_fixture>;
using shared_fixture = editing<reservation_fixture>;

core::claim_batch claim_of(fixture& f, const core::scheduled_job& job) {
  auto out = f.batch();
  out.seen_revision = job.revision;
  out.moves.push_back({job.spec->id, *job.next, *job.next, *job.next + 1s});
  out.runs.push_back(firing_fixture::run_of(job.spec, *job.next));
  return out;
}

} // namespace

TEST_CASE("no claim with the definition before an edit succeeds", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add(f.script());
  require(f.store->jobs().start(job, noon));
  const auto seen = f.stored(job);
  if (GENERATE(true, false))
    f.update(job, f.draft());
  else
    require(f.editor().save_source(job, "echo", "a remark", {}, core::local_operator(), noon));
  CHECK(require(f.firings().claim(claim_of(f, seen), noon)).lost_races == std::vector{job});
  CHECK(require(f.firings().claim(claim_of(f, f.stored(job)), noon)).runs.size() == 1);
}

TEST_CASE("manual edits during busy planning claim no instant twice", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  auto wanted = f.draft();
  wanted.schedule_conf = "*/1 * * * * ?";
  const auto job = f.add(wanted);
  require(f.store->jobs().start(job, noon));
  std::atomic<bool> done{false};
  std::string refused;
  std::atomic<std::size_t> edits{0};
  std::atomic<core::time_point> newest{noon}, edited_at{noon};
  std::thread editing{[&] {
    const auto own = f.db->open();
    // Never later than the newest claim: only the last claimed instant keeps a new next time from going back.
    for (; !done; ++edits) {
      edited_at = newest.load();
      wanted.schedule_conf = edits % 2 == 0 ? "*/2 * * * * ?" : "*/1 * * * * ?";
      const auto edited = own->job_editing().update(job, wanted, {}, core::local_operator(), edited_at);
      if (!edited && edited.error().code != errc::unavailable)
        refused = edited.error().context;
    }
  }};
  std::size_t won = 0;
  // Until both have run, also on a machine that is slow to start a thread.
  const auto end = std::chrono::steady_clock::now() + 60s;
  for (int i = 0; (i < 150 || edits < 5) && std::chrono::steady_clock::now() < end;) {
    const auto read = f.firings().read_jobs({&job, 1});
    // Not so far ahead that it would count as caused by a wrong clock.
    if (read && *read->at(0).next > edited_at.load() + 15s)
      continue;
    ++i;
    const auto claimed = read ? f.firings().claim(claim_of(f, read->at(0)), noon) : tl::unexpected{read.error()};
    won += claimed ? claimed->runs.size() : 0;
    if (claimed && !claimed->runs.empty())
      newest = claimed->runs.front().plan.fire_at;
  }
  done = true;
  editing.join();
  CHECK(refused == "");
  CHECK(won > 0);
  CHECK(edits >= 5);
  CHECK(f.db->value("SELECT count(*) FROM (SELECT trigger_time FROM xxl_job_log GROUP BY trigger_time HAVING count(*) > 1) twice")
        == "0");
  CHECK(f.rows("xxl_job_log") == std::to_string(won));
  CHECK(f.db->value("SELECT count(*) FROM rm_schedule WHERE next_ms <= last_ms") == "0");
}

TEST_CASE("of two editors who saw the same job, one wins", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add();
  const auto seen = core::edit_tag(f.record(job));
  std::vector<core::result<core::job_edit>> outcomes(2);
  std::vector<std::thread> people;
  for (auto& outcome : outcomes)
    people.emplace_back([&f, &outcome, job, seen, who = std::to_string(&outcome - outcomes.data())] {
      const auto own = f.db->open();
      auto wanted = f.draft();
      wanted.author = who;
      outcome = own->job_editing().update(job, wanted, seen, core::local_operator(), noon);
    });
  for (auto& each : people)
    each.join();
  REQUIRE(outcomes[0].has_value() != outcomes[1].has_value());
  CHECK(error_of(outcomes[0] ? outcomes[1] : outcomes[0]) == errc::conflict);
}

TEST_CASE("of two editors who saw the same source, one wins", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add(f.script());
  const auto seen = core::source_tag(f.record(job));
  std::vector<core::result<core::job_edit>> outcomes(2);
  std::vector<std::thread> people;
  for (auto& outcome : outcomes)
    people.emplace_back([&f, &outcome, job, &seen, source = "echo " + std::to_string(&outcome - outcomes.data())] {
      const auto own = f.db->open();
      outcome = own->job_editing().save_source(job, source, "a remark", seen, core::local_operator(), noon);
    });
  for (auto& each : people)
    each.join();
  REQUIRE(outcomes[0].has_value() != outcomes[1].has_value());
  CHECK(error_of(outcomes[0] ? outcomes[1] : outcomes[0]) == errc::conflict);
  CHECK(f.rows("xxl_job_logglue") == "2");
}

TEST_CASE("in shared mode an edit writes the row that Java admins read", "[storage][editor]") {
  shared_fixture f{GENERATE(from_range(shared_backends()))};
  const auto job = f.add();
  const auto id = core::number(job);
  CHECK(f.rows("rm_schedule", "job = " + text_of(job)) == "1");
  require(f.store->jobs().start(job, noon));
  auto wanted = f.draft();
  wanted.schedule_conf = "*/1 * * * * ?";
  CHECK(f.update(job, wanted).next == noon + 6s); // after what a Java admin may have in memory
  CHECK(f.schedule_of(id) == "1 - 6");
  CHECK(f.record(job).next == noon + 6s);
  REQUIRE(f.reserve(noon + 6s).intents.size() == 7);
  CHECK(f.record(job).last == noon + 12s);
  wanted.param = "new"; // no reserved instant is lost, and none runs with the old parameter
  const auto spec = f.job(id);
  f.update(job, wanted, noon + 6s);
  CHECK(f.rows("rm_intent", "state = 0") == "7");
  CHECK(f.record(job).next == noon + 13s);
  wanted.schedule_conf = "*/5 * * * * ?";
  CHECK(f.update(job, wanted, noon + 6s).next == noon + 15s); // not before the reserved instants
  CHECK(f.rows("rm_intent", "state = 0") == "0");
  CHECK(f.rows("rm_schedule", "next_ms <> 0") == "0");
}

TEST_CASE("in shared mode an edit waits for a Java admin's pass and refuses unsupported options", "[storage][editor]") {
  shared_fixture f{GENERATE(from_range(shared_backends()))};
  const auto job = f.add(f.script());
  auto wanted = f.draft();
  wanted.options = core::job_options{.timing = {.jitter_ms = 500}};
  CHECK(error_of(f.editor().update(job, wanted, {}, core::local_operator(), noon)) == errc::invalid_argument);
  CHECK(error_of(f.editor().add(wanted, core::local_operator(), noon)) == errc::invalid_argument);
  f.db->exec("START TRANSACTION");
  (void) f.db->query("SELECT * FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE");
  CHECK(error_of(f.editor().update(job, f.draft(), {}, core::local_operator(), noon)) == errc::unavailable);
  CHECK(error_of(f.editor().save_source(job, "echo", "a remark", {}, core::local_operator(), noon)) == errc::unavailable);
  f.db->exec("COMMIT");
  f.update(job, f.draft());
}
