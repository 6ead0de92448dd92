// elastic_hosts: ends of processes, silence, and the leave of hosts and nodes.

#include "tests/actors/elastic_hosts_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace ringmaster::test::elastic_hosts_tests;

TEST_CASE_METHOD(hosts_fixture, "the end of a process is proved and stored", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat(at);
  const auto process = at.welcome().host;
  SECTION("with the end of its link") {
    processes->over = {process};
    tell(hosts, protocol::host_link_lost{1, false});
    run();
  }
  SECTION("soon after it") {
    tell(hosts, protocol::host_link_lost{1, false});
    run();
    CHECK(fates() == std::vector{host_fate::suspect});
    processes->over = {process};
    advance(10ms);
  }
  SECTION("by a report, while the store is away") {
    store.role.fault_of = [](std::string_view) { return store_fault::away; };
    tell(hosts, protocol::death_report{process});
    run();
    CHECK(fates().empty());
    CHECK_FALSE(known->hosts.find(process.host)->linked);
    store.role.fault_of = nullptr;
    advance(200ms);
  }
  const auto heard_of = fates();
  REQUIRE_FALSE(heard_of.empty());
  CHECK(heard_of.back() == host_fate::dead);
  CHECK(known->hosts.find(process.host)->state == elastic::host_state::dead);
  CHECK(expect(ej().hosts_since(0, 10)).empty());
}

TEST_CASE_METHOD(hosts_fixture, "the end of a process is told again once its programs have ended", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat(at);
  const auto process = at.welcome().host;
  protocol::elastic_events batch;
  batch.batch = 1;
  for (const int run : {12, 13}) {
    protocol::elastic_event started;
    started.job = elastic::elastic_job_id{7};
    started.run = elastic::item_run_id{run};
    started.fence = elastic::fence_number{1};
    started.kind = protocol::elastic_event_kind::started;
    started.child_pid = 40 + run;
    batch.events.push_back(started);
  }
  say(at, batch);
  CHECK(processes->programs.size() == 2);
  batch.batch = 2;
  batch.events.resize(1);
  batch.events[0].kind = protocol::elastic_event_kind::finished;
  say(at, batch);
  REQUIRE(processes->programs.size() == 1);
  CHECK(processes->programs[0].pid == 53);
  processes->over = {process};
  tell(hosts, protocol::host_link_lost{1, false});
  run();
  REQUIRE_FALSE(notices.empty());
  CHECK(notices.back().fate == host_fate::dead);
  CHECK_FALSE(notices.back().programs_ended);
  const auto told = notices.size();
  advance(100ms);
  CHECK(notices.size() == told);
  processes->programs_over = true;
  advance(100ms);
  REQUIRE(notices.size() == told + 1);
  CHECK(notices.back().host == process);
  CHECK(notices.back().fate == host_fate::dead);
  CHECK(notices.back().programs_ended);
  CHECK(processes->programs.empty());
}

TEST_CASE_METHOD(hosts_fixture, "a silent host, and its return", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat(at);
  const auto last = now();
  advance(300ms);
  CHECK(fates() == std::vector{host_fate::suspect});
  advance(450ms);
  CHECK(stored_host().state == elastic::host_state::silent);
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].fate == host_fate::silent);
  CHECK(notices[0].last_beat == last);
  notices.clear();
  beat(at);
  CHECK(at.all<protocol::elastic_ack>().size() == 2);
  CHECK(at.ack().number == 2);
  CHECK(at.ack().keeper_no == 2);
  CHECK(fates() == std::vector{host_fate::back});
  CHECK(stored_host().state == elastic::host_state::up);
}

TEST_CASE_METHOD(hosts_fixture, "a host that has said goodbye leaves, also after another hello", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  const auto draining = [&] {
    run();
    REQUIRE(known);
    REQUIRE(known->hosts.size() == 1);
    return known->hosts.find(at.welcome().host.host)->draining;
  };
  CHECK_FALSE(draining());
  tell(hosts, protocol::host_link_lost{1, true});
  CHECK(draining());
  introduce(at);
  CHECK(draining());
  tell(hosts, protocol::host_link_lost{1, false});
  auto next = link(2);
  introduce(next);
  CHECK_FALSE(draining());
}

TEST_CASE_METHOD(hosts_fixture, "a host that counts as dead is told so when it beats", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat_for(at, 1s);
  const std::vector<elastic::host_verdict> verdicts{{at.welcome().host, 1, elastic::host_state::dead}};
  expect(ej().judge_hosts(other, verdicts));
  beat_for(at, 300ms);
  beat(at);
  CHECK(at.welcome().verdict == elastic_verdict::dead_process);
  CHECK(at.welcome().host.incarnation == elastic::host_incarnation{1});
  introduce(at, "p2");
  CHECK(at.welcome().verdict == elastic_verdict::welcome);
  CHECK(at.welcome().host.incarnation == elastic::host_incarnation{2});
}

TEST_CASE_METHOD(hosts_fixture, "a node that leaves waits until its hosts have another keeper", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat_for(at, 1s);
  const auto left = later<caf::unit_t>(hosts, protocol::stop_request{});
  run();
  CHECK_FALSE(left->has_value());
  beat(at);
  CHECK(at.ack().leave);
  SECTION("as soon as they have") {
    const std::vector<elastic::keeper_claim> claims{{at.welcome().host, 1}};
    expect(ej().keep_hosts(other, claims));
    beat_for(at, 300ms);
    CHECK(left->has_value());
  }
  SECTION("for a second at most") {
    beat_for(at, 750ms);
    CHECK_FALSE(left->has_value());
    beat_for(at, 300ms);
    CHECK(left->has_value());
  }
}

TEST_CASE_METHOD(hosts_fixture, "a node without hosts leaves at once", "[actors][elastic]") {
  advance(1s);
  const auto left = later<caf::unit_t>(hosts, protocol::stop_request{});
  run();
  CHECK(left->has_value());
}
