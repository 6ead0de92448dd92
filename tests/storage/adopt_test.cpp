// T6 and T7: runs of ended incarnations.

#include <algorithm>

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

/// Ends the incarnation of node-a, as an observer does.
void fence(firing_fixture& f) {
  auto nodes = require(f.store->cluster().nodes());
  auto node = std::find_if(nodes.begin(), nodes.end(), [&](const core::node_row& row) { return row.id == f.me.node; });
  REQUIRE(node != nodes.end());
  REQUIRE(require(f.store->cluster().fence(*node)));
}

core::node_incarnation adopter(firing_fixture& f) { return require(f.store->cluster().enter("node-b", "10.0.0.2:8081")); }

} // namespace

TEST_CASE("claims of a living node are not adopted", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.claimed(7);
  auto other = adopter(f);
  CHECK(require(f.firings().adopt(other, 1, 10)).empty());
  CHECK(require(f.firings().adopt(f.me, 100, 10)).empty());
  CHECK(require(f.firings().open_claims(f.me)).size() == 1);
}

TEST_CASE("looks for claims and for alarms begin no transaction on a server if there are none", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  if (backend.name == "sqlite")
    return;
  firing_fixture f{backend};
  const auto begun = [&] { return f.db->query("SHOW GLOBAL STATUS LIKE 'Com_begin'").at(0).at(1); };
  const auto before = begun();
  CHECK(require(f.firings().adopt(f.me, 100, 10)).empty());
  CHECK(require(f.store->alarms().take(f.me, false, noon, 100)).empty());
  CHECK(begun() == before);
}

TEST_CASE("an ended incarnation is told so although there is nothing to adopt", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  fence(f);
  CHECK(error_of(f.firings().adopt(f.me, 100, 10)) == core::errc::fenced);
  CHECK(error_of(f.store->alarms().take(f.me, false, noon, 100)) == core::errc::fenced);
}

TEST_CASE("a claim of an ended incarnation is adopted with its unresolved runs", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  for (int id = 1; id <= 5; ++id)
    f.plan(batch, f.add_job(id, noon + std::chrono::milliseconds{id}, {{"executor_fail_retry_count", "2"}}),
           noon + std::chrono::milliseconds{id});
  batch.runs[3].part = {1, 2, true};
  batch.runs[3].param = "own";
  batch.runs[4].address.clear();
  auto runs = require(f.firings().claim(batch, noon)).runs;
  REQUIRE(runs.size() == 5);
  f.record({f.answer(runs[0], 200)}, {f.callback(runs[2], 200)});
  f.db->exec("DELETE FROM xxl_job_log WHERE id = " + text(runs[1].id));

  SECTION("fenced") { fence(f); }
  SECTION("started again") { require(f.store->cluster().enter(f.me.node, "x")); }
  SECTION("stopped") { require(f.store->cluster().leave(f.me)); }
  SECTION("unknown to the store") { f.db->exec("DELETE FROM rm_node"); }

  auto other = adopter(f);
  auto adopted = require(f.firings().adopt(other, 40, 10));
  REQUIRE(adopted.size() == 3);
  CHECK(adopted[0].id == runs[2].id);
  CHECK(adopted[0].handle_code == 200);
  CHECK(adopted[1].id == runs[3].id);
  CHECK(adopted[1].claim == 40);
  CHECK(adopted[1].job == core::job_id{4});
  CHECK(adopted[1].fire_at == noon + 4ms);
  CHECK(adopted[1].part == core::shard{1, 2, true});
  CHECK(adopted[1].param == "own");
  CHECK(adopted[1].attempt == 0);
  CHECK(adopted[1].address == "http://10.0.0.9:9999/");
  CHECK(adopted[1].retry_left == 2);
  CHECK(adopted[1].handle_code == 0);
  CHECK(adopted[2].address.empty());
  CHECK(f.db->query("SELECT node, incarnation, seq, maybe_sent FROM rm_claim") ==
        table{{"node-b", std::to_string(other.incarnation), "40", "1"}});
  CHECK(require(f.firings().open_claims(f.me)).empty());
  CHECK(require(f.firings().open_claims(other)) == std::vector<std::int64_t>{40});
}

TEST_CASE("an adoption whose answer was lost is repeated with its number", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.claimed(1);
  f.claimed(2);
  f.claimed(3);
  fence(f);
  auto other = adopter(f);
  auto first = require(f.firings().adopt(other, 40, 2));
  REQUIRE(first.size() == 2);
  CHECK(first[0].claim == 40);
  CHECK(first[1].claim == 41);
  auto again = require(f.firings().adopt(other, 40, 2));
  REQUIRE(again.size() == 2);
  CHECK(again[0].id == first[0].id);
  CHECK(again[1].id == first[1].id);
  auto rest = require(f.firings().adopt(other, 42, 2));
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].claim == 42);
  CHECK(require(f.firings().adopt(other, 43, 2)).empty());
}

TEST_CASE("a repeated adoption deletes claims that were resolved meanwhile", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.claimed(1);
  const auto gone = f.claimed(2);
  f.claimed(3);
  f.claimed(4);
  fence(f);
  auto other = adopter(f);
  REQUIRE(require(f.firings().adopt(other, 40, 3)).size() == 3);
  SECTION("an earlier owner records that it was accepted") { f.record({f.answer(gone, 200)}, {}); }
  SECTION("its row was deleted") { f.db->exec("DELETE FROM xxl_job_log WHERE id = " + text(gone.id)); }
  auto again = require(f.firings().adopt(other, 40, 3));
  REQUIRE(again.size() == 2);
  CHECK(again[0].claim == 40);
  CHECK(again[1].claim == 42);
  // No claim is left that would block a drain, and no number outside the call's range was taken.
  CHECK(require(f.firings().open_claims(other)) == std::vector<std::int64_t>{40, 42});
  auto rest = require(f.firings().adopt(other, 43, 3));
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].claim == 43);
}

TEST_CASE("two adopters share the claims without overlap", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  std::vector<core::log_id> all;
  for (int id = 1; id <= 6; ++id)
    all.push_back(f.claimed(id).id);
  fence(f);
  auto other = adopter(f);
  auto store = f.db->open();
  auto third = require(store->cluster().enter("node-c", "c"));
  std::vector<core::log_id> seen;
  for (int round = 0; round < 3; ++round) {
    for (const auto& run : require(f.firings().adopt(other, 100 + round, 1)))
      seen.push_back(run.id);
    for (const auto& run : require(store->firings().adopt(third, 200 + round, 1)))
      seen.push_back(run.id);
  }
  std::sort(seen.begin(), seen.end());
  CHECK(seen == all);
}

TEST_CASE("an orphan without unresolved runs is deleted", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(1);
  f.record({f.answer(run, GENERATE(200, 500))}, {});
  fence(f);
  auto other = adopter(f);
  CHECK(require(f.firings().adopt(other, 40, 10)).empty());
  CHECK(f.rows("rm_claim") == "0");
}

TEST_CASE("many resolved orphans do not hide an unresolved one", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id = 1; id <= 12; ++id)
    f.record({f.answer(f.claimed(id), 200)}, {});
  auto open = f.claimed(20);
  fence(f);
  auto adopted = require(f.firings().adopt(adopter(f), 40, 2));
  REQUIRE(adopted.size() == 1);
  CHECK(adopted[0].id == open.id);
}

TEST_CASE("a node whose incarnation has ended adopts nothing", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.claimed(1);
  auto old = f.me;
  auto fresh = require(f.store->cluster().enter(f.me.node, "x"));
  CHECK(error_of(f.firings().adopt(old, 40, 10)) == core::errc::fenced);
  // Its next incarnation takes its own orphans.
  CHECK(require(f.firings().adopt(fresh, 1, 10)).size() == 1);
}

TEST_CASE("an adopted claim can be adopted again", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(1);
  fence(f);
  auto second = adopter(f);
  REQUIRE(require(f.firings().adopt(second, 40, 10)).size() == 1);
  CHECK(require(f.permit(second, 40, run.id)));
  require(f.store->cluster().leave(second));
  auto third = require(f.store->cluster().enter("node-c", "c"));
  auto adopted = require(f.firings().adopt(third, 7, 10));
  REQUIRE(adopted.size() == 1);
  CHECK(adopted[0].attempt == 1);
  // Two sends are the limit.
  CHECK_FALSE(require(f.permit(third, 7, run.id)));
}

TEST_CASE("a run may be sent again once", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  for (int id = 1; id <= 3; ++id)
    f.plan(batch, f.add_job(id));
  auto runs = require(f.firings().claim(batch, noon)).runs;
  CHECK(require(f.permit(f.me, batch.sequence, runs[1].id)));
  CHECK_FALSE(require(f.permit(f.me, batch.sequence, runs[1].id)));
  CHECK(require(f.permit(f.me, batch.sequence, runs[2].id)));
  // The other runs keep their state, and the attempt is remembered.
  auto again = require(f.firings().claim(batch, noon));
  REQUIRE(again.runs.size() == 3);
  CHECK(again.runs[0].attempt == 0);
  CHECK(again.runs[1].attempt == 1);
}

TEST_CASE("a run with an answer or a result is not sent again", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(1);
  SECTION("accepted") { f.record({f.answer(run, 200)}, {}); }
  SECTION("failed") { f.record({f.answer(run, 500)}, {}); }
  SECTION("result") { f.record({}, {f.callback(run, 500)}); }
  SECTION("row deleted") { f.db->exec("DELETE FROM xxl_job_log"); }
  SECTION("claim gone") { f.db->exec("DELETE FROM rm_claim"); }
  CHECK_FALSE(require(f.permit(f.me, run.claim, run.id)));
}

TEST_CASE("only the owner of a claim may send again", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(1);
  auto other = adopter(f);
  CHECK_FALSE(require(f.permit(other, run.claim, run.id)));
  CHECK_FALSE(require(f.permit(f.me, run.claim, core::log_id{core::number(run.id) + 1})));
  fence(f);
  CHECK(error_of(f.permit(f.me, run.claim, run.id)) == core::errc::fenced);
}

TEST_CASE("numbers of adopted claims are not used for claims", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.claimed(1);
  auto fresh = require(f.store->cluster().enter(f.me.node, "x"));
  REQUIRE(require(f.firings().adopt(fresh, 5, 10)).size() == 1);
  f.me = fresh;
  auto batch = f.batch();
  batch.sequence = 5;
  f.plan(batch, f.add_job(2));
  CHECK(error_of(f.firings().claim(batch, noon)) == core::errc::internal);
}

TEST_CASE("a claim in a newer format waits for a node that can read it", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.claimed(1);
  f.db->exec("UPDATE rm_claim SET items = X'7f00'");
  auto open = f.claimed(2);
  fence(f);
  auto adopted = require(f.firings().adopt(adopter(f), 40, 10));
  REQUIRE(adopted.size() == 1);
  CHECK(adopted[0].id == open.id);
  CHECK(f.rows("rm_claim", "node = 'node-a'") == "1");
}

TEST_CASE("an adoption returns how the incarnation of a run ended", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.claimed(1);
  const auto mine = adopter(f);
  auto expected = core::incarnation_end::sealed;
  SECTION("it left") { require(f.store->cluster().leave(f.me)); }
  SECTION("its process came back") { require(f.store->cluster().enter(f.me.node, "x")); }
  SECTION("it was fenced") {
    REQUIRE(require(f.store->cluster().fence(require(f.store->cluster().nodes())[0])));
    expected = core::incarnation_end::ran_out;
  }
  SECTION("it was ended before its deadline") {
    f.db->exec("UPDATE rm_node SET incarnation = incarnation + 1, state = 'fenced' WHERE id = 'node-a'");
    f.db->exec("UPDATE rm_life SET cut = incarnation, incarnation = 0 WHERE node = 'node-a'");
    expected = core::incarnation_end::cut_short;
    SECTION("long ago, and its next incarnation ran out") {
      require(f.store->cluster().enter(f.me.node, "x"));
      REQUIRE(require(f.store->cluster().fence(require(f.store->cluster().nodes())[0])));
      expected = core::incarnation_end::ran_out;
    }
  }
  const auto adopted = require(f.firings().adopt(mine, 1000, 10));
  REQUIRE(adopted.size() == 1);
  CHECK(adopted[0].id == run.id);
  CHECK(adopted[0].ended == expected);
  // A repeated call does not know the end any more, and assumes the worst case.
  const auto repeated = require(f.firings().adopt(mine, 1000, 10));
  REQUIRE(repeated.size() == 1);
  CHECK((repeated[0].ended == core::incarnation_end::cut_short || f.rows("rm_life", "cut > 0") == "0"));
}

TEST_CASE("one adoption reads a bounded number of runs, and the next calls read the others", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  constexpr std::size_t claims = 23, runs = 500;
  const auto spec = f.add_job(1);
  for (std::size_t i = 0; i < claims; ++i) {
    auto all = f.batch();
    all.moves.push_back({spec->id, noon + i * 60s, noon + i * 60s, noon + (i + 1) * 60s});
    for (std::size_t k = 0; k < runs; ++k)
      all.runs.push_back(firing_fixture::run_of(spec, noon + i * 60s));
    REQUIRE(require(f.firings().claim(all, noon)).runs.size() == runs);
  }
  const auto mine = adopter(f);
  require(f.store->cluster().leave(f.me));
  std::size_t adopted = 0, calls = 0;
  for (std::int64_t next = 1000;; ++calls) {
    const auto some = require(f.firings().adopt(mine, next, claims));
    if (some.empty())
      break;
    adopted += some.size();
    CHECK(some.size() < claims * runs);
    for (const auto& run : some)
      next = std::max(next, run.claim + 1);
  }
  CHECK(adopted == claims * runs);
  CHECK(calls >= 2);
}

TEST_CASE("a claim that lost a part of its moves is adopted with the runs that it kept", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  for (int id = 1; id <= 3; ++id)
    firing_fixture::plan(batch, f.add_job(id));
  f.db->exec("UPDATE rm_schedule SET next_ms = 5 WHERE job = 2");
  const auto kept = require(f.firings().claim(batch, noon));
  REQUIRE(kept.lost_races == std::vector{core::job_id{2}});
  REQUIRE(kept.runs.size() == 2);
  fence(f);
  const auto other = adopter(f);
  for (int calls = 0; calls < 2; ++calls) { // the second one repeats the first, whose answer was lost
    const auto adopted = require(f.firings().adopt(other, 40, 10));
    REQUIRE(adopted.size() == 2);
    CHECK(adopted[0].id == kept.runs[0].id);
    CHECK(adopted[1].id == kept.runs[1].id);
    // The former owner repeats its claim.
    CHECK(error_of(f.firings().claim(batch, noon)) == core::errc::fenced);
  }
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule WHERE job = 2") == "5");
  CHECK(f.rows("xxl_job_log") == "2");
  CHECK(f.rows("rm_claim") == "1");
}
