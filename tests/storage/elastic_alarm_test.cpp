// Alarms of elastic jobs: decided with the writes of coordinators, taken and finished as those of other jobs.

#include "core/alarm/open_alarm.hpp"
#include "tests/storage/elastic_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using elastic::alarm_cause;
using enum elastic::write_outcome;

namespace {

struct alarmed_fixture : elastic_fixture {
  explicit alarmed_fixture(const test_backend& backend) : elastic_fixture{backend} {
    db->exec("UPDATE ej_job SET alarm_email = 'a@x.example'");
  }

  void add_rule(const std::string& columns, const std::string& values) {
    db->exec("INSERT INTO rm_alarm (rule_key, source, channels, mail_to, attempts, " + columns +
             ") VALUES ('r', 's', 'ops', '', 'every_attempt', " + values + ")");
  }

  /// Opens and ends a run of the item.
  elastic::item_run_id ended(std::int32_t item, std::int64_t fence, std::optional<alarm_cause> cause, bool ends_alarm = false) {
    const auto run = write_item(item, grant(fence)).run;
    elastic::item_write write{job, elastic::item_number{item}, end_of(run, fence + 1, cause)};
    write.report.message = cause ? "no disk" : "";
    write.ends_alarm = ends_alarm;
    REQUIRE(this->write({write}).at(0).outcome == done);
    return run;
  }
  static elastic::action::write_end end_of(elastic::item_run_id run, std::int64_t fence, std::optional<alarm_cause> cause) {
    return {run, elastic::fence_number{fence}, cause ? elastic::item_run_end::error : elastic::item_run_end::finished, {}, cause};
  }

  std::vector<core::pending_alarm> take(bool again = false) { return take_as(me, again); }
  std::vector<core::pending_alarm> take_as(const core::node_incarnation& who, bool again = false) {
    return require(store->alarms().take(who, again, noon + 1min, 100));
  }
  void finish(const core::pending_alarm& alarm, bool await_recovery) {
    const core::alarm_end end{alarm.id, core::alarm_status::sent, await_recovery};
    require(store->alarms().finish(me, {&end, 1}));
  }
  std::string alarms() { return db->value("SELECT COUNT(*) FROM ej_alarm"); }
  std::string open_rows() { return db->value("SELECT COUNT(*) FROM ej_alarm_open"); }
};

} // namespace

TEST_CASE("a failed item run has its alarm from the transaction that ends it", "[storage][alarms][elastic]") {
  alarmed_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.ended(1, 0, alarm_cause::error);
  // The answer was lost, and the same write comes again.
  CHECK(f.write_item(1, alarmed_fixture::end_of(run, 1, alarm_cause::error)).outcome == repeated);
  const auto taken = f.take();
  REQUIRE(taken.size() == 1);
  const auto& alarm = taken[0];
  CHECK(alarm.kind == core::alarm_kind::failure);
  CHECK(alarm.since == noon);
  REQUIRE(alarm.elastic);
  CHECK(alarm.elastic->job == f.job);
  CHECK(alarm.elastic->cause == alarm_cause::error);
  CHECK(alarm.elastic->item == elastic::item_number{1});
  CHECK(alarm.elastic->run == run);
  CHECK(alarm.elastic->fire == noon);
  CHECK(alarm.elastic->host == "h1");
  CHECK(alarm.elastic->attempt == 1);
  CHECK(alarm.elastic->message == "no disk");
  REQUIRE(alarm.about);
  CHECK(alarm.about->name == "sums");
  CHECK(alarm.about->app_name == "elastic");
  CHECK(alarm.about->group_title == "Elastic");
  CHECK(alarm.about->alarm_email == "a@x.example");
  f.finish(alarm, false);
  CHECK(f.alarms() == "0");
  CHECK(f.open_rows() == "0");
}

TEST_CASE("an elastic job without recipients has no alarms", "[storage][alarms][elastic]") {
  alarmed_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("UPDATE ej_job SET alarm_email = ''");
  f.ended(0, 0, alarm_cause::error);
  CHECK(f.alarms() == "0");
  CHECK(f.open_rows() == "0");
}

TEST_CASE("rules match elastic jobs by group, name and kind", "[storage][alarms][elastic]") {
  alarmed_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("UPDATE ej_job SET alarm_email = ''");
  bool told = true;
  SECTION("its name") { f.add_rule("app_name, job_key, recovered", "'elastic', 'sums', 0"); }
  SECTION("its group") { f.add_rule("app_name, job_key, recovered", "'elastic', '', 0"); }
  SECTION("every job") { f.add_rule("app_name, job_key, recovered", "'', '', 0"); }
  SECTION("its kind") { f.add_rule("app_name, job_key, recovered, kinds", "'', '', 0, 'ej_late,ej_fail'"); }
  SECTION("another name") {
    f.add_rule("app_name, job_key, recovered", "'elastic', 'more', 0");
    told = false;
  }
  SECTION("another kind") {
    f.add_rule("app_name, job_key, recovered, kinds", "'elastic', 'sums', 0, 'ej_late'");
    // The job's own addresses are part of what the rule says, too.
    f.db->exec("UPDATE ej_job SET alarm_email = 'a@x.example'");
    told = false;
  }
  f.ended(0, 0, alarm_cause::time_limit);
  const auto taken = f.take();
  REQUIRE(taken.size() == (told ? 1 : 0));
  if (told)
    CHECK(taken[0].about->rule->key == "r");
}

TEST_CASE("an alarm of an elastic job is taken by one incarnation, and again after its end", "[storage][alarms][elastic]") {
  alarmed_fixture f{GENERATE(from_range(backends_under_test()))};
  f.ended(0, 0, alarm_cause::error);
  const auto first = f.take();
  REQUIRE(first.size() == 1);
  CHECK(f.take().empty());
  CHECK(f.take(true).size() == 1);
  CHECK(f.take_as(f.other).empty());
  const core::alarm_end foreign{first[0].id};
  require(f.store->alarms().finish(f.other, {&foreign, 1}));
  CHECK(f.alarms() == "1");
  require(f.store->cluster().leave(f.me));
  CHECK(error_of(f.store->alarms().take(f.me, false, noon + 1min, 100)) == core::errc::fenced);
  const auto second = f.take_as(f.other);
  REQUIRE(second.size() == 1);
  CHECK(second[0].id == first[0].id);
}

TEST_CASE("an alarm is first left to the node that has the job's slot", "[storage][alarms][elastic]") {
  alarmed_fixture f{GENERATE(from_range(backends_under_test()))};
  f.ended(0, 0, alarm_cause::error);
  const auto mine = require(f.store->alarms().take(f.me, false, noon + 1s, 100)).size();
  const auto others = require(f.store->alarms().take(f.other, false, noon + 1s, 100)).size();
  CHECK(mine + others == 1);
}

TEST_CASE("a success after a sent alarm is a recovery, once", "[storage][alarms][elastic]") {
  alarmed_fixture f{GENERATE(from_range(backends_under_test()))};
  f.ended(0, 0, alarm_cause::error);
  const auto failed = f.take();
  REQUIRE(failed.size() == 1);
  elastic::item_run_id good{};
  SECTION("the alarm is sent first") {
    f.finish(failed[0], true);
    CHECK(require(f.ej().read_job(f.job)).alarmed == std::vector{elastic::item_number{0}});
    f.ended(2, 0, std::nullopt, true); // another item
    CHECK(f.alarms() == "0");
    good = f.ended(0, 1, std::nullopt, true);
  }
  SECTION("the success is first") {
    good = f.ended(0, 1, std::nullopt, true);
    CHECK(require(f.ej().read_job(f.job)).alarmed.empty());
    f.finish(failed[0], true);
  }
  const auto recovered = f.take();
  REQUIRE(recovered.size() == 1);
  CHECK(recovered[0].kind == core::alarm_kind::recovery);
  CHECK_FALSE(recovered[0].elastic->cause);
  CHECK(recovered[0].elastic->item == elastic::item_number{0});
  CHECK(recovered[0].elastic->run == good);
  f.finish(recovered[0], false);
  CHECK(f.open_rows() == "0");
  f.ended(0, 2, std::nullopt, true);
  CHECK(f.alarms() == "0");
}

TEST_CASE("a failure after a success keeps the alarm open until the next success", "[storage][alarms][elastic]") {
  alarmed_fixture f{GENERATE(from_range(backends_under_test()))};
  f.ended(0, 0, alarm_cause::error);
  const auto failed = f.take();
  f.ended(0, 1, std::nullopt, true);
  f.ended(0, 2, alarm_cause::error);
  f.finish(failed.at(0), true);
  const auto second = f.take();
  REQUIRE(second.size() == 1);
  CHECK(second[0].kind == core::alarm_kind::failure);
  f.finish(second[0], false); // it could not be sent: the first one was
  CHECK(f.open_rows() == "1");
  f.ended(0, 3, std::nullopt, true);
  CHECK(f.take().at(0).kind == core::alarm_kind::recovery);
}

TEST_CASE("alarms of a fire are stored if the fire is, and an alarm of its own once", "[storage][alarms][elastic]") {
  alarmed_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto next = require(f.ej().read_job(f.job)).job.next.value();
  const auto seen = require(f.ej().last_revision());
  auto fire = f.fire(next, seen, {0});
  fire.alarms = {{alarm_cause::late, elastic::whole_job, {}, next, 6000, noon}};
  auto lost = fire;
  lost.move->expected_next += 1s;
  lost.fires[0].key.at += 1s;
  CHECK(f.write({lost}).at(0).outcome == guard_lost);
  CHECK(f.alarms() == "0");
  CHECK(f.write({fire}).at(0).outcome == done);
  CHECK(f.write({fire}).at(0).outcome == repeated);
  CHECK(f.alarms() == "1");
  const elastic::alarm_write waits{f.job, {alarm_cause::waits, elastic::item_number{1}, {}, {}, 2, noon}};
  CHECK(f.write({waits}).at(0).outcome == done);
  CHECK(f.write({waits}).at(0).outcome == done);
  auto batch = f.batch({elastic::alarm_write{f.job, {alarm_cause::takeovers, elastic::whole_job, {}, {}, 3, noon}}});
  ++batch.leases[0].epoch;
  CHECK(require(f.ej().write(batch, noon)).at(0).outcome == fenced);
  const auto taken = f.take();
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].elastic->cause == alarm_cause::late);
  CHECK(taken[0].elastic->item == elastic::whole_job);
  CHECK(taken[0].elastic->amount == 6000);
  CHECK(taken[0].elastic->fire == next);
  CHECK(taken[1].elastic->cause == alarm_cause::waits);
  CHECK(taken[1].elastic->item == elastic::item_number{1});
  // A success of any item ends the alarm of the whole job.
  for (const auto& each : taken)
    f.finish(each, true);
  CHECK(f.open_rows() == "2");
  f.ended(2, 0, std::nullopt, true);
  CHECK(f.open_rows() == "1");
  const auto recovered = f.take();
  REQUIRE(recovered.size() == 1);
  CHECK(recovered[0].elastic->item == elastic::whole_job);
}

TEST_CASE("open alarms of elastic jobs are listed with the others", "[storage][alarms][elastic]") {
  alarmed_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.ended(1, 0, alarm_cause::lost);
  const auto listed = [&] { return require(f.store->searches().open_alarms(core::open_alarms_max, core::local_operator())); };
  auto found = listed();
  REQUIRE(found.rows.size() == 1);
  const auto& row = found.rows[0];
  CHECK(row.elastic == core::elastic_subject{f.job, alarm_cause::lost, elastic::item_number{1}, run});
  CHECK(row.job_name == "sums");
  CHECK(row.group == core::group_id{7});
  CHECK(row.group_title == "Elastic");
  CHECK(row.since == noon);
  CHECK_FALSE(row.node);
  f.take();
  CHECK(listed().rows.at(0).node == f.me.node);
  f.db->exec("DELETE FROM ej_job");
  CHECK_FALSE(listed().rows.at(0).job_name);
}

TEST_CASE("a removed elastic job has no open alarms, and the message of its last one needs no job",
          "[storage][alarms][elastic]") {
  alarmed_fixture f{GENERATE(from_range(backends_under_test()))};
  f.ended(0, 0, alarm_cause::error);
  require(f.ej().remove(f.job, 1, noon, core::local_operator()));
  CHECK(f.open_rows() == "0");
  const auto taken = f.take();
  REQUIRE(taken.size() == 1);
  CHECK_FALSE(taken[0].about);
}
