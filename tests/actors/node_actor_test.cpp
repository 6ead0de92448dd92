#include "tests/actors/node_fixture.hpp"

#include <random>

using namespace ringmaster;
using namespace std::chrono_literals;
using test::store_fault;

namespace {

/// L·0.999 − M with the default settings.
constexpr auto lease = 1500ms - 1500us - 300ms;

using test::cluster;
using node = test::cluster_node;

using heard = test::lives_heard;
core::node_incarnation life(std::string node, std::int64_t incarnation) { return {std::move(node), incarnation}; }

} // namespace

TEST_CASE_METHOD(cluster, "a node enters, opens its gate and serves all slots", "[actors]") {
  node a{*this, database, "a", false};
  CHECK_FALSE(a.is_open());
  a.enter();
  run();
  CHECK(*a.lives.heard == heard{life("a", 1)});
  CHECK(*a.other_incarnations.heard == heard{life("a", 1)});
  CHECK(a.is_open());
  CHECK(a.slots().all());
  CHECK(a.status().ready);
  CHECK(a.status().life == life("a", 1));
  CHECK(a.row().state == core::node_state::up);
  CHECK(a.row().address == "a:8080");
}

TEST_CASE_METHOD(cluster, "an incarnation is renewed for as long as the store answers", "[actors]") {
  node a{*this, database, "a"};
  advance(60s);
  CHECK(*a.lives.heard == heard{life("a", 1)});
  CHECK(a.is_open());
  CHECK(a.row().beat >= 195);
  CHECK(a.row().beat <= 202);
  CHECK(a.schedule.record->slots.size() == 1);
}

TEST_CASE_METHOD(cluster, "the gate closes by itself at t_sent + L·0.999 − M", "[actors]") {
  node a{*this, database, "a"};
  run();
  a.store.go_away();
  advance(lease - 1ms);
  CHECK(a.is_open());
  advance(1ms);
  CHECK_FALSE(a.is_open());
}

TEST_CASE_METHOD(cluster, "a lost lease is announced once, and the node returns with a new incarnation", "[actors]") {
  node a{*this, database, "a"};
  run();
  a.store.go_away();
  advance(30s);
  CHECK(*a.lives.heard == heard{life("a", 1), std::nullopt});
  auto status = a.status();
  CHECK_FALSE(status.ready);
  CHECK(status.reasons ==
        std::vector<std::string>{"the node has no lease", "the database does not answer: the database is away"});
  a.store.come_back();
  advance(1s);
  CHECK(*a.lives.heard == heard{life("a", 1), std::nullopt, life("a", 2)});
  CHECK(a.is_open());
  CHECK(a.status().ready);
  CHECK(a.schedule.record->slots.size() == 2);
}

TEST_CASE_METHOD(cluster, "an unavailable store at the start is retried until it answers", "[actors]") {
  node a{*this, database, "a", false};
  std::size_t tried = 0;
  a.store.fault_of = [&tried](std::string_view) {
    ++tried;
    return store_fault::away;
  };
  a.enter();
  advance(10s);
  CHECK(a.lives.heard->empty());
  CHECK(tried >= 10);
  CHECK(tried <= 16);
  a.store.come_back();
  advance(1s);
  CHECK(*a.lives.heard == heard{life("a", 1)});
}

TEST_CASE_METHOD(cluster, "an entry whose answer was lost only costs an incarnation", "[actors]") {
  node a{*this, database, "a", false};
  a.store.once("enter", store_fault::answer_lost);
  a.enter();
  advance(1s);
  CHECK(*a.lives.heard == heard{life("a", 2)});
  CHECK(a.row().incarnation == 2);
}

TEST_CASE_METHOD(cluster, "a renewal that is answered after the deadline does not save the old incarnation", "[actors]") {
  auto answered_after = GENERATE(899ms, 901ms, 1250ms);
  node a{*this, database, "a"};
  run();
  a.storage.record->latency = [answered_after] { return std::pair{0ms, answered_after}; };
  advance(310ms);
  a.storage.record->latency = nullptr;
  advance(1198ms - 310ms);
  CHECK(a.is_open());
  CHECK(a.row().beat == 2);
  advance(2s);
  CHECK(*a.lives.heard == heard{life("a", 1), std::nullopt, life("a", 2)});
  CHECK(a.row().incarnation == 2);
  CHECK(a.is_open());
}

TEST_CASE_METHOD(cluster, "a lease counts from the moment at which the renewal was requested", "[actors]") {
  node a{*this, database, "a"};
  run();
  a.storage.record->latency = [] { return std::pair{200ms, 200ms}; };
  advance(550ms);
  a.store.go_away();
  // The renewal was sent at 300 ms, processed by the store at 500 ms, and answered at 700 ms.
  advance(300ms - 550ms + lease - 1ms);
  CHECK(a.row().beat == 2);
  CHECK(a.is_open());
  advance(1ms);
  CHECK_FALSE(a.is_open());
}

TEST_CASE_METHOD(cluster, "a fenced node comes back at once with a new incarnation and an empty ring", "[actors]") {
  node a{*this, database, "a"};
  advance(1s);
  REQUIRE(test::expect(a.store.inner().cluster().fence(a.row())));
  advance(310ms);
  CHECK(*a.lives.heard == heard{life("a", 1), std::nullopt, life("a", 3)});
  CHECK(a.is_open());
}

TEST_CASE_METHOD(cluster, "a second process with the same id waits while the first one beats", "[actors]") {
  node one{*this, database, "a"};
  advance(1s);
  node other{*this, database, "a", false};
  other.process = "another process";
  other.enter();
  advance(20s);
  CHECK(*one.lives.heard == heard{life("a", 1)});
  CHECK(one.is_open());
  CHECK(other.lives.heard->empty());
  CHECK_FALSE(other.gate->open_at(1, boot_now()));
  CHECK_FALSE(other.status().ready);
  CHECK(other.status().reasons == std::vector<std::string>{"another process runs with this node's id"});
  SECTION("and takes over once the deadline of the first one has passed") {
    one.store.go_away();
    advance(lease - 1ms);
    CHECK(other.lives.heard->empty());
    advance(700ms);
    CHECK(*other.lives.heard == heard{life("a", 3)});
    CHECK(other.is_open());
    CHECK_FALSE(one.gate->open_at(1, boot_now()));
  }
  SECTION("and enters at once when it leaves") {
    CHECK(ask_done(one.actor, protocol::stop_request{}) == caf::error{});
    advance(300ms);
    CHECK(*other.lives.heard == heard{life("a", 2)});
  }
}

TEST_CASE_METHOD(cluster, "a process whose predecessor is gone enters at once", "[actors]") {
  node one{*this, database, "a"};
  advance(1s);
  const bool same_process = GENERATE(true, false);
  caf::anon_send_exit(one.actor, caf::exit_reason::kill); // as kill -9: its row stays up
  run();
  node other{*this, database, "a", false};
  other.process = same_process ? one.process : "on another machine";
  other.enter();
  run();
  CHECK(other.lives.heard->empty() != same_process);
  advance(1500ms + 200ms);
  CHECK(*other.lives.heard == heard{life("a", same_process ? 2 : 3)});
}

TEST_CASE_METHOD(cluster, "an entry that was requested too long ago never runs", "[actors]") {
  node a{*this, database, "a", false};
  // The node first reads its row, then it enters.
  int asked = 0;
  a.storage.record->latency = [&asked] { return std::pair{++asked == 2 ? 30'000ms : 0ms, 0ms}; };
  a.enter();
  advance(20s);
  CHECK(*a.lives.heard == heard{life("a", 1)});
  advance(20s);
  CHECK(*a.lives.heard == heard{life("a", 1)});
  CHECK(a.row().incarnation == 1);
}

TEST_CASE_METHOD(cluster, "a machine that slept past its lease wakes up without one", "[actors]") {
  node a{*this, database, "a"};
  advance(1s);
  sleep_machine(10s);
  CHECK_FALSE(a.is_open());
  advance(150ms);
  CHECK(*a.lives.heard == heard{life("a", 1), std::nullopt, life("a", 2)});
}

TEST_CASE_METHOD(cluster, "the wall clock follows the system only if configured, with or without a store", "[actors]") {
  auto follows = GENERATE(false, true);
  node a{*this, database, "a", false};
  a.store.go_away();
  protocol::wall_clock wall{0ns};
  spawn<actors::node_actor_state, protocol::node_actor>(actors::node_links{a.storage.actor, a.schedule.actor, {}},
                                                        actors::node_identity{"a", "a:8080"}, config::cluster_settings{}, a.gate,
                                                        actors::node_clocks{wall, boot(), follows}, silent_log());
  advance(1s);
  CHECK((wall.at(now()) > core::time_point{24h * 365 * 50}) == follows);
}

TEST_CASE_METHOD(cluster, "two nodes share the slots without a gap or an overlap", "[actors]") {
  node a{*this, database, "a"};
  node b{*this, database, "b"};
  advance(2s);
  CHECK((a.slots() | b.slots()).all());
  CHECK((a.slots() & b.slots()).none());
  CHECK(a.slots().count() > 64);
  CHECK(b.slots().count() > 64);
  auto changes = a.schedule.record->slots.size();
  advance(30s);
  CHECK(*a.lives.heard == heard{life("a", 1)});
  CHECK(*b.lives.heard == heard{life("b", 1)});
  CHECK(a.schedule.record->slots.size() == changes);
}

TEST_CASE_METHOD(cluster, "a dead node is fenced and its slots are taken over in two seconds", "[actors]") {
  node a{*this, database, "a"};
  node b{*this, database, "b"};
  advance(5s);
  b.store.go_away();
  auto last_beat = b.row().beat;
  advance(1500ms - 300ms);
  CHECK(a.row().state == core::node_state::up);
  CHECK(b.row().state == core::node_state::up);
  advance(800ms);
  CHECK(a.slots().all());
  auto row = b.row();
  CHECK(row.state == core::node_state::fenced);
  CHECK(row.incarnation == 2);
  CHECK(row.beat == last_beat);
  b.store.come_back();
  advance(3s);
  CHECK(*b.lives.heard == heard{life("b", 1), std::nullopt, life("b", 3)});
  CHECK((a.slots() | b.slots()).all());
  CHECK((a.slots() & b.slots()).none());
}

TEST_CASE_METHOD(cluster, "a graceful stop is recorded in the node's row", "[actors]") {
  node a{*this, database, "a"};
  advance(1s);
  CHECK(ask_done(a.actor, protocol::stop_request{}) == caf::error{});
  CHECK(a.row().state == core::node_state::down);
  CHECK_FALSE(a.is_open());
  CHECK(*a.lives.heard == heard{life("a", 1), std::nullopt});
  auto beat = a.row().beat;
  advance(10s);
  CHECK(a.row().state == core::node_state::down);
  CHECK(a.row().beat == beat);
  CHECK(a.status().reasons == std::vector<std::string>{"the node is stopping"});
  CHECK(ask_done(a.actor, protocol::stop_request{}) == caf::error{});
}

TEST_CASE_METHOD(cluster, "a stop while the node enters leaves no node up", "[actors]") {
  node a{*this, database, "a", false};
  a.storage.record->latency = [] { return std::pair{100ms, 100ms}; };
  a.enter();
  advance(50ms);
  tell(a.actor, protocol::stop_request{});
  advance(1s);
  CHECK(a.row().state == core::node_state::down);
  CHECK(a.lives.heard->empty());
  CHECK_FALSE(a.is_open());
}

TEST_CASE_METHOD(cluster, "a stop while the store is away reports that nothing was written", "[actors]") {
  node a{*this, database, "a"};
  advance(1s);
  a.store.go_away();
  CHECK(protocol::to_core(ask_done(a.actor, protocol::stop_request{})).code == core::errc::unavailable);
  CHECK_FALSE(a.is_open());
}

// Invariant F10: whatever the store does, no incarnation is fenced while its node may still send.
TEST_CASE("no node is fenced before its own deadline", "[actors]") {
  auto seed = GENERATE(range(1u, 25u));
  CAPTURE(seed);
  cluster world;
  node a{world, world.database, "a"};
  node b{world, world.database, "b"};
  std::mt19937 random{seed};
  for (auto* each : {&a, &b}) {
    each->storage.record->latency = [&random] {
      auto slow = random() % 6 == 0 ? 4'000 : 60;
      return std::pair{std::chrono::milliseconds{random() % slow}, std::chrono::milliseconds{random() % slow}};
    };
    each->store.fault_of = [&random](std::string_view) {
      return random() % 20 == 0 ? store_fault::answer_lost : store_fault::none;
    };
  }
  std::size_t fences = 0;
  std::size_t open_when_fenced = 0;
  auto check = [&](node& fenced) {
    return [&, known = std::int64_t{0}](std::string_view method) mutable {
      auto row = fenced.row();
      bool is_fenced = method == "fence" && row.state == core::node_state::fenced;
      if (is_fenced && row.incarnation != std::exchange(known, row.incarnation)) {
        ++fences;
        open_when_fenced += fenced.is_open() ? 1 : 0;
      }
    };
  };
  a.store.after = check(b);
  b.store.after = check(a);
  world.advance(120s);
  CHECK(fences > 0);
  CHECK(open_when_fenced == 0);
}

TEST_CASE_METHOD(cluster, "a node reports itself and the others", "[actors]") {
  using core::node_health;
  node a{*this, database, "a"};
  node b{*this, database, "b"};
  advance(3s);
  const auto told = [this](node& of) { return *ask<protocol::node_list>(of.actor, protocol::nodes_query{}); };
  auto list = told(b);
  REQUIRE(list.nodes.size() == 2);
  CHECK(list.mode == core::cluster_mode::native);
  CHECK(list.dead_after == 1500ms);
  CHECK(list.nodes[0].row.id == "a");
  CHECK_FALSE(list.nodes[0].self);
  CHECK(list.nodes[0].health == node_health::alive);
  CHECK(list.nodes[1].self);
  CHECK(list.nodes[1].health == node_health::alive);
  CHECK(list.nodes[1].row.incarnation == 1);
  CHECK(list.nodes[1].row.address == "b:8080");
  CHECK(*list.nodes[1].silent_for <= 300ms);
  CHECK(*list.nodes[0].slots + *list.nodes[1].slots == core::slot_count);
  CHECK(*list.nodes[1].slots == core::slots_of("b", std::vector<std::string>{"a", "b"}).count());
  REQUIRE(list.nodes[1].started);
  CHECK((*list.nodes[1].started >= start && *list.nodes[1].started <= start + 1s));
  CHECK_FALSE(list.nodes[0].started);

  a.store.go_away();
  advance(1s);
  CHECK(*told(b).nodes[0].silent_for >= 700ms);
  advance(3s);
  CHECK(told(b).nodes[0].health == node_health::dead);
  CHECK(told(b).nodes[0].slots == 0);
  CHECK(told(b).nodes[1].slots == core::slot_count);
  CHECK_FALSE(told(a).nodes[0].slots);
  // The node itself knows it, too.
  CHECK(told(a).nodes[0].health == node_health::dead);
}
