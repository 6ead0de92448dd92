// A host on a native link, with the real actors of a node: native_links, native_link, elastic_hosts, a SQLite store.

#include "actors/elastic/elastic_hosts.hpp"
#include "tests/actors/elastic_samples.hpp"
#include "tests/actors/native_fixture.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

struct no_processes final : actors::process_watch {
  bool watch(const core::elastic::host_process&, const core::elastic::host_facts&) override { return false; }
  void forget(const core::elastic::host_process&) override {}
  std::vector<core::elastic::host_process> ended() override { return {}; }
};

/// The host's gate belongs to the test.
struct linked_host : test::natively_linked {
  linked_host() {
    peer = track(system().spawn([this]() -> protocol::elastic_executor_gate::behavior_type {
      return {
        [this](const protocol::link_challenge& challenge) { prove(ports->door, said, challenge.nonce, "secret"); },
        [this](const protocol::link_welcome& told) {
          node_gate = caf::actor_cast<protocol::elastic_link_gate>(told.gate);
          node_key = told.gate_key;
        },
        [](const protocol::link_refusal&) {},
        [](const protocol::link_runs&) {},
        [](const protocol::link_question&) {},
        [](const protocol::link_receipt&) {},
        [this](const protocol::elastic_welcome& told) { welcomes.push_back(told); },
        [this](const protocol::elastic_ack& told) { acks.push_back(told); },
        [](const protocol::elastic_specs&) {},
        [this](const protocol::elastic_grants& told) { grants.push_back(told); },
        [](const protocol::elastic_orders&) {},
        [this](const protocol::elastic_receipt& told) { receipts.push_back(told); },
      };
    }));
    director = track(system().spawn([this]() -> protocol::elastic_director::behavior_type {
      return {
        [](const protocol::hosts_subscription&) {},
        [](const protocol::incarnation_change&) {},
        [](const protocol::slot_change&) {},
        [](protocol::edit_hint) {},
        [this](protocol::host_view& view) { known = std::move(view.known); },
        [](const protocol::host_events&) {},
        [](const protocol::host_notice&) {},
        [](const protocol::host_epochs&) {},
        [](const protocol::coordinator_wish&) {},
        [](const protocol::pending_work_update&) {},
        [](protocol::stop_request) {},
        [](protocol::tick_atom) {},
      };
    }));
    const auto draw_id = [] { return std::string(32, 'c'); };
    auto processes = std::make_shared<no_processes>();
    actors::elastic_hosts_parts parts{"a", worker.actor, director, std::move(processes), draw_id, clock(), silent_log()};
    hosts = spawn<actors::elastic_hosts_state, protocol::elastic_hosts>(std::move(parts));
    tell(hosts, protocol::incarnation_change{me});
    tell(links, protocol::link_subscription{hosts});
    open_gate();
    said = {protocol::link_version, "pay-worker", test::worker_address, {}, peer, {1, 2}};
    tell(ports->door, said);
    run();
    REQUIRE(node_gate);
  }
  ~linked_host() {
    said.gate = nullptr;
    end_all();
  }

  void open_gate() { gate->open_until(me.incarnation, boot_now() + std::chrono::nanoseconds{24h}.count()); }
  template <class Message>
  void say(Message message) {
    message.key = node_key;
    tell(node_gate, std::move(message));
    run();
  }
  void beat(std::uint64_t number) {
    auto sent = test::good_beat(number);
    sent.incarnation = welcomes.back().host.incarnation;
    say(sent);
  }

  test::memory_database database;
  std::unique_ptr<storage::store> store = database.open();
  core::node_incarnation me = test::expect(store->cluster().enter("a", "one:1"));
  test::query_worker_double worker{*this, *store};
  protocol::elastic_executor_gate peer;
  protocol::link_hello said;
  protocol::elastic_link_gate node_gate;
  protocol::link_key node_key;
  std::vector<protocol::elastic_welcome> welcomes;
  std::vector<protocol::elastic_ack> acks;
  std::vector<protocol::elastic_grants> grants;
  std::vector<protocol::elastic_receipt> receipts;
  std::shared_ptr<const protocol::known_hosts> known;
  protocol::elastic_director director;
  protocol::elastic_hosts hosts;
};

} // namespace

TEST_CASE_METHOD(linked_host, "a host on a native link is admitted and acknowledged", "[actors][elastic][links]") {
  say(test::good_hello());
  REQUIRE(welcomes.size() == 1);
  CHECK(welcomes[0].verdict == protocol::elastic_verdict::welcome);
  CHECK(welcomes[0].key == protocol::link_key{1, 2});
  beat(1);
  REQUIRE(acks.size() == 1);
  CHECK(acks[0].number == 1);
  CHECK(acks[0].keeper_no == 1);
  advance(50ms);
  REQUIRE(known);
  const auto* shown = known->hosts.find(welcomes[0].host.host);
  REQUIRE(shown != nullptr);
  CHECK(shown->id == test::worker_address);
  CHECK(shown->linked);
  auto granted = test::good_grants(12);
  granted.host = welcomes[0].host;
  SECTION("a grant leaves while the gate is open") {
    tell(hosts, protocol::host_send{welcomes[0].host, {me.incarnation, granted}});
    run();
    CHECK(grants.size() == 1);
  }
  SECTION("the closed gate holds grants and acknowledgements") {
    gate->close();
    beat(2);
    tell(hosts, protocol::host_send{welcomes[0].host, {me.incarnation, granted}});
    run();
    CHECK(acks.size() == 1);
    CHECK(grants.empty());
    open_gate();
    beat(3);
    REQUIRE(acks.size() == 2);
    CHECK(acks[1].number == 3);
  }
  SECTION("a receipt that holds for another life of the node asks for the batch again") {
    const auto says_stored = [&](std::int64_t life) {
      tell(hosts, protocol::host_send{welcomes[0].host, {life, protocol::elastic_receipt{.batch = 1, .stored = true}}});
      run();
      return receipts.back().stored;
    };
    CHECK_FALSE(says_stored(me.incarnation + 1));
    CHECK(says_stored(me.incarnation));
    gate->close();
    CHECK_FALSE(says_stored(me.incarnation));
    CHECK(says_stored(0));
    CHECK(receipts.size() == 4);
  }
  SECTION("the end of the link is seen at once") {
    caf::anon_send_exit(peer, caf::exit_reason::kill);
    run();
    CHECK_FALSE(known->hosts.find(welcomes[0].host.host)->linked);
  }
}
