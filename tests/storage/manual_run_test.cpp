// Manual runs and their intents, on every backend.

#include "tests/storage/edit_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

TEST_CASE("a manual run waits with its parameter and addresses, once", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{}, {{"executor_fail_retry_count", "2"}});
  const core::manual_trigger request{
    seven, core::trigger_kind::api, "day=1", {" http://10.0.0.1:9999/ ,http://10.0.0.2:9999/", ""}, 17};
  const auto intent = require(f.jobs().trigger(request, noon));
  CHECK(require(f.jobs().trigger(request, noon + 5s)).id == intent.id); // the answer was lost
  const auto waiting = require(f.firings().waiting_intents(noon, 10));
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].id == intent.id);
  CHECK(waiting[0].kind == core::trigger_kind::api);
  CHECK(waiting[0].job == seven);
  CHECK(core::number(waiting[0].origin) == -17);
  CHECK(waiting[0].param == "day=1");
  CHECK(waiting[0].addresses == std::vector<std::string>{"http://10.0.0.1:9999/", "http://10.0.0.2:9999/"});
  CHECK(waiting[0].retry_left == 2);
  CHECK(require(f.jobs().runs_of(intent.id)).waiting);
  const auto run = f.claim_intent(waiting[0]);
  const auto came = require(f.jobs().runs_of(intent.id));
  CHECK_FALSE(came.waiting);
  CHECK(came.runs == std::vector{run.id});
  // Its intent is forgotten before its run has ended: the run still answers.
  f.db->exec("DELETE FROM rm_intent");
  CHECK(require(f.jobs().runs_of(intent.id)).runs == std::vector{run.id});
  CHECK(f.row(run.id).executor_param == "day=1");
  // An empty parameter is a parameter; without one the job's own counts.
  CHECK(f.ask(7, {}, "").param == "");
  CHECK_FALSE(f.ask(7).param);
}

TEST_CASE("a known token with another parameter or other addresses runs nothing", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7);
  f.add_job(8);
  core::manual_trigger request{seven, core::trigger_kind::api, "day=1", {"http://10.0.0.1:9999/"}, 17};
  const auto intent = require(f.jobs().trigger(request, noon));
  auto other_param = request;
  other_param.param = "day=2";
  auto own_param = request;
  own_param.param.reset();
  auto other_address = request;
  other_address.addresses = {"http://10.0.0.2:9999/"};
  auto no_address = request;
  no_address.addresses.clear();
  const auto check = [&] {
    for (const auto& other : {other_param, own_param, other_address, no_address}) {
      // Another node, or this one after a restart.
      const auto refused = f.db->open()->jobs().trigger(other, noon + 5s);
      REQUIRE(error_of(refused) == core::errc::conflict);
      CHECK(refused.error().context.find("job 7 was already triggered with this key") == 0);
    }
    request.addresses = {" http://10.0.0.1:9999/,"}; // the same addresses in another form
    CHECK(require(f.jobs().trigger(request, noon + 5s)).id == intent.id);
    CHECK(f.db->value("SELECT count(*) FROM rm_intent") == "1");
    CHECK(f.db->value("SELECT count(*) FROM rm_audit WHERE action = 'trigger'") == "1");
  };
  check();
  f.claim_intent(intent);
  check(); // it is known until it is swept

  auto neighbour = other_param;
  neighbour.job = core::job_id{8};
  CHECK(require(f.jobs().trigger(neighbour, noon)).id != intent.id);
}

TEST_CASE("users who may see the job can read the result of a manual run", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  const auto viewer_of = [](std::int32_t group) {
    return core::principal{core::user_id{5}, "vera", false, {{core::group_id{group}, core::group_right::viewer}}};
  };
  const auto intent = f.ask(7);
  CHECK(require(f.jobs().runs_of(intent.id, viewer_of(1))).waiting);
  CHECK(error_of(f.jobs().runs_of(intent.id, viewer_of(2))) == core::errc::forbidden);
  CHECK(error_of(f.jobs().runs_of(core::intent_id{4711}, viewer_of(1))) == core::errc::not_found);

  // The present group of the job.
  f.db->exec("UPDATE xxl_job_info SET job_group = 2 WHERE id = 7");
  CHECK(error_of(f.jobs().runs_of(intent.id, viewer_of(1))) == core::errc::forbidden);
  CHECK(require(f.jobs().runs_of(intent.id, viewer_of(2))).waiting);
  f.db->exec("UPDATE xxl_job_info SET job_group = 1 WHERE id = 7");
  const auto run = f.claim_intent(intent);

  // Without the job the group of the run counts; without both only administrators.
  f.db->exec("DELETE FROM xxl_job_info WHERE id = 7");
  CHECK(require(f.jobs().runs_of(intent.id, viewer_of(1))).runs == std::vector{run.id});
  CHECK(error_of(f.jobs().runs_of(intent.id, viewer_of(2))) == core::errc::forbidden);
  f.db->exec("DELETE FROM xxl_job_log");
  CHECK(error_of(f.jobs().runs_of(intent.id, viewer_of(1))) == core::errc::forbidden);
  CHECK(require(f.jobs().runs_of(intent.id)).runs == std::vector{run.id});
}

TEST_CASE("an intent that is not a manual run is not found", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  f.db->exec("INSERT INTO rm_intent (id, kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, created_ms) VALUES "
             "(90, 'cron', 7, 1000, 0, 0, 0, 0, 1), (91, 'retry', 7, 0, 3, 0, 0, 0, 1)");
  CHECK(error_of(f.jobs().runs_of(core::intent_id{90})) == core::errc::not_found);
  CHECK(error_of(f.jobs().runs_of(core::intent_id{91})) == core::errc::not_found);
}

TEST_CASE("an intent whose job was removed is gone", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  const auto intent = f.ask(7);
  require(f.jobs().remove(seven, true, noon));
  CHECK(error_of(f.jobs().runs_of(intent.id)) == core::errc::not_found);
}

TEST_CASE("CVE-2024-24113: non-administrators send runs only to executors of the group", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  f.db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) VALUES "
             "(1, 'pay', 'Pay', 1, 'http://10.0.0.1:9999/, http://10.0.0.2:9999'), "
             "(2, 'mail', 'Mail', 1, 'http://10.0.0.8:9999/')");
  f.db->exec("INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) VALUES "
             "('EXECUTOR', 'pay', 'http://10.0.0.3:9999/', '2024-03-01 12:00:00'), "
             "('EXECUTOR', 'mail', 'http://10.0.0.9:9999/', '2024-03-01 12:00:00'), "
             "('OTHER', 'pay', 'http://10.0.0.7:9999/', '2024-03-01 12:00:00')");
  auto asked = [&](std::vector<std::string> addresses, const core::principal& by) {
    return f.jobs().trigger({seven, core::trigger_kind::manual, {}, std::move(addresses), --f.token}, noon, by);
  };
  for (const auto right : {core::group_right::operate, core::group_right::editor}) {
    const core::principal tom{core::user_id{5}, "tom", false, {{core::group_id{1}, right}, {core::group_id{2}, right}}};
    const auto before = picture(*f.db);
    for (const char* address :
         {"http://evil:80/", "http://10.0.0.1:9999/x", "http://10.0.0.8:9999/", "http://10.0.0.9:9999/", "http://10.0.0.7:9999/",
          "http://10.0.0.1:9999//", "http://10.0.0.1", "http://10.0.0.1:9999@evil/"})
      CHECK(error_of(asked({"http://10.0.0.1:9999/", address}, tom)) == core::errc::forbidden);
    CHECK(picture(*f.db) == before);
    require(asked({}, tom));
    const auto intent =
      require(asked({"http://10.0.0.1:9999", "http://10.0.0.2:9999/", "http://10.0.0.3:9999/"}, tom));
    CHECK(intent.addresses.size() == 3);
  }
  require(asked({"http://evil:80/"}, core::local_operator()));
}

TEST_CASE("a manual run with a value that does not fit a column is refused", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7);
  auto refused = [&](std::optional<std::string> param, std::vector<std::string> addresses) {
    return error_of(f.jobs().trigger({seven, core::trigger_kind::manual, std::move(param), std::move(addresses), -1}, noon));
  };
  CHECK(refused(std::string(65536, 'x'), {}) == core::errc::invalid_argument);
  CHECK(refused("\xff", {}) == core::errc::invalid_argument);
  CHECK(refused(std::nullopt, {"10.0.0.1"}) == core::errc::invalid_argument);
  CHECK(refused(std::nullopt, {"http://" + std::string(255, 'h')}) == core::errc::invalid_argument);
  CHECK(error_of(f.jobs().trigger({core::job_id{99}, core::trigger_kind::manual, {}, {}, -1}, noon)) == core::errc::not_found);
  CHECK(f.rows("rm_intent") == "0");
}

TEST_CASE("the retry of a run with given addresses keeps them, and so does the next one", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{}, {{"executor_fail_retry_count", "2"}});
  const std::vector<std::string> asked{"http://10.0.0.1:9999/", "http://10.0.0.2:9999/"};
  auto run = f.claim_intent(f.ask(7, asked));
  // Long after its intent was forgotten.
  run = [&] {
    auto retries = f.record({f.answer(run, 500, "refused")}, {}).intents;
    REQUIRE(retries.size() == 1);
    CHECK(retries[0].kind == core::trigger_kind::retry);
    CHECK(retries[0].addresses == asked);
    CHECK(require(f.firings().waiting_intents(noon + 1h, 10)).at(0).addresses == asked);
    return f.claim_intent(retries[0]);
  }();
  f.record({f.answer(run, 200)}, {});
  require(f.store->maintenance().forget_taken_intents(noon + 1h, 100));
  f.db->exec("DELETE FROM rm_intent");
  const auto retries = f.record({}, {f.callback(run, 500, "failed")}).intents;
  REQUIRE(retries.size() == 1);
  CHECK(retries[0].addresses == asked);
}

TEST_CASE("the runs of an intent are forgotten with it, unless a retry may need the addresses", "[storage][edits]") {
  edit_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  const auto plain = f.claim_intent(f.ask(7));
  const auto open = f.claim_intent(f.ask(7, {"http://10.0.0.1:9999/"}));
  const auto done = f.claim_intent(f.ask(7, {"http://10.0.0.1:9999/"}));
  f.record({f.answer(plain, 200), f.answer(open, 200), f.answer(done, 200)}, {f.callback(done, 200)});
  require(f.store->maintenance().forget_taken_intents(noon + 1h, 100));
  CHECK(f.db->query("SELECT log_id FROM rm_asked_run WHERE intent > 0") == table{{text(open.id)}});
  CHECK(f.db->query("SELECT log_id FROM rm_asked_run WHERE addresses IS NOT NULL") == table{{text(open.id)}});
}

TEST_CASE("a manual run whose parameter an old schema's log would cut is refused", "[storage][edits]") {
  if (const auto reason = mariadb_server::unavailable_reason())
    return skip(*reason);
  edit_fixture f{mysql_backend()};
  f.add_job(7);
  for (const char* table : {"xxl_job_info", "xxl_job_log"})
    f.db->exec(std::string{"ALTER TABLE "} + table + " MODIFY executor_param VARCHAR(512)");
  auto narrow = f.db->open(); // widths are read with the connection
  auto ask = [&](std::size_t bytes) {
    return narrow->jobs().trigger({seven, core::trigger_kind::manual, std::string(bytes, 'x'), {}, --f.token}, noon);
  };
  CHECK(error_of(ask(513)) == core::errc::invalid_argument);
  CHECK(f.rows("rm_intent") == "0");
  CHECK(require(ask(512)).param->size() == 512);
}
