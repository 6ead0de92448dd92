#include "tests/actors/elastic_host_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::elastic::host_outcome;
using core::elastic::item_order;
using core::elastic::item_run_id;
using protocol::elastic_event_kind;
using protocol::elastic_refusal;
using test::hosting;

TEST_CASE_METHOD(hosting, "a host sends heartbeats every 150 ms to each node that has welcomed it", "[actors][elastic]") {
  connect(1);
  connect(2);
  CHECK(sent<protocol::elastic_hello>(1).size() == 1);
  say(1, test::good_welcome());
  advance(1500ms);
  const auto beats = sent<protocol::elastic_heartbeat>(1).size();
  CHECK(beats >= 10);
  CHECK(beats <= 11);
  CHECK(sent<protocol::elastic_heartbeat>(2).empty());
}

TEST_CASE_METHOD(hosting, "a granted item runs with its facts, and its result is repeated until the receipt",
                 "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  const auto& work = bodies->begun[0].work;
  CHECK(work.handler == "settle");
  CHECK(work.facts.job == "settlement");
  CHECK(work.facts.task_id == "settlement@-@0@-@READY@-@10.0.0.3@-@41@-@12");
  CHECK(work.facts.total == 3);
  CHECK(work.facts.job_param == "a=1");
  CHECK(work.facts.item_param == "a");
  CHECK(work.facts.fence == 4);
  CHECK(work.control->still_mine());
  bodies->begun[0].done({});
  run();
  const auto told = events();
  REQUIRE_FALSE(told.empty());
  CHECK(told.back().kind == elastic_event_kind::finished);
  CHECK(told.back().outcome == host_outcome::success);
  const auto before = told.size();
  pass(2100ms);
  CHECK(events().size() > before);
  receipts();
  const auto after = events().size();
  pass(3s);
  CHECK(events().size() == after);
}

TEST_CASE_METHOD(hosting, "a failure is reported with its text", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  bodies->begun[0].done({500, "no stock"});
  run();
  CHECK(events().back().outcome == host_outcome::error);
  CHECK(events().back().text == "no stock");
  bodies->refusing = true;
  auto grants = test::good_grants(13);
  grants.items[0].item = core::elastic::item_number{1};
  say(1, grants);
  CHECK(events().back().outcome == host_outcome::error);
  CHECK(events().back().text == "the executor could not start a thread for this run");
}

TEST_CASE_METHOD(hosting, "a cancelled body is asked to stop on a thread that may block", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  order(12, item_order::drain);
  CHECK(bodies->begun[0].work.control->drain_requested());
  order(12, item_order::cancel);
  const auto token = bodies->begun[0].work.control->stop_token();
  CHECK_FALSE(token.stop_requested());
  CHECK(threads->run_one());
  CHECK(token.stop_requested());
  bodies->begun[0].done({500, "stopped"});
  run();
  CHECK(events().back().outcome == host_outcome::cancelled);
}

TEST_CASE_METHOD(hosting, "a stream that was drained reports that it has yielded", "[actors][elastic]") {
  enter();
  auto spec = test::good_spec();
  spec.version = 2;
  spec.kind = "dataflow";
  spec.streaming = true;
  say(1, protocol::elastic_specs{{spec}});
  auto grants = test::good_grants(12);
  grants.version = 2;
  say(1, grants);
  REQUIRE(bodies->begun.size() == 1);
  CHECK(bodies->begun[0].work.facts.streaming);
  order(12, item_order::drain);
  bodies->begun[0].work.control->yield();
  bodies->begun[0].done({});
  run();
  CHECK(events().back().outcome == host_outcome::yielded);
}

TEST_CASE_METHOD(hosting, "a run with a barrier arrives and waits for the order to go", "[actors][elastic]") {
  enter();
  auto grants = test::good_grants(12);
  grants.items[0].hold = true;
  say(1, grants);
  CHECK(bodies->begun.empty());
  CHECK(kinds().back() == elastic_event_kind::arrived);
  order(12, item_order::go);
  CHECK(bodies->begun.size() == 1);
  order(12, item_order::go);
  CHECK(bodies->begun.size() == 1);
  CHECK(kinds().back() == elastic_event_kind::started);
}

TEST_CASE_METHOD(hosting, "a run that waits at a barrier frees its slot at the end of its lease", "[actors][elastic]") {
  enter();
  auto grants = test::good_grants(12);
  grants.items[0].hold = true;
  say(1, grants);
  protocol::anon_send(host, protocol::lease_end{{item_run_id{12}}});
  pass(200ms);
  CHECK(sent<protocol::elastic_heartbeat>(1).back().free_slots == 8);
  CHECK(bodies->begun.empty());
}

TEST_CASE_METHOD(hosting, "acknowledgements of the keeper extend the lease of a run, and its end is reported",
                 "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  const auto control = bodies->begun[0].work.control;
  pass(3s);
  CHECK(control->still_mine());
  advance(600ms);
  CHECK_FALSE(control->still_mine());
  CHECK(board->end_due().size() == 1);
  protocol::anon_send(host, protocol::lease_end{{item_run_id{12}}});
  run();
  CHECK(kinds().back() == elastic_event_kind::fenced);
  bodies->begun[0].done({});
  run();
  CHECK(kinds().back() == elastic_event_kind::fenced);
}

TEST_CASE_METHOD(hosting, "a body that returns because its lease has ended has no result", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  advance(600ms);
  CHECK(board->end_due().size() == 1);
  bodies->begun[0].done({});
  run();
  CHECK(kinds().back() == elastic_event_kind::fenced);
  protocol::anon_send(host, protocol::lease_end{{item_run_id{12}}});
  pass(200ms);
  CHECK(kinds().back() == elastic_event_kind::fenced);
  CHECK(sent<protocol::elastic_heartbeat>(1).back().free_slots == 8);
}

TEST_CASE_METHOD(hosting, "a sleep of the machine ends the lease", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  sleep_machine(1s);
  CHECK_FALSE(bodies->begun[0].work.control->still_mine());
}

TEST_CASE_METHOD(hosting, "the result of a run leaves over another link when its own is cut", "[actors][elastic]") {
  enter();
  connect(2);
  auto other = test::good_welcome();
  other.keeper_no = 0;
  say(2, other);
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  cut(1);
  CHECK(sent<protocol::elastic_heartbeat>(2).back().asks_keeper);
  bodies->begun[0].done({});
  run();
  CHECK(kinds(2).back() == elastic_event_kind::finished);
  say(2, protocol::elastic_ack{sent<protocol::elastic_heartbeat>(2).back().number, 3});
  advance(400ms);
  CHECK(sent<protocol::elastic_heartbeat>(2).back().keeper_no == 3);
}

TEST_CASE_METHOD(hosting, "an inventory follows the grants before it", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  auto asked = test::good_orders();
  asked.orders.clear();
  asked.inventory = 1;
  say(1, asked);
  const auto parts = sent<protocol::elastic_inventory>(1);
  REQUIRE(parts.size() == 1);
  REQUIRE(parts[0].runs.size() == 1);
  CHECK(parts[0].runs[0].run == item_run_id{12});
}

TEST_CASE_METHOD(hosting, "a drain refuses grants and waits for the receipt of the last result", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  const auto drained = later<caf::unit_t>(host, protocol::drain_request{5s});
  run();
  CHECK(bodies->begun[0].work.control->drain_requested());
  auto grants = test::good_grants(13);
  grants.items[0].item = core::elastic::item_number{1};
  say(1, grants);
  CHECK(events().back().refusal == elastic_refusal::draining);
  pass(1s);
  CHECK_FALSE(drained->has_value());
  bodies->begun[0].done({});
  pass(100ms);
  CHECK_FALSE(drained->has_value());
  receipts();
  pass(100ms);
  CHECK(drained->has_value());
}

TEST_CASE_METHOD(hosting, "a drain cancels bodies after its limit, and ends although they ignore it", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  const auto drained = later<caf::unit_t>(host, protocol::drain_request{1s});
  pass(1100ms);
  CHECK(threads->run_one());
  CHECK(bodies->begun[0].work.control->stop_token().stop_requested());
  CHECK_FALSE(drained->has_value());
  pass(5100ms);
  CHECK(drained->has_value());
}

TEST_CASE_METHOD(hosting, "a host without links and runs has no timer", "[actors][elastic]") {
  enter();
  CHECK(timers_within(1s) > 0);
  cut(1);
  advance(1s);
  CHECK(timers_within(1h) == 0);
}

TEST_CASE_METHOD(hosting, "a save of a cursor waits until a node has stored its value or a newer one", "[actors][elastic]") {
  enter();
  auto grants = test::good_grants(12);
  grants.items[0].cursor = "p0";
  say(1, grants);
  REQUIRE(bodies->begun.size() == 1);
  CHECK(bodies->begun[0].work.facts.cursor == "p0");
  const auto control = bodies->begun[0].work.control;
  std::vector<std::string> told;
  const auto save = [&](std::string value) {
    control->save_cursor(std::move(value), [&told](const core::result<void>& saved) {
      told.emplace_back(saved ? "stored" : core::to_string(saved.error().code));
    });
    run();
  };
  using words = std::vector<std::string>;
  save("p1");
  CHECK(events().back().cursor == "p1");
  const auto before = events().size();
  save("p2");
  save("p3");
  CHECK(events().size() == before);
  CHECK(told.empty());
  receipts();
  CHECK(told == words{"stored"});
  CHECK(events().back().cursor == "p3");
  receipts();
  CHECK(told == words{"stored", "stored", "stored"});
  save(std::string(core::elastic::cursor_bytes + 1, 'x'));
  CHECK(told.back() == "too_large");

  SECTION("no node stores it") {
    save("p4");
    pass(29s);
    CHECK(told.size() == 4);
    pass(2s);
    CHECK(told.back() == "unavailable");
  }
  SECTION("the run is closed") {
    save("p4");
    order(12, item_order::close);
    CHECK(told.back() == "fenced");
    save("p5");
    CHECK(told.back() == "fenced");
    CHECK(told.size() == 6);
  }
  SECTION("the lease ends") {
    save("p4");
    advance(600ms);
    CHECK(board->end_due().size() == 1);
    CHECK(told.back() == "fenced");
  }
  SECTION("the body has ended") {
    bodies->begun[0].done({});
    run();
    save("p4");
    CHECK(told.back() == "unavailable");
  }
}
