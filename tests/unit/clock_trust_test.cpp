#include "core/cluster/clock_trust.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::clock_trust;

namespace {

constexpr auto noon = core::from_ms(1'772'452'800'000);

/// A node whose machine has run for a day at noon.
struct observed {
  clock_trust trust{5s, 60s};
  core::milliseconds boot = 24h;
  /// Deviation of each clock from the true time.
  core::milliseconds own{0};
  std::optional<core::milliseconds> database;
  std::map<std::string, core::milliseconds> nodes;

  [[nodiscard]] std::int64_t boot_ns() const { return std::chrono::nanoseconds{boot}.count(); }
  [[nodiscard]] core::time_point real() const { return noon + (boot - 24h); }
  void hear() {
    if (database)
      trust.hear_database(real() + *database, boot_ns() - 2'000'000, boot_ns());
    for (const auto& [node, off] : nodes)
      trust.hear_node(node, real() + off, boot_ns() - 300'000'000, boot_ns());
  }
  bool look(core::milliseconds later = 300ms) {
    boot += later;
    hear();
    return trust.read(real() + own, boot_ns());
  }
  bool look_until(core::milliseconds end) {
    bool all = true;
    for (auto left = end; left > 0ms; left -= 300ms)
      all = look() && all;
    return all;
  }
};

} // namespace

TEST_CASE("a clock that no other clock contradicts is trusted", "[unit]") {
  observed node;
  CHECK(node.look());
  node.own = 3s; // a correction within the tolerance
  CHECK(node.look());
  CHECK(node.trust.reason().empty());
  CHECK(node.trust.steps() == 0);
}

TEST_CASE("a step without another clock counts as wrong until it has settled", "[unit]") {
  observed node;
  const auto step = GENERATE(core::milliseconds{240h}, core::milliseconds{-1h}, core::milliseconds{5001ms});
  node.look();
  node.own = step;
  CHECK_FALSE(node.look());
  CHECK(node.trust.reason().find("its own steady clock") != std::string::npos);
  SECTION("it goes back") {
    node.own = 0ms;
    CHECK(node.look());
    CHECK(node.trust.steps() == 1);
  }
  SECTION("it stays") {
    for (auto waited = 300ms; waited < 60'000ms; waited += 300ms)
      REQUIRE_FALSE(node.look());
    CHECK(node.look());
    CHECK(node.trust.reason().empty());
    node.own += 4s;
    CHECK(node.look());
  }
  SECTION("another step restarts the settle time") {
    node.look(50s);
    node.own = step * 2;
    CHECK_FALSE(node.look());
    CHECK_FALSE(node.look(50s));
    CHECK(node.look(11s));
    CHECK(node.trust.steps() == 2);
  }
}

TEST_CASE("a step that the database contradicts is never trusted", "[unit]") {
  observed node;
  node.database = 0ms;
  CHECK(node.look());
  node.own = 240h;
  CHECK_FALSE(node.look());
  CHECK(node.trust.reason() == "the wall clock is 863999.9 s ahead of the database's clock, 864000.0 s ahead of its own steady "
                               "clock; this node plans nothing until the clocks agree");
  node.look_until(10min);
  CHECK_FALSE(node.trust.trusted());
  CHECK(node.trust.reason() ==
        "the wall clock is 863999.9 s ahead of the database's clock; this node plans nothing until the clocks agree");
  node.own = 0ms;
  CHECK(node.look());
}

TEST_CASE("a correction that the database confirms is trusted at once", "[unit]") {
  observed node;
  node.own = -1h;
  node.database = 0ms;
  CHECK_FALSE(node.look()); // a start with a wrong clock
  CHECK(node.trust.reason().find("3600.0 s behind the database's clock") != std::string::npos);
  node.own = 0ms;
  CHECK(node.look());
}

TEST_CASE("a start with a wrong clock is found by the first reading of the database", "[unit]") {
  observed node;
  node.database = 0ms;
  node.own = GENERATE(core::milliseconds{6s}, core::milliseconds{-6s}, core::milliseconds{24h});
  CHECK_FALSE(node.look());
}

TEST_CASE("the one node of three with a wrong clock stands by, and the others continue", "[unit]") {
  observed wrong;
  wrong.database = 0ms;
  wrong.nodes = {{"b", 0ms}, {"c", 0ms}};
  wrong.look();
  wrong.own = 240h;
  CHECK_FALSE(wrong.look_until(2min));
  observed right;
  right.database = 0ms;
  right.nodes = {{"a", 240h}, {"c", 0ms}};
  CHECK(right.look_until(2min));
}

TEST_CASE("a database with a wrong clock does not stop nodes that agree", "[unit]") {
  observed node;
  node.database = 1h;
  node.nodes = {{"b", 0ms}};
  CHECK(node.look_until(2min));
  node.trust.forget_node("b");
  node.nodes.clear();
  CHECK_FALSE(node.look()); // one against one: the node cannot know which is right
}

TEST_CASE("two nodes that step together are stopped by the database and trusted after the settle time", "[unit]") {
  observed node;
  node.database = 0ms;
  node.nodes = {{"b", 0ms}};
  node.look();
  node.own = 240h;
  node.nodes["b"] = 240h;
  CHECK_FALSE(node.look());
  CHECK_FALSE(node.look(50s));
  CHECK(node.look(11s)); // two against one
}

TEST_CASE("a suspended machine does not count as a step", "[unit]") {
  observed node;
  node.look();
  CHECK(node.look(10h)); // both clocks advanced
}

TEST_CASE("an old reading of a clock does not count", "[unit]") {
  observed node;
  node.database = 1h;
  CHECK_FALSE(node.look());
  node.database.reset();
  CHECK_FALSE(node.look(9s));
  CHECK(node.look(2s));
}

TEST_CASE("a slow answer is compared with the whole range of its duration", "[unit]") {
  clock_trust trust{5s, 60s};
  trust.hear_database(noon, 0, 20'000'000'000);
  CHECK(trust.read(noon + 24s, 20'000'000'000));
  CHECK_FALSE(trust.read(noon + 26s, 20'000'000'000));
  CHECK_FALSE(trust.read(noon - 6s, 20'000'000'000));
}

TEST_CASE("a tolerance of zero disables the check", "[unit]") {
  clock_trust trust{0ms, 60s};
  trust.hear_database(noon, 0, 0);
  CHECK(trust.read(noon + 24h, 1));
  CHECK(trust.read(noon, 2));
}
