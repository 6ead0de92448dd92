// Elastic jobs as users see them.

#include "tests/storage/elastic_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

std::vector<std::string> names_on(const core::page<elastic::elastic_brief>& page) {
  std::vector<std::string> out;
  for (const auto& row : page.rows)
    out.push_back(row.name);
  return out;
}

} // namespace

TEST_CASE("users see the elastic jobs of their groups", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES (8, 'other', 'Other', 0)");
  auto foreign = f.definition("Averages");
  foreign.what.group = core::group_id{8};
  foreign.what.options.description = "d";
  require(f.ej().put(foreign, noon, core::local_operator()));
  f.add("counts");
  const auto all = require(f.ej().list({}, core::local_operator()));
  CHECK(all.total == 3);
  CHECK(names_on(all) == std::vector<std::string>{"Averages", "counts", "sums"});
  CHECK(all.rows[0].schedule == core::schedule_type::fixed_rate);
  CHECK(all.rows[0].schedule_conf == "60");
  CHECK(all.rows[0].description == "d");
  CHECK(all.rows[0].next == noon + 60s);
  CHECK(names_on(require(f.ej().list({}, elastic_viewer(7)))) == std::vector<std::string>{"counts", "sums"});
  CHECK(names_on(require(f.ej().list({.name_part = "AVER"}, core::local_operator()))) == std::vector<std::string>{"Averages"});
  CHECK(names_on(require(f.ej().list({.group = core::group_id{8}}, core::local_operator()))).size() == 1);
  const auto second = require(f.ej().list({.window = {1, 1}}, core::local_operator()));
  CHECK(second.total == 3);
  CHECK(names_on(second) == std::vector<std::string>{"counts"});
  require(f.ej().set_status(f.job, elastic::job_status::off, noon, core::local_operator()));
  const auto off = require(f.ej().list({.status = elastic::job_status::off}, elastic_viewer(7)));
  CHECK(names_on(off) == std::vector<std::string>{"sums"});
  CHECK(error_of(f.ej().list({.group = core::group_id{8}}, elastic_viewer(7))) == core::errc::forbidden);
  CHECK(error_of(f.ej().list({}, core::principal{})) == core::errc::forbidden);
}

TEST_CASE("a user sees one elastic job with its items", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  auto edit = f.definition("sums");
  edit.id = f.job;
  edit.version = 1;
  edit.what.options.item_params = "0=a,2=c";
  require(f.ej().put(edit, noon, core::local_operator()));
  const auto run = f.open(1);
  require(f.ej().set_item_disabled(f.job, elastic::item_number{2}, true, noon, core::local_operator()));
  require(f.ej().add_request({elastic::request_id{5}, f.job}, noon, core::local_operator()));
  require(f.ej().set_server_disabled(f.job, "h1", true, noon, core::local_operator()));
  const auto card = require(f.ej().show(f.job, elastic_viewer(7)));
  CHECK(card.job.what.name == "sums");
  CHECK(card.running == 1);
  CHECK(card.waiting == 0);
  CHECK(card.disabled == 1);
  CHECK(card.requests == 1);
  CHECK(card.disabled_servers == std::vector<std::string>{"h1"});
  f.db->exec("INSERT INTO ej_plan (job, version, members, total, assignment, at_ms) VALUES ("
             + std::to_string(core::number(f.job)) + ", 1, 'm', 3, '" + std::to_string(core::number(f.host.host))
             + ":0-1;-:2 no_host', 0)");
  const auto items = require(f.ej().items(f.job, {}, 10, elastic_viewer(7)));
  CHECK(items.total == 3);
  REQUIRE(items.rows.size() == 3);
  CHECK(items.rows[0].param == "a");
  CHECK_FALSE(items.rows[1].param);
  CHECK(items.rows[0].host.empty());
  CHECK(items.rows[1].host == "h1");
  CHECK(items.rows[1].row.run == run);
  CHECK(items.rows[1].planned_host == "h1");
  CHECK(items.rows[2].planned->reason == elastic::gap_reason::no_host);
  CHECK(items.rows[2].row.disabled);
  const auto second = require(f.ej().items(f.job, elastic::item_number{1}, 1, elastic_viewer(7)));
  CHECK(second.rows.at(0).row.item == elastic::item_number{1});
  CHECK(error_of(f.ej().show(f.job, elastic_viewer(8))) == core::errc::forbidden);
  CHECK(error_of(f.ej().items(f.job, {}, 1, elastic_viewer(8))) == core::errc::forbidden);
  CHECK(error_of(f.ej().show(elastic::elastic_job_id{99}, core::local_operator())) == core::errc::not_found);
}

TEST_CASE("a user sees the hosts of their groups", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  CHECK(require(f.ej().hosts({}, core::local_operator())).size() == 1);
  CHECK(require(f.ej().hosts({}, elastic_viewer(7))).empty());
  f.db->exec("UPDATE xxl_job_group SET app_name = 'app' WHERE id = 7");
  CHECK(require(f.ej().hosts({}, elastic_viewer(7))).at(0).facts.id == "h1");
  CHECK(require(f.ej().hosts(core::group_id{7}, core::local_operator())).size() == 1);
  CHECK(error_of(f.ej().hosts(core::group_id{8}, elastic_viewer(7))) == core::errc::forbidden);
  f.db->exec("UPDATE ej_node SET state = 2");
  CHECK(require(f.ej().hosts({}, core::local_operator())).empty());
  CHECK(error_of(f.ej().hosts({}, core::principal{})) == core::errc::forbidden);
}

TEST_CASE("a list of elastic jobs counts their items, and hosts their load", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto other = f.add("counts").id;
  (void) f.open(1);
  require(f.ej().set_item_disabled(f.job, elastic::item_number{2}, true, noon, core::local_operator()));
  const auto plan = [&](int version, const std::string& assignment) {
    f.db->exec("INSERT INTO ej_plan (job, version, members, total, assignment, at_ms) VALUES ("
               + std::to_string(core::number(f.job)) + ", " + std::to_string(version) + ", 'm', 3, '" + assignment + "', 0)");
  };
  plan(1, "-:0-2 no_host");
  plan(2, std::to_string(core::number(f.host.host)) + ":0-1;-:2 no_host");
  const auto page = require(f.ej().list({}, core::local_operator()));
  REQUIRE(page.rows.size() == 2);
  CHECK(page.rows[0].id == other);
  REQUIRE(page.rows[0].items);
  CHECK(page.rows[0].items->running == 0);
  CHECK(page.rows[0].items->unassigned == 0);
  REQUIRE(page.rows[1].items);
  CHECK(page.rows[1].items->running == 1);
  CHECK(page.rows[1].items->waiting == 0);
  CHECK(page.rows[1].items->disabled == 1);
  CHECK(page.rows[1].items->unassigned == 1);
  const auto loads = require(f.ej().host_loads());
  REQUIRE(loads.size() == 1);
  CHECK(loads[0].host == f.host.host);
  CHECK(loads[0].running == 1);
  f.db->exec("UPDATE ej_job SET total = 100000");
  f.add("many");
  f.db->exec("UPDATE ej_job SET total = 100000");
  CHECK_FALSE(require(f.ej().list({}, core::local_operator())).rows[0].items);
}
