// Pools and error handlers of the elastic jobs of a host.

#include "tests/actors/elastic_host_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::elastic::host_outcome;
using core::elastic::item_order;
using core::elastic::item_run_id;
using protocol::elastic_event_kind;
using test::hosting;
using test::kinds_of_events;

TEST_CASE_METHOD(hosting, "a pool of one thread runs one item of the job at a time, in order", "[actors][elastic]") {
  enter();
  define("SINGLE_THREAD");
  grant_items(3);
  REQUIRE(bodies->begun.size() == 1);
  CHECK(bodies->begun[0].work.facts.item == 0);
  CHECK(kinds() == kinds_of_events{elastic_event_kind::accepted, elastic_event_kind::accepted, elastic_event_kind::accepted,
                                   elastic_event_kind::started});
  auto asked = test::good_orders();
  asked.orders.clear();
  asked.inventory = 1;
  say(1, asked);
  const auto held = sent<protocol::elastic_inventory>(1).back().runs;
  REQUIRE(held.size() == 3);
  CHECK(held[1].phase == protocol::elastic_phase::waiting);
  pass(3s);
  CHECK(board->find(item_run_id{14})->still_mine());
  end_body(0);
  REQUIRE(bodies->begun.size() == 2);
  CHECK(bodies->begun[1].work.facts.item == 1);
  end_body(1, {500, "no stock"});
  REQUIRE(bodies->begun.size() == 3);
  CHECK(bodies->begun[2].work.facts.item == 2);
}

TEST_CASE_METHOD(hosting, "an item that waits for room is cancelled, and loses its lease, without a body", "[actors][elastic]") {
  enter();
  define("SINGLE_THREAD");
  grant_items(3);
  order(13, item_order::cancel);
  CHECK(end_of(13).outcome == host_outcome::cancelled);
  protocol::anon_send(host, protocol::lease_end{{item_run_id{14}}});
  run();
  CHECK(kinds().back() == elastic_event_kind::fenced);
  end_body(0);
  CHECK(bodies->begun.size() == 1);
  receipts();
  pass(200ms);
  CHECK(sent<protocol::elastic_heartbeat>(1).back().free_slots == 8);
}

TEST_CASE_METHOD(hosting, "pools are those of the newest definition, and a smaller one ends no item", "[actors][elastic]") {
  enter();
  define("two");
  grant_items(3);
  CHECK(bodies->begun.size() == 2);
  define("SINGLE_THREAD");
  end_body(0);
  CHECK(bodies->begun.size() == 3);
  // The definition changes with the next grant.
  auto grants = test::good_grants(20);
  grants.version = version;
  say(1, grants);
  end_body(1);
  CHECK(bodies->begun.size() == 3);
  end_body(2);
  CHECK(bodies->begun.size() == 4);
}

TEST_CASE_METHOD(hosting, "a run at a barrier takes no room, and waits for it after the order to go", "[actors][elastic]") {
  enter();
  define("SINGLE_THREAD");
  grant_items(1);
  auto grants = test::good_grants(20);
  grants.version = version;
  grants.items[0].item = core::elastic::item_number{1};
  grants.items[0].hold = true;
  say(1, grants);
  order(20, item_order::go);
  order(20, item_order::go);
  CHECK(bodies->begun.size() == 1);
  end_body(0);
  CHECK(bodies->begun.size() == 2);
  end_body(1);
  CHECK(bodies->begun.size() == 2);
}

TEST_CASE_METHOD(hosting, "THROW cancels the items of the fire that have not begun", "[actors][elastic]") {
  enter();
  define("two", "THROW");
  grant_items(3);
  end_body(0, {500, "no stock"});
  CHECK(end_of(12).outcome == host_outcome::error);
  CHECK(end_of(12).text == "no stock");
  CHECK(end_of(14).outcome == host_outcome::cancelled);
  CHECK(end_of(14).text.find("another item of this fire has failed on this host") != std::string::npos);
  CHECK(bodies->begun.size() == 2);
  // The running one goes on, and a grant of the fire that comes late does not begin.
  end_body(1);
  CHECK(end_of(13).outcome == host_outcome::success);
  receipts();
  auto late = test::good_grants(20);
  late.version = version;
  say(1, late);
  CHECK(end_of(20).outcome == host_outcome::cancelled);
  // A takeover and the next fire run.
  receipts();
  late = test::good_grants(21);
  late.version = version;
  late.items[0].source = core::elastic::run_source::failover;
  late.items[0].attempt = 2;
  say(1, late);
  CHECK(bodies->begun.size() == 3);
  late.items[0].item = core::elastic::item_number{1};
  late.items[0].run = item_run_id{22};
  late.items[0].source = core::elastic::run_source::normal;
  late.items[0].fire_at += 1s;
  say(1, late);
  CHECK(bodies->begun.size() == 4);
}

TEST_CASE_METHOD(hosting, "THROW lets a stream of the fire that moves here go on", "[actors][elastic]") {
  enter();
  auto spec = test::good_spec();
  spec.version = ++version;
  spec.kind = "dataflow";
  spec.streaming = true;
  spec.error_handler = "THROW";
  say(1, protocol::elastic_specs{{spec}});
  grant_items(1);
  end_body(0, {500, "no stock"});
  CHECK(end_of(12).outcome == host_outcome::error);
  receipts();
  auto moved = test::good_grants(20);
  moved.version = version;
  moved.items[0].item = core::elastic::item_number{1};
  say(1, moved);
  CHECK(bodies->begun.size() == 2);
}

TEST_CASE_METHOD(hosting, "LOG and IGNORE let the other items run", "[actors][elastic]") {
  enter();
  for (const std::string name : {"LOG", "IGNORE", "EMAIL"}) {
    INFO(name);
    define("SINGLE_THREAD", name);
    const auto first = next_run;
    const auto before = bodies->begun.size();
    grant_items(2);
    end_body(before, {500, "no stock"});
    CHECK(end_of(first).outcome == host_outcome::error);
    REQUIRE(bodies->begun.size() == before + 2);
    end_body(before + 1);
    CHECK(end_of(first + 1).outcome == host_outcome::success);
    receipts();
  }
}

TEST_CASE_METHOD(hosting, "an error handler of the program gets each failure on a thread, before the result leaves",
                 "[actors][elastic]") {
  enter();
  define("two", "pager", R"({"custom.key":"k"})");
  grant_items(3);
  end_body(0, {500, "no stock"});
  CHECK(end_of(12).run == item_run_id{});
  CHECK(bodies->begun.size() == 2);
  CHECK(threads->run_one());
  run();
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].job == "settlement");
  CHECK(failures[0].item == 0);
  CHECK(failures[0].text == "no stock");
  CHECK(failures[0].task_id.ends_with("@-@12"));
  CHECK(end_of(12).text == "no stock");
  CHECK(bodies->begun.size() == 3);
  end_body(1, {500, "odd"});
  CHECK(threads->run_one());
  run();
  CHECK(end_of(13).text == "odd (error handler \"pager\" failed: no network)");
  CHECK(handlers_made == 1);
  // A cancelled run is no failure of the job.
  order(14, item_order::cancel);
  CHECK(threads->run_one());
  end_body(2, {500, "stopped"});
  CHECK(failures.size() == 2);
}

TEST_CASE_METHOD(hosting, "an error handler of the program may end the fire, and is made again for other props",
                 "[actors][elastic]") {
  enter();
  define("SINGLE_THREAD", "pager", R"({"custom.key":"k"})");
  grant_items(2);
  end_body(0, {500, "stop"});
  CHECK(threads->run_one());
  run();
  CHECK(end_of(13).outcome == host_outcome::cancelled);
  receipts();
  define("SINGLE_THREAD", "pager");
  grant_items(1, 1000ms);
  end_body(1, {500, "no stock"});
  CHECK(threads->run_one());
  run();
  CHECK(handlers_made == 2);
  CHECK(failures.size() == 1);
  CHECK(end_of(14).outcome == host_outcome::error);
  CHECK(end_of(14).text == "no stock (error handler \"pager\": it refuses the props of the job: custom.key: missing)");
}
