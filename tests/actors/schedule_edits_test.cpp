// schedule_actor: edits by hint or by poll, and intents: children and retries before they are claimed.

#include "tests/actors/schedule_actor_fixture.hpp"
#include "tests/support/pulse.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::planning;
using test::seconds_from;

namespace {

/// A parent that ran on a peer, and the intent of its child.
struct family : planning {
  family() {
    declare("parent", "0 0 0 1 1 ? 2099").children = {{"", "child"}};
    declare("child", "0 0 0 1 1 ? 2099");
    begin();
    intents = end_elsewhere(claim_elsewhere(1, *stored(1).next + 1h), 200);
    REQUIRE(intents.size() == 1);
  }
  void check_child_ran_once() {
    advance(5s);
    CHECK(instants(2).size() == 1);
    CHECK(rows().size() == 2);
    CHECK(slots_add_up());
    CHECK(test::expect(look->firings().waiting_intents(civil(), 10)).empty());
  }
  std::vector<core::intent> intents;
};

} // namespace

TEST_CASE_METHOD(planning, "a stopped job is not claimed, a restarted one is", "[actors]") {
  declare("on-and-off").enabled = false;
  begin();
  advance(3s);
  CHECK(runs.empty());
  declared.jobs[0].enabled = true;
  apply();
  advance(2s);
  CHECK(instants(1) == seconds_from(start + 4s, 2));
  declared.jobs[0].enabled = false;
  apply();
  tell(actor, protocol::edit_hint{});
  advance(3s);
  CHECK(runs.size() == 2);
}

TEST_CASE_METHOD(planning, "a claimed instant is not claimed again after a stop and a start before it", "[actors]") {
  declare("hasty");
  begin();
  advance(850ms);
  REQUIRE(instants(1) == std::vector{start + 1s});
  for (bool enabled : {false, true}) {
    declared.jobs[0].enabled = enabled;
    apply();
    tell(actor, protocol::edit_hint{});
    advance(10ms);
  }
  advance(1130ms);
  CHECK(instants(1) == seconds_from(start + 1s, 2));
}

TEST_CASE_METHOD(planning, "an edit moves a job, whether by hint or by poll", "[actors]") {
  declare("moved", "30 * * * * ?");
  begin();
  advance(100ms);
  declared.jobs[0].schedule_conf = "10 * * * * ?";
  apply();
  advance(11s);
  CHECK(instants(1) == std::vector{start + 10s});
  CHECK(*registry.hints == 1);

  declared.jobs[0].schedule_conf = "12 * * * * ?";
  apply();
  tell(actor, protocol::edit_hint{});
  advance(2s);
  CHECK(instants(1) == std::vector{start + 10s, start + 12s});
}

TEST_CASE_METHOD(planning, "a hint that arrives during a poll is followed by another poll at once", "[actors]") {
  declare("edited", "0 0 0 1 1 ? 2099");
  begin();
  advance(100ms);
  int polls = 0;
  // The edit commits after the first poll has read, and its hint arrives before the answer.
  store.after = [&](std::string_view method) {
    if (method != "edits_since" || ++polls > 1)
      return;
    declared.jobs[0].schedule_conf = "* * * * * ?";
    apply();
    protocol::anon_send(actor, protocol::edit_hint{});
  };
  tell(actor, protocol::edit_hint{});
  advance(3 * latency);
  CHECK(polls == 2);
  CHECK(*registry.hints == 1);
  store.after = nullptr;
}

TEST_CASE_METHOD(planning, "a job that is deleted is never claimed again", "[actors]") {
  declare("kept");
  declare("gone");
  begin();
  advance(2500ms);
  declared.jobs.pop_back();
  test::expect(look->deploys().apply(declared, false, true, civil()));
  advance(3s);
  CHECK(instants(1) == seconds_from(start + 1s, 5));
  CHECK(instants(2) == seconds_from(start + 1s, 2));
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "an edit that commits before the claim wins, although the planner has not seen it", "[actors]") {
  declare("edited");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  declared.jobs[0].handler = "another";
  apply();
  release_claims();
  advance(100ms); // lost, read again, claimed with its present definition
  CHECK(instants(1) == seconds_from(start + 1s, 1));
  CHECK(runs.at(0).handler == "another");
  CHECK(claims == 2);
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "an edit between routing and claim does not cost its neighbours their batch", "[actors]") {
  declare("edited");
  declare("neighbour");
  begin();
  hold_routes = true;
  advance(800ms);
  REQUIRE(held_routes.size() == 1);
  REQUIRE(held_routes[0].candidates.size() == 2);
  declared.jobs[0].handler = "another";
  apply();
  tell(actor, protocol::edit_hint{});
  advance(50ms);
  release_routes();
  advance(200ms);
  CHECK(instants(1) == seconds_from(start + 1s, 1));
  CHECK(instants(2) == seconds_from(start + 1s, 1));
  for (const auto& run : runs)
    CHECK(run.came < start + 1s);
  for (const auto& row : rows())
    CHECK(row.executor_handler == (core::number(row.job) == 1 ? "another" : "handler"));
  CHECK(slots == 2);
}

TEST_CASE_METHOD(planning, "the late answer to a claim does not undo an edit that was read meanwhile", "[actors]") {
  declare("hourly", "1 0 * * * ?");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  auto request = held_claims[0];
  // The claim commits and its answer is lost; the store is asked again only after an edit made the job run every second.
  REQUIRE(test::expect(store.inner().firings().claim(request.batch, civil())).runs.size() == 1);
  declared.jobs[0].schedule_conf = "* * * * * ?";
  apply();
  tell(actor, protocol::edit_hint{});
  advance(50ms);
  release_claims();
  advance(4050ms);
  CHECK(instants(1) == seconds_from(start + 1s, 5));
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "the late answer to a claim does not start a job that was stopped meanwhile", "[actors]") {
  declare("stopped");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  auto request = held_claims[0];
  REQUIRE(test::expect(store.inner().firings().claim(request.batch, civil())).runs.size() == 1);
  declared.jobs[0].enabled = false;
  apply();
  tell(actor, protocol::edit_hint{});
  advance(50ms);
  release_claims();
  advance(3s);
  CHECK(instants(1) == seconds_from(start + 1s, 1));
  CHECK(claims == 1);
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(family, "a child that is passed to the planner is claimed at once, and once", "[actors]") {
  tell(actor, protocol::intent_batch{intents});
  SECTION("passed once") {
    advance(100ms);
    CHECK(instants(2).size() == 1);
  }
  SECTION("passed twice") { tell(actor, protocol::intent_batch{intents}); }
  SECTION("passed again after it has run") {
    advance(100ms);
    tell(actor, protocol::intent_batch{intents});
  }
  check_child_ran_once();
}

TEST_CASE_METHOD(family, "a child that was not passed to the planner is found after a second", "[actors]") {
  advance(900ms);
  CHECK(runs.empty());
  check_child_ran_once();
}

TEST_CASE_METHOD(family, "a child that is passed to the planner during the sweep is claimed once", "[actors]") {
  hold_routes = true;
  advance(2500ms);
  tell(actor, protocol::intent_batch{intents});
  advance(10ms);
  release_routes();
  check_child_ran_once();
}

TEST_CASE_METHOD(family, "a child for which no lane has room waits, without keeping the node busy", "[actors]") {
  full = true;
  tell(actor, protocol::intent_batch{intents});
  advance(1s);
  CHECK(runs.empty());
  CHECK(routes <= 60);
  full = false;
  advance(100ms);
  CHECK(instants(2).size() == 1);
  check_child_ran_once();
}

TEST_CASE_METHOD(family, "a child whose claim is refused is found again by the sweep", "[actors]") {
  hold_claims = true;
  tell(actor, protocol::intent_batch{intents});
  advance(100ms);
  REQUIRE(held_claims.size() == 1);
  answer(held_claims[0], core::fail(core::errc::internal, "a statement was refused"));
  held_claims.clear();
  run();
  CHECK(slots == 0);
  release_claims();
  advance(61s); // a refused claim is not retried at once
  check_child_ran_once();
}

TEST_CASE_METHOD(family, "a child whose job is edited while it is routed is planned again with the new definition", "[actors]") {
  hold_routes = true;
  tell(actor, protocol::intent_batch{intents});
  advance(100ms);
  REQUIRE(held_routes.size() == 1);
  declared.jobs[1].handler = "edited";
  apply();
  release_routes();
  check_child_ran_once();
  CHECK(runs.at(0).handler == "edited");
}

TEST_CASE_METHOD(family, "the child of an ended incarnation is claimed by the next one", "[actors]") {
  hold_claims = true;
  tell(actor, protocol::intent_batch{intents});
  advance(100ms);
  REQUIRE(held_claims.size() == 1);
  new_incarnation();
  release_claims(); // refused: its incarnation has ended
  check_child_ran_once();
}

TEST_CASE_METHOD(planning, "a retry of a job in another node's slots is also claimed", "[actors]") {
  declare("elsewhere").retry_count = 2;
  begin();
  core::slot_set others;
  others.set(200);
  tell(actor, protocol::slot_change{others});
  advance(100ms);
  auto intents = end_elsewhere(claim_elsewhere(1, start + 1h), 500);
  REQUIRE(intents.size() == 1);
  tell(actor, protocol::intent_batch{intents});
  advance(3s);
  CHECK(instants(1).size() == 1);
  CHECK(rows().size() == 2);
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "the retry of a job that was deleted leaves no row and no intent", "[actors]") {
  declare("kept", "0 0 0 1 1 ? 2099");
  declare("gone").retry_count = 2;
  begin();
  hold_routes = true;
  auto intents = end_elsewhere(claim_elsewhere(2, start + 1h), 500);
  REQUIRE(intents.size() == 1);
  declared.jobs.pop_back();
  test::expect(look->deploys().apply(declared, false, true, civil()));
  tell(actor, protocol::intent_batch{intents});
  advance(1s);
  release_routes();
  advance(3s);
  CHECK(runs.empty());
  CHECK(slots == 0);
  CHECK(test::expect(look->firings().waiting_intents(civil(), 10)).empty());
}

// -- pulses of the store ---------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(planning, "with pulses an idle planner seldom polls for edits and intents", "[actors]") {
  declare("far", "0 0 0 1 1 ? 2099");
  begin();
  const auto pulse = test::start_pulse(*this, storage, actor, life);
  advance(3s);
  test::call_counter counter{store};
  advance(1min);
  CHECK(counter.of("find_work") == 120);
  CHECK(counter.of("edits_since") <= 2);
  CHECK(counter.of("waiting_intents") <= 2);

  declare("new");
  apply();
  advance(2s);
  CHECK_FALSE(instants(2).empty());
  CHECK(counter.of("edits_since") <= 4);

  // The counter of edits rises with edits of other things, too.
  core::elastic::elastic_edit edit;
  edit.what.name = "sums";
  edit.what.group = core::group_id{1};
  edit.what.handler = "sum";
  edit.what.total = 1;
  edit.what.options.schedule = core::schedule_type::fixed_rate;
  edit.what.options.schedule_conf = "10";
  test::expect(look->elastic().put(edit, civil(), core::local_operator()));
  const auto before = counter.of("edits_since");
  advance(10s);
  CHECK(counter.of("edits_since") > before);
  CHECK(counter.of("edits_since") <= before + 2);
}

TEST_CASE_METHOD(planning, "without pulses the planner polls again", "[actors]") {
  declare("far", "0 0 0 1 1 ? 2099");
  begin();
  const auto pulse = test::start_pulse(*this, storage, actor, life);
  advance(3s);
  tell(pulse, protocol::incarnation_change{std::nullopt});
  advance(1s);
  test::call_counter counter{store};
  advance(10s);
  CHECK(counter.of("edits_since") >= 19);
  CHECK(counter.of("waiting_intents") >= 9);
}

TEST_CASE_METHOD(planning, "pulses do not delay the next attempt to read jobs", "[actors]") {
  edit_poll = 2s;
  declare("each-second");
  store.once("load_jobs", test::store_fault::away);
  begin();
  const auto pulse = test::start_pulse(*this, storage, actor, life);
  advance(6s);
  CHECK_FALSE(instants(1).empty());
}

TEST_CASE_METHOD(planning, "an edit is found although the counter of edits fell and rose again", "[actors]") {
  declare("far", "0 0 0 1 1 ? 2099");
  begin();
  const auto pulse = test::start_pulse(*this, storage, actor, life);
  advance(3s);
  store.revision_off = 5; // edits of other things, which the database loses
  advance(2s);
  store.revision_off = 0;
  declare("new");
  apply();
  advance(32s);
  CHECK_FALSE(instants(2).empty());
}

TEST_CASE_METHOD(family, "a planner with pulses finds an old intent", "[actors]") {
  const auto pulse = test::start_pulse(*this, storage, actor, life);
  check_child_ran_once();
}

TEST_CASE_METHOD(planning, "a planner with pulses begins each incarnation with all reads", "[actors]") {
  declare("each-second");
  begin();
  const auto pulse = test::start_pulse(*this, storage, actor, life);
  advance(3s);
  new_incarnation();
  advance(3s);
  CHECK(instants(1).size() >= 5);
  CHECK(loads == 2);
}
