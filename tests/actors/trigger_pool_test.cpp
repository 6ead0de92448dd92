// trigger_pool: lanes, sending and the results of sending.

#include "core/run/trigger_note.hpp"
#include "tests/actors/trigger_pool_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::route_strategy;
using protocol::delivery;
using test::accepted;
using test::addresses;
using test::http_answer;
using test::http_failure;
using test::pooled;
using test::three;

TEST_CASE_METHOD(pooled, "an instant later than the misfire limit is sent only under FIRE_ONCE_NOW", "[actors]") {
  auto strict = job_of(1);
  auto lenient = job_of(2);
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

TEST_CASE_METHOD(pooled, "a late run names the first instant for which it is sent", "[actors]") {
  auto candidate = due(job_of(1));
  candidate.plan->expected_next = civil() - 1h;
  candidate.plan->firings[0].misfire = true;
  candidate.plan->merged = 59;
  auto unplanned = candidate; // a job that is due since ever missed no instant
  unplanned.plan->expected_next = core::due_since_ever;
  ask_routes({due(job_of(2)), candidate, unplanned});
  std::vector<std::optional<core::time_point>> instants;
  std::vector<std::size_t> merged;
  for (const auto& one : routed)
    for (const auto& run : one.runs) {
      instants.push_back(run.instant);
      merged.push_back(core::note_of(run, "h").merged);
    }
  CHECK(merged == std::vector<std::size_t>{0, 59, 0});
  CHECK(instants == std::vector<std::optional<core::time_point>>{std::nullopt, civil() - 1h, std::nullopt});
}

TEST_CASE_METHOD(pooled, "a full lane defers and drops nothing; an answer makes room", "[actors]") {
  for (int i = 0; i < 8; ++i)
    route_and_fire(job_of(1, route_strategy::round));
  route(job_of(1));
  CHECK(routed.empty());
  REQUIRE(deferred.size() == 1);
  CHECK(deferred[0].plan);
  client->answer(http_answer(accepted));
  run();
  CHECK(route(job_of(1)).size() == 1);
}

TEST_CASE_METHOD(pooled, "retries find no room beyond a full lane, however many come at once", "[actors]") {
  std::vector<protocol::route_candidate> retries;
  for (std::int64_t id = 1; id <= 100; ++id) {
    core::intent intent;
    intent.id = core::intent_id{id};
    intent.kind = core::trigger_kind::retry;
    retries.push_back({job_of(1, route_strategy::round), std::nullopt, intent, 0});
  }
  for (int i = 0; i < 5; ++i)
    route_and_fire(job_of(1, route_strategy::round));
  routed.clear();
  ask_routes(std::move(retries));
  CHECK(routed.size() == 3); // the lane has eight slots
  CHECK(deferred.size() == 97);
}

TEST_CASE_METHOD(pooled, "slots are returned however a run ends, each once", "[actors]") {
  // Two runs stay on their way: a slot that was returned twice would be counted as theirs.
  route_and_fire(job_of(1, route_strategy::last));
  route_and_fire(job_of(1, route_strategy::last));
  auto ends = [&](protocol::http_result result) {
    route_and_fire(job_of(1));
    CHECK(free_fast() == 5);
    client->answer(std::move(result), "http://10.0.0.1:9999");
    run();
    CHECK(free_fast() == 6);
  };
  ends(http_answer(accepted));
  ends(http_answer(R"({"code":500,"msg":"no"})"));
  ends(http_answer(""));
  ends(http_failure(delivery::not_sent, "refused"));
  ends(http_failure(delivery::unknown, "timeout"));
  gate->close();
  route_and_fire(job_of(1));
  CHECK(free_fast() == 6);
  route(job_of(1), 3); // routed and never claimed
  CHECK(free_fast() == 3);
  release();
  CHECK(free_fast() == 6);
}

TEST_CASE_METHOD(pooled, "a thousand runs of every kind leave no slot occupied", "[actors]") {
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
  const route_strategy kinds[] = {route_strategy::first, route_strategy::round, route_strategy::sharding_broadcast,
                                  route_strategy::failover, route_strategy::busyover};
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
  auto just_in_time = http_answer(accepted);
  just_in_time.elapsed = 500ms;
  for (int i = 0; i < 5; ++i)
    complete(job_of(3), just_in_time);
  for (int i = 0; i < 3; ++i) {
    route(job_of(1));
    REQUIRE(routed.size() == 1);
    CHECK(routed[0].runs[0].lane == core::fast_lane);
    fire(claimed());
    client->answer(slow);
    run();
  }
  route(job_of(1));
  REQUIRE(routed.size() == 1);
  CHECK(routed[0].runs[0].lane == core::slow_lane);
  CHECK(free_fast() == 8);
  for (auto quick : {2, 3}) {
    route(job_of(quick));
    CHECK(routed[0].runs[0].lane == core::fast_lane);
  }
  advance(60s);
  route(job_of(1));
  CHECK(routed[0].runs[0].lane == core::fast_lane);
}

TEST_CASE_METHOD(pooled, "a full slow lane delays only slow jobs, and takes no slots of others", "[actors]") {
  auto slow = http_answer(accepted);
  slow.elapsed = 2s;
  for (int i = 0; i < 3; ++i)
    complete(job_of(1), slow);
  CHECK(free_slow(1) == 4);
  for (int i = 0; i < 4; ++i)
    route_and_fire(job_of(1, route_strategy::round));
  CHECK(route(job_of(1)).empty());
  CHECK(deferred.size() == 1);
  CHECK(free_fast() == 8);
  CHECK(route(job_of(2)).size() == 1);
  // A run that was routed while its job was slow returns its slot to the lane from which it took it.
  advance(60s);
  client->answer(http_answer(accepted));
  run();
  CHECK(free_fast() == 7);
}

TEST_CASE_METHOD(pooled, "answers become results; an unknown one goes to recovery", "[actors]") {
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
  CHECK(results()[1].message == "refused: job handler [settle] not found.");
  CHECK(results()[2].code == 500);
  CHECK(results()[2].message == "connection refused");
  REQUIRE(unknown.size() == 1);
  CHECK(core::number(unknown[0].id) == 4);
  CHECK(unknown[0].claim == 1);
  CHECK(unknown_errors == std::vector<std::string>{"timeout"});
}

TEST_CASE_METHOD(pooled, "an unknown run holds its slot until recovery takes it", "[actors]") {
  recovery_is_full = true;
  for (int i = 0; i < 7; ++i)
    route_and_fire(job_of(1));
  for (int i = 0; i < 7; ++i)
    client->answer(http_failure(delivery::unknown, "timeout"));
  run();
  REQUIRE(unknown.size() == 7);
  ask_routes({due(job_of(2))});
  CHECK(routed.empty());
  CHECK(deferred.size() == 1);
  CHECK(free_fast() == 1);
  protocol::slot_release freed;
  for (int i = 0; i < 3; ++i)
    freed.slots.add(unknown[static_cast<std::size_t>(i)].plan);
  tell(actor, freed);
  run();
  CHECK(free_fast() == 4);
}

TEST_CASE_METHOD(pooled, "a link that fails ends the pool; an unused link does not", "[actors]") {
  auto ended = std::make_shared<bool>(false);
  caf::actor_cast<caf::strong_actor_ptr>(actor)->get()->attach_functor([ended](const caf::error&) { *ended = true; });
  route_and_fire(job_of(1));
  client->answer(http_answer(accepted));
  run();
  serve(three, three); // the links are created again
  advance(11min);      // no run uses them
  CHECK_FALSE(*ended);
  auto link = ask<protocol::link_handle>(actor, protocol::link_query{three[0]});
  REQUIRE(link);
  caf::anon_send_exit(link->link, caf::exit_reason::kill);
  run();
  CHECK(*ended);
}

TEST_CASE_METHOD(pooled, "nothing is sent at or after the incarnation's deadline, and unsent runs stay claimed", "[actors]") {
  open_gate_for(1s);
  route(job_of(1));
  auto in_time = claimed();
  route(job_of(1));
  auto too_late = claimed();
  advance(1s - 1ns);
  fire(in_time);
  CHECK(client->sent().size() == 1);
  advance(1ns);
  fire(too_late);
  CHECK(client->sent().size() == 1);
  CHECK(client->gated() == 1);
  // The answer to a run that was sent before still counts.
  client->answer(http_answer(accepted));
  run();
  CHECK(results().size() == 1);
  CHECK(unknown.empty());
  CHECK(free_fast() == 8);
}

TEST_CASE_METHOD(pooled, "a machine that slept past its deadline sends nothing when it wakes", "[actors]") {
  open_gate_for(1s);
  route(job_of(1));
  sleep_machine(2s);
  fire(claimed());
  CHECK(client->sent().empty());
  CHECK(client->gated() == 1);
  CHECK(results().empty());
  CHECK(unknown.empty());
}

TEST_CASE_METHOD(pooled, "the second try at another path is also held back by the deadline", "[actors]") {
  open_gate_for(1s);
  route_and_fire(job_of(1));
  advance(1s);
  client->answer(http_answer(R"({"code":500,"msg":"invalid request, uri-mapping(/run) not found."})"));
  run();
  CHECK(client->sent().size() == 1);
  CHECK(client->gated() == 1);
  CHECK(results().empty());
  CHECK(unknown.empty());
  CHECK(free_fast() == 8);
}

TEST_CASE_METHOD(pooled, "one address has one link, which learns that its executor requires the app header", "[actors]") {
  auto first = ask<protocol::link_handle>(actor, protocol::link_query{three[0]});
  serve(three, {three[0]});
  route_and_fire(job_of(1));
  CHECK(client->sent().back().target == "/trigger");
  auto again = ask<protocol::link_handle>(actor, protocol::link_query{three[0]});
  REQUIRE((first && again));
  CHECK(first->link == again->link);
  first->link = again->link = nullptr;
}

TEST_CASE_METHOD(pooled, "a run carries its group's app name, whichever group the link was requested for first", "[actors]") {
  auto app_name = [&] {
    for (const auto& [name, value] : client->sent().back().headers)
      if (name == "XXL-JOB-APPNAME")
        return value;
    return std::string{};
  };
  other = {three[0]};
  begin(); // recovery asks before the registry is known
  auto early = ask<protocol::link_handle>(actor, protocol::link_query{three[0]});
  serve(three);
  route_and_fire(job_of(1));
  CHECK(app_name() == "pay-worker");
  route_and_fire(job_of(2, route_strategy::first, 2));
  CHECK(app_name() == "mail-worker");
  route(job_of(3, route_strategy::failover, 2));
  CHECK(app_name() == "mail-worker");
  REQUIRE(early);
  early->link = nullptr;
}

TEST_CASE_METHOD(pooled, "a link that was dropped after long disuse is created again when needed", "[actors]") {
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

TEST_CASE_METHOD(pooled, "an executor that hangs does not fill the lane again at each instant", "[actors]") {
  settings.fast_window = 100;
  settings.connections_per_executor = 5;
  settings.slow_count = 1000; // all stay in the fast lane
  begin();
  auto lost = http_failure(delivery::unknown, "timeout");
  lost.elapsed = 3s;
  for (int i = 0; i < 200; ++i)
    ask_routes({due(job_of(1))});
  CHECK(routed.size() == 80);
  CHECK(held.empty());
  fire(claimed());
  CHECK(route(job_of(2, route_strategy::first, 2)) == other); // others find room at once
  release();
  advance(3s);
  for (int i = 0; i < 80; ++i)
    client->answer(lost);
  run();
  deferred.clear();
  for (int i = 0; i < 200; ++i)
    ask_routes({due(job_of(1))});
  CHECK(routed.size() == 5);
  CHECK(deferred.empty());
  CHECK(held.size() == 195);
  fire(claimed());
  client->answer(http_answer(accepted));
  run();
  held.clear();
  routed.clear();
  for (int i = 0; i < 200; ++i)
    ask_routes({due(job_of(1))});
  CHECK(routed.size() == 76);
  CHECK(held.empty());
}

TEST_CASE_METHOD(pooled, "waiting for a slot does not advance any strategy", "[actors]") {
  addresses in_turn;
  for (int i = 0; i < 3; ++i) {
    in_turn.push_back(route(job_of(5, route_strategy::round)).at(0));
    release();
  }
  std::vector<protocol::routed_job> fill;
  for (int i = 0; i < 8; ++i)
    ask_routes({due(job_of(6, route_strategy::first, 100 + i))});
  fill = std::exchange(routed, {});
  for (int i = 0; i < 7; ++i)
    CHECK(route(job_of(5, route_strategy::round)).empty());
  routed = std::move(fill);
  release();
  for (const auto& next : in_turn)
    CHECK(route(job_of(5, route_strategy::round)) == addresses{next});
}
