// Nodes and their lives.

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;

TEST_CASE("each life of a node has a higher incarnation", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  auto first = require(store->cluster().enter("a", "one:1"));
  auto second = require(store->cluster().enter("a", "two:2"));
  auto other = require(store->cluster().enter("b", "three:3"));
  CHECK(first.node == "a");
  CHECK(second.incarnation > first.incarnation);
  auto nodes = require(store->cluster().nodes());
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].id == "a");
  CHECK(nodes[0].incarnation == second.incarnation);
  CHECK(nodes[0].state == core::node_state::up);
  CHECK(nodes[0].address == "two:2");
  CHECK(nodes[1].id == "b");
  CHECK(nodes[1].incarnation == other.incarnation);
}

TEST_CASE("only the current life beats", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  auto first = require(store->cluster().enter("a", "x"));
  require(store->cluster().beat(first, 1));
  require(store->cluster().beat(first, 2));
  CHECK(require(store->cluster().nodes())[0].beat == 2);
  auto second = require(store->cluster().enter("a", "x"));
  CHECK(error_of(store->cluster().beat(first, 3)) == core::errc::fenced);
  // A renewal that repeats its number (the answer was lost) is one all the same.
  require(store->cluster().beat(second, 1));
  require(store->cluster().beat(second, 1));
  CHECK(error_of(store->cluster().beat({"nobody", 1}, 1)) == core::errc::fenced);
}

TEST_CASE("a node is fenced only as it was seen", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  auto life = require(store->cluster().enter("a", "x"));
  require(store->cluster().beat(life, 5));
  auto seen = require(store->cluster().nodes())[0];
  SECTION("it beat meanwhile") {
    require(store->cluster().beat(life, 6));
    CHECK_FALSE(require(store->cluster().fence(seen)));
    require(store->cluster().beat(life, 7));
  }
  SECTION("it started again meanwhile") {
    auto fresh = require(store->cluster().enter("a", "x"));
    CHECK_FALSE(require(store->cluster().fence(seen)));
    require(store->cluster().beat(fresh, 1));
  }
  SECTION("it stopped meanwhile") {
    require(store->cluster().leave(life));
    CHECK_FALSE(require(store->cluster().fence(seen)));
    CHECK(require(store->cluster().nodes())[0].state == core::node_state::down);
  }
  SECTION("it is dead") {
    auto other = db->open();
    CHECK(require(other->cluster().fence(seen)));
    CHECK_FALSE(require(store->cluster().fence(seen)));
    auto node = require(store->cluster().nodes())[0];
    CHECK(node.state == core::node_state::fenced);
    CHECK(node.incarnation > life.incarnation);
    CHECK(error_of(store->cluster().beat(life, 6)) == core::errc::fenced);
    auto fresh = require(store->cluster().enter("a", "x"));
    CHECK(fresh.incarnation > node.incarnation);
    require(store->cluster().beat(fresh, 1));
  }
}

TEST_CASE("leaving ends a life, once", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  auto life = require(store->cluster().enter("a", "x"));
  require(store->cluster().leave(life));
  require(store->cluster().leave(life));
  CHECK(require(store->cluster().nodes())[0].state == core::node_state::down);
  CHECK(error_of(store->cluster().beat(life, 1)) == core::errc::fenced);
  auto fresh = require(store->cluster().enter("a", "x"));
  require(store->cluster().leave(life));
  CHECK(require(store->cluster().nodes())[0].state == core::node_state::up);
  require(store->cluster().beat(fresh, 1));
}

TEST_CASE("a round trip succeeds", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  require(store->ping());
  require(store->ping());
}
