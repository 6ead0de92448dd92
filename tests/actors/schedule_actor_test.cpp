#include "actors/admin/schedule_actor.hpp"

#include <algorithm>

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

/// A run that reached the ring.
struct ringed {
  std::int32_t job;
  core::time_point fire_at;
  core::time_point came;
};

/// A planner between a real store and doubled neighbours that do what they are told.
struct planning : test::virtual_time {
  planning() {
    declared.source = "test";
    declared.groups = {{"pay", "Payments", std::nullopt}};
    life = test::expect(look->cluster().enter("a", "a:8080"));
    storage = track(system().spawn([this](protocol::storage_actor::pointer self) { return storage_behavior(self); }));
    pool = track(system().spawn([this](protocol::trigger_pool::pointer self) { return pool_behavior(self); }));
    ring = track(system().spawn([this]() -> protocol::ring_actor::behavior_type {
      return {
        [this](const protocol::firing_batch& batch) {
          for (const auto& run : batch.runs)
            runs.push_back({core::number(run.plan.spec->id), run.plan.fire_at, civil()});
        },
        [](const protocol::life_change&) {},
        [](protocol::tick_atom) {},
      };
    }));
  }

  protocol::storage_actor::behavior_type storage_behavior(protocol::storage_actor::pointer self) {
    return {
      [this](protocol::claim_request& request) {
        ++claims;
        if (hold_claims)
          held_claims.push_back(std::move(request));
        else
          answer(request);
      },
      [](const protocol::trigger_results&) {},
      [](const protocol::callback_batch&) { return protocol::callbacks_stored{}; },
      [this, self](protocol::store_task& task) -> caf::result<void> {
        auto promise = self->make_response_promise<void>();
        self->run_delayed(latency, [this, task = std::move(task), promise]() mutable {
          task.run(&store);
          promise.deliver();
        });
        return promise;
      },
      [](const protocol::claims_opened&) {},
      [](const protocol::store_listener&) {},
      [](const protocol::life_change&) {},
      [](protocol::tick_atom) {},
    };
  }

  protocol::trigger_pool::behavior_type pool_behavior(protocol::trigger_pool::pointer self) {
    return {
      [this, self](protocol::route_request& request) {
        if (hold_routes)
          return held_routes.push_back(std::move(request));
        protocol::send(self, request.listener, routed(std::move(request)));
      },
      [this](const protocol::slot_release& freed) { slots -= freed.lanes[0] + freed.lanes[1]; },
      [](const protocol::firing_batch&) {},
      [](const protocol::send_results&) {},
      [](const protocol::registry_change&) {},
      [](const protocol::trigger_partners&) {},
      [](const protocol::link_query&) -> caf::result<protocol::link_handle> { return caf::sec::unexpected_message; },
      [](protocol::tick_atom) {},
    };
  }

  void answer(const protocol::claim_request& request) {
    tell(request.listener, protocol::claim_reply{request.batch.sequence, store.inner().firings().claim(request.batch, civil())});
  }

  protocol::routed_batch routed(protocol::route_request&& request) {
    protocol::routed_batch answer;
    for (auto& candidate : request.candidates) {
      if (full) {
        answer.deferred.push_back(std::move(candidate));
        continue;
      }
      protocol::routed_job job;
      auto add = [&](core::planned_run run) {
        run.spec = candidate.spec;
        run.address = "http://10.0.0.3:9999/";
        ++slots;
        job.runs.push_back(std::move(run));
      };
      if (candidate.intent) {
        core::planned_run run;
        run.kind = candidate.intent->kind;
        run.intent = candidate.intent->id;
        run.fire_at = civil();
        add(std::move(run));
      } else {
        for (const auto& firing : candidate.plan->firings) {
          core::planned_run run;
          run.fire_at = firing.fire_at;
          run.kind = firing.misfire ? core::trigger_kind::misfire : core::trigger_kind::cron;
          add(std::move(run));
        }
      }
      job.candidate = std::move(candidate);
      answer.routed.push_back(std::move(job));
    }
    return answer;
  }

  core::declared_job& declare(const std::string& key, const std::string& cron = "* * * * * ?") {
    core::declared_job job;
    job.group = "pay";
    job.key = job.name = key;
    job.author = "ops";
    job.schedule = core::schedule_type::cron;
    job.schedule_conf = cron;
    job.handler = "handler";
    return declared.jobs.emplace_back(std::move(job));
  }
  void apply() { test::expect(look->deploys().apply(declared, false, false, civil())); }

  void begin() {
    apply();
    ringmaster::config::schedule_settings settings;
    settings.claim_rows_max = rows_max;
    actor = spawn<actors::schedule_actor_state, protocol::schedule_actor>(
      actors::schedule_partners{storage, pool, ring, registry.actor}, settings, core::zone{}, std::string{"host-a"}, clock(), silent_log());
    tell(actor, protocol::slot_change{core::slot_set{}.set()});
    tell(actor, protocol::life_change{life});
    run();
  }
  void new_life() {
    life = test::expect(look->cluster().enter("a", "a:8080"));
    tell(actor, protocol::life_change{std::nullopt});
    tell(actor, protocol::life_change{life});
    run();
  }

  [[nodiscard]] std::vector<core::log_row> rows() { return test::expect(look->logs().rows_after(core::log_id{0}, 10'000)); }
  [[nodiscard]] core::scheduled_job stored(std::int32_t job) {
    core::job_id id{job};
    return test::expect(look->firings().read_jobs(std::span{&id, 1})).at(0);
  }
  [[nodiscard]] std::vector<core::time_point> instants(std::int32_t job) const {
    std::vector<core::time_point> all;
    for (const auto& run : runs)
      if (run.job == job)
        all.push_back(run.fire_at);
    return all;
  }
  [[nodiscard]] static std::vector<core::time_point> seconds_from(core::time_point first, int count) {
    std::vector<core::time_point> all;
    for (int i = 0; i < count; ++i)
      all.push_back(first + std::chrono::seconds{i});
    return all;
  }

  test::memory_database database;
  std::unique_ptr<storage::store> look = database.open();
  test::faulty_store store{database.open()};
  core::declared_set declared;
  core::node_life life;
  std::chrono::milliseconds latency{2};
  std::size_t rows_max = 500;
  std::size_t claims = 0;
  bool hold_claims = false;
  std::vector<protocol::claim_request> held_claims;
  bool hold_routes = false;
  std::vector<protocol::route_request> held_routes;
  bool full = false;
  /// Taken and not given back by the planner.
  std::int64_t slots = 0;
  std::vector<ringed> runs;
  test::registry_monitor_double registry{*this};
  protocol::storage_actor storage;
  protocol::trigger_pool pool;
  protocol::ring_actor ring;
  protocol::schedule_actor actor;
};

} // namespace

TEST_CASE_METHOD(planning, "each instant is claimed shortly before it and reaches the ring once", "[actors]") {
  declare("every-second");
  begin();
  advance(5s);
  CHECK(instants(1) == seconds_from(start + 1s, 5));
  for (const auto& run : runs) {
    CHECK(run.came <= run.fire_at);
    CHECK(run.fire_at - run.came <= 200ms);
  }
  CHECK(rows().size() == 5);
  CHECK(slots == 5); // the runs' own
  CHECK(stored(1).next == start + 6s);
}

TEST_CASE_METHOD(planning, "jobs of one instant are claimed in one batch", "[actors]") {
  for (int i = 0; i < 30; ++i)
    declare("job-" + std::to_string(i));
  begin();
  advance(1s);
  CHECK(runs.size() == 30);
  CHECK(claims == 1);
}

TEST_CASE_METHOD(planning, "more jobs than a batch holds are claimed in several, each job once", "[actors]") {
  rows_max = 7;
  for (int i = 0; i < 30; ++i)
    declare("job-" + std::to_string(i));
  begin();
  advance(2s);
  for (std::int32_t job = 1; job <= 30; ++job)
    CHECK(instants(job) == seconds_from(start + 1s, 2));
  CHECK(claims >= 2 * 30 / 7);
}

TEST_CASE_METHOD(planning, "a stopped job is not claimed, and one that is started again is", "[actors]") {
  auto& job = declare("on-and-off");
  job.enabled = false;
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

TEST_CASE_METHOD(planning, "an edit moves a job, whether told of or found", "[actors]") {
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
  hold_routes = false;
  for (auto& request : std::exchange(held_routes, {})) {
    auto to = request.listener;
    tell(to, routed(std::move(request)));
  }
  advance(200ms);
  CHECK(instants(1) == seconds_from(start + 1s, 1));
  CHECK(instants(2) == seconds_from(start + 1s, 1));
  for (const auto& run : runs)
    CHECK(run.came < start + 1s);
  for (const auto& row : rows())
    CHECK(row.executor_handler == (core::number(row.job) == 1 ? "another" : "handler"));
  CHECK(slots == 2);
}

TEST_CASE_METHOD(planning, "a job whose instant somebody else took is read again", "[actors]") {
  declare("raced");
  declare("quiet");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  // A peer is faster by a hair.
  auto peer = test::expect(look->cluster().enter("b", "b:8080"));
  core::claim_batch batch;
  batch.owner = peer;
  batch.sequence = 1;
  batch.seen_revision = 1'000'000;
  batch.moves = {{core::job_id{1}, start + 1s, start + 1s, start + 5s}};
  core::planned_run run;
  run.spec = stored(1).spec;
  run.fire_at = start + 1s;
  batch.runs = {run};
  REQUIRE(test::expect(look->firings().claim(batch, civil())).runs.size() == 1);
  hold_claims = false;
  answer(held_claims[0]);
  advance(4800ms);
  CHECK(instants(1) == std::vector{start + 5s});
  CHECK(instants(2) == seconds_from(start + 1s, 5));
  CHECK(slots == static_cast<std::int64_t>(runs.size()));
}

TEST_CASE_METHOD(planning, "a full pool defers a job, and it is claimed when there is room", "[actors]") {
  declare("patient");
  begin();
  full = true;
  advance(3s);
  CHECK(runs.empty());
  CHECK(claims == 0);
  full = false;
  advance(500ms);
  CHECK(instants(1) == seconds_from(start + 1s, 3));
  CHECK(stored(1).next == start + 4s);
}

TEST_CASE_METHOD(planning, "missed instants: DO_NOTHING moves the schedule without a run, FIRE_ONCE_NOW runs once", "[actors]") {
  declare("strict");
  declare("lenient").misfire = core::misfire_policy::fire_once_now;
  apply();
  advance(20s);
  declare("fresh"); // a revision that makes no difference
  begin();
  advance(100ms);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].job == 2);
  CHECK(runs[0].fire_at <= civil());
  CHECK(civil() - runs[0].fire_at <= 100ms);
  advance(2s);
  CHECK(instants(1) == seconds_from(start + 21s, 2));
  CHECK(instants(2).size() == 3);
  CHECK(slots == static_cast<std::int64_t>(runs.size()));
}

TEST_CASE_METHOD(planning, "what is less late than the misfire limit is made up, instant by instant", "[actors]") {
  declare("late");
  apply();
  advance(4s);
  begin();
  advance(100ms);
  CHECK(instants(1) == seconds_from(start + 1s, 4));
}

TEST_CASE_METHOD(planning, "a child is claimed once, whether told of, swept or both", "[actors]") {
  auto& parent = declare("parent", "0 0 0 1 1 ? 2099");
  parent.children = {{"", "child"}};
  declare("child", "0 0 0 1 1 ? 2099");
  begin();
  // The parent ran on a peer.
  auto peer = test::expect(look->cluster().enter("b", "b:8080"));
  core::claim_batch batch;
  batch.owner = peer;
  batch.sequence = 1;
  batch.seen_revision = 1'000'000;
  auto parent_job = stored(1);
  batch.moves = {{core::job_id{1}, *parent_job.next, *parent_job.next, *parent_job.next + 1h}};
  core::planned_run run;
  run.spec = parent_job.spec;
  run.fire_at = *parent_job.next;
  batch.runs = {run};
  auto claimed = test::expect(look->firings().claim(batch, civil())).runs;
  REQUIRE(claimed.size() == 1);
  core::record_batch results;
  results.owner = peer;
  results.callbacks = {{claimed[0].id, 200, "done", parent_job.spec}};
  auto intents = test::expect(look->firings().record(results, civil())).intents;
  REQUIRE(intents.size() == 1);

  SECTION("told of") {
    tell(actor, protocol::intent_batch{intents});
    advance(100ms);
    CHECK(instants(2).size() == 1);
  }
  SECTION("told of twice") {
    tell(actor, protocol::intent_batch{intents});
    tell(actor, protocol::intent_batch{intents});
  }
  SECTION("found by the sweep") {
    advance(900ms);
    CHECK(runs.empty());
  }
  SECTION("told of while the sweep has it") {
    hold_routes = true;
    advance(2500ms);
    tell(actor, protocol::intent_batch{intents});
    advance(10ms);
    hold_routes = false;
    for (auto& request : std::exchange(held_routes, {})) {
      auto to = request.listener;
      tell(to, routed(std::move(request)));
    }
  }
  advance(5s);
  CHECK(instants(2).size() == 1);
  CHECK(slots == 1);
  CHECK(test::expect(look->firings().waiting_intents(civil(), 10)).empty());
}

TEST_CASE_METHOD(planning, "a retry of a job of another node's slots is claimed, too", "[actors]") {
  declare("elsewhere").retry_count = 2;
  begin();
  tell(actor, protocol::slot_change{});
  core::slot_set none;
  none.set(200);
  tell(actor, protocol::slot_change{none});
  advance(100ms);
  auto peer = test::expect(look->cluster().enter("b", "b:8080"));
  core::claim_batch batch;
  batch.owner = peer;
  batch.sequence = 1;
  batch.seen_revision = 1'000'000;
  auto job = stored(1);
  batch.moves = {{core::job_id{1}, *job.next, *job.next, *job.next + 1h}};
  core::planned_run run;
  run.spec = job.spec;
  run.fire_at = *job.next;
  run.retry_left = 2;
  batch.runs = {run};
  auto claimed = test::expect(look->firings().claim(batch, civil())).runs;
  core::record_batch results;
  results.owner = peer;
  results.callbacks = {{claimed.at(0).id, 500, "failed", job.spec}};
  auto intents = test::expect(look->firings().record(results, civil())).intents;
  REQUIRE(intents.size() == 1);
  tell(actor, protocol::intent_batch{intents});
  advance(3s);
  CHECK(instants(1).size() == 1);
  CHECK(rows().size() == 2);
}

TEST_CASE_METHOD(planning, "a job that cannot be planned stops itself alone", "[actors]") {
  declare("sound");
  declare("odd");
  store.alter_jobs = [](std::vector<core::scheduled_job>& jobs) {
    auto odd = std::make_shared<core::job>(*jobs.at(1).spec);
    odd->schedule_conf = "at noon";
    jobs[1].spec = std::move(odd);
  };
  begin();
  advance(3s);
  CHECK(instants(1).size() == 3);
  CHECK(instants(2).empty());
}

TEST_CASE_METHOD(planning, "a drain claims nothing more and is answered when the claims under way are", "[actors]") {
  declare("draining");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  auto done = later<caf::unit_t>(actor, protocol::stop_request{});
  advance(2s);
  CHECK_FALSE(*done);
  CHECK(held_claims.size() == 1);
  answer(held_claims[0]);
  advance(10ms);
  CHECK(*done);
  CHECK(runs.size() == 1); // what was claimed is still sent
  advance(5s);
  CHECK(claims == 1);
}

TEST_CASE_METHOD(planning, "an idle planner drains at once", "[actors]") {
  begin();
  CHECK_FALSE(ask_done(actor, protocol::stop_request{}));
}

TEST_CASE_METHOD(planning, "without a life nothing is claimed; a new one reads everything again", "[actors]") {
  declare("living");
  begin();
  advance(2s);
  REQUIRE(runs.size() == 2);
  tell(actor, protocol::life_change{std::nullopt});
  advance(2s);
  CHECK(runs.size() == 2);
  declared.jobs[0].handler = "edited meanwhile";
  apply();
  new_life();
  advance(1s);
  // 3 s and 4 s are late and made up.
  CHECK(instants(1).size() == 5);
  CHECK(rows().back().executor_handler == "edited meanwhile");
}

TEST_CASE_METHOD(planning, "the answer to a claim of a former life is ignored, and its slots were given back", "[actors]") {
  declare("reborn");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  CHECK(slots == 1);
  auto old = std::move(held_claims[0]);
  auto committed = store.inner().firings().claim(old.batch, civil());
  REQUIRE(test::expect(std::move(committed)).runs.size() == 1);
  hold_claims = false;
  new_life();
  CHECK(slots == 0);
  answer(old);
  advance(50ms);
  CHECK(runs.empty()); // recovery asks about it
  advance(1s);
  CHECK(instants(1) == std::vector{start + 2s});
  CHECK(slots == 1);
}

TEST_CASE_METHOD(planning, "routes that were asked for in a former life are dropped and give their slots back", "[actors]") {
  declare("rerouted");
  begin();
  hold_routes = true;
  advance(900ms);
  REQUIRE(held_routes.size() == 1);
  hold_routes = false;
  new_life();
  advance(10ms);
  auto request = std::move(held_routes[0]);
  auto to = request.listener;
  tell(to, routed(std::move(request)));
  advance(90ms);
  CHECK(instants(1) == seconds_from(start + 1s, 1));
  CHECK(slots == 1);
}

TEST_CASE_METHOD(planning, "a store that reads slowly is waited for when the slots change", "[actors]") {
  declare("slow-read");
  begin();
  advance(1s);
  latency = 700ms; // longer than a tick and than the poll of edits
  tell(actor, protocol::slot_change{core::slot_set{}.set()});
  advance(3s);
  CHECK(instants(1).size() >= 3);
}

TEST_CASE_METHOD(planning, "a store that is away while jobs are read is asked again", "[actors]") {
  declare("reload");
  store.go_away();
  begin();
  advance(2s);
  CHECK(runs.empty());
  store.come_back();
  advance(1s);
  CHECK(instants(1) == seconds_from(start + 1s, 3));
}

TEST_CASE_METHOD(planning, "slots that go away take their jobs with them", "[actors]") {
  for (int i = 0; i < 4; ++i)
    declare("job-" + std::to_string(i));
  begin();
  core::slot_set two;
  two.set(core::slot_of(core::job_id{2}));
  tell(actor, protocol::slot_change{two});
  advance(2s);
  CHECK(instants(1).empty());
  CHECK(instants(2) == seconds_from(start + 1s, 2));
}
