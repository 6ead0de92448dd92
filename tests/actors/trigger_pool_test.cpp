#include "actors/admin/trigger_pool.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "protocol/wire/texts.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/memory_database.hpp"
#include "tests/support/scripted_client.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::route_strategy;
using protocol::delivery;
using test::http_answer;
using test::http_failure;
using addresses = std::vector<std::string>;

namespace {

const addresses three{"http://10.0.0.1:9999/", "http://10.0.0.2:9999/", "http://10.0.0.3:9999/"};
constexpr auto accepted = R"({"code":200})";

struct pooled : test::virtual_time {
  pooled() {
    gate->open_until(boot_now() + std::chrono::nanoseconds{24h}.count());
    client->answers = nullptr;
    settings.fast_window = 8;
    settings.slow_window = 4;
    settings.slow_count = 2;
    routes = track(system().spawn([this]() -> protocol::route_listener::behavior_type {
      return {[this](protocol::routed_batch& batch) {
        std::move(batch.routed.begin(), batch.routed.end(), std::back_inserter(routed));
        std::move(batch.deferred.begin(), batch.deferred.end(), std::back_inserter(deferred));
      }};
    }));
    completion = track(system().spawn([this]() -> protocol::completion_actor::behavior_type {
      return {
        [this](const protocol::sent_runs& sent) { remembered += sent.items.size(); },
        [](const protocol::callback_batch&) { return protocol::callbacks_stored{}; },
        [](const protocol::intent_batch&) {},
      };
    }));
    recovery = track(system().spawn([this]() -> protocol::recovery_actor::behavior_type {
      return {
        [this](protocol::unknown_batch& batch) { std::move(batch.runs.begin(), batch.runs.end(), std::back_inserter(unknown)); },
        [](const protocol::life_change&) {},
        [](const protocol::send_results&) {},
        [](protocol::tick_atom) {},
      };
    }));
    actors::link_tools tools{client, gate, settings, "secret"};
    actor = spawn<actors::trigger_pool_state, protocol::trigger_pool>(storage.actor, tools, 5s, std::uint64_t{42}, clock(), silent_log());
    tell(actor, protocol::trigger_partners{completion, recovery});
    serve(three);
  }

  void serve(const addresses& live) {
    auto view = std::make_shared<protocol::registry_view>();
    core::group group;
    group.id = core::group_id{1};
    group.app_name = "pay-worker";
    group.addresses = live;
    view->groups.emplace(1, std::move(group));
    tell(actor, protocol::registry_change{std::move(view)});
    run();
  }

  static std::shared_ptr<core::job> job_of(std::int32_t id, route_strategy route = route_strategy::first) {
    auto spec = std::make_shared<core::job>();
    spec->id = core::job_id{id};
    spec->group = core::group_id{1};
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
  /// Routes one job and gives where its runs go.
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
  /// The routed runs as their claim makes them.
  std::vector<core::claimed_run> claimed() {
    std::vector<core::claimed_run> runs;
    for (auto& job : routed)
      for (auto& plan : job.runs)
        runs.push_back({core::log_id{++last_id}, 1, std::move(plan), 0});
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
  void release(std::uint32_t fast, std::uint32_t slow = 0) {
    tell(actor, protocol::slot_release{{fast, slow}});
    run();
  }
  /// Slots that are free in the fast lane: as many as can be taken; they are given back.
  std::size_t free_fast() {
    auto kept_routed = std::exchange(routed, {});
    auto kept_deferred = std::exchange(deferred, {});
    std::uint32_t taken = 0;
    for (;;) {
      ask_routes({due(job_of(9000))});
      if (!deferred.empty())
        break;
      ++taken;
    }
    release(taken);
    routed = std::move(kept_routed);
    deferred = std::move(kept_deferred);
    return taken;
  }
  [[nodiscard]] const std::vector<core::trigger_result>& results() const { return storage.record->triggers; }

  test::memory_database database;
  std::unique_ptr<storage::store> look = database.open();
  test::storage_double storage{*this, *look};
  std::shared_ptr<test::scripted_client> client = std::make_shared<test::scripted_client>(boot());
  std::shared_ptr<protocol::send_gate> gate = std::make_shared<protocol::send_gate>();
  ringmaster::config::trigger_settings settings;
  std::vector<protocol::routed_job> routed;
  std::vector<protocol::route_candidate> deferred;
  std::size_t remembered = 0;
  std::vector<core::claimed_run> unknown;
  std::int64_t last_id = 0;
  protocol::route_listener routes;
  protocol::completion_actor completion;
  protocol::recovery_actor recovery;
  protocol::trigger_pool actor;
};

} // namespace

TEST_CASE_METHOD(pooled, "each strategy chooses its executor", "[actors]") {
  CHECK(route(job_of(1, route_strategy::first)) == addresses{three[0]});
  CHECK(route(job_of(2, route_strategy::last)) == addresses{three[2]});
  release(2);

  CHECK(route(job_of(3, route_strategy::consistent_hash)) == addresses{core::consistent_hash_choice(core::job_id{3}, three)});
  auto random = route(job_of(4, route_strategy::random));
  CHECK(std::count(three.begin(), three.end(), random.at(0)) == 1);
  release(2);

  // The counts of LFU start at random numbers below three: everybody has had a turn after eight.
  for (auto [strategy, turns] : {std::pair{route_strategy::round, 3}, std::pair{route_strategy::least_recently_used, 3},
                                 std::pair{route_strategy::least_frequently_used, 8}}) {
    std::set<std::string> met;
    for (int i = 0; i < turns; ++i)
      met.insert(route(job_of(5 + static_cast<int>(strategy), strategy)).at(0));
    CHECK(met.size() == 3);
    release(static_cast<std::uint32_t>(turns));
  }
}

TEST_CASE_METHOD(pooled, "the asker's mark comes back with its candidate", "[actors]") {
  route(job_of(1));
  REQUIRE(routed.size() == 1);
  CHECK(routed[0].candidate.generation == 3);
}

TEST_CASE_METHOD(pooled, "a broadcast has one shard for each executor", "[actors]") {
  CHECK(route(job_of(1, route_strategy::sharding_broadcast)) == three);
  REQUIRE(routed.size() == 1);
  for (std::int32_t i = 0; i < 3; ++i)
    CHECK(routed[0].runs[static_cast<std::size_t>(i)].part == core::shard{i, 3, true});
  CHECK(free_fast() == 5);
  fire(claimed());
  CHECK(client->targets() == addresses{"http://10.0.0.1:9999/run", "http://10.0.0.2:9999/run", "http://10.0.0.3:9999/run"});
}

TEST_CASE_METHOD(pooled, "the retry of a shard goes to its position again, or to the first executor when the group has shrunk", "[actors]") {
  auto retry = [&](std::int32_t index) {
    core::intent intent;
    intent.kind = core::trigger_kind::retry;
    intent.part = {index, 3, true};
    intent.retry_left = 2;
    routed.clear();
    ask_routes({{job_of(1, route_strategy::sharding_broadcast), std::nullopt, intent, 0}});
    REQUIRE(routed.size() == 1);
    REQUIRE(routed[0].runs.size() == 1);
    CHECK(routed[0].runs[0].part == core::shard{index, 3, true});
    CHECK(routed[0].runs[0].retry_left == 2);
    return routed[0].runs[0].address;
  };
  CHECK(retry(2) == three[2]);
  serve({three[0], three[1]});
  CHECK(retry(2) == three[0]);
}

TEST_CASE_METHOD(pooled, "failover asks everybody at once and takes the first in order that answers", "[actors]") {
  route(job_of(1, route_strategy::failover));
  CHECK(routed.empty());
  CHECK(client->targets() == addresses{"http://10.0.0.1:9999/beat", "http://10.0.0.2:9999/beat", "http://10.0.0.3:9999/beat"});
  client->answer(http_answer(accepted), "http://10.0.0.3:9999");
  client->answer(http_answer(accepted), "http://10.0.0.2:9999");
  run();
  CHECK(routed.empty()); // the first in order has not answered yet
  client->answer(http_failure(delivery::not_sent, "connection refused"), "http://10.0.0.1:9999");
  run();
  CHECK(where() == addresses{three[1]});
}

TEST_CASE_METHOD(pooled, "failover does not wait for those behind the winner", "[actors]") {
  route(job_of(1, route_strategy::failover));
  client->answer(http_answer(accepted), "http://10.0.0.1:9999");
  run();
  CHECK(where() == addresses{three[0]});
  client->answer_all(http_answer(accepted));
  run();
  CHECK(routed.size() == 1);
}

TEST_CASE_METHOD(pooled, "busyover asks about the job; when nobody is idle the run fails with everybody's answer", "[actors]") {
  route(job_of(7, route_strategy::busyover));
  REQUIRE(client->sent().size() == 3);
  CHECK(client->sent()[0].target == "/idleBeat");
  CHECK(client->sent()[0].body == R"({"jobId":7})");
  client->answer_all(http_answer(R"({"code":500,"msg":"busy here"})"));
  run();
  REQUIRE(where() == addresses{""});
  fire(claimed());
  REQUIRE(results().size() == 1);
  CHECK(results()[0].code == 500);
  for (const auto& address : three)
    CHECK(results()[0].message.find(address + " answered 500 busy here") != std::string::npos);
  CHECK(free_fast() == 8);
}

TEST_CASE_METHOD(pooled, "several instants of one job share one probe", "[actors]") {
  route(job_of(7, route_strategy::failover), 3);
  CHECK(client->sent().size() == 3);
  client->answer_all(http_answer(accepted));
  run();
  CHECK(where() == addresses{three[0], three[0], three[0]});
}

TEST_CASE_METHOD(pooled, "without an executor a run is claimed and fails with XXL's text", "[actors]") {
  serve({});
  for (auto strategy : {route_strategy::first, route_strategy::failover, route_strategy::sharding_broadcast}) {
    storage.record->triggers.clear();
    REQUIRE(route(job_of(1, strategy)) == addresses{""});
    fire(claimed());
    REQUIRE(results().size() == 1);
    CHECK(results()[0].code == 500);
    CHECK(results()[0].message == protocol::wire::text(protocol::wire::text_key::address_empty, protocol::wire::language::en));
    CHECK_FALSE(results()[0].delivery_unknown);
  }
  CHECK(client->sent().empty());
  CHECK(free_fast() == 8);
}

TEST_CASE_METHOD(pooled, "a route that nobody knows fails and says so", "[actors]") {
  REQUIRE(route(job_of(1, route_strategy::unknown)) == addresses{""});
  fire(claimed());
  REQUIRE(results().size() == 1);
  CHECK(results()[0].message == "the stored route strategy is unknown");
}

TEST_CASE_METHOD(pooled, "a job of a group that is not known yet waits for it, then fails", "[actors]") {
  auto stranger = job_of(1);
  stranger->group = core::group_id{77};
  route(stranger);
  CHECK(routed.empty());
  CHECK(deferred.size() == 1);
  CHECK(free_fast() == 8);
  advance(9s);
  route(stranger);
  CHECK(deferred.size() == 2);
  advance(1s);
  CHECK(route(stranger) == addresses{""});
}

TEST_CASE_METHOD(pooled, "an instant later than the misfire limit is not sent under DO_NOTHING, and is sent under FIRE_ONCE_NOW", "[actors]") {
  auto strict = job_of(1), lenient = job_of(2);
  lenient->misfire = core::misfire_policy::fire_once_now;
  route(strict);
  auto late = claimed();
  route(lenient);
  auto once = claimed();
  advance(5s);
  late.insert(late.end(), once.begin(), once.end());
  auto on_limit = late[0];
  on_limit.id = core::log_id{100};
  on_limit.plan.fire_at = civil() - 5s;
  late[0].plan.fire_at = civil() - 5001ms;
  late[1].plan.fire_at = civil() - 5001ms;
  late.push_back(on_limit);
  fire(late);
  CHECK(client->sent().size() == 2);
  REQUIRE(results().size() == 1);
  CHECK(results()[0].id == late[0].id);
  CHECK(results()[0].code == 500);
  CHECK(results()[0].message.find("missed") != std::string::npos);
}

TEST_CASE_METHOD(pooled, "a full lane defers and drops nothing; an answer makes room", "[actors]") {
  for (int i = 0; i < 8; ++i)
    route_and_fire(job_of(1));
  route(job_of(1));
  CHECK(routed.empty());
  REQUIRE(deferred.size() == 1);
  CHECK(deferred[0].plan);
  client->answer(http_answer(accepted));
  run();
  CHECK(route(job_of(1)).size() == 1);
}

TEST_CASE_METHOD(pooled, "slots come back however a run ends", "[actors]") {
  auto refuse = [&](protocol::http_result result) {
    route_and_fire(job_of(1));
    CHECK(free_fast() == 7);
    client->answer(std::move(result));
    run();
    CHECK(free_fast() == 8);
  };
  refuse(http_answer(accepted));
  refuse(http_answer(R"({"code":500,"msg":"no"})"));
  refuse(http_answer(""));
  refuse(http_failure(delivery::not_sent, "refused"));
  refuse(http_failure(delivery::unknown, "timeout"));
  gate->open_until(0);
  route_and_fire(job_of(1));
  CHECK(free_fast() == 8);
  route(job_of(1), 3); // routed and never claimed
  CHECK(free_fast() == 5);
  release(3);
  CHECK(free_fast() == 8);
}

TEST_CASE_METHOD(pooled, "a thousand runs of every kind leave no slot behind", "[actors]") {
  auto turn = 0;
  client->answers = [&](const protocol::http_call&) -> std::optional<protocol::http_result> {
    switch (++turn % 5) {
    case 0: return http_answer(accepted);
    case 1: return http_answer(R"({"code":500})");
    case 2: return http_failure(delivery::unknown, "timeout");
    case 3: return http_failure(delivery::not_sent, "refused");
    default: return http_answer("<html>");
    }
  };
  const route_strategy kinds[] = {route_strategy::first, route_strategy::round, route_strategy::sharding_broadcast, route_strategy::failover,
                                  route_strategy::busyover};
  for (int i = 0; i < 1000; ++i) {
    route_and_fire(job_of(1 + i % 5, kinds[i % 5]), i % 7 == 0 ? 2 : 1);
    REQUIRE(deferred.empty());
  }
  CHECK(free_fast() == 8);
  CHECK(results().size() + unknown.size() == static_cast<std::size_t>(last_id));
}

TEST_CASE_METHOD(pooled, "a job that is slow too often uses the slow lane until its minute ends", "[actors]") {
  auto slow = http_answer(accepted);
  slow.elapsed = 501ms;
  for (int i = 0; i < 3; ++i) {
    route_and_fire(job_of(1));
    client->answer(slow);
    run();
  }
  route(job_of(1));
  REQUIRE(routed.size() == 1);
  CHECK(routed[0].runs[0].lane == core::slow_lane);
  CHECK(free_fast() == 8);
  route(job_of(2));
  CHECK(routed[0].runs[0].lane == core::fast_lane);
  advance(60s);
  route(job_of(1));
  CHECK(routed[0].runs[0].lane == core::fast_lane);
}

TEST_CASE_METHOD(pooled, "answers become results; an unknown one goes to recovery; a closed gate leaves the run claimed", "[actors]") {
  for (int i = 0; i < 4; ++i)
    route_and_fire(job_of(1));
  CHECK(remembered == 4);
  client->answer(http_answer(accepted));
  client->answer(http_answer(R"({"code":500,"msg":"job handler [settle] not found."})"));
  client->answer(http_failure(delivery::not_sent, "connection refused"));
  client->answer(http_failure(delivery::unknown, "timeout"));
  run();
  REQUIRE(results().size() == 3);
  CHECK(results()[0].code == 200);
  CHECK(results()[0].message.empty());
  CHECK(results()[1].code == 500);
  CHECK(results()[1].message == "job handler [settle] not found.");
  CHECK(results()[2].code == 500);
  CHECK(results()[2].message == "connection refused");
  REQUIRE(unknown.size() == 1);
  CHECK(core::number(unknown[0].id) == 4);

  gate->open_until(0);
  route_and_fire(job_of(1));
  CHECK(client->gated() == 1);
  CHECK(results().size() == 3);
  CHECK(unknown.size() == 1);
}

TEST_CASE_METHOD(pooled, "one address has one link; an executor that turns out to want the app header gets a new one", "[actors]") {
  auto first = ask<protocol::link_handle>(actor, protocol::link_query{three[0]});
  auto again = ask<protocol::link_handle>(actor, protocol::link_query{three[0]});
  REQUIRE((first && again));
  CHECK(first->link == again->link);
  auto view = std::make_shared<protocol::registry_view>();
  core::group group;
  group.id = core::group_id{1};
  group.app_name = "pay-worker";
  group.addresses = three;
  view->groups.emplace(1, std::move(group));
  view->app_header_addresses.insert(three[0]);
  tell(actor, protocol::registry_change{view});
  route_and_fire(job_of(1));
  CHECK(client->sent().back().target == "/trigger");
  auto after = ask<protocol::link_handle>(actor, protocol::link_query{three[0]});
  REQUIRE(after);
  CHECK(first->link != after->link);
  first->link = again->link = after->link = nullptr;
}

TEST_CASE_METHOD(pooled, "a link that was dropped for long unused comes back when it is needed", "[actors]") {
  route_and_fire(job_of(1));
  advance(11min); // its answer is still to come
  client->answer(http_answer(accepted));
  run();
  CHECK(results().size() == 1);
  route_and_fire(job_of(1));
  client->answer(http_answer(accepted));
  run();
  CHECK(results().size() == 2);
}
