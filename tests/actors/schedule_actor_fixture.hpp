#pragma once

// Fixture for schedule_actor: a planner over a real store, between scripted doubles of its neighbours.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/firing/schedule_actor.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::test {

/// Returns the instants of `count` seconds, from `first` on.
[[nodiscard]] inline std::vector<core::time_point> seconds_from(core::time_point first, int count) {
  std::vector<core::time_point> all;
  for (int i = 0; i < count; ++i)
    all.push_back(first + std::chrono::seconds{i});
  return all;
}

/// The planner of node `a`, which serves all slots.
struct planning : virtual_time {
  /// Run that reached the ring.
  struct ringed {
    std::int32_t job;
    core::time_point fire_at;
    core::time_point came;
    std::string handler;
  };

  planning() {
    declared.source = "test";
    declared.groups = {{"pay", "Payments", std::nullopt}};
    life = enter("a");
    store.after = [this](std::string_view method) { loads += method == "load_jobs" ? 1 : 0; };
    storage = track(system().spawn([this](protocol::storage_actor::pointer self) { return storage_behavior(self); }));
    pool = track(system().spawn([this](protocol::trigger_pool::pointer self) { return pool_behavior(self); }));
    ring = track(system().spawn([this]() -> protocol::ring_actor::behavior_type {
      return {
        [this](const protocol::firing_batch& batch) {
          for (const auto& run : batch.runs)
            runs.push_back({core::number(run.plan.spec->id), run.plan.fire_at, civil(), run.plan.spec->handler});
        },
        [](const protocol::incarnation_change&) {},
        [](protocol::tick_atom) {},
      };
    }));
  }
  ~planning() { end_all(); } // before the objects that its doubles refer to

  /// Requests the drain; returns true if it is answered within a moment.
  bool drain() {
    auto done = later<caf::unit_t>(actor, protocol::stop_request{});
    advance(std::chrono::milliseconds{300});
    return *done && **done;
  }

  // -- neighbours

  protocol::storage_actor::behavior_type storage_behavior(protocol::storage_actor::pointer self) {
    return {
      [this](protocol::claim_request& request) {
        ++claims;
        saw_shared = saw_shared || request.batch.shared;
        check_each_job_once(request.batch);
        if (on_claim)
          on_claim(request.batch);
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
      [](const protocol::incarnation_change&) {},
      [](protocol::status_query) { return protocol::node_status{true, {}, std::nullopt}; },
      [](const protocol::pending_work_update&) {},
      [](protocol::tick_atom) {},
    };
  }

  protocol::trigger_pool::behavior_type pool_behavior(protocol::trigger_pool::pointer self) {
    return {
      [this, self](protocol::route_request& request) {
        ++routes;
        asked += request.candidates.size();
        if (hold_routes)
          return held_routes.push_back(std::move(request));
        protocol::send(self, request.listener, routed(std::move(request)));
      },
      [this](const protocol::slot_release& freed) {
        for (const auto& [where, count] : freed.slots.held())
          slots -= static_cast<std::int64_t>(count);
      },
      [](const protocol::firing_batch&) {},
      [](const protocol::send_results&) {},
      [](const protocol::registry_change&) {},
      [](const protocol::executor_update&) {},
      [](const protocol::trigger_partners&) {},
      [](const protocol::native_link_update&) {},
      [](const protocol::returned_runs&) {},
      [](const protocol::link_query&) -> caf::result<protocol::link_handle> { return caf::sec::unexpected_message; },
      [](protocol::tick_atom) {},
    };
  }

  /// Checks that no batch has two moves of a job: the store would refuse it, and all its neighbours with it.
  static void check_each_job_once(const core::claim_batch& batch) {
    std::set<core::job_id> moved;
    for (const auto& move : batch.moves)
      CHECK(moved.insert(move.job).second);
  }

  /// Claims in the store and answers.
  void answer(const protocol::claim_request& request) {
    for (const auto& move : request.batch.moves)
      if (poison.contains(core::number(move.job)))
        return answer(request, core::fail(core::errc::invalid_argument, "no column takes this"));
    auto free = request.batch;
    std::vector<core::job_id> held;
    const auto is_held = [&](core::job_id job) { return locked.contains(core::number(job)); };
    std::erase_if(free.moves, [&](const auto& move) {
      if (is_held(move.job))
        held.push_back(move.job);
      return is_held(move.job);
    });
    std::erase_if(free.runs, [&](const auto& run) { return is_held(run.spec->id); });
    if (!held.empty() && locks_are_blind) {
      core::claim_outcome none;
      none.locked_as_one = true;
      for (const auto& move : request.batch.moves)
        none.locked_jobs.push_back(move.job);
      return answer(request, none);
    }
    auto outcome = store.inner().firings().claim(free, civil());
    if (outcome)
      outcome->locked_jobs = std::move(held);
    answer(request, std::move(outcome));
  }
  void answer(const protocol::claim_request& request, core::result<core::claim_outcome> outcome) {
    lost_moves += outcome ? outcome->lost_races.size() : 0;
    tell(request.listener, protocol::claim_reply{request.batch.sequence, std::move(outcome)});
  }
  /// From now on claims are answered at once; waiting ones are answered first.
  void release_claims() {
    hold_claims = false;
    for (auto& request : std::exchange(held_claims, {}))
      answer(request);
  }
  void release_routes() {
    hold_routes = false;
    for (auto& request : std::exchange(held_routes, {})) {
      auto to = request.listener;
      tell(to, routed(std::move(request)));
    }
  }

  /// Delivers the results of all probes.
  void end_probes() {
    protocol::routed_batch late;
    for (auto& candidate : std::exchange(probing, {})) {
      auto planned = runs_of(candidate);
      slots += static_cast<std::int64_t>(planned.size());
      late.routed.push_back({std::move(candidate), std::move(planned)});
    }
    tell(actor, std::move(late));
  }

  /// Returns the answer of a pool with one executor: a slot for each run, unless it is `full`.
  protocol::routed_batch routed(protocol::route_request&& request) {
    protocol::routed_batch answer;
    answer.accounted = request.candidates.size();
    for (auto& candidate : request.candidates) {
      if (probed.contains(core::number(candidate.spec->id))) {
        probing.push_back(std::move(candidate));
        continue;
      }
      if (silent.contains(core::number(candidate.spec->id))) {
        ++times_held;
        answer.held.push_back(std::move(candidate));
        continue;
      }
      if (full || room == 0) {
        answer.deferred.push_back(std::move(candidate));
        continue;
      }
      auto planned = runs_of(candidate);
      room -= std::min(room, planned.size());
      slots += static_cast<std::int64_t>(planned.size());
      answer.routed.push_back({std::move(candidate), std::move(planned)});
    }
    return answer;
  }
  std::vector<core::planned_run> runs_of(const protocol::route_candidate& candidate) {
    core::planned_run run;
    run.spec = candidate.spec;
    run.address = "http://10.0.0.3:9999/";
    if (candidate.intent) {
      run.kind = candidate.intent->kind;
      run.intent = candidate.intent->id;
      run.fire_at = core::is_reserved(run.kind) ? candidate.intent->fire_at : civil();
      return {run};
    }
    std::vector<core::planned_run> all;
    for (const auto& firing : candidate.plan->firings) {
      run.fire_at = firing.fire_at;
      run.kind = firing.misfire ? core::trigger_kind::misfire : core::trigger_kind::cron;
      all.push_back(run);
    }
    return all;
  }

  // -- jobs and incarnations

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
  void declare_many(int count) {
    for (int i = 0; i < count; ++i)
      declare("job-" + std::to_string(i));
  }
  void apply() { expect(look->deploys().apply(declared, false, false, civil())); }

  void begin() {
    apply();
    config::schedule_settings settings;
    settings.claim_rows_max = rows_max;
    settings.edit_poll = edit_poll;
    actor = spawn<actors::schedule_actor_state, protocol::schedule_actor>(
      actors::schedule_partners{storage, pool, ring, registry.actor}, settings, core::zone{}, std::string{"host-a"}, clock(),
      log);
    tell(actor, protocol::slot_change{core::slot_set{}.set()});
    tell(actor, protocol::incarnation_change{life, mode});
    run();
  }
  core::node_incarnation enter(const std::string& node) { return expect(look->cluster().enter(node, node + ":8080")); }
  void lose_incarnation() { tell(actor, protocol::incarnation_change{std::nullopt}); }
  void new_incarnation() {
    life = enter("a");
    lose_incarnation();
    tell(actor, protocol::incarnation_change{life, mode});
    run();
  }
  /// Claims the job's next instant for a peer; the next one after it is `then`.
  core::claimed_run claim_elsewhere(std::int32_t job, core::time_point then) {
    auto read = stored(job);
    core::claim_batch batch;
    batch.owner = peer = enter("b");
    batch.sequence = 1;
    batch.seen_revision = 1'000'000;
    batch.moves = {{read.spec->id, *read.next, *read.next, then}};
    core::planned_run run;
    run.spec = read.spec;
    run.fire_at = *read.next;
    run.retry_left = read.spec->retry_count;
    batch.runs = {run};
    return expect(look->firings().claim(batch, civil())).runs.at(0);
  }
  /// Ends the peer's run; returns the resulting children and retries.
  std::vector<core::intent> end_elsewhere(const core::claimed_run& run, std::int32_t code) {
    core::record_batch results;
    results.owner = peer;
    results.callbacks = {{run.id, code, "said so", run.plan.spec}};
    return expect(look->firings().record(results, civil())).intents;
  }

  // -- checks

  [[nodiscard]] std::vector<core::log_row> rows() { return expect(look->logs().rows_after(core::log_id{0}, 10'000)); }
  [[nodiscard]] core::scheduled_job stored(std::int32_t job) {
    core::job_id id{job};
    return expect(look->firings().read_jobs(std::span{&id, 1})).at(0);
  }
  /// Returns the instants of a job's runs that reached the ring.
  [[nodiscard]] std::vector<core::time_point> instants(std::int32_t job) const {
    std::vector<core::time_point> all;
    for (const auto& run : runs)
      if (run.job == job)
        all.push_back(run.fire_at);
    return all;
  }
  /// Returns true if only the runs in the ring hold slots; the planner must keep none.
  [[nodiscard]] bool slots_add_up() const { return slots == static_cast<std::int64_t>(runs.size()); }

  /// Jobs whose rows another transaction holds, and whether the server cannot name these rows.
  std::set<std::int32_t> locked;
  bool locks_are_blind = false;
  /// Log of the planner.
  std::shared_ptr<spdlog::logger> log = silent_log();
  memory_database database;
  std::unique_ptr<storage::store> look = database.open();
  faulty_store store{database.open()};
  core::declared_set declared;
  core::node_incarnation life;
  core::node_incarnation peer;
  core::cluster_mode mode = core::cluster_mode::native;
  /// A claim said that Java admins are present.
  bool saw_shared = false;
  std::chrono::milliseconds latency{2};
  std::size_t rows_max = 500;
  std::chrono::milliseconds edit_poll{500};
  std::size_t loads = 0;
  /// Moves that lost their claims.
  std::size_t lost_moves = 0;
  std::size_t claims = 0;
  bool hold_claims = false;
  /// Sees each claim. Null: not used.
  std::function<void(const core::claim_batch&)> on_claim;
  /// Jobs that the store refuses, together with every claim that has one of them.
  std::set<std::int32_t> poison;
  std::vector<protocol::claim_request> held_claims;
  std::size_t routes = 0;
  /// Number of candidates in all requests.
  std::size_t asked = 0;
  bool hold_routes = false;
  std::vector<protocol::route_request> held_routes;
  bool full = false;
  /// Number of runs that find a slot until the test makes more room.
  std::size_t room = static_cast<std::size_t>(-1);
  /// Jobs whose route waits for a probe; its result waits for the test.
  std::set<std::int32_t> probed;
  std::vector<protocol::route_candidate> probing;
  /// Jobs whose executor has not been heard from, and the number of such answers of the pool.
  std::set<std::int32_t> silent;
  std::size_t times_held = 0;
  /// Slots taken and not given back by the planner.
  std::int64_t slots = 0;
  std::vector<ringed> runs;
  registry_monitor_double registry{*this};
  protocol::storage_actor storage;
  protocol::trigger_pool pool;
  protocol::ring_actor ring;
  protocol::schedule_actor actor;
};

} // namespace ringmaster::test
