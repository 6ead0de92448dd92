// T2 in shared mode: the check of the job (S3), and log rows as Java admins write them.

#include "core/run/trigger_note.hpp"
#include "tests/storage/reservation_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

/// One job with one reserved instant, at noon.
struct reserved_one : reservation_fixture {
  explicit reserved_one(const test_backend& backend) : reservation_fixture{backend} {
    db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) VALUES (1, 'app', 'App', 1, "
             "'http://10.0.0.9:9999/,http://10.0.0.8:9999/')");
    spec = add_shared(1, noon, "0 * * * * ?", {{"executor_fail_retry_count", "2"}});
    reserved = reserve(noon - 1s).intents;
    REQUIRE(reserved.size() == 1);
  }

  void change(const std::string& assignment) { db->exec("UPDATE xxl_job_info SET " + assignment); }

  core::job_ptr spec;
  std::vector<core::intent> reserved;
};

/// Returns the end of a text, up to 3.1 and since, in one form: `remark …`.
std::string end_of(const std::string& text) {
  if (const auto at = text.rfind("Trigger remark"); at != std::string::npos)
    return text.substr(at);
  const auto tail = text.substr(text.rfind("<br>code：") + std::string_view{"<br>code："}.size());
  const auto message = tail.find("<br>msg：");
  REQUIRE(message != std::string::npos);
  const auto code = tail.substr(0, message), said = tail.substr(message + std::string_view{"<br>msg："}.size());
  return "Trigger remark：" + (code == "200" ? "success" + said : code == "---" ? "pending" : "error, " + said);
}

} // namespace

TEST_CASE("a reserved instant is claimed once", "[storage]") {
  reserved_one f{GENERATE(from_range(shared_backends()))};
  auto first = f.claim(f.reserved, {f.spec});
  REQUIRE(first.runs.size() == 1);
  auto second = f.claim(f.reserved, {f.spec});
  CHECK(second.runs.empty());
  CHECK(second.lost_intents.size() == 1);
  CHECK(f.rows("xxl_job_log") == "1");
}

TEST_CASE("a node whose incarnation has ended claims no reserved instant", "[storage]") {
  reserved_one f{GENERATE(from_range(shared_backends()))};
  if (GENERATE(false, true))
    f.change("executor_param = 'y'"); // then it is decided under locks
  auto owner = f.me;
  auto other = f.db->open();
  SECTION("fenced") { REQUIRE(require(other->cluster().fence(require(other->cluster().nodes()).at(0)))); }
  SECTION("entered again") { require(other->cluster().enter("node-a", "x")); }
  SECTION("left") { require(other->cluster().leave(f.me)); }
  SECTION("never entered") { owner.node = "node-z"; }
  CHECK(error_of(f.try_claim(owner, f.reserved, {f.spec})) == core::errc::fenced);
  CHECK(f.rows("xxl_job_log") == "0");
  CHECK(f.rows("rm_claim") == "0");
  CHECK(f.rows("rm_intent", "state = 0") == "1");
}

TEST_CASE("a job that has changed since its reservation is not claimed", "[storage]") {
  reserved_one f{GENERATE(from_range(shared_backends()))};
  const auto edit = GENERATE(as<std::string>{}, "trigger_status = 0, trigger_next_time = 0, trigger_last_time = 0",
                             "schedule_conf = '0 */5 * * * ?'", "schedule_type = 'FIX_RATE'", "schedule_conf = NULL",
                             "trigger_next_time = 1709265600000", "trigger_next_time = 0", "trigger_status = 0");
  CAPTURE(edit);
  f.change(edit);
  auto outcome = f.claim(f.reserved, {f.spec});
  CHECK(outcome.runs.empty());
  CHECK(outcome.dropped_intents == std::vector{f.reserved[0].id});
  CHECK(outcome.lost_intents.empty());
  CHECK(f.rows("rm_intent") == "0"); // so that another scheduler that takes the instant again can insert it
  CHECK(f.rows("xxl_job_log") == "0");
}

TEST_CASE("the instants of a deleted job are deleted", "[storage]") {
  reserved_one f{GENERATE(from_range(shared_backends()))};
  f.db->exec("DELETE FROM xxl_job_info");
  auto outcome = f.claim(f.reserved, {f.spec});
  CHECK(outcome.lost_intents.size() == 1);
  CHECK(f.rows("rm_intent") == "0");
}

TEST_CASE("the definition is that at the claim, including the latest edit", "[storage]") {
  reserved_one f{GENERATE(from_range(shared_backends()))};
  const auto edit = GENERATE(as<std::string>{}, "executor_handler = 'other'", "executor_param = 'y'", "job_group = 2",
                             "executor_route_strategy = 'LAST'", "executor_timeout = 7", "executor_fail_retry_count = 0",
                             "executor_block_strategy = 'COVER_EARLY'", "child_jobid = '9'", "glue_type = 'GLUE_SHELL'",
                             "glue_updatetime = '2024-01-01 00:00:01'");
  CAPTURE(edit);
  f.change(edit);
  auto outcome = f.claim(f.reserved, {f.spec});
  CHECK(outcome.runs.empty());
  CHECK(outcome.stale_intents == std::vector{f.reserved[0].id});
  CHECK(f.rows("rm_intent", "state = 0") == "1");
  CHECK(f.claim(f.reserved).runs.size() == 1); // read again
}

TEST_CASE("the last instant of a schedule is claimed although its job has stopped", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "0 0 12 1 3 ? 2024");
  auto reserved = f.reserve(noon - 5s).intents;
  REQUIRE(f.schedule_of(1) == "0 0 -");
  CHECK(f.claim(reserved).runs.size() == 1);
}

TEST_CASE("log rows are as Java admins write them", "[storage]") {
  const auto backend = GENERATE(from_range(shared_backends()));
  const bool early = backend.generation != 0 && backend.generation <= 5;
  reserved_one f{backend};
  auto run = f.claim(f.reserved, {f.spec}).runs.at(0);
  auto text_of = [&] { return f.row(run.id).trigger_msg; };
  CHECK(f.rows("xxl_job_log", "handle_time IS NULL AND handle_msg IS NULL") == "1");
  const std::string head =
    "Job trigger type：Cron trigger<br>Trigger machine address：10.0.0.1<br>Execotor-Registry Type：Manual registration"
        "<br>Execotor-Registry Address：[http://10.0.0.9:9999/, http://10.0.0.8:9999/]<br>Route Strategy：First<br>Block "
        "Strategy：Serial execution<br>Job timeout period：0<br>Fail Retry Count：2<br><br><span style=\"color:#00c0ef;\" > "
        ">>>>>>>>>>>Trigger Job<<<<<<<<<<< </span><br>";
  CHECK(text_of() == head + (early ? "Trigger Job：<br>address：http://10.0.0.9:9999/<br>code：---<br>msg："
                                   : "<br>Executor address：http://10.0.0.9:9999/<br>JobHandler：demoJobHandler<br>"
                                     "Job parameter：x=1<br>Trigger remark：pending"));
  auto results = f.results();
  results.shared = true;
  SECTION("accepted") {
    results.triggers.push_back(f.answer(run, 200));
    require(f.firings().record(results, noon));
    CHECK(end_of(text_of()) == "Trigger remark：success");
    // A second answer finds the row resolved.
    require(f.firings().record(results, noon));
    CHECK(end_of(text_of()) == "Trigger remark：success");
  }
  SECTION("accepted and done") {
    results.triggers.push_back(f.answer(run, 200));
    results.callbacks.push_back(f.callback(run, 200, "ok"));
    require(f.firings().record(results, noon));
    CHECK(end_of(text_of()) == "Trigger remark：success");
    CHECK(f.row(run.id).handle_msg == "ok");
  }
  SECTION("done without a message") {
    results.triggers.push_back(f.answer(run, 200));
    require(f.firings().record(results, noon));
    results.triggers.clear();
    results.callbacks.push_back(f.callback(run, 200, ""));
    require(f.firings().record(results, noon));
    CHECK(f.rows("xxl_job_log", "handle_time IS NOT NULL AND LENGTH(handle_msg) = 0 AND handle_code = 200") == "1");
  }
  SECTION("refused: the retry is noted, and only one side makes it") {
    results.triggers.push_back(f.answer(run, 500, core::refusal_message("<busy>")));
    auto outcome = require(f.firings().record(results, noon));
    CHECK(outcome.intents.size() == 1);
    CHECK(end_of(text_of()) == std::string{"Trigger remark：error, &lt;busy&gt;<br><br><span style=\"color:"} +
                                 (early ? "#F39C12" : "#00c0ef") + ";\" > >>>>>>>>>>>Fail retry trigger<<<<<<<<<<< </span><br>");
    CHECK(f.row(run.id).alarm_status == 1);
  }
  SECTION("delivery unknown: nothing that Java's fail monitor would retry") {
    results.triggers.push_back(f.answer(run, 500, "unknown"));
    results.triggers[0].delivery_unknown = true;
    CHECK(require(f.firings().record(results, noon)).intents.empty());
    CHECK(f.row(run.id).fail_retry_count == 0);
    CHECK(end_of(text_of()) == "Trigger remark：error, unknown");
  }
  SECTION("failed when it ran") {
    results.triggers.push_back(f.answer(run, 200));
    results.callbacks.push_back(f.callback(run, 500, "boom"));
    CHECK(require(f.firings().record(results, noon)).intents.size() == 1);
    CHECK(text_of().find(early ? "<br>code：200<br>msg：<br><br><span" : "Trigger remark：success<br><br><span") !=
          std::string::npos);
  }
  SECTION("a note of native mode keeps its form") {
    f.db->exec("UPDATE xxl_job_log SET trigger_msg = 'rm1;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;2;'");
    results.triggers.push_back(f.answer(run, 500, core::refusal_message("<busy>")));
    require(f.firings().record(results, noon));
    CHECK(text_of().starts_with("rm1;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;2;refused: <busy>"));
  }
  SECTION("abandoned") {
    f.db->exec("DELETE FROM rm_claim");
    for (int round = 0; round < 3; ++round)
      require(f.firings().fail_abandoned(noon + std::chrono::minutes{10 + 2 * round}, 100));
    CHECK(end_of(text_of()).starts_with("Trigger remark：error, abandoned"));
  }
}

TEST_CASE("a text in another character set is closed, too", "[storage]") {
  reserved_one f{GENERATE(from_range(shared_backends()))};
  f.db->exec("ALTER TABLE xxl_job_log MODIFY trigger_msg TEXT CHARACTER SET gbk");
  f.store = f.db->open();
  f.me = require(f.store->cluster().enter("node-a", "here"));
  auto results = f.results();
  results.shared = true;
  const auto run = f.claim(f.reserved, {f.spec}).runs.at(0);
  results.triggers.push_back(f.answer(run, 200));
  require(f.firings().record(results, noon));
  CHECK(end_of(f.row(run.id).trigger_msg) == "Trigger remark：success");
}

TEST_CASE("our own edits take the lock, and start after what Java admins have in memory", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  auto set = pay_set();
  set.jobs[0].schedule_conf = "*/1 * * * * ?";
  CHECK(f.apply(set, false, noon) == "+++");
  const auto id = std::stoi(f.id_of(set.jobs[0].key));
  CHECK(f.schedule_of(id) == "1 - 6"); // from noon + 5 s
  REQUIRE_FALSE(f.reserve(noon + 6s).intents.empty());
  set.jobs[0].enabled = false;
  f.apply(set, false, noon + 6s);
  CHECK(f.schedule_of(id) == "0 - -");
  CHECK(f.rows("rm_intent", "state = 0") == "0");
  set.jobs[0].enabled = true;
  f.apply(set, false, noon + 6s);
  CHECK(f.schedule_of(id) == "1 - 13"); // 12 was reserved before
  f.db->exec("START TRANSACTION");
  (void) f.db->query("SELECT * FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE");
  set.jobs[0].schedule_conf = "*/2 * * * * ?";
  CHECK(error_of(f.try_apply(set)) == core::errc::unavailable); // a Java admin is planning
  f.db->exec("ROLLBACK");
}
