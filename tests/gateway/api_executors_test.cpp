// Executors in /api/v1.

#include "tests/support/catch.hpp"

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

TEST_CASE_METHOD(api_fixture, "executors are listed with their state and last heartbeat", "[gateway][api][executors]") {
  open();
  const auto page = json_of(call("GET", "/executors?group=1&state=gone&limit=1"));
  CHECK(page["items"] == json::parse(R"([{"group":1,"app_name":"app-1","address":"http://10.0.0.3:9999/","state":"gone",
                                          "last_beat_ms":1767323045000,"link":false,"family":"xxl"}])"));
  CHECK(page["total"] == 41);
  CHECK(page["next"] == "p1");
  CHECK(json_of(call("GET", "/executors", {}, "stranger"))["items"].empty());
  CHECK(call("GET", "/executors?group=2", {}, "viewer").status() == 403);
  for (const auto* query : {"state=down", "state=", "group=x", "group=0", "limit=0", "app=a"}) {
    CAPTURE(query);
    CHECK(call("GET", std::string{"/executors?"} + query).status() == 400);
  }
}
