// Messages of elastic jobs on real sockets.

#include "tests/actors/elastic_samples.hpp"
#include "tests/links/link_world.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

/// Notes `what` if the message has arrived as it was sent, but for its key; else its text.
template <class Message>
void compare(test::board& facts, const std::string& what, Message arrived, Message sent) {
  arrived.key = sent.key = {};
  const auto text = caf::to_string(caf::make_message(std::move(arrived)));
  facts.note(text == caf::to_string(caf::make_message(std::move(sent))) ? what : what + " has changed: " + text);
}

protocol::elastic_grants full_grants() {
  auto grants = test::good_grants(12);
  grants.items[0].source = core::elastic::run_source::failover;
  grants.items[0].attempt = 2;
  grants.items[0].lease = 60'500ms;
  grants.items[0].cursor = std::string{"a\0b", 3};
  grants.items[0].hold = true;
  return grants;
}

protocol::elastic_events full_events() {
  auto event = test::good_event(12);
  event.outcome = core::elastic::host_outcome::error;
  event.text = "no such file";
  event.cursor = "7";
  event.cursor_number = 1;
  return {1, {event, event}};
}

/// Answers a host as elastic_hosts does, in the least way.
protocol::link_extension::behavior_type hosts_of(test::board_ptr facts) {
  const auto answer = [](const protocol::host_said& heard, auto message) {
    protocol::anon_send(heard.link, protocol::host_message{0, std::move(message)});
  };
  return {
    [facts, answer](const protocol::host_said& heard) {
      if (const auto* known = std::get_if<protocol::host_introduction>(&heard.said)) {
        compare(*facts, "hello", known->hello, test::good_hello());
        answer(heard, test::good_welcome());
      } else if (const auto* beat = std::get_if<protocol::elastic_heartbeat>(&heard.said)) {
        compare(*facts, "heartbeat", *beat, test::good_beat());
        answer(heard, protocol::elastic_ack{1, 2, true});
        answer(heard, protocol::elastic_specs{{test::good_spec()}});
        answer(heard, full_grants());
        auto orders = test::good_orders();
        orders.inventory = 1;
        answer(heard, std::move(orders));
      } else if (const auto* events = std::get_if<protocol::elastic_events>(&heard.said)) {
        compare(*facts, "events", *events, full_events());
        answer(heard, protocol::elastic_receipt{1, true});
      } else if (const auto* part = std::get_if<protocol::elastic_inventory>(&heard.said)) {
        compare(*facts, "inventory", *part, test::good_inventory());
      }
    },
    [facts](const protocol::host_link_lost&) { facts->note("host lost"); },
  };
}

/// Begins as a host does, and compares the answers.
protocol::elastic_host::behavior_type host_of(test::board_ptr facts) {
  auto link = std::make_shared<protocol::node_link>();
  const auto say = [link](auto message) { protocol::anon_send(*link, protocol::node_message{std::move(message)}); };
  return {
    [link, say](const protocol::link_offer& offer) {
      *link = offer.link;
      if (offer.link)
        say(test::good_hello());
    },
    [facts, say](const protocol::node_said& told) {
      if (const auto* welcome = std::get_if<protocol::elastic_welcome>(&told.said)) {
        compare(*facts, "welcome", *welcome, test::good_welcome());
        say(test::good_beat());
      } else if (const auto* ack = std::get_if<protocol::elastic_ack>(&told.said)) {
        compare(*facts, "ack", *ack, {1, 2, true});
      } else if (const auto* specs = std::get_if<protocol::elastic_specs>(&told.said)) {
        compare(*facts, "specs", *specs, {{test::good_spec()}});
      } else if (const auto* grants = std::get_if<protocol::elastic_grants>(&told.said)) {
        compare(*facts, "grants", *grants, full_grants());
        say(full_events());
      } else if (const auto* orders = std::get_if<protocol::elastic_orders>(&told.said)) {
        facts->note(orders->inventory == 1 ? "orders" : "orders without a question");
        say(test::good_inventory());
      } else if (const auto* receipt = std::get_if<protocol::elastic_receipt>(&told.said)) {
        compare(*facts, "receipt", *receipt, {1, true});
      }
    },
    [](const protocol::item_event&) {},
    [](const protocol::lease_end&) {},
    [](const protocol::listener_note&) {},
    [](const protocol::drain_request&) {},
    [](protocol::tick_atom) {},
  };
}

/// An executor that runs items only.
class linked_host {
public:
  linked_host(const test::board_ptr& facts, std::shared_ptr<actors::tls_ports> ports, const std::string& node) {
    ports->attach(system_);
    elastic_ = system_.spawn([facts] { return host_of(facts); });
    actors::dialer_parts parts{{node}, {"pay-worker", "ringmaster://pay-worker/1", "secret"}, {}, {}, std::move(ports), {}, 42,
                               test::log_to(facts), elastic_};
    dialer_ = system_.spawn<protocol::with_state<actors::link_dialer_state, protocol::link_dialer>>(std::move(parts));
  }
  ~linked_host() {
    test::end_actors(system_, {caf::actor_cast<caf::actor>(dialer_), caf::actor_cast<caf::actor>(elastic_)});
  }

private:
  test::link_config config_;
  caf::actor_system system_{config_};
  protocol::elastic_host elastic_;
  protocol::link_dialer dialer_;
};

} // namespace

TEST_CASE_METHOD(test::tls_world, "messages of elastic jobs cross a link over TLS as they are", "[links]") {
  test::linked_node node{facts, of("node")};
  const auto hosts = protocol::link_extension{node.system().spawn([facts = facts] { return hosts_of(facts); })};
  node.extend(hosts);
  {
    linked_host host{facts, of("executor"), node.address};
    for (const auto* what : {"hello", "welcome", "heartbeat", "ack", "specs", "grants", "events", "receipt", "orders",
                             "inventory"}) {
      CAPTURE(what);
      CHECK(facts->await(what, 1));
    }
    INFO(facts->text());
    CHECK(facts->count_words("has changed") == 0);
    CHECK(facts->count("host lost") == 0);
  }
  CHECK(facts->await("host lost", 1));
  test::end_actors(node.system(), {caf::actor_cast<caf::actor>(hosts)});
}
