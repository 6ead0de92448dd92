// The search over all kinds of objects, and the timeline of a job, in /api/v1.

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

using asked_of_overviews = std::vector<std::string>;

TEST_CASE_METHOD(api_fixture, "a search answers all kinds of objects at once", "[gateway][api][search]") {
  open();
  const auto found = json_of(call("GET", "/search?q=%20night%20&limit=3"));
  CHECK(script->take_asked() == asked_of_overviews{"object_query('night', 3) by admin@127.0.0.1"});
  CHECK(found["jobs"] == json::parse(R"([{"id":7,"group":1,"name":"nightly","handler":"handler","key":"settle"}])"));
  CHECK(found["groups"] == json::parse(R"([{"id":1,"app_name":"app-1","title":"First"}])"));
  CHECK(found["users"] == json::parse(R"([{"id":4,"name":"edda","admin":false}])"));
  CHECK(found["runs"][0]["id"] == 70);
  CHECK(found["runs"][0]["job_name"] == "settle");
  CHECK(found["truncated"] == true);
  CHECK(json_of(call("GET", "/search?q=x", {}, "viewer"))["users"].empty());
  CHECK(script->take_asked() == asked_of_overviews{"object_query('x', 8) by vera@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "a search without a text, or with too long a one, is refused", "[gateway][api][search]") {
  open();
  const auto hundred = "/search?q=" + std::string(100, 'x');
  CHECK(call("GET", hundred).status() == 200);
  (void) script->take_asked();
  for (const auto& target : {std::string{"/search"}, std::string{"/search?q="}, std::string{"/search?q=%20"}, hundred + "x",
                             std::string{"/search?q=x&limit=0"}, std::string{"/search?q=x&limit=9"},
                             std::string{"/search?q=x&group=1"}}) {
    CAPTURE(target);
    CHECK(call("GET", target).status() == 400);
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "a timeline has runs, instants and edits", "[gateway][api][timeline]") {
  open();
  const auto drawn = json_of(call("GET", "/jobs/7/timeline?from_ms=1767312000000&to_ms=1767398400000&limit=10"));
  CHECK(script->take_asked() == asked_of_overviews{"timeline_query(7, 1767312000000, 1767398400000, 10) by admin@127.0.0.1"});
  CHECK(drawn["instants"] == json::parse(R"([{"at_ms":1767323045000,"run":70,"outcome":"late"},
                                             {"at_ms":1767323105000,"run":null,"outcome":"future"}])"));
  CHECK(drawn["edits"] ==
        json::parse(R"([{"at_ms":1767323045000,"by":"tom","action":"update","fields":["schedule","params"]}])"));
  CHECK(drawn["runs"][0]["id"] == 70);
  CHECK(drawn["runs"][0].contains("reason"));
  CHECK(drawn["known_from_ms"] == 1767323045000);
  CHECK(drawn["from_ms"] == 1767312000000);
  CHECK(drawn["to_ms"] == 1767398400000);
  CHECK(drawn["truncated"] == true);
}

TEST_CASE_METHOD(api_fixture, "a timeline covers at most 31 days", "[gateway][api][timeline]") {
  open();
  constexpr std::int64_t from = 1767312000000, days_31 = std::int64_t{31} * 86400000;
  const auto target = [](std::int64_t until) {
    return "/jobs/7/timeline?from_ms=" + std::to_string(from) + "&to_ms=" + std::to_string(until);
  };
  CHECK(call("GET", target(from + days_31)).status() == 200);
  CHECK(call("GET", target(from)).status() == 200);
  (void) script->take_asked();
  for (const auto& each : {target(from + days_31 + 1), target(from - 1), std::string{"/jobs/7/timeline?limit=0"},
                           std::string{"/jobs/7/timeline?limit=501"}, std::string{"/jobs/7/timeline?from_ms=x"},
                           std::string{"/jobs/7/timeline?job=7"}}) {
    CAPTURE(each);
    CHECK(call("GET", each).status() == 400);
  }
  CHECK(call("GET", "/jobs/7/timeline").status() == 200);
  CHECK(script->take_asked().size() == 1);
}
