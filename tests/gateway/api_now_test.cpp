// GET /api/v1/now: one answer for all viewers, kept as bytes.

#include <chrono>

#include "gateway/exchange/gzip.hpp"
#include "gateway/exchange/kept_answer.hpp"
#include "tests/support/catch.hpp"

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using nlohmann::json;
using test::api_fixture;

namespace {

using asked_of_figures = std::vector<std::string>;

std::string header_of(const test::raw_socket::message& reply, const std::string& name) {
  const auto at = reply.head.find("\r\n" + name + ": ");
  if (at == std::string::npos)
    return {};
  const auto begin = at + name.size() + 4;
  return reply.head.substr(begin, reply.head.find("\r\n", begin) - begin);
}

protocol::http_request request_with(const std::string& name, const std::string& value) {
  protocol::http_request request;
  request.headers = {{name, value}};
  return request;
}

std::string tag_in(const protocol::http_response& response) {
  for (const auto& [name, value] : response.headers)
    if (name == "ETag")
      return value;
  return {};
}

} // namespace

TEST_CASE_METHOD(api_fixture, "now: any user sees figures without names of jobs", "[gateway][api][now]") {
  open();
  const auto reply = call("GET", "/now", {}, "viewer");
  REQUIRE(reply.status() == 200);
  CHECK(header_of(reply, "Cache-Control") == "no-cache");
  CHECK(json_of(reply) == json::parse(R"({
    "now_ms":1767323045000,
    "nodes":[
      {"id":"a","slots":130,"lanes":[{"lane":"fast","used":3,"window":200},{"lane":"slow","used":0,"window":100}],
       "claims_open":4,"undecided":5,"store_waiting":6,"firings_per_s":1234.5,"results_per_s":0.0},
      {"id":"b","slots":126,"lanes":null,"claims_open":null,"undecided":null,"store_waiting":null,"firings_per_s":null,
       "results_per_s":null}],
    "lateness":{"bounds_ms":[1,2,5,10,20,50,100,200,500,1000,2000,5000,10000],"counts":[7,1,0,0,0,0,0,0,0,0,0,0,0,0]},
    "series":{"step_ms":5000,"from_ms":1767323030000,"fired":[5,6,0],"failed":[0,1,0]},
    "jobs":41,"jobs_running":40,"failed_last_hour":10000,"failed_is_capped":true,"executors_online":2,
    "executors_without_group":1,"partial":true})"));
  CHECK(call_as("", "GET", "/now").status() == 401);
  CHECK(call("GET", "/now?group=1").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "now: viewers within a second share one answer", "[gateway][api][now]") {
  open();
  const auto first = call("GET", "/now", {}, "viewer");
  REQUIRE(first.status() == 200);
  REQUIRE(script->take_asked() == asked_of_figures{"figures_query()"});
  const auto tag = header_of(first, "ETag");
  CHECK(tag.starts_with("W/\""));
  for (const auto* session : {"admin", "viewer"}) {
    const auto again = call("GET", "/now", {}, session, "If-None-Match: " + tag + "\r\n");
    CHECK(again.status() == 304);
    CHECK(again.body.empty());
    CHECK(header_of(again, "ETag") == tag);
  }
  CHECK(call("GET", "/now", {}, "admin", "If-None-Match: \"other\"\r\n").body == first.body);
  const auto packed = call("GET", "/now", {}, "admin", "Accept-Encoding: br, gzip\r\n");
  CHECK(header_of(packed, "Content-Encoding") == "gzip");
  CHECK(header_of(packed, "ETag") == tag);
  CHECK(gateway::decompressed(packed.body) == first.body);
}

TEST_CASE("a kept answer grows old", "[gateway][now]") {
  gateway::kept_answer kept{1s};
  const gateway::kept_answer::steady began{5h};
  CHECK_FALSE(kept.is_fresh(began));
  kept.keep("{\"a\":1}", "1", began);
  CHECK(kept.is_fresh(began + 999ms));
  CHECK_FALSE(kept.is_fresh(began + 1s));
}

TEST_CASE("the ETag of a kept answer follows its identity", "[gateway][now]") {
  gateway::kept_answer kept{1s};
  const gateway::kept_answer::steady began{5h};
  kept.keep("{\"now_ms\":1,\"a\":1}", ",\"a\":1}", began);
  const auto tag = tag_in(kept.response_to({}));
  kept.keep("{\"now_ms\":2,\"a\":1}", ",\"a\":1}", began + 1s);
  CHECK(kept.response_to(request_with("If-None-Match", tag)).status == 304);
  CHECK(kept.response_to({}).body == "{\"now_ms\":2,\"a\":1}");
  kept.keep("{\"now_ms\":3,\"a\":2}", ",\"a\":2}", began + 2s);
  CHECK(kept.response_to(request_with("If-None-Match", tag)).status == 200);
}

TEST_CASE("a body is compressed for clients that take gzip only", "[gateway][now]") {
  const std::string plain(5'000, 'x');
  CHECK(gateway::compressed(plain).size() < 100);
  CHECK(gateway::decompressed(gateway::compressed(plain)) == plain);
  CHECK(gateway::decompressed(gateway::compressed("")).empty());
  CHECK(gateway::takes_gzip(request_with("Accept-Encoding", "gzip;q=0.5, br")));
  CHECK_FALSE(gateway::takes_gzip(request_with("Accept-Encoding", "gzip;q=0, br")));
  CHECK_FALSE(gateway::takes_gzip({}));
}
