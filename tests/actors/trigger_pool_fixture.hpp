#pragma once

// Fixture for trigger_pool: a pool between doubled neighbours, with real links over a client without a network.

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/trigger/trigger_pool.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/memory_database.hpp"
#include "tests/support/scripted_client.hpp"

namespace ringmaster::test {

using addresses = std::vector<std::string>;

inline const addresses three{"http://10.0.0.1:9999/", "http://10.0.0.2:9999/", "http://10.0.0.3:9999/"};
inline constexpr auto accepted = R"({"code":200})";

/// Windows of 8 and 4 runs; more than 2 slow sends in a minute make a job slow. No call is answered before the test does it.
struct pooled : virtual_time {
  pooled() {
    open_gate_for(24h);
    client->answers = nullptr;
    settings.fast_window = 8;
    settings.slow_window = 4;
    settings.slow_count = 2;
    routes = track(system().spawn([this]() -> protocol::route_listener::behavior_type {
      return {[this](protocol::routed_batch& batch) {
        std::move(batch.routed.begin(), batch.routed.end(), std::back_inserter(routed));
        std::move(batch.deferred.begin(), batch.deferred.end(), std::back_inserter(deferred));
        std::move(batch.held.begin(), batch.held.end(), std::back_inserter(held));
        accounted += batch.accounted;
      }};
    }));
    completion = track(system().spawn([this]() -> protocol::completion_actor::behavior_type {
      return {
        [this](const protocol::sent_runs& sent) { remembered += sent.items.size(); },
        [](const protocol::ending_run&) {},
        [](const protocol::callback_batch&) { return protocol::callbacks_stored{}; },
      };
    }));
    recovery = track(system().spawn([this]() -> protocol::recovery_actor::behavior_type {
      return {
        [this](protocol::unknown_batch& batch) {
          protocol::slot_release taken;
          for (auto& [run, error, repeated] : batch.runs) {
            taken.slots.add(run.plan);
            unknown.push_back(std::move(run));
            unknown_errors.push_back(std::move(error));
            unknown_repeats += repeated ? 1 : 0;
          }
          if (!recovery_is_full)
            tell(actor, taken);
        },
        [](const protocol::stray_claims&) {},
        [](const protocol::incarnation_change&) {},
        [](protocol::peer_fenced) {},
        [](const protocol::pending_work_update&) {},
        [](const protocol::send_results&) {},
        [](protocol::tick_atom) {},
      };
    }));
    begin();
  }
  ~pooled() { end_all(); } // before the objects that its doubles refer to

  /// Creates a new pool with the present `settings`.
  void begin() {
    actors::link_tools tools{client, gate, settings, "secret"};
    actor = spawn<actors::trigger_pool_state, protocol::trigger_pool>(storage.actor, tools, 5s, std::uint64_t{42}, clock(),
                                                                      silent_log());
    tell(actor, protocol::trigger_partners{completion, recovery, {}});
    serve(three);
  }

  /// Extends the node's lease by this time from now.
  void open_gate_for(std::chrono::nanoseconds lease) { gate->open_until(1, boot_now() + lease.count()); }

  static void add_group(protocol::registry_view& view, std::int32_t id, std::string app_name, addresses live) {
    core::group group;
    group.id = core::group_id{id};
    group.app_name = std::move(app_name);
    group.addresses = std::move(live);
    view.groups.emplace(id, std::move(group));
  }
  /// Gives group 1 these executors and group 2 `other`; those of `with_header` registered with the app name header. Groups from
  /// 100 on have one executor each, which no other group uses.
  void serve(const addresses& live, const addresses& with_header = {}) {
    auto view = std::make_shared<protocol::registry_view>();
    add_group(*view, 1, "pay-worker", live);
    add_group(*view, 2, "mail-worker", other);
    for (std::int32_t i = 0; i < 20; ++i)
      add_group(*view, 100 + i, "lonely", {"http://10.9.0." + std::to_string(i) + ":9999/"});
    for (const auto& address : with_header)
      view->with_app_header.emplace("pay-worker", address);
    tell(actor, protocol::registry_change{std::move(view)});
    run();
  }

  static std::shared_ptr<core::job> job_of(std::int32_t id, core::route_strategy route = core::route_strategy::first,
                                           std::int32_t group = 1) {
    auto spec = std::make_shared<core::job>();
    spec->id = core::job_id{id};
    spec->group = core::group_id{group};
    spec->route = route;
    spec->handler = "settle";
    return spec;
  }
  protocol::route_candidate due(core::job_ptr spec, std::size_t firings = 1) {
    core::job_plan plan;
    plan.id = spec->id;
    for (std::size_t i = 0; i < firings; ++i)
      plan.firings.push_back({civil() + std::chrono::seconds{i}, false});
    return {std::move(spec), std::move(plan), std::nullopt, 3};
  }
  void ask_routes(std::vector<protocol::route_candidate> candidates) {
    tell(actor, protocol::route_request{std::move(candidates), routes});
    run();
  }
  /// Routes one job and returns the addresses of its runs.
  addresses route(core::job_ptr spec, std::size_t firings = 1) {
    routed.clear();
    ask_routes({due(std::move(spec), firings)});
    return where();
  }
  [[nodiscard]] addresses where() const {
    addresses all;
    for (const auto& job : routed)
      for (const auto& run : job.runs)
        all.push_back(run.address);
    return all;
  }
  /// Returns the routed runs as their claim makes them.
  std::vector<core::claimed_run> claimed() {
    std::vector<core::claimed_run> runs;
    for (auto& job : routed)
      for (auto& plan : job.runs)
        runs.push_back({.id = core::log_id{++last_id}, .claim = 1, .plan = std::move(plan), .attempt = 0, .incarnation = 1});
    routed.clear();
    return runs;
  }
  void fire(std::vector<core::claimed_run> runs) {
    tell(actor, protocol::firing_batch{std::move(runs)});
    run();
  }
  void route_and_fire(core::job_ptr spec, std::size_t firings = 1) {
    route(std::move(spec), firings);
    fire(claimed());
  }
  /// Sends one run and answers it.
  void complete(core::job_ptr spec, protocol::http_result answer) {
    route_and_fire(std::move(spec));
    client->answer(std::move(answer));
    run();
  }
  /// Gives the slots of the routed runs back, as a planner does after a lost claim.
  void release() {
    protocol::slot_release freed;
    for (const auto& job : std::exchange(routed, {}))
      for (const auto& run : job.runs)
        freed.slots.add(run);
    tell(actor, std::move(freed));
    run();
  }
  /// Returns the free slots of the fast lane for executors that hold none: takes as many as possible and gives them back.
  std::size_t free_fast() { return free_slots(core::fast_lane, 9000); }
  /// Returns the free slots of the slow lane, for a job that is in it.
  std::size_t free_slow(std::int32_t slow_job) { return free_slots(core::slow_lane, slow_job); }
  std::size_t free_slots(std::uint8_t lane, std::int32_t job) {
    auto kept_routed = std::exchange(routed, {});
    auto kept_deferred = std::exchange(deferred, {});
    for (std::int32_t group = 100; deferred.empty(); ++group)
      ask_routes({due(job_of(job, core::route_strategy::first, group))});
    for (const auto& one : routed)
      REQUIRE(one.runs.at(0).lane == lane);
    auto free = routed.size();
    release();
    routed = std::move(kept_routed);
    deferred = std::move(kept_deferred);
    return free;
  }
  [[nodiscard]] const std::vector<core::trigger_result>& results() const { return storage.record->triggers; }

  memory_database database;
  std::unique_ptr<storage::store> look = database.open();
  storage_double storage{*this, *look};
  std::shared_ptr<scripted_client> client = std::make_shared<scripted_client>(boot());
  std::shared_ptr<protocol::send_gate> gate = std::make_shared<protocol::send_gate>();
  config::trigger_settings settings;
  std::vector<protocol::routed_job> routed;
  std::vector<protocol::route_candidate> deferred;
  std::vector<protocol::route_candidate> held;
  std::size_t accounted = 0;
  /// Executors of group 2.
  addresses other{"http://10.0.5.1:9999/"};
  std::size_t remembered = 0;
  std::vector<core::claimed_run> unknown;
  std::vector<std::string> unknown_errors;
  std::size_t unknown_repeats = 0;
  bool recovery_is_full = false;
  std::int64_t last_id = 0;
  protocol::route_listener routes;
  protocol::completion_actor completion;
  protocol::recovery_actor recovery;
  protocol::trigger_pool actor;
};

} // namespace ringmaster::test
