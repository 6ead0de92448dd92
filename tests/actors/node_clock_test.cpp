// node_actor: wall clocks that are wrong for a moment or from the start, and databases that go back in time.

#include "actors/node/node_actor.hpp"

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

/// One node whose system clock a test sets.
struct clocked_node {
  clocked_node(test::virtual_time& the_world, test::memory_database& database, std::string name,
               std::shared_ptr<actors::marks_keeper> marks = nullptr)
    : world{the_world}, id{std::move(name)}, store{database.open()}, kept{std::move(marks)} {
    wall.set_offset(world.civil().time_since_epoch() - world.now().time_since_epoch());
  }
  void enter() {
    actor = world.spawn<actors::node_actor_state, protocol::node_actor>(
      actors::node_links{storage.actor, schedule.actor, {lives.actor}},
      actors::node_identity{id, id + ":8080", "process of " + id, false, kept},
      config::cluster_settings{}, gate,
      actors::node_clocks{wall, world.boot(), false, [this] { return world.civil() + off; }}, test::virtual_time::silent_log());
  }
  /// Returns the error of the time that the other actors of the node see.
  [[nodiscard]] core::milliseconds seen_off() { return wall.at(world.now()) - world.civil(); }
  [[nodiscard]] protocol::node_status status() { return *world.ask<protocol::node_status>(actor, protocol::status_query{}); }
  [[nodiscard]] core::slot_set slots() const {
    const auto& told = schedule.record->slots;
    return told.empty() ? core::slot_set{} : told.back();
  }
  [[nodiscard]] bool has_incarnation() const { return !lives.heard->empty() && lives.heard->back().has_value(); }
  void has_database_clock(core::milliseconds database_off = 0ms) {
    store.database_clock = [this, database_off] { return world.civil() + database_off; };
  }

  test::virtual_time& world;
  std::string id;
  core::milliseconds off{0};
  protocol::wall_clock wall{0ns};
  test::faulty_store store;
  std::shared_ptr<actors::marks_keeper> kept;
  test::storage_double storage{world, store};
  test::schedule_double schedule{world};
  test::incarnation_double lives{world};
  std::shared_ptr<protocol::send_gate> gate = std::make_shared<protocol::send_gate>();
  protocol::node_actor actor;
};

struct clocks : test::virtual_time {
  test::memory_database database;

  std::shared_ptr<actors::marks_keeper> keeper(core::kept_marks kept = {}) {
    return std::make_shared<actors::marks_keeper>(
      kept,
      [this](actors::marks_keeper::file which, const std::string& text) -> core::result<void> {
        (which == actors::marks_keeper::file::marks ? written : set_backs).push_back(text);
        return {};
      },
      [this] { return std::chrono::steady_clock::time_point{now().time_since_epoch()}; }, silent_log());
  }
  std::vector<std::string> written;
  std::vector<std::string> set_backs;
};

core::claim_outcome claimed(std::initializer_list<std::int64_t> ids) {
  core::claim_outcome outcome;
  for (const auto id : ids)
    outcome.runs.emplace_back().id = core::log_id{id};
  return outcome;
}

} // namespace

TEST_CASE_METHOD(clocks, "a node whose clock jumps has no incarnation until it is right again, and no actor sees the jump",
                 "[actors]") {
  const bool with_database = GENERATE(false, true);
  clocked_node a{*this, database, "a"};
  if (with_database)
    a.has_database_clock();
  a.enter();
  advance(2s);
  REQUIRE(a.has_incarnation());
  a.off = 240h;
  for (int i = 0; i < 20; ++i) {
    advance(150ms);
    CHECK(a.seen_off() == 0ms);
  }
  CHECK_FALSE(a.has_incarnation());
  const auto status = a.status();
  CHECK_FALSE(status.ready);
  REQUIRE(status.reasons.size() == 2);
  CHECK(status.reasons[1].starts_with("the wall clock is 864000.0 s ahead of "));
  CHECK_FALSE(a.gate->open_at(1, boot_now()));
  a.off = 0ms;
  advance(2s);
  CHECK(a.has_incarnation());
  CHECK(a.slots().all());
  CHECK(a.status().ready);
}

TEST_CASE_METHOD(clocks, "a true correction is taken over: at once if the database confirms it, otherwise after a while",
                 "[actors]") {
  clocked_node a{*this, database, "a"};
  a.off = -1h;
  a.wall.set_offset(a.world.civil().time_since_epoch() + a.off - now().time_since_epoch());
  SECTION("without another clock") {
    a.enter();
    advance(2s);
    REQUIRE(a.has_incarnation());
    a.off = 0ms;
    advance(55s);
    CHECK_FALSE(a.has_incarnation());
    advance(10s);
    CHECK(a.has_incarnation());
    CHECK(a.seen_off() == 0ms);
  }
  SECTION("with the database's") {
    a.has_database_clock();
    a.enter();
    advance(10min);
    CHECK(a.lives.heard->empty()); // a start with a wrong clock
    CHECK(a.wall.in_doubt());
    CHECK(a.status().reasons.at(1).starts_with("the wall clock is 3600.0 s behind the database's clock"));
    a.off = 0ms;
    advance(2s);
    CHECK(a.has_incarnation());
    CHECK(a.seen_off() == 0ms);
    CHECK_FALSE(a.wall.in_doubt());
    a.off = 1h; // the time that actors see goes on from the trusted time
    advance(10s);
    CHECK_FALSE(a.has_incarnation());
    CHECK_FALSE(a.wall.in_doubt());
  }
}

// The window is longer than it looks: a process may be suspended in it.
TEST_CASE_METHOD(clocks, "a clock that jumps between the start and the first answer of the database is not trusted", "[actors]") {
  clocked_node a{*this, database, "a"};
  a.store.go_away();
  a.enter();
  advance(50ms);
  REQUIRE(a.lives.heard->empty());
  a.off = 1min;
  a.store.come_back();
  advance(3s);
  CHECK(a.lives.heard->empty());
  CHECK(a.wall.in_doubt());
  a.off = 0ms;
  advance(2s);
  CHECK(a.has_incarnation());
  CHECK_FALSE(a.wall.in_doubt());
}

TEST_CASE_METHOD(clocks, "the others take the slots of a node whose clock is wrong", "[actors]") {
  clocked_node a{*this, database, "a"}, b{*this, database, "b"}, c{*this, database, "c"};
  for (auto* node : {&a, &b, &c})
    node->enter();
  advance(5s);
  REQUIRE((a.slots() | b.slots() | c.slots()).all());
  a.off = 10s;
  advance(1s);
  CHECK_FALSE(a.has_incarnation());
  CHECK(b.has_incarnation());
  CHECK(c.has_incarnation());
  CHECK((b.slots() | c.slots()).all());
  advance(2min); // no database has a clock here: the others are two against one
  CHECK_FALSE(a.has_incarnation());
  a.off = 0ms;
  advance(3s);
  CHECK(a.has_incarnation());
  CHECK(a.slots().any());
}

TEST_CASE_METHOD(clocks, "a database with a wrong clock does not stop nodes that agree", "[actors]") {
  clocked_node a{*this, database, "a"}, b{*this, database, "b"};
  a.enter();
  b.enter();
  advance(5s);
  a.has_database_clock(1h);
  b.has_database_clock(1h);
  advance(30s);
  CHECK(a.has_incarnation());
  CHECK(b.has_incarnation());
}

TEST_CASE_METHOD(clocks, "a node that notices that the database went back in time enters again", "[actors]") {
  clocked_node a{*this, database, "a"};
  a.enter();
  advance(1s);
  a.store.revision_off = 5;
  advance(2s);
  REQUIRE(a.lives.heard->size() == 1);
  a.store.revision_off = 4;
  advance(2s);
  CHECK(a.lives.heard->size() == 3);
  CHECK(a.has_incarnation());
  advance(10s);
  CHECK(a.lives.heard->size() == 3);
}

TEST_CASE_METHOD(clocks, "a node that has seen higher run ids and incarnations than its database raises both", "[actors]") {
  auto marks = keeper({core::log_id{500}, core::log_id{1500}, 9});
  clocked_node a{*this, database, "a", marks};
  a.enter();
  advance(1s);
  REQUIRE(a.has_incarnation());
  CHECK(a.lives.heard->back()->incarnation == 10);
  CHECK(marks->marks().incarnation == 10);
  CHECK(core::parse_marks(written.back()) == marks->marks());
  // A later `doctor` finds the set-back beside the marks.
  REQUIRE(set_backs.size() == 1);
  const auto back = core::parse_set_back(set_backs[0]);
  REQUIRE(back);
  CHECK(back->next == core::log_id{1});
  CHECK(back->above == core::log_id{1500});
  CHECK(core::number(test::expect(database.open()->cluster().raise_run_ids(core::log_id{0}))) == 1501);
  SECTION("ids that are assigned again end the incarnation") {
    marks->note(claimed({1501, 1502}));
    advance(1s);
    CHECK(a.lives.heard->size() == 1);
    marks->note(claimed({1502}));
    advance(3s);
    CHECK(a.lives.heard->size() == 3);
    CHECK(a.has_incarnation());
  }
}

TEST_CASE_METHOD(clocks, "marks are written before an id above the ceiling is used, every few seconds, and at the end",
                 "[actors]") {
  auto marks = keeper();
  marks->note_incarnation(1);
  REQUIRE(written.size() == 1);
  marks->note(claimed({1, 2}));
  CHECK(marks->marks().ceiling > core::log_id{900});
  const auto writes = written.size();
  for (std::int64_t id = 3; id < 900; ++id)
    marks->note(claimed({id}));
  CHECK(written.size() == writes);
  advance(6s);
  marks->note(claimed({900}));
  CHECK(written.size() == writes + 1);
  CHECK(marks->marks().seen == core::log_id{900});
  marks->note(claimed({50'000}));
  CHECK(marks->marks().ceiling > core::log_id{50'000});
  marks->finish();
  CHECK(written.back() == "ringmaster-marks 1 50000 50000 1\n");
  CHECK_FALSE(marks->take_repeated());
  auto repeated = claimed({4});
  repeated.repeated = true;
  marks->note(repeated);
  CHECK_FALSE(marks->take_repeated());
}

TEST_CASE_METHOD(clocks, "the verdict about the wall clock is pending until the database answers", "[actors]") {
  using protocol::clock_verdict;
  clocked_node a{*this, database, "a"};
  a.store.go_away();
  a.enter();
  advance(3s);
  CHECK(a.wall.verdict() == clock_verdict::pending);
  SECTION("the clock is right") {
    a.store.come_back();
    advance(10s);
    CHECK(a.wall.verdict() == clock_verdict::trusted);
  }
  SECTION("the clock is wrong") {
    a.off = 1min;
    a.has_database_clock();
    a.store.come_back();
    advance(10s);
    CHECK(a.wall.verdict() == clock_verdict::distrusted);
    a.off = 0ms;
    advance(10s);
    CHECK(a.wall.verdict() == clock_verdict::trusted);
  }
}
