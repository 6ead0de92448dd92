// trigger_pool: an address to which no connection could be made is avoided for a while.

#include <algorithm>

#include "protocol/admin_messages.hpp"
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

namespace {

protocol::http_result no_connection() {
  auto failure = http_failure(delivery::not_sent, "cannot connect: Connection refused");
  failure.unreachable = true;
  return failure;
}

struct avoiding : pooled {
  avoiding() {
    monitor = track(system().spawn([this]() -> protocol::registry_monitor::behavior_type {
      return {
        [](const protocol::registry_beat&) {},
        [](const protocol::registry_removal&) {},
        [](const protocol::address_claim&) { return protocol::claim_verdict{}; },
        [](protocol::registry_hint) {},
        [](const protocol::registry_subscription&) {},
        [this](const protocol::executor_update& update) { told.push_back((update.reachable ? "+" : "-") + update.address); },
        [](const protocol::update_subscription&) {},
        [](const protocol::executors_query&) { return protocol::executor_list{}; },
        [](protocol::tick_atom) {},
      };
    }));
    tell(actor, protocol::trigger_partners{completion, recovery, monitor});
    run();
  }

  /// Lets the first executor refuse the connection.
  void refuse() { complete(job_of(1), no_connection()); }
  std::string first() {
    auto where = route(job_of(1));
    release();
    return where.at(0);
  }
  addresses of_many(std::shared_ptr<core::job> spec, int times) {
    addresses met;
    for (int i = 0; i < times; ++i) {
      met.push_back(route(spec).at(0));
      release();
    }
    return met;
  }

  protocol::registry_monitor monitor;
  addresses told;
};

} // namespace

TEST_CASE_METHOD(avoiding, "an executor that refused a connection is not chosen while there is another", "[actors]") {
  CHECK(first() == three[0]);
  refuse();
  CHECK(told == addresses{"-" + three[0]});
  CHECK(first() == three[1]);
  for (auto strategy : {route_strategy::round, route_strategy::random, route_strategy::least_recently_used,
                        route_strategy::least_frequently_used, route_strategy::consistent_hash}) {
    auto met = of_many(job_of(10 + static_cast<int>(strategy), strategy), 12);
    CHECK(std::count(met.begin(), met.end(), three[0]) == 0);
  }
  CHECK(route(job_of(30, route_strategy::consistent_hash))
        == addresses{core::consistent_hash_choice(core::job_id{30}, addresses{three[1], three[2]})});
  release();
  serve({three[0]});
  CHECK(first() == three[0]);
}

TEST_CASE_METHOD(avoiding, "is tried again after thirty seconds", "[actors]") {
  refuse();
  advance(28s);
  CHECK(first() == three[1]);
  advance(4s);
  CHECK(first() == three[0]);
}

TEST_CASE_METHOD(avoiding, "is used again when it registers", "[actors]") {
  refuse();
  tell(actor, protocol::executor_update{three[0], false});
  tell(actor, protocol::executor_update{three[1], true});
  run();
  CHECK(first() == three[1]);
  tell(actor, protocol::executor_update{three[0], true});
  run();
  CHECK(first() == three[0]);
}

TEST_CASE_METHOD(avoiding, "is used again when it answers", "[actors]") {
  refuse();
  // A broadcast goes to all of them, also to the one that refused.
  route(job_of(2, route_strategy::sharding_broadcast));
  REQUIRE(where() == three);
  fire(claimed());
  for (int i = 0; i < 3; ++i)
    client->answer(http_answer(accepted));
  run();
  CHECK(first() == three[0]);
  // The registry, too, hears of the answer, once.
  CHECK(told == addresses{"-" + three[0], "+" + three[0]});
}

TEST_CASE_METHOD(avoiding, "failover asks it last", "[actors]") {
  refuse();
  auto before = client->targets().size();
  route(job_of(3, route_strategy::failover));
  auto asked = client->targets();
  REQUIRE(asked.size() == before + 1);
  CHECK(asked.back() == three[1] + "beat");
}

TEST_CASE_METHOD(avoiding, "other failures do not cause an executor to be avoided", "[actors]") {
  SECTION("no answer") { complete(job_of(1), http_failure(delivery::unknown, "timeout")); }
  SECTION("a refusal") { complete(job_of(1), http_answer(R"({"code":500})")); }
  SECTION("no free connection") { complete(job_of(1), http_failure(delivery::not_sent, "none became free in time")); }
  CHECK(told.empty());
  CHECK(first() == three[0]);
}

TEST_CASE_METHOD(avoiding, "when all refuse, all are used", "[actors]") {
  refuse();
  serve({three[1]});
  refuse();
  serve({three[0], three[1]});
  CHECK(first() == three[0]);
}
