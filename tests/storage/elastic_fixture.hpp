#pragma once

// A new database with two nodes that are up, one host and one elastic job of three items, whose slot `me` holds.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/elastic/store_ops.hpp"
#include "storage/elastic/leases.hpp"
#include "tests/storage/firing_fixture.hpp"

namespace ringmaster::test {

namespace elastic = core::elastic;

/// Returns a user who may see one group.
inline core::principal elastic_viewer(std::int32_t group) {
  core::principal out;
  out.name = "vic";
  out.rights = {{core::group_id{group}, core::group_right::viewer}};
  return out;
}

class elastic_fixture {
public:
  explicit elastic_fixture(const test_backend& backend) : db{fresh_database(backend)}, store{db->open()} {
    me = require(store->cluster().enter("a", "one:1"));
    other = require(store->cluster().enter("b", "two:2"));
    cluster = require(ej().mark("0123456789abcdef0123456789abcdef")).cluster_id;
    host = require(ej().enter_host(me, cluster, facts("h1", "p1"))).row->process;
    db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES (7, 'elastic', 'Elastic', 0)");
    job = add("sums").id;
    lease = require(ej().take_leases(me, std::vector{elastic::lease_wish{storage::slot_of(job), 0}})).at(0);
  }

  storage::elastic_store& ej() { return store->elastic(); }

  static elastic::host_facts facts(const std::string& id, const std::string& process) {
    return {id, "app", process, "folder-" + id, "boot", 100, 200, 300, "10.0.0.1", "ssd,eu", 4};
  }

  static elastic::elastic_edit definition(const std::string& name, std::int32_t total = 3) {
    elastic::elastic_edit out;
    out.what.name = name;
    out.what.group = core::group_id{7};
    out.what.handler = "sum";
    out.what.total = total;
    out.what.options.schedule = core::schedule_type::fixed_rate;
    out.what.options.schedule_conf = "60";
    return out;
  }

  elastic::elastic_edit_done add(const std::string& name, std::int32_t total = 3) {
    return require(ej().put(definition(name, total), noon, core::local_operator()));
  }

  [[nodiscard]] elastic::elastic_batch batch(std::vector<elastic::elastic_op> ops = {}) const {
    return {me, {lease}, std::move(ops)};
  }

  std::vector<elastic::elastic_answer> write(std::vector<elastic::elastic_op> ops) {
    return require(ej().write(batch(std::move(ops)), noon));
  }

  /// Writes one change of an item and returns its answer.
  elastic::item_answer write_item(std::int32_t item, elastic::item_change what, elastic::run_report report = {}) {
    return write({elastic::item_write{job, elastic::item_number{item}, std::move(what), std::nullopt, std::move(report)}})
      .at(0)
      .items.at(0);
  }

  [[nodiscard]] elastic::item_grant grant(std::int64_t fence, elastic::run_source source = elastic::run_source::normal) const {
    return {elastic::fence_number{fence}, host, {source, {noon, elastic::run_source::normal, {}}}, 1, core::milliseconds{500}};
  }

  /// Grants an item that was never granted, and returns the run.
  elastic::item_run_id open(std::int32_t item) {
    const auto answer = write_item(item, grant(0));
    REQUIRE(answer.outcome == elastic::write_outcome::done);
    REQUIRE(core::number(answer.run) > 0);
    return answer.run;
  }

  /// A fire of the schedule at `at`, with a grant for each item.
  elastic::fire_write fire(core::time_point at, std::int64_t seen, const std::vector<std::int32_t>& items) const {
    elastic::fire_write out{job, elastic::elastic_move{at, at, at + std::chrono::minutes{1}, seen}, {}, std::nullopt, {}};
    elastic::fire_row row;
    row.key = {at, elastic::run_source::normal, {}};
    row.plan_version = 1;
    row.config_version = 1;
    row.expected = static_cast<std::int32_t>(items.size());
    out.fires.push_back(row);
    for (const auto item : items) {
      auto granted = grant(0);
      granted.cause.fire.at = at;
      out.items.push_back({job, elastic::item_number{item}, granted});
    }
    return out;
  }

  elastic::item_row item(std::int32_t number) {
    const std::vector<elastic::item_number> only{elastic::item_number{number}};
    const auto rows = require(ej().read_items(job, only));
    REQUIRE(rows.size() == 1);
    return rows[0];
  }

  std::string run_state(elastic::item_run_id run) {
    return db->value("SELECT state FROM ej_run WHERE id = " + std::to_string(core::number(run)));
  }

  void set_host_state(elastic::host_state state) {
    const auto seen = require(ej().hosts_since(0, 10)).at(0).keeper_no;
    const std::vector<elastic::host_verdict> verdicts{{host, seen, state}};
    REQUIRE(require(ej().judge_hosts(me, verdicts)).at(0).outcome == elastic::write_outcome::done);
  }

  std::unique_ptr<test_database> db;
  std::unique_ptr<storage::store> store;
  core::node_incarnation me, other;
  std::string cluster;
  elastic::host_process host;
  elastic::elastic_job_id job{};
  elastic::slot_lease lease;
};

} // namespace ringmaster::test
