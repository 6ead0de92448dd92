#include "actors/node/incarnations.hpp"
#include "actors/node/peer_watch.hpp"

#include <chrono>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::node_state;

namespace {

constexpr std::int64_t ms = 1'000'000;

core::node_row peer(std::string id, std::int64_t incarnation, std::int64_t beat, node_state state = node_state::up) {
  return {std::move(id), incarnation, beat, state, "host:1"};
}

std::vector<std::string> ids(const std::vector<core::node_row>& rows) {
  std::vector<std::string> ids;
  for (const auto& row : rows)
    ids.push_back(row.id);
  return ids;
}

using names = std::vector<std::string>;

} // namespace

TEST_CASE("a node is always alive to itself, and alone until another node is up", "[actors]") {
  actors::peer_watch watch{"b", 1500ms};
  CHECK(watch.live() == names{"b"});
  CHECK(watch.alone());
  watch.observe(std::vector{peer("b", 3, 9), peer("a", 1, 4, node_state::down), peer("c", 2, 4, node_state::fenced)}, 10 * ms);
  CHECK(watch.alone());
  CHECK(watch.live() == names{"b"});
  CHECK(watch.dead().empty());
}

TEST_CASE("only live nodes that serve have slots", "[actors]") {
  actors::peer_watch watch{"b", 1500ms};
  auto joins = peer("c", 1, 1);
  joins.serves = false;
  watch.observe(std::vector{peer("a", 1, 4), joins, peer("d", 1, 1, node_state::down)}, 0);
  CHECK(watch.live() == names{"a", "b", "c"});
  CHECK(watch.serving() == names{"a"});
  joins.serves = true;
  joins.beat = 2;
  watch.observe(std::vector{peer("a", 1, 4), joins}, 1500 * ms);
  CHECK(watch.serving() == names{"c"});
}

TEST_CASE("a peer dies when its beat is unchanged for the whole time, and not before", "[actors]") {
  actors::peer_watch watch{"b", 1500ms};
  std::int64_t now = 0;
  for (; now <= 1350; now += 150)
    watch.observe(std::vector{peer("a", 1, 4)}, now * ms);
  CHECK(watch.live() == names{"a", "b"});
  watch.observe(std::vector{peer("a", 1, 4)}, 1499 * ms);
  CHECK(watch.dead().empty());
  watch.observe(std::vector{peer("a", 1, 4)}, 1500 * ms);
  CHECK(ids(watch.dead()) == names{"a"});
  CHECK(watch.live() == names{"b"});
}

TEST_CASE("a dead peer is fenced by one request at a time", "[actors]") {
  actors::peer_watch watch{"b", 1500ms};
  watch.observe(std::vector{peer("a", 1, 4)}, 0);
  watch.observe(std::vector{peer("a", 1, 4)}, 1499 * ms);
  CHECK(watch.begin_fencing().empty());
  watch.observe(std::vector{peer("a", 1, 4)}, 1500 * ms);
  CHECK(ids(watch.begin_fencing()) == names{"a"});
  CHECK(watch.begin_fencing().empty());
  watch.end_fencing("a");
  CHECK(ids(watch.begin_fencing()) == names{"a"});
}

TEST_CASE("a new beat or a new incarnation revives a peer", "[actors]") {
  auto changed = GENERATE(peer("a", 1, 5), peer("a", 2, 4), peer("a", 2, 0));
  actors::peer_watch watch{"b", 1500ms};
  watch.observe(std::vector{peer("a", 1, 4)}, 0);
  watch.observe(std::vector{peer("a", 1, 4)}, 1400 * ms);
  watch.observe(std::vector{changed}, 1450 * ms);
  watch.observe(std::vector{changed}, 2900 * ms);
  CHECK(watch.live() == names{"a", "b"});
  watch.observe(std::vector{changed}, 2950 * ms);
  CHECK(ids(watch.dead()) == names{"a"});
}

TEST_CASE("an observer that was silent itself restarts the time of all peers", "[actors]") {
  actors::peer_watch watch{"b", 1500ms};
  watch.observe(std::vector{peer("a", 1, 4)}, 0);
  watch.observe(std::vector{peer("a", 1, 4)}, 9000 * ms);
  CHECK(watch.dead().empty());
  watch.observe(std::vector{peer("a", 1, 4)}, 10'000 * ms);
  watch.observe(std::vector{peer("a", 1, 4)}, 10'500 * ms);
  CHECK(ids(watch.dead()) == names{"a"});
}

TEST_CASE("a peer whose row is gone or fenced does not count", "[actors]") {
  actors::peer_watch watch{"b", 1500ms};
  watch.observe(std::vector{peer("a", 1, 4), peer("c", 1, 4)}, 0);
  CHECK_FALSE(watch.alone());
  watch.observe(std::vector{peer("c", 2, 4, node_state::fenced)}, 150 * ms);
  CHECK(watch.alone());
  CHECK(watch.live() == names{"b"});
}

TEST_CASE("all other nodes are listed with their state and the time since their last beat", "[actors]") {
  using core::node_health;
  actors::peer_watch watch{"b", 1500ms};
  const auto rows = std::vector{peer("a", 1, 4), peer("b", 3, 9), peer("c", 2, 4, node_state::fenced),
                                peer("d", 5, 1, node_state::down)};
  watch.observe(rows, 0);
  watch.observe(rows, 1000 * ms);
  auto seen = watch.seen(1200 * ms);
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].row.id == "a");
  CHECK(seen[0].health == node_health::alive);
  CHECK(seen[0].silent_for == 1200ms);
  CHECK(seen[1].health == node_health::dead);
  CHECK_FALSE(seen[1].silent_for);
  CHECK(seen[2].row.incarnation == 5);
  CHECK(seen[2].health == node_health::stopped);
  watch.observe(rows, 1500 * ms);
  CHECK(watch.seen(1500 * ms)[0].health == node_health::dead);
}

TEST_CASE("the moment at which a silent peer will be dead is known", "[actors]") {
  actors::peer_watch watch{"b", 1500ms};
  CHECK_FALSE(watch.next_death(0));
  watch.observe(std::vector{peer("a", 1, 4), peer("c", 1, 1)}, 100 * ms);
  watch.observe(std::vector{peer("a", 1, 4), peer("c", 1, 2)}, 400 * ms);
  CHECK(watch.next_death(500 * ms) == 1100 * ms);
  watch.observe(std::vector{peer("a", 1, 4), peer("c", 1, 2)}, 1600 * ms);
  CHECK(ids(watch.dead()) == names{"a"});
  CHECK(watch.next_death(1600 * ms) == 300 * ms); // that of c; a is dead already
}

TEST_CASE("an earlier incarnation is over when its process is gone, or when it has been silent for long enough", "[actors]") {
  using verdict = actors::former_incarnation::verdict;
  actors::former_incarnation former{"this boot:1:2", false, 1500ms};
  auto seen = peer("a", 3, 7);
  CHECK(former.judge({}, 0, 0) == verdict::over);
  CHECK(former.judge(peer("a", 3, 7, node_state::down), 0, 0) == verdict::over);
  CHECK(former.judge(peer("a", 3, 7, node_state::fenced), 0, 0) == verdict::over);
  CHECK(former.judge(seen, 3, 0) == verdict::over); // this process lost it
  seen.process = "this boot:1:2";
  CHECK(former.judge(seen, 0, 0) == verdict::over);
  seen.process = "another boot:1:2";
  CHECK(former.judge(seen, 2, 0) == verdict::goes_on);
  CHECK(former.judge(seen, 2, 1499 * ms) == verdict::goes_on);
  SECTION("silent while it was observed") { CHECK(former.judge(seen, 2, 1500 * ms) == verdict::silent); }
  SECTION("it was not observed") { CHECK(former.judge(seen, 2, 4000 * ms) == verdict::goes_on); }
  SECTION("it beats") {
    ++seen.beat;
    CHECK(former.judge(seen, 2, 1500 * ms) == verdict::goes_on);
    CHECK(former.judge(seen, 2, 2900 * ms) == verdict::goes_on);
    CHECK(former.judge(seen, 2, 3000 * ms) == verdict::silent);
  }
  SECTION("a process that is not known to be this one's") {
    actors::former_incarnation unnamed{"", false, 1500ms};
    seen.process.clear();
    CHECK(unnamed.judge(seen, 0, 0) == verdict::goes_on);
    actors::former_incarnation alone{"", true, 1500ms};
    CHECK(alone.judge(seen, 0, 0) == verdict::over);
  }
}
