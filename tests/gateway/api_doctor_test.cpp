// Reports of the doctor in /api/v1.

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

TEST_CASE_METHOD(api_fixture, "the last report of the doctor has levels and remedies", "[gateway][api][doctor]") {
  open();
  CHECK(json_of(call("GET", "/doctor")) == json::parse(R"({"at_ms":1767225600000,"node":"node-a","state":"done","findings":[
    {"check":"clock","level":"ok","text":"agrees with the database","remedy":null},
    {"check":"disk","level":"warning","text":"nearly full","remedy":"free some space"},
    {"check":"mode","level":"failed","text":"differs","remedy":null}]})"));
  CHECK(call("GET", "/doctor?full=true").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "a start of the doctor answers 202 with the running report", "[gateway][api][doctor]") {
  open();
  const auto reply = call("POST", "/doctor");
  CHECK(reply.status() == 202);
  CHECK(json_of(reply) == json::parse(R"({"at_ms":1767225600000,"node":"node-a","state":"running","findings":[]})"));
  CHECK(script->take_asked() == std::vector<std::string>{"start_doctor() by admin@127.0.0.1"});
}
