#include "tests/storage/deploy_fixture.hpp"

namespace ringmaster::test {

using core::change_kind;

core::declared_job declared_job_of(const std::string& group, const std::string& key) {
  core::declared_job job;
  job.group = group;
  job.key = key;
  job.name = "The " + key;
  job.author = "ops";
  job.schedule = core::schedule_type::cron;
  job.schedule_conf = "0 0 1 * * ?";
  job.handler = key + "Handler";
  job.where = "jobs.toml:7";
  return job;
}

core::declared_set pay_set() {
  core::declared_set set;
  set.source = "pay.toml";
  set.groups = {{"pay", "Payments", std::nullopt}};
  set.jobs = {declared_job_of("pay", "settle"), declared_job_of("pay", "report")};
  return set;
}

std::string kinds(const core::deploy_report& report) {
  std::string text;
  for (const auto& change : report.changes)
    switch (change.kind) {
    case change_kind::create: text += '+'; break;
    case change_kind::update: text += '~'; break;
    case change_kind::unchanged: text += '='; break;
    case change_kind::remove: text += '-'; break;
    }
  return text;
}

std::vector<table> picture(test_database& db) {
  std::vector<table> tables;
  for (const char* sql : {"SELECT id, app_name, title, address_type, address_list, update_time FROM xxl_job_group ORDER BY id",
                          "SELECT * FROM rm_group_ext ORDER BY group_id", "SELECT * FROM xxl_job_info ORDER BY id",
                          "SELECT * FROM rm_schedule ORDER BY job", "SELECT * FROM rm_job_ext ORDER BY job",
                          "SELECT * FROM rm_deploy ORDER BY source", "SELECT counter FROM rm_edit"})
    tables.push_back(db.query(sql));
  return tables;
}

core::result<core::deploy_report> deploy_fixture::try_apply(const core::declared_set& set, bool prune, core::time_point now,
                                                            bool dry_run) {
  return store->deploys().apply(set, dry_run, prune, now);
}

std::string deploy_fixture::apply(const core::declared_set& set, bool prune, core::time_point now) {
  return kinds(require(try_apply(set, prune, now)));
}

core::error deploy_fixture::refused(const core::declared_set& set, bool prune) {
  auto before = picture(*db);
  auto report = try_apply(set, prune);
  REQUIRE_FALSE(report);
  CHECK(picture(*db) == before);
  auto dry = try_apply(set, prune, noon, true);
  REQUIRE_FALSE(dry);
  CHECK(dry.error() == report.error());
  return report.error();
}

std::string deploy_fixture::id_of(const std::string& key) {
  return db->value("SELECT job FROM rm_job_ext WHERE job_key = '" + key + "'");
}

std::string deploy_fixture::of_job(const std::string& column, const std::string& key) {
  return db->value("SELECT " + column + " FROM xxl_job_info WHERE id = " + id_of(key));
}

std::string deploy_fixture::next_of(const std::string& key) {
  return db->value("SELECT next_ms FROM rm_schedule WHERE job = " + id_of(key));
}

} // namespace ringmaster::test
