// trigger_pool: executors that dialled in.

#include "tests/actors/trigger_pool_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::accepted;
using test::http_answer;
using test::pooled;

namespace {

struct native_pooled : pooled {
  /// An executor gets a native link.
  std::shared_ptr<test::executor_record> dial_in(const std::string& address) {
    auto record = doubles.executor(address);
    tell(actor, protocol::native_link_news{address, doubles.links->at(address), true});
    run();
    return record;
  }
  void hang_up(const std::string& address) {
    tell(actor, protocol::native_link_news{address, doubles.links->at(address), false});
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

TEST_CASE_METHOD(native_pooled, "a link that was replaced takes nothing away when it goes", "[actors][links]") {
  dial_in(test::three[0]);
  auto former = doubles.links->at(test::three[0]);
  auto now = dial_in(test::three[0]);
  tell(actor, protocol::native_link_news{test::three[0], former, false});
  run();
  route_and_fire(job_of(1));
  CHECK(now->runs.size() == 1);
}

TEST_CASE_METHOD(native_pooled, "who asks for HTTP gets it beside a native link", "[actors][links]") {
  dial_in(test::three[0]);
  auto native = ask<protocol::link_handle>(actor, protocol::link_query{test::three[0]});
  auto http = ask<protocol::link_handle>(actor, protocol::link_query{test::three[0], true});
  REQUIRE(native);
  REQUIRE(http);
  CHECK(native->link == doubles.links->at(test::three[0]));
  CHECK(http->link != native->link);
}

TEST_CASE_METHOD(native_pooled, "runs wait a while for an executor without HTTP that has no link", "[actors][links]") {
  const std::string alone = "ringmaster://pay-worker/one";
  serve({alone});
  route_and_fire(job_of(1));
  CHECK(results().empty());
  advance(4s);
  CHECK(results().empty());
  SECTION("it dials in") {
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
    CHECK(record->runs.empty()); // what was given up stays so
    route_and_fire(job_of(1));
    CHECK(record->runs.size() == 1);
    CHECK(results().back().code == 200);
  }
}
