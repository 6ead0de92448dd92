// Nodes and their incarnations.

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;

TEST_CASE("each incarnation of a node has a higher number", "[storage]") {
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

TEST_CASE("only the current incarnation renews its heartbeat", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  auto first = require(store->cluster().enter("a", "x"));
  require(store->cluster().beat(first, 1));
  require(store->cluster().beat(first, 2));
  CHECK(require(store->cluster().nodes())[0].beat == 2);
  auto second = require(store->cluster().enter("a", "x"));
  CHECK(error_of(store->cluster().beat(first, 3)) == core::errc::fenced);
  // A renewal with the same number, because the answer was lost, also counts.
  require(store->cluster().beat(second, 1));
  require(store->cluster().beat(second, 1));
  CHECK(error_of(store->cluster().beat({"unknown", 1}, 1)) == core::errc::fenced);
}

TEST_CASE("a node is fenced only if its row is unchanged", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  auto life = require(store->cluster().enter("a", "x"));
  require(store->cluster().beat(life, 5));
  auto seen = require(store->cluster().nodes())[0];
  SECTION("it renewed its heartbeat meanwhile") {
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

TEST_CASE("leaving ends an incarnation once", "[storage]") {
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

TEST_CASE("a node says whether it has slots, for as long as its incarnation lasts", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  const auto serves = [&] {
    const auto row = require(store->cluster().nodes())[0];
    CHECK(require(store->cluster().view()).nodes[0].serves == row.serves);
    return row.serves;
  };
  const auto life = require(store->cluster().enter("a", "x"));
  CHECK(serves());
  require(store->cluster().serve(life, false));
  require(store->cluster().serve(life, false)); // repeated after a lost answer
  CHECK_FALSE(serves());
  require(store->cluster().beat(life, 1));
  CHECK_FALSE(serves());
  SECTION("it serves again") {
    require(store->cluster().serve(life, true));
    CHECK(serves());
  }
  SECTION("the next incarnation decides for itself") {
    const auto next = require(store->cluster().enter("a", "x", {.serves = false}));
    CHECK_FALSE(serves());
    CHECK(error_of(store->cluster().serve(life, true)) == core::errc::fenced);
    CHECK_FALSE(serves());
    require(store->cluster().serve(next, true));
    CHECK(serves());
  }
  SECTION("an incarnation that has ended says nothing") {
    SECTION("it left") { require(store->cluster().leave(life)); }
    SECTION("it was fenced") { REQUIRE(require(store->cluster().fence(require(store->cluster().nodes())[0]))); }
    CHECK(error_of(store->cluster().serve(life, false)) == core::errc::fenced);
    // An earlier release that enters next under this id does not know the column.
    CHECK(serves());
  }
  CHECK(error_of(store->cluster().serve({"unknown", 1}, true)) == core::errc::fenced);
}

TEST_CASE("a round trip succeeds", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  require(store->ping());
  require(store->ping());
}

TEST_CASE("an entry replaces only the row that was read", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  const auto enter = [&](const core::node_row& row) { return store->cluster().enter("a", "x", {"the process", row}); };
  const auto first = require(enter({}));
  CHECK(error_of(enter({})) == core::errc::conflict);
  auto seen = require(store->cluster().nodes())[0];
  CHECK(seen.process == "the process");
  SECTION("it renewed its heartbeat meanwhile") {
    require(store->cluster().beat(first, 1));
    CHECK(error_of(enter(seen)) == core::errc::conflict);
    require(store->cluster().beat(first, 2));
  }
  SECTION("it was fenced meanwhile") {
    REQUIRE(require(store->cluster().fence(seen)));
    CHECK(error_of(enter(seen)) == core::errc::conflict);
    CHECK(require(enter(require(store->cluster().nodes())[0])).incarnation > first.incarnation + 1);
  }
  SECTION("it left meanwhile") {
    require(store->cluster().leave(first));
    CHECK(error_of(enter(seen)) == core::errc::conflict);
  }
  SECTION("nothing happened, and a late entry changes nothing") {
    const auto second = require(enter(seen));
    CHECK(second.incarnation > first.incarnation);
    CHECK(error_of(store->cluster().beat(first, 1)) == core::errc::fenced);
    CHECK(error_of(enter(seen)) == core::errc::conflict);
    require(store->cluster().beat(second, 1));
  }
}

TEST_CASE("a row names only the process of the current incarnation", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  const auto process = [&] { return require(store->cluster().nodes())[0].process; };
  auto life = require(store->cluster().enter("a", "x", {"one", {}}));
  CHECK(process() == "one");
  // A release that does not know processes enters again.
  db->exec("UPDATE rm_node SET incarnation = incarnation + 1");
  CHECK(process().empty());
  life = require(store->cluster().enter("a", "x"));
  CHECK(process().empty());
  life = require(store->cluster().enter("a", "x", {"two", {}}));
  CHECK(process() == "two");
  require(store->cluster().leave(life));
}

TEST_CASE("a new incarnation is higher than the one that its node remembers", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  // The database was restored from before the first incarnation.
  CHECK(require(store->cluster().enter("a", "x", {.above = 7})).incarnation == 8);
  CHECK(require(store->cluster().enter("a", "x", {.above = 7})).incarnation == 9);
  CHECK(require(store->cluster().enter("a", "x", {.above = 20})).incarnation == 21);
}

TEST_CASE("a view shows each node's clock, the last revision, and the database's clock if it has one", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  const auto empty = require(store->cluster().view());
  CHECK(empty.nodes.empty());
  CHECK(empty.revision == 0);
  auto a = require(store->cluster().enter("a", "x"));
  require(store->cluster().enter("b", "y"));
  require(store->cluster().beat(a, 4, core::from_ms(1'772'452'800'123)));
  db->exec("UPDATE rm_edit SET counter = 17 WHERE id = 1");
  const auto before = std::chrono::system_clock::now();
  const auto view = require(store->cluster().view());
  REQUIRE(view.nodes.size() == 2);
  CHECK(view.nodes[0].id == "a");
  CHECK(view.nodes[0].beat == 4);
  CHECK(view.nodes[0].wall == core::from_ms(1'772'452'800'123));
  CHECK(view.nodes[1].wall == core::time_point{});
  CHECK(view.revision == 17);
  if (view.clock) { // a server on this machine
    CHECK(*view.clock >= before - std::chrono::seconds{5});
    CHECK(*view.clock <= std::chrono::system_clock::now() + std::chrono::seconds{5});
  }
}

TEST_CASE("pending work names each kind that the polls of a node would find", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  const auto a = require(store->cluster().enter("a", "x"));
  const auto b = require(store->cluster().enter("b", "y"));
  const auto find = [&] { return require(store->cluster().find_work(a)); };
  core::pending_work expected;
  CHECK(find() == expected);

  db->exec("UPDATE rm_edit SET counter = 17 WHERE id = 1");
  expected.revision = 17;
  CHECK(find() == expected);

  const auto add_intent = [&](int job, int state) {
    db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, state, created_ms)"
             " VALUES ('retry', " + std::to_string(job) + ", 0, 1, 0, 0, 0, " + std::to_string(state) + ", 5)");
  };
  add_intent(1, 1); // claimed
  CHECK(find() == expected);
  add_intent(2, 0);
  expected.has_intents = true;
  CHECK(find() == expected);

  const auto add_alarm = [&](int job, int state, const core::node_incarnation& of) {
    db->exec("INSERT INTO ej_alarm (cause, job, item, run, fire_ms, amount, at_ms, state, node, incarnation) VALUES (1, "
             + std::to_string(job) + ", 0, 0, 0, 0, 5, " + std::to_string(state) + ", '" + of.node + "', "
             + std::to_string(of.incarnation) + ")");
  };
  const auto take_intent = [&](int job, const core::node_incarnation& of) {
    add_intent(job, 3);
    db->exec("UPDATE rm_intent SET node = '" + of.node + "', incarnation = " + std::to_string(of.incarnation)
             + " WHERE state = 3 AND job = " + std::to_string(job));
  };
  take_intent(4, b); // an alarm that a living incarnation has taken
  add_alarm(4, 3, b);
  CHECK(find() == expected);
  switch (GENERATE(0, 1, 2, 3)) {
  case 0: add_intent(3, 2); break; // an alarm waits
  case 1: take_intent(3, {"b", b.incarnation - 1}); break;
  case 2: add_alarm(3, 2, b); break;
  default: add_alarm(3, 3, {"gone", 1});
  }
  expected.has_alarms = true;
  CHECK(find() == expected);

  const auto add_claim = [&](const core::node_incarnation& of) {
    db->exec("INSERT INTO rm_claim (node, incarnation, seq, maybe_sent, first_log_id, items) VALUES ('" + of.node + "', "
             + std::to_string(of.incarnation) + ", 1, 0, 1, '')");
  };
  add_claim(b); // of a living incarnation
  CHECK(find() == expected);
  add_claim(a);
  expected.has_claims = true;
  CHECK(find() == expected);
  switch (GENERATE(0, 1, 2)) {
  case 0: require(store->cluster().leave(b)); break;
  case 1: require(store->cluster().enter("b", "y")); break;
  default: db->exec("DELETE FROM rm_node WHERE id = 'b'");
  }
  expected.has_orphans = true;
  CHECK(find() == expected);
  // So are those of an earlier incarnation of the node itself.
  db->exec("DELETE FROM rm_claim WHERE node = 'b'");
  expected.has_orphans = false;
  CHECK(find() == expected);
  add_claim({"a", a.incarnation - 1});
  expected.has_orphans = true;
  CHECK(find() == expected);
  // The claims of a node that has ended are its own as long as it asks.
  require(store->cluster().leave(a));
  CHECK(find() == expected);

  db->exec("INSERT INTO ej_inbox (run, fence, outcome) VALUES (4711, 1, 'x')");
  expected.has_results = true;
  CHECK(find() == expected);
}

TEST_CASE("run ids are raised above the given id, and never lowered", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  const auto insert = [&] {
    db->exec("INSERT INTO xxl_job_log (job_group, job_id, trigger_code, handle_code) VALUES (1, 1, 0, 0)");
    return std::stoll(db->value("SELECT max(id) FROM xxl_job_log"));
  };
  CHECK(core::number(require(store->cluster().next_run_id())) == 1);
  CHECK(core::number(require(store->cluster().raise_run_ids(core::log_id{40}))) == 1);
  CHECK(core::number(require(store->cluster().next_run_id())) == 41);
  CHECK(insert() == 41);
  CHECK(core::number(require(store->cluster().next_run_id())) == 42);
  CHECK(core::number(require(store->cluster().raise_run_ids(core::log_id{10}))) == 42);
  const auto next = insert();
  CHECK((next == 42 || next == 43)); // reading it may use up an id
  CHECK(core::number(require(store->cluster().raise_run_ids(core::log_id{5'000'000'000}))) > next);
  CHECK(insert() == 5'000'000'001);
  CHECK(db->value("SELECT count(*) FROM xxl_job_log") == "3");
  db->exec("DELETE FROM xxl_job_log");
  CHECK(core::number(require(store->cluster().next_run_id())) == 5'000'000'002);
}
