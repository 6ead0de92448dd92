// /api/v1: counts of firings, what-if, and previews with words, notes and places of errors.

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

using nlohmann::json;

using lines = std::vector<std::string>;

TEST_CASE_METHOD(api_fixture, "api: counts of firings", "[gateway][api]") {
  open();
  const auto reply = call("GET", "/schedule/forecast/counts?job=7&bucket_ms=60000&top=5");
  REQUIRE(reply.status() == 200);
  const auto seen = json_of(reply);
  CHECK(seen["counts"] == json::parse("[2,3]"));
  CHECK(seen["firings"] == 5);
  CHECK(seen["bucket_ms"] == 60000);
  CHECK(seen["truncated"] == true);
  CHECK(seen["walked_to_ms"].get<std::int64_t>() == seen["to_ms"].get<std::int64_t>() - 1000);
  CHECK(seen["top"][0] == json{{"at_ms", 1'767'323'045'000}, {"count", 2}, {"jobs", 2}, {"some", {7, 9}}});
  CHECK(seen["jobs"] == json::parse(R"([{"job":7,"count":4}])"));
  CHECK(script->take_asked() == lines{"counts_query('-', '7', 60000, 5, '-') by admin@127.0.0.1"});

  for (const auto* odd : {"job=x", "group=0", "bucket_ms=0", "bucket_ms=59999", "bucket_ms=90000", "bucket_ms=99999999999",
                          "top=0", "top=51", "from_ms=-1", "to_ms=x", "to_ms=253402300799999", "limit=5"}) {
    CAPTURE(odd);
    CHECK(call("GET", std::string{"/schedule/forecast/counts?"} + odd).status() == 400);
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: what if a job had another schedule", "[gateway][api]") {
  open();
  const auto reply = call("POST", "/schedule/what_if", R"({"job":7,"schedule":{"type":"CRON","conf":"0 0 3 * * ?"},"top":9})");
  REQUIRE(reply.status() == 200);
  const auto seen = json_of(reply);
  CHECK(seen["before"]["counts"] == json::parse("[2,3]"));
  CHECK(seen["after"]["counts"] == json::parse("[2,4]"));
  CHECK(seen["after"]["own"][0]["some"] == json::parse("[null]"));
  CHECK(seen["after"]["jobs"] == json::parse(R"([{"job":null,"count":1}])"));
  CHECK(script->take_asked() == lines{"counts_query('-', '-', 3600000, 9, '0 0 3 * * ?') by admin@127.0.0.1"});
  CHECK(call("POST", "/schedule/what_if", R"({"schedule":{"type":"FIX_RATE"},"interval_ms":500})").status() == 200);
  script->take_asked();

  for (const auto* odd : {"{}", R"({"schedule":{"type":"X"}})", R"({"schedule":{"type":"NONE"},"job":0})",
                          R"({"schedule":{"type":"NONE"},"time_zone":"UTC"})", R"({"schedule":{"type":"CRON","conf":""}})",
                          R"({"schedule":{"type":"NONE"},"bucket_ms":1})", R"({"schedule":{"type":"NONE"},"more":1})",
                          R"({"schedule":{"type":"FIX_RATE","conf":"0"}})",
                          R"({"schedule":{"type":"CRON","conf":"0 0 3 * * ?"},"jitter_ms":86400001})"}) {
    CAPTURE(odd);
    CHECK(call("POST", "/schedule/what_if", odd).status() == 400);
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: a wrong schedule is a problem with the member and the characters", "[gateway][api]") {
  open();
  const auto reply = call("GET", "/schedule/preview?type=CRON&conf=0+0+25+*+*+%3F");
  CHECK(reply.status() == 400);
  CHECK(type_of(reply) == "urn:ringmaster:invalid_argument");
  const auto expected = json::parse(R"([{"pointer":"/schedule/conf","code":"out_of_range",
                                         "detail":"Hour values must be between 0 and 23","position":4,"length":2}])");
  CHECK(json_of(reply)["errors"] == expected);
  const auto same = call("POST", "/schedule/what_if", R"({"schedule":{"type":"CRON","conf":"0 0 25 * * ?"}})");
  CHECK(same.status() == 400);
  CHECK(json_of(same)["errors"] == expected);
  const auto zone = json_of(call("GET", "/schedule/preview?type=CRON&conf=0+0+2+*+*+%3F&time_zone=No/Where"))["errors"];
  REQUIRE(zone.size() == 1);
  CHECK(zone[0]["pointer"] == "/time_zone");
  CHECK(zone[0]["code"] == "unknown_zone");
  CHECK_FALSE(zone[0].contains("position"));
}

TEST_CASE_METHOD(api_fixture, "api: a job that is refused for its cron has the place in the problem", "[gateway][api]") {
  open();
  script->refuse({core::errc::invalid_argument, "Hour values must be between 0 and 23", core::refusal::cron_illegal});
  const auto reply = call("POST", "/jobs", R"({"group":1,"name":"x","schedule":{"type":"CRON","conf":"0 0 25 * * ?"}})");
  CHECK(reply.status() == 400);
  const auto errors = json_of(reply)["errors"];
  REQUIRE(errors.size() == 1);
  CHECK(errors[0]["pointer"] == "/schedule/conf");
  CHECK(errors[0]["position"] == 4);
}

TEST_CASE_METHOD(api_fixture, "api: a preview has the zone, words and notes", "[gateway][api]") {
  open();
  const auto seen = json_of(call("GET", "/schedule/preview?type=CRON&conf=0+30+2+*+*+%3F&time_zone=Europe/Berlin&count=2"
                                        "&from_ms=1767225600000&misfire=DO_NOTHING&jitter_ms=60000"));
  CHECK(seen["zone"] == "Europe/Berlin");
  CHECK(seen["next_ms"] == json{1'767'231'000'000, 1'767'317'400'000});
  CHECK(seen["words"].get<std::string>().size() > 10);
  REQUIRE(seen["notes"].size() == 2);
  CHECK(seen["notes"][0] == json{{"code", "dst_skipped"}, {"at_ms", 1'774'746'000'000}});
  const auto none = json_of(call("GET", "/schedule/preview?type=NONE"));
  CHECK(none["words"].is_null());
  CHECK(none["notes"].empty());
  for (const auto* odd : {"misfire=X", "misfire=", "jitter_ms=0", "jitter_ms=86400001", "from_ms=-1", "from_ms=x",
                          "nonsense=1"}) {
    CAPTURE(odd);
    CHECK(call("GET", std::string{"/schedule/preview?type=CRON&conf=0+0+2+*+*+%3F&"} + odd).status() == 400);
  }
}
