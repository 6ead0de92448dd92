// trigger_pool: executors with native links.

#include "tests/actors/trigger_pool_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::accepted;
using test::http_answer;
using test::pooled;

namespace {

struct native_pooled : pooled {
  /// Gives an executor a native link.
  std::shared_ptr<test::executor_record> dial_in(const std::string& address) {
    auto record = doubles.executor(address);
    tell(actor, protocol::native_link_update{address, doubles.links->at(address), true});
    run();
    return record;
  }
  void hang_up(const std::string& address) {
    tell(actor, protocol::native_link_update{address, doubles.links->at(address), false});
    run();
  }
  test::pool_double doubles{*this};
};

} // namespace

TEST_CASE_METHOD(native_pooled, "runs go over the native link while there is one, and by HTTP after it", "[actors][links]") {
  auto first = dial_in(test::three[0]);
  route_and_fire(job_of(1));
  CHECK(first->runs.size() == 1);
  CHECK(client->sent().empty());
  REQUIRE(results().size() == 1);
  CHECK(results()[0].code == 200);
  hang_up(test::three[0]);
  route_and_fire(job_of(1));
  CHECK(first->runs.size() == 1);
  CHECK(client->targets() == test::addresses{"http://10.0.0.1:9999/run"});
}

TEST_CASE_METHOD(native_pooled, "a link that was replaced changes nothing when it ends", "[actors][links]") {
  dial_in(test::three[0]);
  auto former = doubles.links->at(test::three[0]);
  auto now = dial_in(test::three[0]);
  tell(actor, protocol::native_link_update{test::three[0], former, false});
  run();
  route_and_fire(job_of(1));
  CHECK(now->runs.size() == 1);
}

TEST_CASE_METHOD(native_pooled, "a query gets another link than the one that cannot serve", "[actors][links]") {
  dial_in(test::three[0]);
  auto native = ask<protocol::link_handle>(actor, protocol::link_query{test::three[0]});
  REQUIRE(native);
  auto http = ask<protocol::link_handle>(actor, protocol::link_query{test::three[0], native->link});
  REQUIRE(http);
  CHECK(native->link == doubles.links->at(test::three[0]));
  CHECK(http->link != native->link);
}

TEST_CASE_METHOD(native_pooled, "runs that a link returns go over another link, once", "[actors][links]") {
  auto record = dial_in(test::three[0]);
  const auto native = doubles.links->at(test::three[0]);
  record->send.reset();
  route_and_fire(job_of(1));
  REQUIRE(record->runs.size() == 1);
  SECTION("over HTTP while the link cannot carry them") {}
  SECTION("over HTTP after the link") { hang_up(test::three[0]); }
  tell(actor, protocol::returned_runs{test::three[0], {record->runs, protocol::send_listener{actor}}, native});
  run();
  CHECK(record->runs.size() == 1);
  CHECK(client->targets() == test::addresses{"http://10.0.0.1:9999/run"});
  client->answer(http_answer(accepted));
  run();
  REQUIRE(results().size() == 1);
  CHECK(results()[0].code == 200);
}

TEST_CASE_METHOD(native_pooled, "runs that a former link returns go over the present one", "[actors][links]") {
  auto before = dial_in(test::three[0]);
  const auto former = doubles.links->at(test::three[0]);
  before->send.reset();
  route_and_fire(job_of(1));
  auto record = dial_in(test::three[0]);
  tell(actor, protocol::returned_runs{test::three[0], {before->runs, protocol::send_listener{actor}}, former});
  run();
  CHECK(record->runs.size() == 1);
  CHECK(client->sent().empty());
}

TEST_CASE_METHOD(native_pooled, "runs wait for a while for an executor without HTTP that has no link", "[actors][links]") {
  const std::string alone = "ringmaster://pay-worker/one";
  serve({alone});
  route_and_fire(job_of(1));
  CHECK(results().empty());
  advance(4s);
  CHECK(results().empty());
  SECTION("it connects") {
    auto record = dial_in(alone);
    CHECK(record->runs.size() == 1);
    REQUIRE(results().size() == 1);
    CHECK(results().back().code == 200);
    hang_up(alone);
    route_and_fire(job_of(1));
    advance(1s);
    CHECK(record->runs.size() == 1);
    dial_in(alone);
    CHECK(results().size() == 2);
  }
  SECTION("it stays away") {
    advance(2s);
    REQUIRE(results().size() == 1);
    CHECK(results().back().code == 500);
    CHECK(results().back().message.find(alone) != std::string::npos);
    auto record = dial_in(alone);
    advance(31s);
    CHECK(record->runs.empty()); // given-up runs are not sent later
    route_and_fire(job_of(1));
    CHECK(record->runs.size() == 1);
    CHECK(results().back().code == 200);
  }
}

TEST_CASE_METHOD(native_pooled, "while one of them is awaited, runs go to the other executors of its group", "[actors][links]") {
  const test::addresses both{"ringmaster://pay-worker/one", "ringmaster://pay-worker/two"};
  serve(both);
  auto second = dial_in(both[1]);
  route_and_fire(job_of(1, core::route_strategy::first));
  for (int i = 0; i < 5; ++i)
    route_and_fire(job_of(1, core::route_strategy::first));
  CHECK(second->runs.size() == 5);
  CHECK(results().size() == 5);
  auto first = dial_in(both[0]);
  CHECK(first->runs.size() == 1);
  route_and_fire(job_of(1, core::route_strategy::first));
  CHECK(first->runs.size() == 2);
}

TEST_CASE_METHOD(native_pooled, "a link that was requested before the executor connected loses no time", "[actors][links]") {
  const std::string alone = "ringmaster://pay-worker/one";
  serve({alone});
  auto way = ask<protocol::link_handle>(actor, protocol::link_query{alone});
  REQUIRE(way);
  auto record = dial_in(alone);
  route(job_of(1));
  tell(way->link, protocol::send_batch{claimed(), protocol::send_listener{recovery}});
  run();
  CHECK(record->runs.size() == 1);
}

TEST_CASE_METHOD(native_pooled, "a run that must not run late does not wait until it is late", "[actors][links]") {
  serve({"ringmaster://pay-worker/one"});
  auto punctual = job_of(1);
  punctual->misfire = core::misfire_policy::do_nothing;
  route(punctual);
  auto runs = claimed();
  advance(3s);
  tell(actor, protocol::firing_batch{std::move(runs)});
  run();
  CHECK(results().empty());
  advance(2s + 100ms);
  REQUIRE(results().size() == 1);
  CHECK(results()[0].code == 500);
}
