// The executor's end of a link, for messages of elastic jobs.

#include "protocol/elastic_border.hpp"
#include "tests/actors/elastic_samples.hpp"
#include "tests/actors/raw_node.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::raw_node;

namespace {

/// A node whose gates belong to the test, and a host that keeps what it hears.
struct raw_elastic_node : raw_node {
  raw_elastic_node() {
    node = track(system().spawn([this]() -> protocol::elastic_link_gate::behavior_type {
      return {
        [](const protocol::link_verdicts&) {},
        [](const protocol::link_answer&) {},
        [](const protocol::link_reports&) {},
        [](const protocol::link_goodbye&) {},
        [this](const protocol::elastic_hello& told) { keys.push_back(told.key); },
        [this](const protocol::elastic_heartbeat& told) { keys.push_back(told.key); },
        [this](const protocol::elastic_events& told) { keys.push_back(told.key); },
        [this](const protocol::elastic_inventory& told) { keys.push_back(told.key); },
      };
    }));
  }
  ~raw_elastic_node() {
    offers.clear();
    end_all();
  }

  void dial_with_host() {
    elastic = track(system().spawn([this]() -> protocol::elastic_host::behavior_type {
      return {
        [this](const protocol::link_offer& offer) { offers.push_back(offer); },
        [this](protocol::node_said& told) { heard.push_back(std::move(told)); },
        [](const protocol::item_event&) {},
        [](const protocol::lease_end&) {},
        [](const protocol::drain_request&) {},
        [](const protocol::listener_note&) {},
        [](protocol::tick_atom) {},
      };
    }));
    dial();
  }
  /// Sends a message to the executor as a node of version 5.
  template <class Message>
  void tell_elastic(Message message) {
    message.key = hellos.back().gate_key;
    tell(caf::actor_cast<protocol::elastic_executor_gate>(gate_there()), std::move(message));
    run();
  }
  template <class Message>
  void tell_node(Message message) {
    tell(offers.back().link, protocol::node_message{std::move(message)});
    run();
  }

  std::vector<protocol::link_offer> offers;
  std::vector<protocol::node_said> heard;
  /// Keys that the host showed.
  std::vector<protocol::link_key> keys;
};

} // namespace

TEST_CASE_METHOD(raw_elastic_node, "elastic_host is offered each link, and told of its end", "[actors][links]") {
  dial_with_host();
  REQUIRE(offers.size() == 1);
  CHECK(offers[0].address == "10.0.0.1:9100");
  CHECK(offers[0].link);
  caf::anon_send_exit(gate_there(), caf::exit_reason::kill);
  run();
  REQUIRE(offers.size() == 2);
  CHECK(offers[1].link_number == offers[0].link_number);
  CHECK_FALSE(offers[1].link);
  advance(1s);
  REQUIRE(offers.size() == 3);
  CHECK(offers[2].link_number > offers[0].link_number);
}

TEST_CASE_METHOD(raw_elastic_node, "a link that was never up is not offered", "[actors][links]") {
  challenges = false;
  dial_with_host();
  advance(10s);
  CHECK(hellos.size() > 1);
  CHECK(offers.empty());
}

TEST_CASE_METHOD(raw_elastic_node, "a link to a node of the version before is not offered", "[actors][links]") {
  challenges = false;
  dial_with_host();
  say(protocol::link_refusal{"this node speaks version 4 of the link protocol, not 5", {}});
  challenges = true;
  advance(0s);
  REQUIRE(hellos.size() == 2);
  CHECK(proofs.size() == 1);
  CHECK(offers.empty());
  CHECK(count_logged("gives no items of elastic jobs") == 1);
}

TEST_CASE_METHOD(raw_elastic_node, "messages of the node reach elastic_host, and its messages reach the node",
                 "[actors][links]") {
  dial_with_host();
  tell_node(test::good_hello());
  tell_elastic(test::good_welcome());
  tell_node(test::good_beat());
  tell_elastic(protocol::elastic_ack{1, 2, false});
  tell_elastic(protocol::elastic_specs{{test::good_spec()}});
  tell_elastic(test::good_grants(12));
  tell_node(test::good_events(1));
  tell_elastic(protocol::elastic_receipt{1, true});
  tell_elastic(test::good_orders());
  tell_node(test::good_inventory());
  CHECK(keys == std::vector(4, own_key));
  REQUIRE(heard.size() == 6);
  for (const auto& each : heard) {
    CHECK(each.link_number == offers[0].link_number);
    CHECK(each.heard_at == now());
  }
  REQUIRE(std::holds_alternative<protocol::elastic_grants>(heard[3].said));
  CHECK(std::get<protocol::elastic_grants>(heard[3].said).items[0].run == core::elastic::item_run_id{12});
}

TEST_CASE_METHOD(raw_elastic_node, "messages of elastic jobs need the key, and a node that has proved the token",
                 "[actors][links]") {
  SECTION("key") {
    dial_with_host();
    tell(caf::actor_cast<protocol::elastic_executor_gate>(gate_there()), test::good_grants(12));
    run();
  }
  SECTION("proof") {
    welcomes = false;
    dial_with_host();
    tell_elastic(test::good_grants(12));
    tell_elastic(protocol::elastic_grants{});
  }
  CHECK(heard.empty());
  CHECK(hellos.size() == 1);
}

TEST_CASE_METHOD(raw_elastic_node, "messages of elastic jobs that no node sends end the link", "[actors][links]") {
  dial_with_host();
  SECTION("grants of nothing") { tell_elastic(protocol::elastic_grants{}); }
  SECTION("endless grants") {
    auto grants = test::good_grants(12);
    grants.items.assign(513, grants.items[0]);
    tell_elastic(grants);
  }
  SECTION("an order of an unknown kind") {
    auto orders = test::good_orders();
    orders.orders[0].order = static_cast<core::elastic::item_order>(9);
    tell_elastic(orders);
  }
  CHECK(heard.empty());
  REQUIRE(offers.size() == 2);
  CHECK_FALSE(offers[1].link);
}

TEST_CASE_METHOD(raw_elastic_node, "an executor without elastic jobs ignores their messages, with one line in its log",
                 "[actors][links]") {
  dial();
  for (int i = 0; i < 5; ++i)
    tell_elastic(test::good_grants(12));
  CHECK(hellos.size() == 1);
  CHECK(count_logged("which this executor does not run") == 1);
}

TEST_CASE_METHOD(raw_elastic_node, "a message that the node would refuse is not sent", "[actors][links]") {
  dial_with_host();
  tell_node(protocol::elastic_events{1, {}});
  CHECK(keys.empty());
  CHECK(count_logged("not sent to the node") == 1);
}
