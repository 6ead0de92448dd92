// Logs of finished runs that outlive their executors: requests, kept texts, and removal.

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

struct keeping_fixture : firing_fixture {
  using firing_fixture::firing_fixture;

  storage::kept_log_store& logs() { return store->kept_logs(); }

  /// Returns a claimed run of a job with the option.
  core::claimed_run claimed_and_kept(std::int32_t id, std::int32_t retries = 0) {
    add_job(id, noon, {{"executor_fail_retry_count", std::to_string(retries)}});
    db->exec("DELETE FROM rm_job_ext WHERE job = " + std::to_string(id));
    db->exec("INSERT INTO rm_job_ext (job, keep_logs) VALUES (" + std::to_string(id) + ", 1)");
    auto plan_of = batch();
    plan(plan_of, job(id));
    return require(firings().claim(plan_of, noon)).runs.at(0);
  }
  core::claimed_run ended(std::int32_t id) {
    auto run = claimed_and_kept(id);
    record({answer(run, 200)}, {callback(run, 200)});
    return run;
  }
  std::vector<core::log_id> pending(core::log_id after = {}, std::size_t limit = 100) {
    std::vector<core::log_id> out;
    for (const auto& each : require(logs().pending(after, limit)))
      out.push_back(each.run);
    return out;
  }
  bool keep(const core::claimed_run& run, std::string_view text, bool cut = false) {
    return require(logs().keep(run.id, text, cut));
  }
  std::optional<std::string> read(core::log_id run, std::int32_t job) {
    const auto kept = require(logs().read(run, core::job_id{job}));
    return kept ? std::optional{kept->text} : std::nullopt;
  }
  std::string pieces() { return db->value("SELECT COUNT(*) FROM rm_run_log"); }
  std::string rows_of_ours() { return db->value("SELECT COUNT(*) FROM rm_kept_log"); }
};

using run_list = std::vector<core::log_id>;

} // namespace

TEST_CASE("the log of a run is requested once it has its result, if its job has the option", "[storage][keep]") {
  keeping_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto other = f.claimed(8);
  const auto run = f.claimed_and_kept(7);
  CHECK(f.job(7)->keep_logs);
  CHECK_FALSE(f.job(8)->keep_logs);
  f.record({f.answer(run, 200), f.answer(other, 200)}, {});
  CHECK(f.pending().empty());
  const auto code = GENERATE(200, 500);
  const bool knows_job = GENERATE(true, false);
  auto result = f.callback(run, code), others = f.callback(other, code);
  if (!knows_job)
    result.spec = others.spec = nullptr;
  f.record({}, {result, others});
  const auto found = require(f.logs().pending({}, 10));
  REQUIRE(found.size() == 1);
  CHECK(found[0].run == run.id);
  CHECK(found[0].job == core::job_id{7});
  CHECK(found[0].address == f.row(run.id).executor_address);
  CHECK(found[0].trigger_time == f.row(run.id).trigger_time);
  CHECK(found[0].since == noon + 10s);
  // A second result changes nothing.
  f.record({}, {f.callback(run, 200)});
  CHECK(f.rows_of_ours() == "1");
}

TEST_CASE("a result together with its trigger's answer, and a late success, make one request each", "[storage][keep]") {
  keeping_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto both = f.claimed_and_kept(7), late = f.claimed_and_kept(9);
  f.record({f.answer(late, 500, "lost")}, {});
  CHECK(f.pending().empty());
  f.record({f.answer(both, 200)}, {f.callback(both, 200), f.callback(late, 200)});
  CHECK(f.pending() == run_list{both.id, late.id});
  CHECK(f.pending(both.id) == run_list{late.id});
  CHECK(f.pending({}, 1) == run_list{both.id});
}

TEST_CASE("a kept log is read as it was stored, regardless of its length, and stored once", "[storage][keep]") {
  keeping_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.ended(7);
  CHECK_FALSE(f.read(run.id, 7));
  std::string text;
  const std::size_t wanted = GENERATE(0, 1, 65536, 65537, 300'000);
  while (text.size() < wanted)
    text += text.size() % 7 == 0 ? "完" : "x\n";
  CHECK(f.keep(run, text));
  CHECK(f.read(run.id, 7) == text);
  // A reused id, for a run of another job.
  CHECK_FALSE(f.read(run.id, 8));
  const auto begin = require(f.logs().read(run.id, core::job_id{7}, 70'000));
  REQUIRE(begin);
  CHECK(text.starts_with(begin->text));
  CHECK(begin->text.size() <= 2 * storage::log_piece_bytes);
  CHECK(begin->bytes == text.size());
  CHECK_FALSE(begin->cut);
  CHECK(f.pending().empty());
  CHECK(require(f.logs().bytes()) == static_cast<std::int64_t>(text.size()));
  CHECK(std::stoull(f.db->value("SELECT COALESCE(MAX(LENGTH(text)), 0) FROM rm_run_log")) <= storage::log_piece_bytes);
  CHECK_FALSE(f.keep(run, "again"));
  require(f.logs().give_up({&run.id, 1}));
  CHECK(f.read(run.id, 7) == text);
}

TEST_CASE("a cut log is marked as cut", "[storage][keep]") {
  keeping_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.ended(7);
  CHECK(f.keep(run, "begin", true));
  CHECK(require(f.logs().read(run.id, core::job_id{7}))->cut);
}

TEST_CASE("logs that were given up are no longer requested", "[storage][keep]") {
  keeping_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto first = f.ended(7), second = f.ended(8), third = f.ended(9);
  const run_list some{first.id, third.id};
  require(f.logs().give_up(some));
  require(f.logs().give_up({}));
  CHECK(f.pending() == run_list{second.id});
  CHECK_FALSE(f.keep(first, "late"));
  CHECK_FALSE(f.read(first.id, 7));
  CHECK(f.pieces() == "0");
}

TEST_CASE("the oldest kept logs are removed first, a few at a time", "[storage][keep]") {
  keeping_fixture f{GENERATE(from_range(backends_under_test()))};
  run_list runs;
  for (std::int32_t job = 1; job <= 4; ++job) {
    const auto run = f.ended(job);
    runs.push_back(run.id);
    if (job < 4)
      CHECK(f.keep(run, std::string(100, 'x')));
  }
  CHECK(require(f.logs().drop_oldest(150, 1)) == 100);
  CHECK(require(f.logs().drop_oldest(50, 16)) == 100);
  CHECK(require(f.logs().bytes()) == 100);
  CHECK_FALSE(f.read(runs[1], 2));
  CHECK(f.read(runs[2], 3));
  CHECK(f.pieces() == "3");
  CHECK(require(f.logs().remove_dropped(1)) == 1);
  CHECK(require(f.logs().remove_dropped(16)) <= 2);
  CHECK(require(f.logs().remove_dropped(16)) == 0);
  CHECK(f.pieces() == "1");
  CHECK(require(f.logs().drop_oldest(1'000, 16)) == 100);
  CHECK(require(f.logs().drop_oldest(1'000, 16)) == 0);
  CHECK(f.pending() == run_list{runs[3]});
}

TEST_CASE("removing a run removes its kept log, a piece at a time", "[storage][keep]") {
  keeping_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto gone = f.ended(7), stays = f.ended(9);
  for (const auto& run : {gone, stays})
    CHECK(f.keep(run, std::string(200'000, 'x')));
  f.db->exec("DELETE FROM rm_claim"); // runs of open claims stay
  SECTION("clearing") {
    core::clear_search search;
    search.job = core::job_id{7};
    std::optional<core::clear_place> place;
    for (bool first = true; first || place; first = false)
      place = require(f.store->run_reading().clear(search, place, 100, core::local_operator(), noon + 1h)).next;
  }
  SECTION("the removal of its job") {
    require(f.store->jobs().remove(core::job_id{7}, true, noon));
    require(f.store->jobs().remove_logs(core::job_id{7}, {}, 100));
  }
  SECTION("the age limit") {
    f.db->exec("UPDATE xxl_job_log SET trigger_time = '2020-01-01 00:00:00' WHERE id = " + text(gone.id));
    require(f.store->maintenance().purge({{core::log_id{}, stays.id}, noon - 1h, 100}));
  }
  SECTION("another program") {
    f.db->exec("DELETE FROM xxl_job_log WHERE id = " + text(gone.id));
    require(f.store->maintenance().forget_orphans(100));
    CHECK(require(f.store->maintenance().forget_orphans(100)) == 0);
  }
  CHECK(f.db->query("SELECT log_id FROM rm_kept_log WHERE state = 1") == table{{text(stays.id)}});
  CHECK_FALSE(f.read(gone.id, 7));
  CHECK(f.pieces() == "8");
  CHECK(require(f.logs().remove_dropped(3)) == 3);
  CHECK(f.pieces() == "5");
  CHECK(require(f.logs().remove_dropped(3)) == 1);
  CHECK(require(f.logs().remove_dropped(3)) == 0);
  CHECK(f.rows_of_ours() == "1");
  CHECK(f.read(stays.id, 9) == std::string(200'000, 'x'));
}
