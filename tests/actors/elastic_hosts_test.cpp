// elastic_hosts: entry, keepers and events of hosts.

#include "tests/actors/elastic_hosts_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace ringmaster::test::elastic_hosts_tests;

TEST_CASE_METHOD(hosts_fixture, "the director gets the epochs of hosts of this cluster", "[actors][elastic]") {
  seen_epochs = {{7, 41}};
  auto at = link(1);
  introduce(at, "p1", std::string(32, 'd'));
  CHECK(at.welcome().verdict == elastic_verdict::other_cluster);
  CHECK(epochs.empty());
  auto next = link(2);
  introduce(next, "p2", std::string(32, 'c'));
  CHECK(next.welcome().verdict == elastic_verdict::welcome);
  CHECK(epochs == seen_epochs);
}

TEST_CASE_METHOD(hosts_fixture, "a host is admitted, beats, and is seen by the director", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  const auto welcome = at.welcome();
  CHECK(welcome.verdict == elastic_verdict::welcome);
  CHECK(welcome.cluster == std::string(32, 'c'));
  CHECK(welcome.node == "a");
  CHECK(welcome.keeper_no == 1);
  CHECK(stored_host().process == welcome.host);
  CHECK(processes->watched == std::vector{welcome.host});
  beat(at);
  CHECK(at.ack().number == 1);
  CHECK(at.ack().keeper_no == 1);
  CHECK(at.heard->back().life == me.incarnation);
  advance(50ms);
  REQUIRE(known);
  CHECK(known->seats.at(0).free_slots == 8);
  CHECK(known->hosts.find(welcome.host.host)->linked);
  CHECK(known->several_nodes);
  SECTION("an acknowledgement needs no store") {
    store.role.fault_of = [](std::string_view) { return store_fault::away; };
    beat(at);
    CHECK(at.ack().number == 2);
  }
  SECTION("without an incarnation there is none") {
    tell(hosts, protocol::incarnation_change{});
    beat(at);
    CHECK(at.ack().number == 1);
    auto late = link(2);
    introduce(late, "p2");
    CHECK(late.welcome().verdict == elastic_verdict::unavailable);
  }
  SECTION("messages reach it by its number") {
    protocol::elastic_orders orders;
    orders.host = welcome.host;
    orders.inventory = 4;
    tell(hosts, protocol::host_send{welcome.host, {0, orders}});
    run();
    REQUIRE(at.all<protocol::elastic_orders>().size() == 1);
    auto other = welcome.host;
    other.incarnation = elastic::host_incarnation{99};
    tell(hosts, protocol::host_send{other, {0, orders}});
    run();
    CHECK(at.all<protocol::elastic_orders>().size() == 1);
  }
}

TEST_CASE_METHOD(hosts_fixture, "hosts that are refused", "[actors][elastic]") {
  auto at = link(1);
  SECTION("of another cluster") {
    introduce(at, "p1", std::string(32, 'd'));
    CHECK(at.welcome().verdict == elastic_verdict::other_cluster);
    CHECK_FALSE(at.welcome().reason.empty());
    CHECK(expect(ej().hosts_since(0, 10)).empty());
  }
  SECTION("while the store is away") {
    store.role.fault_of = [](std::string_view) { return store_fault::away; };
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::unavailable);
    store.role.fault_of = nullptr;
    advance(1s);
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::welcome);
  }
  SECTION("whose answer was lost") {
    store.role.fault_of = [](std::string_view) { return store_fault::answer_lost; };
    introduce(at);
    store.role.fault_of = nullptr;
    advance(1s);
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::welcome);
    CHECK(at.welcome().host.incarnation == elastic::host_incarnation{1});
  }
  SECTION("that count as dead") {
    introduce(at);
    const std::vector<elastic::host_verdict> verdicts{{at.welcome().host, 1, elastic::host_state::dead}};
    expect(ej().judge_hosts(other, verdicts));
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::dead_process);
    introduce(at, "p2");
    CHECK(at.welcome().verdict == elastic_verdict::welcome);
    CHECK(at.welcome().host.incarnation == elastic::host_incarnation{2});
  }
  SECTION("that a newer process has replaced") {
    introduce(at);
    folder = "f2";
    auto newer = link(2);
    introduce(newer, "p2");
    CHECK(newer.welcome().verdict == elastic_verdict::welcome);
    CHECK(at.welcome().verdict == elastic_verdict::replaced);
    CHECK(at.welcome().host.incarnation == elastic::host_incarnation{1});
    CHECK(fates() == std::vector{host_fate::silent});
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::replaced);
    CHECK(at.welcome().reason.find("another process, pid 0 at 10.0.0.3, uses the id ringmaster://pay-worker/one")
          != std::string::npos);
    CHECK(stored_host().process.incarnation == elastic::host_incarnation{2});
    // After the end of the newer process it enters again.
    tell(hosts, protocol::death_report{newer.welcome().host});
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::dead_process);
    introduce(at, "p3");
    CHECK(at.welcome().verdict == elastic_verdict::welcome);
    CHECK(at.welcome().host.incarnation == elastic::host_incarnation{3});
  }
}

TEST_CASE_METHOD(hosts_fixture, "a host changes its keeper", "[actors][elastic]") {
  const std::string cluster = expect(ej().mark("c1")).cluster_id;
  const elastic::host_facts facts{"ringmaster://pay-worker/one", "pay-worker", "p1", "f1", "", 0, 0, 0, "10.0.0.3", "", 8};
  expect(ej().enter_host(other, cluster, facts));
  auto at = link(1);
  introduce(at);
  CHECK(at.welcome().keeper_no == 0);
  beat(at);
  CHECK(at.ack().keeper_no == 0);
  beat(at, true); // answered once
  CHECK(at.all<protocol::elastic_ack>().size() == 2);
  CHECK(at.ack().number == 2);
  CHECK(at.ack().keeper_no == 2);
  CHECK(stored_host().keeper == me);
  accepted = 2;
  beat_for(at, 1s);
  const std::vector<elastic::keeper_claim> claims{{at.welcome().host, 2}};
  SECTION("another node claims it, which this one reads") {
    expect(ej().keep_hosts(other, claims));
    beat_for(at, 300ms);
    beat(at);
    CHECK(at.ack().keeper_no == 0);
  }
  SECTION("a node that leaves says so, and takes no host from another one") {
    tell(hosts, protocol::stop_request{});
    beat(at);
    CHECK(at.ack().leave);
    CHECK(at.ack().keeper_no == 2);
    expect(ej().keep_hosts(other, claims));
    beat_for(at, 300ms);
    beat(at, true);
    CHECK(at.ack().number == at.beats);
    CHECK(at.ack().keeper_no == 0);
    CHECK(stored_host().keeper == other);
  }
}

TEST_CASE_METHOD(hosts_fixture, "after a restart the node keeps its hosts again", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat(at);
  tell(hosts, protocol::incarnation_change{});
  me = expect(direct->cluster().enter("a", "one:1"));
  tell(hosts, protocol::incarnation_change{me});
  advance(50ms);
  CHECK(stored_host().keeper == me);
  beat(at);
  CHECK(at.ack().keeper_no == 2);
  CHECK(at.heard->back().life == me.incarnation);
}

// Without it, jobs would wait for a slot for good if all heartbeats name the same number of free ones.
TEST_CASE_METHOD(hosts_fixture, "after a refusal for want of a slot the next heartbeat brings a list", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat(at);
  advance(50ms);
  known = nullptr;
  beat(at);
  advance(50ms);
  CHECK_FALSE(known);
  protocol::elastic_event refusal;
  refusal.kind = protocol::elastic_event_kind::refused;
  refusal.refusal = protocol::elastic_refusal::no_free_slot;
  say(at, protocol::elastic_events{.batch = 2, .events = {refusal}});
  beat(at);
  advance(50ms);
  REQUIRE(known);
  CHECK(known->seats.at(0).free_slots > 0);
}

TEST_CASE_METHOD(hosts_fixture, "events have a receipt once the director has an outcome for each", "[actors][elastic]") {
  auto at = link(1);
  const protocol::elastic_events batch{.batch = 1, .events = std::vector<protocol::elastic_event>(3)};
  say(at, batch); // not admitted: the host repeats them
  CHECK_FALSE(at.all<protocol::elastic_receipt>().at(0).stored);
  introduce(at);
  auto next = batch;
  next.batch = 2;
  say(at, next);
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].host == at.welcome().host);
  CHECK(heard[0].events.size() == 3);
  tell(hosts, protocol::host_events_done{heard[0].host, heard[0].link_number, heard[0].batch, 2, true});
  run();
  CHECK(at.all<protocol::elastic_receipt>().size() == 1);
  tell(hosts, protocol::host_events_done{heard[0].host, heard[0].link_number, heard[0].batch, 1, true});
  run();
  REQUIRE(at.all<protocol::elastic_receipt>().size() == 2);
  CHECK(at.all<protocol::elastic_receipt>()[1].batch == 2);
  CHECK(at.all<protocol::elastic_receipt>()[1].stored);
  SECTION("an inventory is passed on") {
    protocol::elastic_inventory part;
    part.question = 9;
    say(at, part);
    REQUIRE(heard.size() == 2);
    CHECK(heard[1].batch == 0);
    CHECK(heard[1].inventory->question == 9);
  }
  SECTION("without an outcome the host repeats them") {
    next.batch = 3;
    say(at, next);
    advance(6s);
    REQUIRE(at.all<protocol::elastic_receipt>().size() == 3);
    CHECK_FALSE(at.all<protocol::elastic_receipt>()[2].stored);
  }
}

TEST_CASE_METHOD(hosts_fixture, "a host that enters at another node is seen", "[actors][elastic]") {
  advance(1s);
  const elastic::host_facts facts{"h2", "app", "p7", "f7", "", 1, 1, 1, "10.0.0.2", "", 8};
  const auto entered = expect(ej().enter_host(other, std::string(32, 'c'), facts));
  advance(200ms);
  REQUIRE(known);
  REQUIRE(known->hosts.size() == 1);
  CHECK_FALSE(known->hosts.find(entered.row->process.host)->linked);
  const std::vector<elastic::host_verdict> verdicts{{entered.row->process, 1, elastic::host_state::silent}};
  expect(ej().judge_hosts(other, verdicts));
  advance(200ms);
  CHECK(fates() == std::vector{host_fate::silent});
}

TEST_CASE_METHOD(hosts_fixture, "a keeper that cannot read the changes of others extends no lease", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat_for(at, 1s);
  CHECK(at.ack().keeper_no == 1);
  store.role.fault_of = [](std::string_view method) {
    return method == "hosts_since" ? store_fault::away : store_fault::none;
  };
  beat_for(at, 450ms);
  beat(at);
  CHECK(at.ack().number == at.beats);
  CHECK(at.ack().keeper_no == 0);
  store.role.fault_of = nullptr;
  beat_for(at, 6s);
  beat(at);
  CHECK(at.ack().number == at.beats);
  CHECK(at.ack().keeper_no == 1);
}
