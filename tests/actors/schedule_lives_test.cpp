// schedule_actor: incarnations, slots, an unavailable or slow store, drain.

#include <algorithm>
#include <map>
#include <random>

#include "tests/actors/schedule_actor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::planning;
using test::seconds_from;

TEST_CASE_METHOD(planning, "a drain claims nothing more and is answered when the claims under way are answered", "[actors]") {
  declare("draining");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  auto done = later<caf::unit_t>(actor, protocol::stop_request{});
  advance(2s);
  CHECK_FALSE(*done);
  CHECK(held_claims.size() == 1);
  release_claims();
  advance(10ms);
  REQUIRE(*done);
  CHECK(**done);
  CHECK(runs.size() == 1); // claimed runs are still sent
  advance(5s);
  CHECK(claims == 1);
  CHECK(stored(1).next == start + 2s); // still due, for any node
}

TEST_CASE_METHOD(planning, "a drain does not wait for claims of a lost incarnation", "[actors]") {
  declare("draining");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  auto done = later<caf::unit_t>(actor, protocol::stop_request{});
  run();
  CHECK_FALSE(*done);
  lose_incarnation();
  run();
  REQUIRE(*done);
  CHECK(**done);
  CHECK(slots == 0);
}

TEST_CASE_METHOD(planning, "routes that arrive during a drain give their slots back", "[actors]") {
  declare("draining");
  begin();
  hold_routes = true;
  advance(900ms);
  REQUIRE(held_routes.size() == 1);
  CHECK(drain());
  release_routes();
  run();
  CHECK(slots == 0);
  CHECK(claims == 0);
}

TEST_CASE_METHOD(planning, "routes of jobs whose slots left give their lane slots back at once", "[actors]") {
  declare("routed");
  begin();
  hold_routes = true;
  advance(900ms);
  REQUIRE(held_routes.size() == 1);
  latency = 10s;
  auto fewer = core::slot_set{}.set();
  fewer.reset(core::slot_of(core::job_id{1}));
  tell(actor, protocol::slot_change{fewer});
  run();
  release_routes();
  run();
  CHECK(slots == 0);
}

TEST_CASE_METHOD(planning, "a change to the slots that are already served has no effect", "[actors]") {
  declare("steady");
  begin();
  advance(1s);
  auto before = loads;
  tell(actor, protocol::slot_change{core::slot_set{}.set()});
  advance(1s);
  CHECK(loads == before);
}

TEST_CASE_METHOD(planning, "a civil clock that is set back does not stop the planner", "[actors]") {
  declare("clocked");
  begin();
  advance(2s);
  REQUIRE(instants(1) == seconds_from(start + 1s, 2));
  step_civil(-30s);
  advance(40s);
  REQUIRE(instants(1).size() > 2);
  CHECK(instants(1).back() >= start + 10s);
  auto fired = instants(1);
  CHECK(std::is_sorted(fired.begin(), fired.end()));
}

TEST_CASE_METHOD(planning, "routes from before a drain are not claimed", "[actors]") {
  declare("draining");
  begin();
  hold_routes = true;
  advance(900ms);
  REQUIRE(held_routes.size() == 1);
  CHECK(drain());
  release_routes();
  advance(2s);
  CHECK(claims == 0);
  CHECK(rows().empty());
}

TEST_CASE_METHOD(planning, "an idle planner drains at once, any number of times", "[actors]") {
  begin();
  CHECK(drain());
  CHECK(drain());
}

TEST_CASE_METHOD(planning, "without an incarnation nothing is claimed; a new one reads everything again", "[actors]") {
  declare("living");
  begin();
  advance(2s);
  REQUIRE(runs.size() == 2);
  lose_incarnation();
  advance(2s);
  CHECK(runs.size() == 2);
  declared.jobs[0].handler = "edited meanwhile";
  apply();
  new_incarnation();
  advance(1s);
  CHECK(instants(1) == seconds_from(start + 1s, 5)); // 3 s and 4 s are late and made up
  CHECK(rows().back().executor_handler == "edited meanwhile");
}

TEST_CASE_METHOD(planning, "the answer to a claim of an earlier incarnation is ignored, and its slots were given back",
                 "[actors]") {
  declare("reborn");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  CHECK(slots == 1);
  auto old = held_claims[0];
  REQUIRE(test::expect(store.inner().firings().claim(old.batch, civil())).runs.size() == 1);
  held_claims.clear();
  hold_claims = false;
  new_incarnation();
  CHECK(slots == 0);
  answer(old);
  advance(50ms);
  CHECK(runs.empty()); // recovery asks about it
  CHECK(slots == 0);
  advance(1s);
  CHECK(instants(1) == std::vector{start + 2s});
  CHECK(slots == 1);
}

TEST_CASE_METHOD(planning, "a claim of an earlier incarnation that arrives after the new one claims nothing", "[actors]") {
  declare("reborn");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  new_incarnation();
  advance(50ms);
  REQUIRE(held_claims.size() == 2);
  release_claims(); // the old one first
  advance(1050ms);
  CHECK(instants(1) == seconds_from(start + 1s, 2));
  CHECK(rows().size() == 2);
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "routes requested in an earlier incarnation are dropped and give their slots back", "[actors]") {
  declare("rerouted");
  begin();
  hold_routes = true;
  advance(900ms);
  REQUIRE(held_routes.size() == 1);
  auto old = std::exchange(held_routes, {});
  hold_routes = false;
  new_incarnation();
  advance(10ms);
  REQUIRE(runs.size() == 1);
  auto to = old[0].listener;
  tell(to, routed(std::move(old[0])));
  advance(90ms);
  CHECK(instants(1) == seconds_from(start + 1s, 1));
  CHECK(claims == 1);
  CHECK(slots == 1);
}

TEST_CASE_METHOD(planning, "deferrals of an earlier incarnation are forgotten with it", "[actors]") {
  declare("rerouted");
  begin();
  hold_routes = true;
  full = true;
  advance(900ms);
  REQUIRE(held_routes.size() == 1);
  new_incarnation();
  full = false;
  advance(10ms);
  REQUIRE(held_routes.size() == 2);
  std::swap(held_routes[0], held_routes[1]);
  auto old = std::move(held_routes[1]);
  held_routes.pop_back();
  release_routes();
  protocol::routed_batch deferred;
  deferred.deferred = std::move(old.candidates);
  tell(old.listener, std::move(deferred));
  advance(1090ms);
  CHECK(instants(1) == seconds_from(start + 1s, 2));
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "slots that go away take their jobs with them", "[actors]") {
  declare_many(4);
  begin();
  core::slot_set two;
  two.set(core::slot_of(core::job_id{2}));
  tell(actor, protocol::slot_change{two});
  advance(2s);
  CHECK(instants(1).empty());
  CHECK(instants(2) == seconds_from(start + 1s, 2));
  // An edit of a job of another node is not planned either.
  declared.jobs[0].handler = "another";
  apply();
  advance(2s);
  CHECK(instants(1).empty());
  CHECK(instants(2) == seconds_from(start + 1s, 4));
}

TEST_CASE_METHOD(planning, "runs whose claim was under way when the slots changed are still sent", "[actors]") {
  declare_many(4);
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  core::slot_set slots_now;
  SECTION("all slots again") { slots_now.set(); }
  SECTION("one slot is left") { slots_now.set(2); }
  tell(actor, protocol::slot_change{slots_now});
  advance(10ms);
  release_claims();
  advance(90ms);
  // They are claims of this incarnation: no other node ever sends them.
  CHECK(runs.size() == 4);
  CHECK(rows().size() == 4);
  advance(1s);
  for (std::int32_t job = 1; job <= 4; ++job)
    CHECK(instants(job) == seconds_from(start + 1s, slots_now.test(core::slot_of(core::job_id{job})) ? 2 : 1));
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "all jobs of an edit that is larger than a page are seen", "[actors]") {
  for (int i = 0; i < 4100; ++i)
    declare("job-" + std::to_string(i), "0 0 0 1 1 ? 2099");
  begin();
  advance(100ms);
  for (auto& job : declared.jobs)
    job.schedule_conf = "2 * * * * ?";
  apply();
  advance(2s);
  CHECK(runs.size() == 4100);
  CHECK(rows().size() == 4100);
  CHECK(loads <= 8);
}

TEST_CASE_METHOD(planning, "more jobs than a page are all known, and an edit between two pages is not missed", "[actors]") {
  declare("first", "30 * * * * ?");
  for (int i = 0; i < 2100; ++i)
    declare("job-" + std::to_string(i), "0 0 0 1 1 ? 2099");
  declare("last");
  latency = 100ms;
  begin();
  advance(150ms);
  REQUIRE(loads == 1);
  declared.jobs[0].schedule_conf = "2 * * * * ?";
  apply();
  advance(2s);
  CHECK(loads == 2);
  CHECK(instants(1) == std::vector{start + 2s});
  CHECK(instants(2102) == seconds_from(start + 1s, 2));
}

TEST_CASE_METHOD(planning, "a slow read may finish: neither ticks nor hints restart it", "[actors]") {
  declare("slow-read");
  begin();
  tell(actor, protocol::slot_change{core::slot_set{}.set().reset(core::slot_of(core::job_id{2}))});
  advance(1s);
  REQUIRE(loads == 1);
  latency = 1700ms; // longer than a tick and than the poll of edits
  tell(actor, protocol::slot_change{core::slot_set{}.set()});
  for (int i = 0; i < 16; ++i) {
    advance(100ms);
    tell(actor, protocol::tick_atom{});
    tell(actor, protocol::edit_hint{});
  }
  CHECK(loads == 1);
  advance(400ms);
  CHECK(loads == 2);
  CHECK(instants(1) == seconds_from(start + 1s, 3));
}

TEST_CASE_METHOD(planning, "a read of earlier slots does not count for the present ones", "[actors]") {
  declare_many(2);
  latency = 300ms;
  begin();
  advance(100ms);
  core::slot_set two;
  two.set(core::slot_of(core::job_id{2}));
  tell(actor, protocol::slot_change{two}); // the read of all slots is under way
  advance(1900ms);
  CHECK(instants(1).empty());
  CHECK(instants(2) == seconds_from(start + 1s, 2));
}

TEST_CASE_METHOD(planning, "a store that fails while jobs are read is asked again", "[actors]") {
  declare("reload");
  store.go_away();
  begin();
  advance(2s);
  CHECK(runs.empty());
  store.come_back();
  advance(1s);
  CHECK(instants(1) == seconds_from(start + 1s, 3));
}

TEST_CASE_METHOD(planning, "edits that cannot be read now are read later", "[actors]") {
  declare("edited");
  begin();
  advance(1100ms);
  store.go_away();
  declared.jobs[0].enabled = false;
  apply();
  advance(700ms);
  store.come_back();
  advance(2s);
  CHECK(instants(1) == seconds_from(start + 1s, 1));
  CHECK(slots_add_up());
}

namespace {

/// Disturbs the planner with a random event.
void disturb(planning& world, std::mt19937& random) {
  auto below = [&](unsigned n) { return random() % n; };
  switch (below(7)) {
  case 0: world.full = !world.full; break;
  case 1: world.hold_routes = true; break;
  case 2: world.hold_claims = true; break;
  case 3: world.latency = std::chrono::milliseconds{below(40)}; break;
  case 4:
    world.declared.jobs[below(8)].handler = "edited " + std::to_string(random());
    world.apply();
    break;
  case 5: world.new_incarnation(); break;
  default: world.tell(world.actor, protocol::edit_hint{}); break;
  }
}

} // namespace

TEST_CASE_METHOD(planning, "after any events every instant has one row and every slot an owner", "[actors]") {
  auto seed = GENERATE(range(1u, 13u));
  CAPTURE(seed);
  std::mt19937 random{seed};
  rows_max = 5;
  declare_many(8);
  begin();
  for (int round = 0; round < 40; ++round) {
    for (auto disturbances = 1 + random() % 3; disturbances > 0; --disturbances)
      disturb(*this, random);
    advance(std::chrono::milliseconds{random() % 600});
    full = false;
    release_routes();
    release_claims();
    advance(std::chrono::milliseconds{random() % 600});
  }
  auto until = core::cut_to_second(civil());
  advance(2s);
  std::map<std::pair<core::job_id, core::time_point>, int> count;
  for (const auto& row : rows())
    ++count[{row.job, row.trigger_time}];
  for (std::int32_t job = 1; job <= 8; ++job)
    for (auto at = start + 1s; at <= until; at += 1s) {
      CAPTURE(job, core::to_ms(at) - core::to_ms(start));
      CHECK(count[{core::job_id{job}, at}] == 1);
    }
  CHECK(std::all_of(count.begin(), count.end(), [](const auto& one) { return one.second == 1; }));
  CHECK(slots_add_up());
}
