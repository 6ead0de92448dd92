// node_actor: the way into a share of the slots and out of it.

#include <map>

#include "tests/actors/node_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::cluster;
using test::store_fault;
using node = test::cluster_node;

namespace {

/// Returns the number of slots of each node, as this one shows it to users.
std::map<std::string, std::size_t> shown_slots(node& of) {
  std::map<std::string, std::size_t> out;
  const auto list = *of.world.ask<protocol::node_list>(of.actor, protocol::nodes_query{});
  for (const auto& each : list.nodes)
    if (each.slots)
      out[each.row.id] = *each.slots;
  return out;
}

core::slot_set share_of(const std::string& self, const std::vector<std::string>& nodes) { return core::slots_of(self, nodes); }

struct moving : cluster {
  /// Requests the hand-over, and waits for `lasts`. Returns the answer; unset: none yet.
  std::optional<bool> hand_over(node& of, std::chrono::milliseconds lasts = 1s) {
    const auto reply = later<bool>(of.actor, protocol::hand_over{});
    advance(lasts);
    if (!*reply)
      return std::nullopt;
    REQUIRE(reply->value());
    return *reply->value();
  }
};

} // namespace

TEST_CASE_METHOD(moving, "a node that joins has no slots until their jobs are loaded", "[actors]") {
  node a{*this, database, "a"};
  advance(1s);
  node b{*this, database, "b", false};
  b.schedule.record->load_takes = 3s;
  b.enter();
  advance(2900ms);
  CHECK(b.row().state == core::node_state::up);
  CHECK_FALSE(b.row().serves);
  CHECK(b.schedule.record->prepared == std::vector{share_of("b", {"a", "b"})});
  CHECK(b.schedule.record->slots.empty());
  CHECK(a.slots().all());
  CHECK(b.status().reasons == std::vector<std::string>{"the node reads the jobs of its slots"});
  CHECK(shown_slots(b) == std::map<std::string, std::size_t>{{"a", 256}, {"b", 0}});
  advance(200ms);
  CHECK(b.status().ready);
  CHECK(b.row().serves);
  CHECK(b.slots() == share_of("b", {"a", "b"}));
  advance(100ms);
  CHECK(a.slots() == share_of("a", {"a", "b"}));
}

TEST_CASE_METHOD(moving, "a node that is alone serves at once", "[actors]") {
  node a{*this, database, "a"};
  run();
  CHECK(a.row().serves);
  CHECK(a.slots().all());
  CHECK(a.schedule.record->prepared.empty());
}

TEST_CASE_METHOD(moving, "a node that joins does not wait for nodes that are dead", "[actors]") {
  {
    node a{*this, database, "a"};
    advance(1s);
    end_all();
  }
  advance(1min);
  REQUIRE(test::expect(database.open()->cluster().nodes()).front().state == core::node_state::up);
  node b{*this, database, "b"};
  advance(300ms);
  CHECK(b.row().serves);
  CHECK(b.slots() == share_of("b", {"a", "b"}));
  advance(2s);
  CHECK(b.slots().all());
}

TEST_CASE_METHOD(moving, "a node that joins serves at once if the others are gone", "[actors]") {
  node a{*this, database, "a"};
  advance(1s);
  node b{*this, database, "b", false};
  b.schedule.record->load_takes = 24h;
  b.enter();
  advance(1s);
  REQUIRE_FALSE(b.row().serves);
  REQUIRE_FALSE(ask_done(a.actor, protocol::stop_request{}));
  advance(300ms);
  CHECK(b.row().serves);
  CHECK(b.slots().all());
}

TEST_CASE_METHOD(moving, "a process that has never had slots joins again", "[actors]") {
  node a{*this, database, "a"};
  advance(1s);
  node b{*this, database, "b", false};
  b.schedule.record->load_takes = 24h;
  b.enter();
  advance(1s);
  b.store.go_away();
  advance(3s);
  b.store.come_back();
  advance(2s);
  REQUIRE(b.row().state == core::node_state::up);
  CHECK(b.schedule.record->prepared.size() == 2);
  CHECK_FALSE(b.row().serves);
}

TEST_CASE_METHOD(moving, "only the first incarnation of a process joins", "[actors]") {
  node a{*this, database, "a"};
  advance(1s);
  node b{*this, database, "b"};
  advance(1s);
  REQUIRE(b.schedule.record->prepared.size() == 1);
  b.store.go_away();
  advance(3s);
  REQUIRE(a.slots().all());
  b.store.come_back();
  advance(1s);
  CHECK(b.row().serves);
  CHECK(b.schedule.record->prepared.size() == 1);
  CHECK(b.slots() == share_of("b", {"a", "b"}));
}

TEST_CASE_METHOD(moving, "a join whose row cannot be written is repeated", "[actors]") {
  node a{*this, database, "a"};
  advance(1s);
  node b{*this, database, "b", false};
  std::size_t refused = 0;
  b.store.fault_of = [&refused](std::string_view method) {
    return method == "serve" && ++refused < 5 ? store_fault::away : store_fault::none;
  };
  b.enter();
  advance(3s);
  CHECK(refused == 5);
  CHECK(b.row().serves);
  CHECK((a.slots() | b.slots()).all());
  CHECK((a.slots() & b.slots()).none());
}

TEST_CASE_METHOD(moving, "a join whose jobs are never loaded ends", "[actors]") {
  node a{*this, database, "a"};
  advance(1s);
  node b{*this, database, "b", false};
  b.schedule.record->load_takes = 24h;
  b.enter();
  advance(59s);
  CHECK_FALSE(b.row().serves);
  advance(3s);
  CHECK(b.row().serves);
  CHECK(b.slots() == share_of("b", {"a", "b"}));
}

TEST_CASE_METHOD(moving, "a node that leaves plans until the others have its slots", "[actors]") {
  node a{*this, database, "a"};
  node b{*this, database, "b"};
  node c{*this, database, "c"};
  advance(3s);
  const auto former = a.slots();
  REQUIRE(former.any());
  CHECK_FALSE(hand_over(a, 250ms));
  CHECK(a.row().state == core::node_state::up);
  CHECK_FALSE(a.row().serves);
  CHECK(a.slots() == former);
  CHECK((b.slots() | c.slots()).all());
  CHECK((b.slots() & c.slots()).none());
  advance(200ms);
  CHECK(a.slots().none());
  CHECK(a.is_open());
  CHECK(*a.lives.heard == test::lives_heard{core::node_incarnation{"a", 1}});
  CHECK(hand_over(a, 0ms) == true);
  advance(1min);
  CHECK(a.slots().none());
  CHECK(ask_done(a.actor, protocol::stop_request{}) == caf::error{});
  CHECK(a.row().state == core::node_state::down);
}

TEST_CASE_METHOD(moving, "a node without heirs keeps its slots", "[actors]") {
  node a{*this, database, "a"};
  advance(1s);
  SECTION("it is alone") { CHECK(hand_over(a, 0ms) == false); }
  SECTION("the database does not answer") {
    node b{*this, database, "b"};
    advance(1s);
    a.store.go_away();
    CHECK(hand_over(a, 0ms) == false);
    a.store.come_back();
  }
  SECTION("its row cannot be written") {
    node b{*this, database, "b"};
    advance(1s);
    a.store.fault_of = [](std::string_view method) { return method == "serve" ? store_fault::away : store_fault::none; };
    CHECK(hand_over(a, 0ms) == false);
    advance(1s);
  }
  SECTION("all others leave, too") {
    node b{*this, database, "b"};
    advance(1s);
    REQUIRE(hand_over(b) == true);
    CHECK(hand_over(a, 0ms) == false);
    CHECK(hand_over(b, 0ms) == true);
  }
  CHECK(a.row().serves);
  CHECK(a.slots().any());
}

TEST_CASE_METHOD(moving, "nodes that leave at the same time learn that no heir is left", "[actors]") {
  node a{*this, database, "a"};
  node b{*this, database, "b"};
  advance(2s);
  const auto first = later<bool>(a.actor, protocol::hand_over{});
  const auto second = later<bool>(b.actor, protocol::hand_over{});
  advance(1s);
  REQUIRE(*first);
  REQUIRE(*second);
  CHECK(hand_over(a, 0ms) == false);
  CHECK(hand_over(b, 0ms) == false);
}

TEST_CASE_METHOD(moving, "a node that has handed its slots over gets none in its next incarnation", "[actors]") {
  node a{*this, database, "a"};
  node b{*this, database, "b"};
  advance(2s);
  REQUIRE(hand_over(a) == true);
  a.store.go_away();
  advance(3s);
  a.store.come_back();
  advance(3s);
  CHECK(a.row().incarnation > 1);
  CHECK(a.row().state == core::node_state::up);
  CHECK_FALSE(a.row().serves);
  CHECK(a.slots().none());
  CHECK(b.slots().all());
}
