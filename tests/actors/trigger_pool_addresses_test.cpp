// trigger_pool: manual runs with given addresses, and the trigger time in the row of a retry.

#include "tests/actors/trigger_pool_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::route_strategy;
using test::addresses;
using test::http_failure;
using test::pooled;
using test::three;

namespace {

const addresses elsewhere{"http://10.7.0.1:9999/", "http://10.7.0.2:9999/"};

protocol::route_candidate by_hand(core::job_ptr spec, addresses where) {
  core::intent request;
  request.id = core::intent_id{7};
  request.kind = core::trigger_kind::manual;
  request.job = spec->id;
  request.param = "manual run";
  request.addresses = std::move(where);
  return {std::move(spec), std::nullopt, std::move(request), 3};
}

struct asked_for : pooled {
  addresses ask(core::job_ptr spec, addresses wanted) {
    routed.clear();
    ask_routes({by_hand(std::move(spec), std::move(wanted))});
    return where();
  }
};

} // namespace

TEST_CASE_METHOD(asked_for, "a manual run goes to the requested addresses, not to the group's executors", "[actors]") {
  CHECK(ask(job_of(1), {elsewhere[1]}) == addresses{elsewhere[1]});
  REQUIRE(routed.size() == 1);
  CHECK(routed[0].runs.at(0).addresses == addresses{elsewhere[1]}); // its retries go there, too
  CHECK(routed[0].runs.at(0).effective_param() == "manual run");
  fire(claimed());
  CHECK(client->targets() == addresses{elsewhere[1] + "run"});
  CHECK(ask(job_of(1), {}) == addresses{three[0]});
}

TEST_CASE_METHOD(asked_for, "the job's route chooses among the requested addresses", "[actors]") {
  CHECK(ask(job_of(1, route_strategy::first), elsewhere) == addresses{elsewhere[0]});
  CHECK(ask(job_of(2, route_strategy::last), elsewhere) == addresses{elsewhere[1]});
  CHECK(ask(job_of(3, route_strategy::sharding_broadcast), elsewhere) == elsewhere);
  REQUIRE(routed.size() == 1);
  CHECK(routed[0].runs.at(1).part == core::shard{1, 2, true});
  release();
  ask(job_of(4, route_strategy::failover), elsewhere);
  CHECK(client->targets() == addresses{elsewhere[0] + "beat"});
}

TEST_CASE_METHOD(asked_for, "a requested address that refuses connections is not chosen while there is another", "[actors]") {
  auto refused = http_failure(protocol::delivery::not_sent, "cannot connect: Connection refused");
  refused.unreachable = true;
  ask(job_of(1), elsewhere);
  fire(claimed());
  client->answer(std::move(refused));
  run();
  CHECK(ask(job_of(1), elsewhere) == addresses{elsewhere[1]});
  CHECK(ask(job_of(1), {elsewhere[0]}) == addresses{elsewhere[0]}); // no other address was requested
  tell(actor, protocol::executor_update{elsewhere[0], true});
  run();
  CHECK(ask(job_of(1), elsewhere) == addresses{elsewhere[0]});
}

TEST_CASE_METHOD(asked_for, "a group without executors does not delay a run with its own addresses", "[actors]") {
  serve({});
  CHECK(ask(job_of(1), elsewhere) == addresses{elsewhere[0]});
}

TEST_CASE_METHOD(asked_for, "the trigger time of a retry is its own, not the instant of its first attempt", "[actors]") {
  core::intent retry;
  retry.kind = core::trigger_kind::retry;
  retry.fire_at = civil() - 40s;
  retry.retry_left = 1;
  ask_routes({{job_of(1), std::nullopt, retry, 0}});
  REQUIRE(routed.size() == 1);
  CHECK(routed[0].runs.at(0).fire_at == civil());
  CHECK(routed[0].runs.at(0).retry_left == 1);
}
