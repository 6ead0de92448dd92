// trigger_pool: the choice of executors for runs.

#include <algorithm>
#include <set>
#include <utility>

#include "protocol/wire/xxl/texts.hpp"
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

TEST_CASE_METHOD(pooled, "each strategy chooses its executor", "[actors]") {
  CHECK(route(job_of(1, route_strategy::first)) == addresses{three[0]});
  CHECK(route(job_of(2, route_strategy::last)) == addresses{three[2]});

  CHECK(route(job_of(3, route_strategy::consistent_hash)) == addresses{core::consistent_hash_choice(core::job_id{3}, three)});
  auto random = route(job_of(4, route_strategy::random));
  CHECK(std::count(three.begin(), three.end(), random.at(0)) == 1);


  // The counts of LFU start at random numbers below three: each executor has had a turn after eight.
  for (auto [strategy, retry_pacer] : {std::pair{route_strategy::round, 3}, std::pair{route_strategy::least_recently_used, 3},
                                 std::pair{route_strategy::least_frequently_used, 8}}) {
    std::set<std::string> met;
    for (int i = 0; i < retry_pacer; ++i) {
      met.insert(route(job_of(5 + static_cast<int>(strategy), strategy)).at(0));
      release();
    }
    CHECK(met.size() == 3);
  }
}

TEST_CASE_METHOD(pooled, "the caller's mark is returned with its candidate", "[actors]") {
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
  auto sent = client->targets(); // to different executors: in any order
  std::sort(sent.begin(), sent.end());
  CHECK(sent == addresses{"http://10.0.0.1:9999/run", "http://10.0.0.2:9999/run", "http://10.0.0.3:9999/run"});
}

TEST_CASE_METHOD(pooled, "a broadcast larger than the free room is deferred as a whole, unless its lane is empty", "[actors]") {
  addresses many;
  for (int i = 0; i < 9; ++i)
    many.push_back("http://10.0.1." + std::to_string(i) + ":9999/");
  serve(many);
  auto broadcast = job_of(1, route_strategy::sharding_broadcast);
  route(job_of(2));
  auto one = routed;
  CHECK(route(broadcast).empty());
  CHECK(deferred.size() == 1);
  CHECK(free_fast() == 7);
  routed = std::move(one);
  release();
  CHECK(route(broadcast).size() == 9);
  release();
  CHECK(free_fast() == 8);
}

TEST_CASE_METHOD(pooled, "the retry of a shard goes to its position again, or to the first of a smaller group", "[actors]") {
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

TEST_CASE_METHOD(pooled, "failover asks one after the other and takes the first in order that answers", "[actors]") {
  route(job_of(1, route_strategy::failover));
  CHECK(routed.empty());
  CHECK(client->targets() == addresses{"http://10.0.0.1:9999/beat"});
  advance(199ms);
  CHECK(client->sent().size() == 1);
  advance(1ms);
  CHECK(client->targets() == addresses{"http://10.0.0.1:9999/beat", "http://10.0.0.2:9999/beat"});
  client->answer(http_failure(delivery::not_sent, "connection refused"), "http://10.0.0.2:9999");
  run();
  CHECK(client->targets().back() == "http://10.0.0.3:9999/beat");
  client->answer(http_answer(accepted), "http://10.0.0.3:9999");
  run();
  CHECK(routed.empty()); // the first in order has not answered yet
  client->answer(http_failure(delivery::not_sent, "connection refused"), "http://10.0.0.1:9999");
  run();
  CHECK(where() == addresses{three[2]});
}

TEST_CASE_METHOD(pooled, "failover asks no executor after the winner, and an answer soon expires", "[actors]") {
  route(job_of(1, route_strategy::failover));
  client->answer(http_answer(accepted), "http://10.0.0.1:9999");
  run();
  CHECK(where() == addresses{three[0]});
  advance(100ms);
  CHECK(route(job_of(2, route_strategy::failover)) == addresses{three[0]});
  CHECK(client->sent().size() == 1);
  advance(1ms);
  CHECK(route(job_of(2, route_strategy::failover)).empty());
  CHECK(client->sent().size() == 2);
}

TEST_CASE_METHOD(pooled, "busyover asks about the job; if no executor is idle the run fails with all answers", "[actors]") {
  route(job_of(7, route_strategy::busyover));
  for (std::size_t asked = 1; asked <= 3; ++asked) {
    REQUIRE(client->sent().size() == asked);
    CHECK(client->sent().back().target == "/idleBeat");
    CHECK(client->sent().back().body == R"({"jobId":7})");
    client->answer(http_answer(R"({"code":500,"msg":"busy here"})"));
    run();
  }
  REQUIRE(where() == addresses{""});
  fire(claimed());
  REQUIRE(results().size() == 1);
  CHECK(results()[0].code == 500);
  for (const auto& address : three)
    CHECK(results()[0].message.find(address + " answered 500 busy here") != std::string::npos);
  CHECK(free_fast() == 8);
}

TEST_CASE_METHOD(pooled, "a thousand failover jobs ask an executor that hangs once and delay no others", "[actors]") {
  std::vector<protocol::route_candidate> many;
  for (int i = 0; i < 1000; ++i)
    many.push_back(due(job_of(1000 + i, route_strategy::failover)));
  many.push_back(due(job_of(1, route_strategy::first, 2)));
  ask_routes(std::move(many));
  CHECK(client->targets() == addresses{"http://10.0.0.1:9999/beat"});
  CHECK(accounted == 1001); // no answers are missing
  CHECK(where() == other);
  CHECK(free_fast() == 7);
  advance(1s);
  CHECK(client->sent().size() == 3);
  std::vector<protocol::route_candidate> more;
  for (int i = 0; i < 30; ++i)
    more.push_back(due(job_of(3000 + i, route_strategy::failover)));
  ask_routes(std::move(more));
  CHECK(held.size() == 6); // 1 024 of a group wait; the others stay due
  CHECK(client->sent().size() == 3);
  routed.clear();
  client->answer_all(http_failure(delivery::unknown, "timeout"));
  run();
  CHECK(routed.size() + deferred.size() == 1024);
  CHECK(held.size() == 6);
}

TEST_CASE_METHOD(pooled, "several instants of one job share one probe", "[actors]") {
  route(job_of(7, route_strategy::failover), 3);
  CHECK(client->sent().size() == 1);
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
    CHECK(results()[0].message == protocol::wire::log_text::address_empty);
    CHECK_FALSE(results()[0].delivery_unknown);
  }
  CHECK(client->sent().empty());
  CHECK(free_fast() == 8);
}

TEST_CASE_METHOD(pooled, "an unknown route strategy fails with an explanation", "[actors]") {
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

TEST_CASE_METHOD(pooled, "the first run that finds no executor waits until the registry has been read again", "[actors]") {
  test::registry_monitor_double registry{*this};
  tell(actor, protocol::trigger_partners{completion, recovery, registry.actor});
  serve({});
  CHECK(route(job_of(1)).empty());
  CHECK(held.size() == 1);
  CHECK(*registry.hints == 1);

  SECTION("one registered at another node") {
    serve(three);
    CHECK(route(job_of(1)) == addresses{three[0]});
  }
  SECTION("there is none: later runs do not wait, and the registry is read once a second") {
    advance(600ms);
    CHECK(route(job_of(1)) == addresses{""});
    CHECK(routed.at(0).runs.at(0).route_note == protocol::wire::log_text::address_empty);
    CHECK(*registry.hints == 1);
    advance(600ms);
    CHECK(route(job_of(1)) == addresses{""});
    CHECK(*registry.hints == 2);
  }
  SECTION("an executor that was there and left is waited for again") {
    advance(600ms);
    serve(three);
    serve({});
    CHECK(route(job_of(1)).empty());
  }
}
