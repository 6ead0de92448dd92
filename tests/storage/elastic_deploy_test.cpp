// Elastic jobs of declared files: E11 in the transaction of an apply.

#include "tests/storage/deploy_fixture.hpp"
#include "tests/storage/elastic_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

class elastic_deploy_fixture : public elastic_fixture {
public:
  using elastic_fixture::elastic_fixture;

  static core::declared_elastic_job declared_sums(const std::string& name, std::int32_t total = 3) {
    core::declared_elastic_job out;
    out.group = "shards";
    out.what = definition(name, total).what;
    out.what.group = {};
    out.where = "e.toml:5";
    return out;
  }

  /// Source `e.toml`: a new group with two elastic jobs.
  static core::declared_set two() {
    core::declared_set out;
    out.source = "e.toml";
    out.groups = {{"shards", "Shards", std::nullopt}};
    out.elastic_jobs = {declared_sums("one"), declared_sums("two")};
    return out;
  }

  core::result<core::deploy_report> try_apply(const core::declared_set& set, bool prune = false, bool dry_run = false) {
    return store->deploys().apply(set, dry_run, prune, noon);
  }
  std::string apply(const core::declared_set& set, bool prune = false) { return kinds(require(try_apply(set, prune))); }
  core::error refused(const core::declared_set& set) {
    const auto before = db->value("SELECT COUNT(*) FROM ej_job") + db->value("SELECT COALESCE(MAX(counter), 0) FROM rm_edit");
    const auto report = try_apply(set);
    REQUIRE_FALSE(report);
    CHECK(db->value("SELECT COUNT(*) FROM ej_job") + db->value("SELECT COALESCE(MAX(counter), 0) FROM rm_edit") == before);
    CHECK_FALSE(try_apply(set, false, true));
    return report.error();
  }

  elastic::elastic_job_row named(const std::string& name) {
    for (const auto& each : require(ej().jobs_after({}, 100)))
      if (each.what.name == name)
        return each;
    FAIL("no job " + name);
    return {};
  }
};

} // namespace

TEST_CASE("an apply adds elastic jobs with their group, and again changes nothing", "[storage][elastic]") {
  elastic_deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto set = f.two();
  CHECK(kinds(require(f.try_apply(set, false, true))) == "+++");
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_job") == "1");
  CHECK(f.apply(set) == "+++");
  const auto one = f.named("one");
  CHECK(one.source == "e.toml");
  CHECK(one.content_hash == core::content_hash(set.elastic_jobs[0]));
  CHECK(one.status == elastic::job_status::on);
  CHECK(one.next == noon + 60s);
  CHECK(one.what.group != core::group_id{7});
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_item WHERE job = " + std::to_string(core::number(one.id))) == "3");
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit WHERE object = 'elastic_job' AND action = 'apply'") == "2");
  CHECK(f.apply(set) == "===");
  CHECK(f.named("one").version == 1);
  CHECK(f.named("one").revision == one.revision);
}

TEST_CASE("an export and the list of sources know elastic jobs", "[storage][elastic]") {
  elastic_deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  f.apply(f.two());
  std::vector<std::string> names;
  const auto first = f.named("one").id;
  require(f.store->exports().look([&](storage::export_view& view) -> core::result<void> {
    for (const auto& row : require(view.elastic_jobs_after({}, 2)))
      names.push_back(row.what.name);
    for (const auto& row : require(view.elastic_jobs_after(first, 10)))
      names.push_back(row.what.name);
    return {};
  }));
  CHECK(names == std::vector<std::string>{"sums", "one", "two"});
  const auto sources = require(f.store->exports().sources());
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].elastic_jobs == 2);
  CHECK(sources[0].applied);
}

TEST_CASE("an apply edits, and prune removes", "[storage][elastic]") {
  elastic_deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = f.two();
  f.apply(set);
  const auto before = f.named("one");
  set.elastic_jobs[0].what.total = 5;
  set.elastic_jobs[0].what.handler = "other";
  set.elastic_jobs.pop_back();
  const auto report = require(f.try_apply(set));
  CHECK(kinds(report) == "=~");
  CHECK(core::texts_of(report.changes[1].fields)
        == std::vector<std::string>{"handler: \"sum\" -> \"other\"", "total: 3 -> 5"});
  const auto after = f.named("one");
  CHECK(after.version == 2);
  CHECK(after.revision > before.revision);
  CHECK(after.id == before.id);
  CHECK(f.apply(set, true) == "==-");
  CHECK(require(f.ej().jobs_after({}, 100)).size() == 2);
  CHECK(f.named("sums").source == std::nullopt);
  set.groups.clear();
  set.elastic_jobs.clear();
  CHECK(f.apply(set, true) == "--");
  CHECK(f.db->value("SELECT COUNT(*) FROM xxl_job_group WHERE app_name = 'shards'") == "0");
}

TEST_CASE("a group with an elastic job of others stays", "[storage][elastic]") {
  elastic_deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = f.two();
  f.apply(set);
  auto foreign = f.definition("by-hand");
  foreign.what.group = f.named("one").what.group;
  require(f.ej().put(foreign, noon, core::local_operator()));
  set.groups.clear();
  set.elastic_jobs.clear();
  CHECK(f.apply(set, true) == "--");
  CHECK(f.db->value("SELECT COUNT(*) FROM xxl_job_group WHERE app_name = 'shards'") == "1");
}

TEST_CASE("what a user disables stays so until the declaration changes enabled", "[storage][elastic]") {
  elastic_deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = f.two();
  f.apply(set);
  require(f.ej().set_status(f.named("one").id, elastic::job_status::off, noon, core::local_operator()));
  CHECK(f.apply(set) == "===");
  set.elastic_jobs[0].what.total = 4;
  CHECK(f.apply(set) == "=~=");
  CHECK(f.named("one").status == elastic::job_status::off);
  set.elastic_jobs[0].enabled = false;
  CHECK(f.apply(set) == "=~=");
  set.elastic_jobs[0].enabled = true;
  CHECK(f.apply(set) == "=~=");
  CHECK(f.named("one").status == elastic::job_status::on);
  CHECK(f.named("one").next == noon + 60s);
}

TEST_CASE("prune shuts down a job whose items run, and removes it later", "[storage][elastic]") {
  elastic_deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = f.two();
  set.files = {"a.toml", "b.toml"};
  f.apply(set);
  const auto two = std::to_string(core::number(f.named("two").id));
  f.db->exec("UPDATE ej_item SET state = 2 WHERE item = 0 AND job = " + two);
  auto smaller = set;
  smaller.elastic_jobs.pop_back();
  smaller.files = {"a.toml"};
  CHECK(f.try_apply(smaller, true).error().code == core::errc::conflict);
  CHECK(f.named("two").status == elastic::job_status::on);
  smaller.files = set.files;
  CHECK(f.apply(smaller, true) == "==~");
  CHECK(f.named("two").status == elastic::job_status::shut_down);
  CHECK(f.apply(smaller, true) == "===");
  SECTION("removed") {
    f.db->exec("UPDATE ej_item SET state = 0 WHERE job = " + two);
    CHECK(f.apply(smaller, true) == "==-");
  }
  SECTION("declared again") {
    CHECK(f.apply(set, true) == "==~");
    CHECK(f.named("two").status == elastic::job_status::on);
  }
}

TEST_CASE("an apply of elastic jobs is refused as a whole", "[storage][elastic]") {
  elastic_deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = f.two();
  auto& job = set.elastic_jobs[1];
  SECTION("another owner") {
    job.group = "elastic";
    job.what.name = "sums";
    CHECK(f.refused(set).code == core::errc::conflict);
  }
  SECTION("an unknown group") {
    job.group = "nowhere";
    CHECK(f.refused(set).context == "e.toml:5: elastic_job two: the group nowhere is neither declared nor in the database");
  }
  SECTION("twice") {
    job.what.name = "one";
    CHECK(f.refused(set).context == "e.toml:5: elastic_job one: is declared twice");
  }
  SECTION("a schedule that never fires") {
    job.what.options.schedule = core::schedule_type::cron;
    job.what.options.schedule_conf = "0 0 0 1 1 ? 2020";
    CHECK(f.refused(set).code == core::errc::invalid_argument);
  }
  SECTION("a number of items that no job has") {
    job.what.total = 0;
    CHECK(f.refused(set).code == core::errc::invalid_argument);
  }
}

TEST_CASE("a group with an elastic job cannot be removed by a user", "[storage][elastic]") {
  elastic_deploy_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES (8, 'other', 'Other', 0)");
  CHECK_FALSE(f.store->group_editing().remove(core::group_id{7}, "", core::local_operator(), noon));
  require(f.ej().remove(f.job, 1, noon, core::local_operator()));
  CHECK(f.store->group_editing().remove(core::group_id{7}, "", core::local_operator(), noon));
}
