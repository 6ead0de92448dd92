// Orders of operators about runs and hosts, and what they read of servers and of one job.

#include <algorithm>

#include "tests/storage/elastic_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using elastic::host_mode;

namespace {

const core::principal& root_user() { return core::local_operator(); }

core::principal elastic_operator() {
  core::principal out;
  out.name = "otto";
  out.rights = {{core::group_id{7}, core::group_right::operate}};
  return out;
}

std::string audited(elastic_fixture& f, const std::string& action) {
  return f.db->value("SELECT COUNT(*) FROM rm_audit WHERE action = '" + action + "'");
}

} // namespace

TEST_CASE("a cancel is stored once for an open run, and for no other", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.open(1);
  CHECK(error_of(f.ej().cancel_run(run, noon, elastic_viewer(7))) == core::errc::forbidden);
  CHECK(error_of(f.ej().cancel_run(elastic::item_run_id{4711}, noon, root_user())) == core::errc::not_found);
  const auto seen = require(f.ej().last_revision());
  const auto done = require(f.ej().cancel_run(run, noon, elastic_operator()));
  CHECK(done.id == f.job);
  CHECK(done.revision > seen);
  CHECK(f.item(1).cancel_run == run);
  CHECK(require(f.ej().edits_since(seen, elastic::elastic_job_id{}, 10)).size() == 1);
  CHECK(require(f.ej().cancel_run(run, noon, root_user())).revision == 0);
  CHECK(audited(f, "cancel") == "1");
  // The node that coordinates the job ends the run; the column stays an operator's.
  f.write_item(1, elastic::action::write_end{run, elastic::fence_number{1}, elastic::item_run_end::killed, {}});
  CHECK(f.run_state(run) == "5");
  CHECK(f.item(1).cancel_run == run);
  CHECK(error_of(f.ej().cancel_run(run, noon, root_user())) == core::errc::conflict);
  const auto next = f.write_item(1, f.grant(1)).run;
  CHECK(error_of(f.ej().cancel_run(run, noon, root_user())) == core::errc::conflict);
  CHECK(require(f.ej().cancel_run(next, noon, root_user())).revision > 0);
  CHECK(f.item(1).cancel_run == next);
}

TEST_CASE("a restart cancels the open runs and enables the job", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  CHECK(require(f.ej().restart(f.job, noon, root_user())).revision == 0);
  const auto run = f.open(0);
  CHECK(error_of(f.ej().restart(f.job, noon, elastic_viewer(7))) == core::errc::forbidden);
  const auto done = require(f.ej().restart(f.job, noon, elastic_operator()));
  CHECK(done.revision > 0);
  CHECK(done.next == require(f.ej().read_job(f.job)).job.next);
  CHECK(f.item(0).cancel_run == run);
  CHECK(core::number(f.item(1).cancel_run) == 0);
  // The runs are cancelled already.
  CHECK(require(f.ej().restart(f.job, noon, root_user())).revision == 0);
  require(f.ej().set_status(f.job, elastic::job_status::shut_down, noon, root_user()));
  const auto on = require(f.ej().restart(f.job, noon + 1h, root_user()));
  CHECK(on.next == noon + 1h + 1min);
  CHECK(require(f.ej().read_job(f.job)).job.status == elastic::job_status::on);
  CHECK(audited(f, "restart") == "2");
}

TEST_CASE("a drained job is planned no more", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto done = require(f.ej().set_status(f.job, elastic::job_status::draining, noon, elastic_operator()));
  CHECK(done.revision > 0);
  CHECK_FALSE(done.next);
  const auto stored = require(f.ej().read_job(f.job));
  CHECK(stored.job.status == elastic::job_status::draining);
  CHECK(elastic::check(stored).has_value());
  CHECK(require(f.ej().set_status(f.job, elastic::job_status::draining, noon, root_user())).revision == 0);
  CHECK(audited(f, "drain") == "1");
}

TEST_CASE("the mode of a host is kept over its processes", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto host = [&] { return require(f.ej().hosts(std::nullopt, root_user())).at(0); };
  CHECK(error_of(f.ej().set_host_mode("h1", host_mode::disabled, noon, elastic_operator())) == core::errc::forbidden);
  const auto before = host().change_no;
  auto done = require(f.ej().set_host_mode("h1", host_mode::disabled, noon, root_user()));
  CHECK(done.changed);
  CHECK(done.hosts == std::vector<std::string>{"h1"});
  CHECK_FALSE(require(f.ej().set_host_mode("h1", host_mode::disabled, noon, root_user())).changed);
  CHECK(require(f.ej().hosts_since(before, 10)).at(0).mode == host_mode::disabled);
  // Keepers and processes come and go.
  require(f.ej().keep_hosts(f.other, std::vector<elastic::keeper_claim>{{f.host, 1}}));
  require(f.ej().enter_host(f.me, f.cluster, elastic_fixture::facts("h1", "p2")));
  CHECK(host().mode == host_mode::disabled);
  CHECK(require(f.ej().set_host_mode("h1", host_mode::draining, noon, root_user())).changed);
  CHECK(require(f.ej().set_host_mode("h1", host_mode::enabled, noon, root_user())).changed);
  CHECK(host().mode == host_mode::enabled);
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit WHERE object = 'elastic_host' AND object_name = 'h1'") == "3");
  SECTION("an IP address means all hosts that have it") {
    require(f.ej().enter_host(f.me, f.cluster, elastic_fixture::facts("h2", "p3")));
    done = require(f.ej().set_host_mode("10.0.0.1", host_mode::disabled, noon, root_user()));
    CHECK(done.hosts == std::vector<std::string>{"h1", "h2"});
  }
  SECTION("an unknown host") {
    for (const auto mode : {host_mode::disabled, host_mode::removed})
      CHECK(error_of(f.ej().set_host_mode("h9", mode, noon, root_user())) == core::errc::not_found);
    CHECK(error_of(f.ej().set_host_mode("", host_mode::disabled, noon, root_user())) == core::errc::invalid_argument);
    CHECK(error_of(f.ej().set_host_mode(std::string(256, 'x'), host_mode::disabled, noon, root_user())) ==
          core::errc::invalid_argument);
  }
}

TEST_CASE("a host is removed once it is down and has no runs", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.open(0);
  CHECK(error_of(f.ej().set_host_mode("h1", host_mode::removed, noon, root_user())) == core::errc::conflict);
  f.set_host_state(elastic::host_state::silent);
  // Its lease may last: a dead host gives its runs to others.
  CHECK(error_of(f.ej().set_host_mode("h1", host_mode::removed, noon, root_user())) == core::errc::conflict);
  f.write_item(0, elastic::action::write_loss{
                    run, elastic::fence_number{1}, elastic::loss_proof::lease_over, elastic::item_run_end::lost, {}});
  CHECK(require(f.ej().set_host_mode("h1", host_mode::removed, noon, root_user())).changed);
  CHECK_FALSE(require(f.ej().set_host_mode("h1", host_mode::removed, noon, root_user())).changed);
  CHECK(require(f.ej().hosts(std::nullopt, root_user())).empty());
  CHECK(require(f.ej().servers(std::nullopt, root_user())).empty());
  CHECK(error_of(f.ej().set_host_mode("h1", host_mode::enabled, noon, root_user())) == core::errc::not_found);
  // The history still has its name.
  CHECK(require(f.ej().history({.job = f.job}, root_user())).rows.at(0).host == "h1");
  // The process that was silent must enter as a new one, which is enabled.
  const std::vector<elastic::keeper_claim> claim{{f.host, 1}};
  CHECK(require(f.ej().keep_hosts(f.me, claim)).at(0).outcome == elastic::write_outcome::guard_lost);
  CHECK(require(f.ej().enter_host(f.me, f.cluster, elastic_fixture::facts("h1", "p1"))).outcome ==
        elastic::write_outcome::guard_lost);
  const auto entered = require(f.ej().enter_host(f.me, f.cluster, elastic_fixture::facts("h1", "p2")));
  CHECK(entered.outcome == elastic::write_outcome::done);
  CHECK(entered.row->mode == host_mode::enabled);
  CHECK(require(f.ej().hosts(std::nullopt, root_user())).size() == 1);
}

TEST_CASE("servers are read with their hosts, jobs and items", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  auto facts = elastic_fixture::facts("h2", "p2");
  facts.app_name = "elastic";
  require(f.ej().enter_host(f.me, f.cluster, facts));
  f.open(0);
  f.add("second");
  require(f.ej().set_server_disabled(f.job, "h2", true, noon, root_user()));
  auto servers = require(f.ej().servers(std::nullopt, root_user()));
  REQUIRE(servers.size() == 1);
  CHECK(servers[0].ip == "10.0.0.1");
  CHECK(servers[0].hosts == std::vector<std::string>{"h1", "h2"});
  CHECK(servers[0].up == 2);
  CHECK(servers[0].running == 1);
  CHECK(servers[0].jobs == 2);
  CHECK(servers[0].disabled_jobs == 1);
  // h1 is of an app without a group: users see it no more than its jobs.
  servers = require(f.ej().servers(std::nullopt, elastic_viewer(7)));
  REQUIRE(servers.size() == 1);
  CHECK(servers[0].hosts == std::vector<std::string>{"h2"});
  CHECK(require(f.ej().servers(std::nullopt, elastic_viewer(8))).empty());
  CHECK(require(f.ej().servers(core::group_id{7}, root_user())).at(0).hosts == std::vector<std::string>{"h2"});
  CHECK(error_of(f.ej().servers(core::group_id{7}, elastic_viewer(8))) == core::errc::forbidden);
  CHECK(error_of(f.ej().servers(std::nullopt, core::principal{})) == core::errc::forbidden);
  // A host that is down stays in the list until it is removed.
  f.set_host_state(elastic::host_state::dead);
  servers = require(f.ej().servers(std::nullopt, root_user()));
  CHECK(servers[0].up == 1);
  CHECK(servers[0].down == 1);
}

TEST_CASE("a dump has the stored state of a job, without what may be secret", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.open(0);
  f.write_item(0, elastic::write_cursor{elastic::fence_number{1}, "secret position"});
  elastic::request_row request{elastic::request_id{5}, f.job};
  request.param = "secret";
  require(f.ej().add_request(request, noon, root_user()));
  require(f.ej().set_server_disabled(f.job, "10.0.0.1", true, noon, root_user()));
  const auto value_of = [](const std::vector<elastic::dump_line>& lines, const std::string& path) {
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const auto& each) { return each.path == path; });
    return found == lines.end() ? std::string{} : found->value;
  };
  const auto lines = elastic::dump_lines(require(f.ej().dump(f.job, true, elastic_viewer(7))));
  CHECK(value_of(lines, "/job/name") == "sums");
  CHECK(value_of(lines, "/items/0").find("run=" + std::to_string(core::number(run))) != std::string::npos);
  CHECK(value_of(lines, "/cursors/0") == "fence=1 bytes=15");
  CHECK(value_of(lines, "/requests/5").find("param_bytes=6") != std::string::npos);
  CHECK(value_of(lines, "/disabled_servers/0") == "ip1");
  CHECK(value_of(lines, "/hosts/1").find("ip=ip1") != std::string::npos);
  for (const auto& line : lines)
    CHECK(line.value.find("secret") == std::string::npos);
  CHECK(error_of(f.ej().dump(f.job, false, elastic_operator())) == core::errc::forbidden);
  CHECK(error_of(f.ej().dump(f.job, true, elastic_viewer(8))) == core::errc::forbidden);
  CHECK(error_of(f.ej().dump(elastic::elastic_job_id{99}, true, root_user())) == core::errc::not_found);
  const auto open = elastic::dump_lines(require(f.ej().dump(f.job, false, root_user())));
  CHECK(value_of(open, "/disabled_servers/0") == "10.0.0.1");
}

TEST_CASE("a wrong clock's times are calculated again, and no instant before is repeated", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto set_times = [&](core::time_point next, core::time_point last) {
    f.db->exec("UPDATE ej_schedule SET next_ms = " + std::to_string(core::to_ms(next)) +
               ", last_ms = " + std::to_string(core::to_ms(last)));
  };
  const auto stored = [&] { return require(f.ej().read_job(f.job)).job; };
  set_times(noon + 240h, noon + 239h);
  CHECK(error_of(f.ej().count_again(f.job, noon, elastic_viewer(7))) == core::errc::forbidden);
  CHECK(error_of(f.ej().count_again(elastic::elastic_job_id{99}, noon, root_user())) == core::errc::not_found);
  const auto before = stored();
  const auto done = require(f.ej().count_again(f.job, noon, elastic_operator()));
  CHECK(done.next == noon + 1min);
  CHECK(done.revision > before.revision);
  CHECK(stored().next == noon + 1min);
  CHECK(stored().last == noon);
  CHECK(stored().version == before.version);
  // A last instant slightly ahead is no mistake: it is not repeated.
  set_times(noon + 240h, noon + 5s);
  CHECK(require(f.ej().count_again(f.job, noon, root_user())).next == noon + 1min + 5s);
  CHECK(stored().last == noon + 5s);
  // A clock later than the end of the schedule left no next instant.
  set_times(core::time_point{}, noon + 239h);
  CHECK(require(f.ej().count_again(f.job, noon, root_user())).next == noon + 1min);
  // Operators' edits do the same.
  set_times(noon + 240h, noon + 239h);
  require(f.ej().set_status(f.job, elastic::job_status::off, noon, root_user()));
  CHECK(stored().last == noon + 239h);
  CHECK_FALSE(require(f.ej().count_again(f.job, noon - 1h, root_user())).next);
  set_times(core::time_point{}, noon + 239h);
  CHECK(require(f.ej().set_status(f.job, elastic::job_status::on, noon, root_user())).next == noon + 1min);
  CHECK(stored().last == noon);
  set_times(noon + 240h, noon + 239h);
  auto edit = elastic_fixture::definition("sums");
  edit.id = f.job;
  edit.version = stored().version;
  edit.what.options.schedule_conf = "30";
  CHECK(require(f.ej().put(edit, noon, root_user())).next == noon + 30s);
  CHECK(stored().last == noon);
}

TEST_CASE("a database that is older than it was gives no run id and no fence again", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto first = core::number(f.open(0));
  // Ids above all that this node knows: nothing happens.
  CHECK(core::number(require(f.ej().raise_run_ids(elastic::item_run_id{first}, elastic::item_run_id{first}))) > first);
  CHECK(core::number(f.item(1).fence) == 0);
  // The node has not noted its last ids.
  const auto unsure =
    core::number(require(f.ej().raise_run_ids(elastic::item_run_id{first}, elastic::item_run_id{first + 1000})));
  CHECK(unsure > first);
  CHECK(unsure <= first + 1000);
  CHECK(core::number(f.item(1).fence) == 0);
  const auto run = core::number(f.open(1));
  CHECK(run > first + 1000);
  // It has seen ids that the database would give again.
  CHECK(core::number(require(f.ej().raise_run_ids(elastic::item_run_id{run + 500}, elastic::item_run_id{run + 700}))) > run);
  CHECK(f.item(0).fence == elastic::fence_number{1}); // its run is open
  const auto raised = f.item(2).fence;
  CHECK(core::number(raised) > 1'000'000);
  // No edit gives an item a fence again that an edit has given which the database has lost.
  CHECK(require(f.ej().read_job(f.job)).job.version > 4096);
  CHECK(raised < elastic::first_fence(require(f.ej().read_job(f.job)).job.version + 1));
  const auto again = f.write_item(2, f.grant(core::number(raised)));
  CHECK(again.outcome == elastic::write_outcome::done);
  CHECK(core::number(again.run) > run + 700);
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_run") == "3");
}
