// The node's end of a link to a host of elastic jobs.

#include "protocol/elastic_border.hpp"
#include "tests/actors/elastic_samples.hpp"
#include "tests/actors/native_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::good_beat;
using test::good_event;
using test::good_events;
using test::good_grants;
using test::good_hello;
using test::good_inventory;
using test::good_orders;
using test::good_welcome;
using protocol::elastic_link_limits;

namespace {

/// A node's link to a host whose gate belongs to the test.
struct raw_host : test::raw_peer<protocol::elastic_executor_gate, protocol::elastic_link_gate> {
  explicit raw_host(const std::string& app_name = "pay-worker", const std::string& shown = "secret") {
    gate_there = track(system().spawn([this]() -> protocol::elastic_executor_gate::behavior_type {
      return {
        [this](const protocol::link_challenge& challenge) { prove(ports->door, said, challenge.nonce, token); },
        [this](const protocol::link_welcome& welcome) {
          node = caf::actor_cast<protocol::elastic_link_gate>(welcome.gate);
          node_key = welcome.gate_key;
        },
        [](const protocol::link_refusal&) {},
        [](const protocol::link_runs&) {},
        [](const protocol::link_question&) {},
        [](const protocol::link_receipt&) {},
        [this](const protocol::elastic_welcome& told) { keep(told, welcomes); },
        [this](const protocol::elastic_ack& told) { keep(told, acks); },
        [this](const protocol::elastic_specs& told) { keep(told, specs); },
        [this](const protocol::elastic_grants& told) { keep(told, grants); },
        [this](const protocol::elastic_orders& told) { keep(told, orders); },
        [this](const protocol::elastic_receipt& told) { keep(told, receipts); },
      };
    }));
    hosts = track(system().spawn([this]() -> protocol::link_extension::behavior_type {
      return {
        [this](protocol::host_said& heard) {
          link = heard.link;
          all.push_back(std::move(heard));
        },
        [this](const protocol::host_link_lost& lost) { ends.push_back(lost); },
      };
    }));
    greet(app_name, shown);
  }
  ~raw_host() {
    said.gate = nullptr;
    link = nullptr;
    all.clear();
    end_all();
  }

  template <class Message>
  void keep(const Message& told, std::vector<Message>& into) {
    CHECK(told.key == own_key);
    into.push_back(told);
  }
  /// Sends a message to the node, with its key, and lets it arrive.
  template <class Message>
  void say(Message message) {
    raw_peer::say(std::move(message));
    run();
  }
  void subscribe() {
    tell(links, protocol::link_subscription{hosts});
    run();
  }
  /// Introduces the host to elastic_hosts.
  void introduce() {
    subscribe();
    say(good_hello());
    REQUIRE(all.size() == 1);
  }
  /// Sends a message to the host as elastic_hosts does.
  template <class Message>
  void tell_host(Message message, std::int64_t of_life = life) {
    tell(link, protocol::host_message{of_life, std::move(message)});
    run();
  }
  template <class Message>
  [[nodiscard]] std::size_t heard() const {
    return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const auto& each) { return std::holds_alternative<Message>(each.said); }));
  }

  protocol::link_extension hosts;
  protocol::host_link link;
  std::vector<protocol::host_said> all;
  std::vector<protocol::host_link_lost> ends;
  std::vector<protocol::elastic_welcome> welcomes;
  std::vector<protocol::elastic_ack> acks;
  std::vector<protocol::elastic_specs> specs;
  std::vector<protocol::elastic_grants> grants;
  std::vector<protocol::elastic_orders> orders;
  std::vector<protocol::elastic_receipt> receipts;
};

/// A host with the token of group 9.
struct raw_group_host : raw_host {
  raw_group_host() : raw_host("mail-worker", "mail-token") {}
};

} // namespace

TEST_CASE_METHOD(raw_host, "messages of a host reach elastic_hosts, and its messages reach the host", "[actors][links]") {
  introduce();
  const auto& introduction = std::get<protocol::host_introduction>(all[0].said);
  CHECK(introduction.hello.process == good_hello().process);
  CHECK(introduction.hello.epochs == good_hello().epochs);
  CHECK(introduction.app_name == "pay-worker");
  CHECK(introduction.address == test::worker_address);
  CHECK(introduction.rights.token == core::token_kind::common);
  REQUIRE(introduction.rights.groups);
  CHECK(*introduction.rights.groups == std::vector{core::group_id{4}});
  CHECK(all[0].heard_at == now());
  tell_host(good_welcome(), 0);
  say(good_beat());
  tell_host(protocol::elastic_ack{1, 2, false});
  tell_host(protocol::elastic_specs{{test::good_spec()}}, 0);
  tell_host(good_grants(12));
  say(good_events(1));
  tell_host(protocol::elastic_receipt{1, true}, 0);
  tell_host(good_orders(), 0);
  CHECK(heard<protocol::elastic_heartbeat>() == 1);
  CHECK(heard<protocol::elastic_events>() == 1);
  CHECK(welcomes.size() == 1);
  CHECK(acks.size() == 1);
  CHECK(specs.size() == 1);
  REQUIRE(grants.size() == 1);
  CHECK(grants[0].items[0].run == core::elastic::item_run_id{12});
  CHECK(orders.size() == 1);
  CHECK(receipts.size() == 1);
  for (const auto& each : all)
    CHECK(each.link_number == all[0].link_number);
}

TEST_CASE_METHOD(raw_host, "a node without elastic jobs refuses a host, with one line in its log", "[actors][links]") {
  for (int i = 0; i < 5; ++i) {
    say(good_hello());
    say(good_beat());
    say(good_events(static_cast<std::uint64_t>(i) + 1));
    advance(1s);
  }
  CHECK(is_linked());
  REQUIRE(welcomes.size() == 5);
  CHECK(welcomes[0].verdict == protocol::elastic_verdict::unavailable);
  CHECK_FALSE(welcomes[0].reason.empty());
  CHECK(count_logged("but this node has none") == 1);
  // They begin later than links.
  introduce();
  CHECK(welcomes.size() == 5);
}

TEST_CASE_METHOD(raw_host, "messages of elastic jobs without the key of the link have no effect", "[actors][links]") {
  introduce();
  const auto good = node_key;
  for (const auto key : {protocol::link_key{}, own_key, protocol::link_key{good.high, good.low ^ 1}}) {
    node_key = key;
    say(good_beat());
    say(good_events(1));
    say(protocol::elastic_events{});
    say(good_inventory());
  }
  CHECK(is_linked());
  CHECK(all.size() == 1);
}

TEST_CASE_METHOD(raw_host, "messages that no host sends cut the link", "[actors][links]") {
  introduce();
  SECTION("an empty batch") { say(protocol::elastic_events{1, {}}); }
  SECTION("an event of no run") { say(protocol::elastic_events{1, {good_event(0)}}); }
  SECTION("an endless text") {
    auto event = good_event(12);
    event.text = std::string(2'000'000, 'x');
    say(protocol::elastic_events{1, {event}});
  }
  SECTION("a heartbeat of no process") { say(protocol::elastic_heartbeat{}); }
  SECTION("an inventory of no question") { say(good_inventory(0)); }
  SECTION("a hello of no process") { say(protocol::elastic_hello{}); }
  CHECK_FALSE(is_linked());
  CHECK(all.size() == 1);
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].link_number == all[0].link_number);
  CHECK_FALSE(ends[0].goodbye);
  tell_host(good_welcome(), 0);
  CHECK(welcomes.empty());
}

TEST_CASE_METHOD(raw_host, "before its hello, a host is not heard and not missed", "[actors][links]") {
  subscribe();
  say(good_beat());
  say(good_events(1));
  say(good_inventory());
  CHECK(is_linked());
  CHECK(all.empty());
  caf::anon_send_exit(gate_there, caf::exit_reason::kill);
  run();
  CHECK_FALSE(is_linked());
  CHECK(ends.empty());
}

TEST_CASE_METHOD(raw_host, "more batches of events than receipts allow cut the link", "[actors][links]") {
  introduce();
  for (std::uint64_t batch = 1; batch <= elastic_link_limits::batches_max; ++batch)
    say(good_events(batch));
  CHECK(is_linked());
  tell_host(protocol::elastic_receipt{3, false}, 0);
  say(good_events(elastic_link_limits::batches_max + 1));
  CHECK(is_linked());
  say(good_events(elastic_link_limits::batches_max + 2));
  CHECK_FALSE(is_linked());
  CHECK(heard<protocol::elastic_events>() == elastic_link_limits::batches_max + 1);
}

TEST_CASE_METHOD(raw_host, "batches of events have ascending numbers", "[actors][links]") {
  introduce();
  say(good_events(2));
  tell_host(protocol::elastic_receipt{2, true}, 0);
  say(good_events(5));
  CHECK(is_linked());
  say(good_events(5));
  CHECK_FALSE(is_linked());
  CHECK(heard<protocol::elastic_events>() == 2);
}

TEST_CASE_METHOD(raw_host, "a node acknowledges and grants only while its gate is open for the life that decided it",
                 "[actors][links]") {
  introduce();
  tell_host(protocol::elastic_ack{1, 2, false}, life - 1);
  tell_host(good_grants(12), life - 1);
  CHECK(acks.empty());
  CHECK(grants.empty());
  gate->close();
  tell_host(protocol::elastic_ack{1, 2, false});
  tell_host(good_grants(12));
  tell_host(protocol::elastic_receipt{1, true});
  CHECK(acks.empty());
  CHECK(grants.empty());
  CHECK(receipts.size() == 1);
}

TEST_CASE_METHOD(raw_host, "a node sends no message that its host would refuse", "[actors][links]") {
  introduce();
  auto endless = good_grants(12);
  endless.items.assign(elastic_link_limits::items_max + 1, endless.items[0]);
  tell_host(endless);
  tell_host(protocol::elastic_orders{}, 0);
  CHECK(grants.empty());
  CHECK(orders.empty());
  CHECK(is_linked());
  CHECK(count_logged("not sent to the host") == 2);
}

TEST_CASE_METHOD(raw_host, "an inventory is passed on only after its question, up to its last part", "[actors][links]") {
  introduce();
  say(good_inventory(1));
  CHECK(heard<protocol::elastic_inventory>() == 0);
  auto question = good_orders();
  question.inventory = 1;
  tell_host(question, 0);
  auto part = good_inventory(1);
  part.end = false;
  say(part);
  say(good_inventory(2));
  say(good_inventory(1));
  say(good_inventory(1));
  CHECK(heard<protocol::elastic_inventory>() == 2);
  CHECK(is_linked());
}

TEST_CASE_METHOD(raw_host, "an inventory of far more runs than the host's capacity cuts the link", "[actors][links]") {
  introduce();
  auto question = good_orders();
  question.inventory = 1;
  tell_host(question, 0);
  auto part = good_inventory(1);
  part.end = false;
  for (std::int32_t run = 0; run < 2 * good_hello().capacity; ++run)
    say(part);
  CHECK(is_linked());
  say(part);
  CHECK_FALSE(is_linked());
  CHECK(heard<protocol::elastic_inventory>() == static_cast<std::size_t>(2 * good_hello().capacity));
}

TEST_CASE_METHOD(raw_host, "calls of once-listeners take no slot in an inventory", "[actors][links]") {
  introduce();
  auto question = good_orders();
  question.inventory = 1;
  tell_host(question, 0);
  auto part = good_inventory(1);
  part.end = false;
  for (std::int32_t run = 0; run < 2 * good_hello().capacity; ++run)
    say(part);
  part.runs[0].item = core::elastic::before_hook_item;
  say(part);
  part.runs[0].item = core::elastic::after_hook_item;
  say(part);
  CHECK(is_linked());
  // But they are limited, too.
  const auto hook = part.runs[0];
  part.runs.assign(500, hook);
  for (int i = 0; i < 20; ++i)
    say(part);
  CHECK_FALSE(is_linked());
}

TEST_CASE_METHOD(raw_host, "hellos are limited to one a second", "[actors][links]") {
  introduce();
  for (int i = 0; i < 20; ++i)
    say(good_hello());
  CHECK(all.size() == 1);
  advance(1s);
  say(good_hello());
  CHECK(heard<protocol::host_introduction>() == 2);
}

TEST_CASE_METHOD(raw_host, "a flood of heartbeats is limited", "[actors][links]") {
  introduce();
  for (std::uint64_t beat = 1; beat <= 300; ++beat)
    say(good_beat(beat));
  CHECK(heard<protocol::elastic_heartbeat>() == 100);
  advance(1s);
  for (std::uint64_t beat = 301; beat <= 600; ++beat)
    say(good_beat(beat));
  CHECK(heard<protocol::elastic_heartbeat>() == 150);
  CHECK(is_linked());
}

TEST_CASE_METHOD(raw_group_host, "the groups of a host are known, and their changes", "[actors][links]") {
  introduce();
  const auto& rights = std::get<protocol::host_introduction>(all[0].said).rights;
  CHECK(rights.token == core::token_kind::group);
  CHECK(*rights.groups == std::vector{core::group_id{9}});
  auto changed = std::make_shared<protocol::registry_view>(*view);
  changed->groups.emplace(11, changed->groups.at(9));
  changed->groups.at(11).id = core::group_id{11};
  tell(links, protocol::registry_change{changed});
  run();
  REQUIRE(heard<protocol::host_rights>() == 1);
  CHECK(*std::get<protocol::host_rights>(all[1].said).groups == std::vector{core::group_id{9}, core::group_id{11}});
}

TEST_CASE_METHOD(raw_host, "after a goodbye a host is still heard, until its link ends", "[actors][links]") {
  introduce();
  say(protocol::link_goodbye{});
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].goodbye);
  say(good_events(1));
  CHECK(heard<protocol::elastic_events>() == 1);
  tell_host(protocol::elastic_receipt{1, true}, 0);
  CHECK(receipts.size() == 1);
  caf::anon_send_exit(gate_there, caf::exit_reason::kill);
  run();
  REQUIRE(ends.size() == 2);
  CHECK_FALSE(ends[1].goodbye);
}

TEST_CASE_METHOD(raw_host, "a goodbye before the hello is passed on after it", "[actors][links]") {
  subscribe();
  say(protocol::link_goodbye{});
  CHECK(ends.empty());
  say(good_hello());
  CHECK(heard<protocol::host_introduction>() == 1);
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].goodbye);
}
