// Classification of schemas. The facts of real tables, changed in memory.

#include "storage/mysql/driver/schema_shape.hpp"

#include <map>

#include "storage/mysql/driver/schema_read.hpp"
#include "storage/mysql/schema/grants.hpp"
#include "tests/storage/firing_fixture.hpp"
#include "tests/storage/xxl_schemas.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace ringmaster::storage::mysql;
using kind = schema_verdict::kind;

namespace {

schema_facts facts_of(int generation) {
  static std::map<int, schema_facts> known;
  auto& facts = known[generation];
  if (facts.tables.empty()) {
    auto made = bare_xxl_database(generation);
    connection db{{require(parse_url("mysql://root@localhost/" + made->value("SELECT DATABASE()")
                                     + "?socket=" + mariadb_server::shared().socket_path()))}};
    facts = require(db.read([&]() -> core::result<schema_facts> { return read_schema(db); }));
  }
  return facts;
}

} // namespace

TEST_CASE("every generation is recognised by its columns and keys", "[schema]") {
  if (no_server_here())
    return;
  for (const int generation : xxl_generations) {
    CAPTURE(generation);
    const auto facts = facts_of(generation);
    const auto verdict = classify(facts);
    CHECK(verdict.how == kind::usable);
    CHECK(verdict.generation == generation);
    CHECK(verdict.text == "G" + std::to_string(generation));
    CHECK_FALSE(verdict.half_migrated);
    CHECK(without_transactions(facts).empty());
    const auto shape = shape_of(facts);
    CHECK(shape.names.job_name == (generation == 8 ? "name" : "job_desc"));
    CHECK(shape.names.group_title == (generation == 8 ? "name" : "title"));
    CHECK(shape.limits.title_chars == (generation < 7 ? 12 : 64));
    CHECK(shape.limits.param_chars == (generation < 7 ? 512 : 0));
    CHECK(shape.password_chars == (generation < 6 ? 50 : 100));
    CHECK(shape.user_token == (generation >= 6));
    CHECK(shape.unique_registrations == (generation >= 5));
    CHECK(shape.wide_registry_id == (generation >= 7));
    CHECK(shape.group_token == (generation == 8));
    CHECK(shape.report_update_time);
    CHECK(shape.log_by_time);
    CHECK(shape.log_by_handle_code);
    CHECK(shape.log_by_group == (generation >= 7));
    CHECK(shape.log_by_job == (generation >= 5));
    CHECK(shape.schedule_lock);
    CHECK_FALSE(shape.own_tables);
  }
}

TEST_CASE("a schema between two generations is used by its capabilities and called half migrated", "[schema]") {
  if (no_server_here())
    return;
  auto facts = facts_of(5);
  facts.tables["xxl_job_user"].columns["token"] = {"varchar", 100, true};
  auto verdict = classify(facts);
  CHECK(verdict.how == kind::usable);
  CHECK(verdict.half_migrated);
  CHECK(verdict.text == "half migrated: xxl_job_user.token is there, xxl_job_user.password with 100 characters is missing");
  CHECK(shape_of(facts).user_token);

  facts = facts_of(7);
  auto& info = facts.tables["xxl_job_info"].columns;
  info["name"] = info["job_desc"];
  info.erase("job_desc");
  verdict = classify(facts);
  CHECK(verdict.how == kind::usable);
  CHECK(verdict.generation == 8);
  CHECK(verdict.text.starts_with("half migrated: xxl_job_info.name is there, xxl_job_group.name, "));
  CHECK(shape_of(facts).names.job_name == "name");
  CHECK(shape_of(facts).names.group_title == "title");

  // Added by an operator.
  facts = facts_of(7);
  facts.tables["xxl_job_group"].indexes.push_back({"mine", true, {"app_name"}});
  CHECK(classify(facts).text == "G7");
}

TEST_CASE("an unusable schema reports what exists and what is missing", "[schema]") {
  CHECK(classify({}).how == kind::fresh);
  schema_facts facts;
  facts.tables["rm_migration"] = {};
  CHECK(classify(facts).how == kind::fresh);
  facts.tables["orders"] = {};
  CHECK(classify(facts).how == kind::unusable);
  CHECK(classify(facts).text.starts_with("not XXL's: "));
  CHECK(classify(facts).text.find("orders") != std::string::npos);
  if (no_server_here())
    return;
  const auto text_of = [](const schema_facts& changed) {
    const auto verdict = classify(changed);
    CHECK(verdict.how == kind::unusable);
    return verdict.text;
  };
  facts = facts_of(7);
  facts.tables.erase("xxl_job_log_report");
  CHECK(text_of(facts) == "half migrated: xxl_job_info is there, xxl_job_log_report is missing");
  facts = facts_of(7);
  facts.tables["xxl_job_log"].columns.erase("alarm_status");
  CHECK(text_of(facts) == "half migrated: xxl_job_log is there, xxl_job_log.alarm_status is missing");
  facts = facts_of(4);
  facts.tables["xxl_job_info"].columns["job_cron"] = {"varchar", 128, false};
  CHECK(text_of(facts).starts_with("half migrated: xxl_job_info.schedule_type is there"));
  facts.tables["xxl_job_info"].columns.erase("schedule_type");
  facts.tables.erase("xxl_job_log_report");
  CHECK(text_of(facts).starts_with("G1-G3: unsupported"));
  facts = facts_of(7);
  facts.tables["xxl_job_info"].columns = {{"id", {"int", 0, false}}, {"color", {"varchar", 9, true}}};
  CHECK(text_of(facts).starts_with("not XXL's"));
  facts = facts_of(7);
  facts.tables["xxl_job_info"].columns["trigger_next_time"].type = "varchar";
  CHECK(text_of(facts) == "xxl_job_info.trigger_next_time is of the type varchar; expected an integer");
  facts.tables["xxl_job_info"].columns["trigger_next_time"].type = "point";
  CHECK(text_of(facts) == "xxl_job_info.trigger_next_time is of the type point; expected an integer");
  facts = facts_of(4);
  facts.tables["xxl_job_log"].columns["id"].counts = false;
  CHECK(text_of(facts) == "xxl_job_log.id is not AUTO_INCREMENT: no run can be written");
  facts = facts_of(7);
  facts.tables["xxl_job_group"].engine.clear();
  CHECK(text_of(facts) == "xxl_job_group is a view; expected a table");
  facts = facts_of(7);
  facts.tables["xxl_job_log"].engine = "MyISAM";
  CHECK(without_transactions(facts) == std::vector<std::string>{"xxl_job_log (MyISAM)"});
}

TEST_CASE("privileges are parsed from SHOW GRANTS", "[schema]") {
  using list = std::vector<std::string>;
  const auto of = [](const std::vector<std::string>& grants) { return missing_privileges(grants, "xxl_job"); };
  const auto nothing = [&](const std::vector<std::string>& grants) {
    return of(grants)->to_serve.empty() && of(grants)->to_change_tables.empty();
  };
  CHECK(nothing({"GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION"}));
  CHECK(nothing({"GRANT USAGE ON *.* TO `a`@`%`", "GRANT ALL PRIVILEGES ON `xxl\\_job`.* TO `a`@`%`"}));
  CHECK(of({"GRANT USAGE ON *.* TO `a`@`%`", "GRANT SELECT, INSERT ON `xxl_job`.* TO `a`@`%`"})->to_serve
        == list{"UPDATE", "DELETE"});
  const auto serves = of({"GRANT SELECT, INSERT, UPDATE, DELETE, ALTER ON `xxl_job`.* TO `a`@`%`"});
  CHECK(serves->to_serve.empty());
  CHECK(serves->to_change_tables == list{"CREATE", "DROP", "INDEX", "CREATE VIEW"});
  CHECK(of({"GRANT ALL PRIVILEGES ON `other`.* TO `a`@`%`"})->to_serve.size() == 4);
  CHECK(nothing({"GRANT ALL PRIVILEGES ON `x%`.* TO `a`@`%`"}));
  CHECK_FALSE(of({"GRANT `role`@`%` TO `a`@`%`", "GRANT SELECT ON `xxl_job`.* TO `a`@`%`"}));
  CHECK_FALSE(of({"GRANT SELECT ON `xxl_job`.`xxl_job_info` TO `a`@`%`"}));
  CHECK(of({"nonsense", ""})->to_serve.size() == 4);
}
