// The reads of `ringmaster export`, on every backend.

#include <algorithm>

#include "tests/storage/deploy_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;

namespace {

/// Returns the result of `use(view)`.
template <class Use>
auto seen(storage::store& store, Use use) {
  std::invoke_result_t<Use&, storage::export_view&> out = core::fail(core::errc::internal, "not called");
  const auto done = store.exports().look([&](storage::export_view& view) -> core::result<void> {
    out = use(view);
    return {};
  });
  REQUIRE(done);
  return require(std::move(out));
}

std::vector<core::job_record> all_jobs(storage::store& store) {
  return seen(store, [](storage::export_view& view) { return view.jobs_after(core::job_id{}, 1000); });
}

core::declared_set with_everything() {
  auto set = pay_set();
  set.groups.push_back({"mail", "Mail", std::vector<std::string>{"http://10.0.0.1:9999/", "http://10.0.0.2:9999/"}});
  auto& job = set.jobs[0];
  job.alarm_email = "ann@example.org";
  job.misfire = core::misfire_policy::fire_once_now;
  job.route = core::route_strategy::failover;
  job.block = core::block_strategy::cover_early;
  job.on_unknown = core::unknown_policy::skip;
  job.timeout_s = 30;
  job.retry_count = 2;
  job.params = "a\n\"b\"";
  job.timing = {"Europe/Berlin", std::nullopt, core::from_ms(1'000'000), core::from_ms(253'402'300'000'000), 7};
  job.children = {{"", "report"}};
  job.enabled = false;
  core::declared_alarm alarm;
  alarm.rule.key = "on-call";
  alarm.rule.group = "pay";
  set.alarms.push_back(alarm);
  return set;
}

} // namespace

TEST_CASE("an export contains everything that a file declared", "[storage][export]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto set = with_everything();
  f.apply(set);
  const auto jobs = all_jobs(*f.store);
  REQUIRE(jobs.size() == 2);
  const auto& held = jobs[0];
  const auto& wanted = set.jobs[0];
  CHECK(held.key == "settle");
  CHECK(held.source == "pay.toml");
  CHECK(held.name == wanted.name);
  CHECK(held.author == wanted.author);
  CHECK(held.alarm_email == wanted.alarm_email);
  CHECK(held.schedule_type == "CRON");
  CHECK(held.schedule_conf == wanted.schedule_conf);
  CHECK(held.misfire == "FIRE_ONCE_NOW");
  CHECK(held.route == "FAILOVER");
  CHECK(held.block == "COVER_EARLY");
  CHECK(held.on_unknown == core::unknown_policy::skip);
  CHECK(held.timeout_s == 30);
  CHECK(held.retry_count == 2);
  CHECK(held.handler == wanted.handler);
  CHECK(held.param == wanted.params);
  CHECK(held.glue_type == "BEAN");
  CHECK(held.timing == wanted.timing);
  CHECK(held.children == f.id_of("report"));
  CHECK_FALSE(held.running);
  CHECK(jobs[1].running);
  CHECK(jobs[1].timing.empty());

  const auto groups = seen(*f.store, [](auto& view) { return view.groups(); });
  const auto mail = std::find_if(groups.begin(), groups.end(), [](const auto& each) { return each.app_name == "mail"; });
  REQUIRE(mail != groups.end());
  CHECK(mail->source == "pay.toml");
  CHECK(mail->type == core::address_type::manual);
  CHECK(mail->addresses == "http://10.0.0.1:9999/,http://10.0.0.2:9999/");
  const auto alarms = seen(*f.store, [](auto& view) { return view.alarms(); });
  REQUIRE(alarms.size() == 1);
  CHECK(alarms[0].rule == set.alarms[0].rule);
  CHECK(alarms[0].source == "pay.toml");
}

TEST_CASE("an export reads jobs by id, and in pages", "[storage][export]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  for (int i = 0; i < 20; ++i)
    set.jobs.push_back(declared_job_of("pay", "more-" + std::to_string(i)));
  f.apply(set);
  const auto all = all_jobs(*f.store);
  REQUIRE(all.size() == 22);
  CHECK(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; }));
  const auto page = seen(*f.store, [&](auto& view) { return view.jobs_after(all[4].id, 3); });
  REQUIRE(page.size() == 3);
  CHECK(page[0].id == all[5].id);
  const std::vector<core::job_id> wanted{all[9].id, all[2].id, all[17].id};
  auto some = seen(*f.store, [&](auto& view) { return view.jobs(wanted); });
  std::sort(some.begin(), some.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  REQUIRE(some.size() == 3);
  CHECK(some[0].key == all[2].key);
  CHECK(some[2].key == all[17].key);
  CHECK(seen(*f.store, [](auto& view) { return view.jobs({}); }).empty());
}

TEST_CASE("an export sees one moment", "[storage][export]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  f.apply(pay_set());
  const auto other = f.db->open();
  const auto now = seen(*f.store, [&](storage::export_view& view) {
    const auto before = require(view.jobs_after(core::job_id{}, 10));
    auto later = pay_set();
    later.jobs.push_back(declared_job_of("pay", "late"));
    later.jobs[0].name = "Renamed";
    REQUIRE(other->deploys().apply(later, false, false, noon));
    auto again = view.jobs_after(core::job_id{}, 10);
    REQUIRE(again);
    CHECK(again->size() == before.size());
    return again;
  });
  REQUIRE(now.size() == 2);
  CHECK(now[0].name == "The settle");
  // No transaction is left open: the same connection sees and writes new rows.
  CHECK(all_jobs(*f.store).size() == 3);
  CHECK(require(f.try_apply(pay_set())).changes_anything());
}

TEST_CASE("an export that its reader aborts leaves a working connection", "[storage][export]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  f.apply(pay_set());
  const auto given_up = f.store->exports().look([](storage::export_view& view) -> core::result<void> {
    REQUIRE(view.groups());
    return core::fail(core::errc::too_large, "enough");
  });
  REQUIRE_FALSE(given_up);
  CHECK(given_up.error().code == core::errc::too_large);
  CHECK(all_jobs(*f.store).size() == 2);
}

TEST_CASE("applies are in the audit log, and need an administrator", "[storage][deploy]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  core::principal by{core::user_id{7}, "ann", false, {}, "10.0.0.1"};
  const auto refused = f.store->deploys().apply(pay_set(), false, false, noon, by);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == core::errc::forbidden);
  by.admin = true;
  REQUIRE(f.store->deploys().apply(pay_set(), false, false, noon, by));
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit WHERE action = 'apply' AND user_name = 'ann' AND remote = '10.0.0.1'") == "3");
}

TEST_CASE("a database that only XXL-JOB has written can be exported, and stays unchanged", "[storage][export]") {
  if (no_server_here())
    return;
  const int generation = GENERATE(4, 5, 6, 7, 8);
  const auto db = bare_xxl_database(generation);
  const std::string title = generation == 8 ? "name" : "title", name = generation == 8 ? "name" : "job_desc";
  db->exec("INSERT INTO xxl_job_group (id, app_name, " + title + ", address_type) VALUES (3, 'pay', 'Payments', 0)");
  db->exec("INSERT INTO xxl_job_info (id, job_group, " + name + ", glue_type, schedule_type, executor_handler, trigger_status)"
           " VALUES (9, 3, 'Settle', 'BEAN', 'NONE', 'h', 1)");
  CHECK_FALSE(db->database().open());
  const auto store = require(db->database().open_to_look());
  const auto jobs = all_jobs(*store);
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].name == "Settle");
  CHECK(jobs[0].running);
  CHECK(jobs[0].key.empty());
  const auto groups = seen(*store, [](auto& view) { return view.groups(); });
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].title == "Payments");
  CHECK(groups[0].addresses.empty());
  CHECK(seen(*store, [](auto& view) { return view.alarms(); }).empty());
  CHECK(db->query("SHOW TABLES LIKE 'rm%'").empty());
}

TEST_CASE("a database without tables has nothing to export", "[storage][export]") {
  if (no_server_here())
    return;
  const auto db = bare_xxl_database(0);
  const auto store = db->database().open_to_look();
  REQUIRE_FALSE(store);
  CHECK(store.error().code == core::errc::unsupported);
}

TEST_CASE("sources are listed with their objects, files, revision and last apply", "[storage][export]") {
  using namespace std::chrono_literals;
  deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  CHECK(require(f.store->exports().sources()).empty());
  auto set = with_everything();
  set.files = {"b.toml", "a.toml"};
  set.revision = 17;
  f.apply(set);
  auto other = pay_set();
  other.source = "a source";
  other.groups[0].app_name = "mine";
  other.jobs.clear();
  f.apply(other, false, noon + 1h);
  f.apply(set, false, noon + 2h); // changes nothing

  const auto sources = require(f.store->exports().sources());
  REQUIRE(sources.size() == 2);
  CHECK(sources[0].name == "a source");
  CHECK_FALSE(sources[0].revision);
  CHECK(sources[0].groups == 1);
  CHECK(sources[0].jobs == 0);
  CHECK(sources[0].applied == noon + 1h);
  CHECK(sources[1].name == "pay.toml");
  CHECK(sources[1].revision == 17);
  CHECK(sources[1].files == std::vector<std::string>{"a.toml", "b.toml"});
  CHECK(sources[1].groups == 2);
  CHECK(sources[1].jobs == 2);
  CHECK(sources[1].alarms == 1);
  CHECK(sources[1].applied == noon);
  CHECK(sources[1].by == core::local_operator().name);

  auto emptied = pay_set();
  emptied.source = "pay.toml";
  emptied.jobs.clear();
  emptied.groups.clear();
  emptied.prunes_other_files = true;
  emptied.revision = 18;
  f.apply(emptied, true, noon + 3h);
  const auto left = require(f.store->exports().sources());
  REQUIRE(left.size() == 2);
  CHECK(left[1].revision == 18);
  CHECK(left[1].jobs == 0);
  CHECK(left[1].applied == noon + 3h);
}
