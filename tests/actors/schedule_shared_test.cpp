// schedule_actor alongside Java admins: it plans nothing, and claims what was reserved.

#include <sstream>

#include <spdlog/sinks/ostream_sink.h>

#include "actors/firing/schedule_metrics.hpp"
#include "actors/metrics.hpp"
#include "tests/actors/schedule_actor_fixture.hpp"
#include "tests/support/reservation_double.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

struct shared_planning : planning {
  shared_planning() {
    mode = core::cluster_mode::shared;
    store.shared = &java;
    hold_claims = true;
  }

  core::intent reserved(std::int64_t id, core::time_point fire_at, std::int32_t job = 1) const {
    core::intent out;
    out.id = core::intent_id{id};
    out.kind = core::trigger_kind::cron;
    out.job = core::job_id{job};
    out.fire_at = fire_at;
    return out;
  }
  void hand_over(std::vector<core::intent> intents) {
    tell(actor, protocol::intent_batch{std::move(intents)});
    run();
  }
  /// Lets time pass until the next claim.
  core::claim_batch next_claim() {
    for (int i = 0; held_claims.empty() && i < 1000; ++i)
      advance(10ms);
    REQUIRE_FALSE(held_claims.empty());
    return held_claims.front().batch;
  }
  void answer_first(core::claim_outcome outcome) {
    auto request = std::move(held_claims.front());
    held_claims.erase(held_claims.begin());
    outcome.sequence = request.batch.sequence;
    answer(request, std::move(outcome));
    run();
  }

  reservation_double java;
};

} // namespace

TEST_CASE_METHOD(shared_planning, "no schedule is planned by this node", "[actors]") {
  declare("every-second");
  begin();
  advance(5s);
  CHECK(claims == 0);
}

TEST_CASE_METHOD(shared_planning, "a reserved instant is claimed shortly before its time", "[actors]") {
  declare("every-second");
  begin();
  const auto due = civil() + 4s;
  hand_over({reserved(7, due)});
  advance(3790ms);
  CHECK(claims == 0);
  const auto batch = next_claim();
  CHECK(batch.shared);
  CHECK(batch.moves.empty());
  REQUIRE(batch.runs.size() == 1);
  CHECK(batch.runs[0].fire_at == due);
  CHECK(batch.runs[0].intent == core::intent_id{7});
  CHECK(civil() <= due - 100ms);
  hand_over({reserved(7, due)}); // the sweep finds it, too
  advance(1s);
  CHECK(held_claims.size() == 1);
}

TEST_CASE_METHOD(shared_planning, "an instant of an edited job is planned again with the new definition", "[actors]") {
  declare("every-second");
  begin();
  hand_over({reserved(7, civil() + 1s)});
  CHECK(next_claim().runs.at(0).spec->handler == "handler");
  declared.jobs[0].handler = "edited";
  apply();
  core::claim_outcome outcome;
  outcome.stale_intents = {core::intent_id{7}};
  answer_first(std::move(outcome));
  CHECK(next_claim().runs.at(0).spec->handler == "edited");
}

TEST_CASE_METHOD(shared_planning, "a dropped instant is not retried", "[actors]") {
  declare("every-second");
  begin();
  hand_over({reserved(7, civil() + 1s)});
  (void) next_claim();
  core::claim_outcome outcome;
  outcome.dropped_intents = {core::intent_id{7}};
  answer_first(std::move(outcome));
  advance(2s);
  CHECK(held_claims.empty());
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(shared_planning, "the misfire policy decides about reserved instants that were missed", "[actors]") {
  declare("ignores");
  declare("makes-up").misfire = core::misfire_policy::fire_once_now;
  begin();
  const auto now_ms = civil();
  hand_over({reserved(1, now_ms - 10s, 1), reserved(2, now_ms - 10s, 2), reserved(3, now_ms - 9s, 2)});
  const auto batch = next_claim();
  REQUIRE(batch.runs.size() == 1);
  CHECK(batch.runs[0].intent == core::intent_id{3});
  CHECK(batch.runs[0].kind == core::trigger_kind::misfire);
  CHECK(batch.runs[0].fire_at >= now_ms);
  CHECK(java.dropped == std::vector{core::intent_id{1}, core::intent_id{2}});
}

TEST_CASE_METHOD(shared_planning, "a drop that is answered in the next incarnation forgets no intent that is queued again",
                 "[actors]") {
  declare("ignores");
  begin();
  advance(1s); // the job is read
  latency = 300ms;
  hand_over({reserved(1, civil() - 10s)});
  new_incarnation();
  const auto due = civil() + 1s;
  hand_over({reserved(1, due)});
  advance(400ms);
  CHECK(java.dropped == std::vector{core::intent_id{1}});
  hand_over({reserved(1, due)}); // a sweep finds it, too
  advance(2s);
  std::size_t claimed = 0;
  for (const auto& request : held_claims)
    claimed += request.batch.runs.size();
  CHECK(claimed == 1);
}

TEST_CASE_METHOD(shared_planning, "missed instants are logged and counted once, by the incarnation that dropped them",
                 "[actors]") {
  std::ostringstream said;
  log = std::make_shared<spdlog::logger>("plans", std::make_shared<spdlog::sinks::ostream_sink_mt>(said));
  const auto lines = [&said] {
    constexpr std::string_view wanted = "reserved instants were missed";
    const auto text = said.str();
    std::size_t found = 0;
    for (auto at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1))
      ++found;
    return found;
  };
  const auto* counter =
    actors::make_counter(system(), "firings-dropped-by-misfire", "Instants dropped by the misfire policy DO_NOTHING.");
  const auto before = counter->value();
  declare("ignores");
  begin();
  advance(1s); // the job is read
  const std::vector<core::intent> missed{reserved(1, civil() - 10s), reserved(2, civil() - 9s)};
  latency = 300ms;
  hand_over(missed);
  new_incarnation(); // before the store has the drop
  java.drop_trouble = core::error{core::errc::fenced, "the incarnation has ended"};
  advance(1s);
  CHECK(java.dropped.empty());
  CHECK(lines() == 0);
  CHECK(counter->value() == before);
  java.drop_trouble.reset();
  latency = 2ms;
  hand_over(missed); // the new incarnation sweeps them
  advance(1s);
  CHECK(java.dropped == std::vector{core::intent_id{1}, core::intent_id{2}});
  CHECK(lines() == 1);
  CHECK(said.str().find("2 reserved instants were missed; 2 of them were dropped") != std::string::npos);
  CHECK(counter->value() == before + 2);
  end_all(); // the planner logs no more
}

TEST_CASE_METHOD(shared_planning, "missed instants that another node dropped first are not counted a second time", "[actors]") {
  const auto* dropped =
    actors::make_counter(system(), "firings-dropped-by-misfire", "Instants dropped by the misfire policy DO_NOTHING.");
  const auto* merged = actors::make_merged_counter(system());
  const auto dropped_before = dropped->value(), merged_before = merged->value();
  declare("ignores");
  declare("makes-up").misfire = core::misfire_policy::fire_once_now;
  begin();
  java.taken_elsewhere = {core::intent_id{1}, core::intent_id{3}};
  const auto t = civil();
  hand_over({reserved(1, t - 10s), reserved(2, t - 9s), reserved(3, t - 10s, 2), reserved(4, t - 9s, 2), reserved(5, t - 8s, 2)});
  advance(1s);
  CHECK(java.dropped.size() == 4);
  CHECK(dropped->value() == dropped_before + 1);
  CHECK(merged->value() == merged_before + 1);
}

TEST_CASE_METHOD(shared_planning, "the misfire policy decides about instants that were reserved before a takeover and missed",
                 "[actors]") {
  mode = core::cluster_mode::native;
  for (const auto* key : {"ignores", "makes-up"}) {
    auto& job = declare(key); // its schedule has ended
    job.schedule = core::schedule_type::none;
    job.schedule_conf.clear();
    job.enabled = false;
    job.misfire = std::string_view{key} == "makes-up" ? core::misfire_policy::fire_once_now : core::misfire_policy::do_nothing;
  }
  begin();
  const auto now_ms = civil();
  hand_over({reserved(1, now_ms - 10s, 1), reserved(2, now_ms - 10s, 2), reserved(3, now_ms - 9s, 2)});
  const auto batch = next_claim();
  REQUIRE(batch.runs.size() == 1);
  CHECK(batch.runs[0].intent == core::intent_id{3});
  CHECK(batch.runs[0].kind == core::trigger_kind::misfire);
  CHECK(java.dropped == std::vector{core::intent_id{1}, core::intent_id{2}});
}

TEST_CASE_METHOD(shared_planning, "a job that only a Java console knows is read once", "[actors]") {
  begin();
  advance(1s); // existing jobs are read
  declare("new");
  apply();
  std::size_t reads = 0;
  store.after = [&](std::string_view method) { reads += method == "read_jobs" ? 1 : 0; };
  store.fault_of = [](std::string_view method) { return method == "edits_since" ? store_fault::away : store_fault::none; };
  hand_over({reserved(1, civil() + 1s)});
  (void) next_claim();
  answer_first({});
  hand_over({reserved(2, civil() + 1s)});
  CHECK(next_claim().runs.at(0).intent == core::intent_id{2});
  CHECK(reads == 1);
}

TEST_CASE_METHOD(shared_planning, "instants that a job misses while its misfire waits join it", "[actors]") {
  declare("makes-up").misfire = core::misfire_policy::fire_once_now;
  begin();
  full = true;
  std::int64_t id = 0;
  for (int second = 0; second < 60; ++second) {
    ++id;
    hand_over({reserved(id, civil() + 1s)});
    advance(1s);
  }
  CHECK(claims == 0);
  CHECK(java.dropped.size() >= 53);
  full = false;
  advance(1s);
  std::size_t misfires = 0;
  std::size_t all_runs = 0;
  for (const auto& request : held_claims)
    for (const auto& run : request.batch.runs) {
      ++all_runs;
      misfires += run.kind == core::trigger_kind::misfire ? 1 : 0;
      CHECK(std::find(java.dropped.begin(), java.dropped.end(), *run.intent) == java.dropped.end());
    }
  CHECK(misfires == 1);
  CHECK(all_runs + java.dropped.size() >= 59); // one may wait for its turn at the third claim
}

TEST_CASE_METHOD(shared_planning, "a slow store makes a backlog, a full executor does not", "[actors]") {
  declare_many(3);
  begin();
  const auto backlog = [this] { return ask<protocol::reserved_backlog>(actor, protocol::reserved_backlog_query{})->late; };
  CHECK(backlog() == 0ms);
  SECTION("a full executor") {
    full = true;
    hand_over({reserved(1, civil() + 1s)});
    advance(3s);
    CHECK(backlog() == 0ms);
  }
  SECTION("a slow store") {
    for (std::int64_t id = 1; id <= 3; ++id) {
      hand_over({reserved(id, civil() + 300ms, static_cast<std::int32_t>(id))});
      advance(200ms); // each in its own claim, and two are under way at most
    }
    advance(2s);
    CHECK(held_claims.size() == 2);
    CHECK(backlog() >= 1500ms);
  }
}
