// Routes with numbers in their path.

#include "tests/support/catch.hpp"

#include <array>

#include "gateway/exchange/paths.hpp"
#include "tests/gateway/gateway_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

using gateway::access;
using gateway::match_path;


void tell(const gateway::exchange& ex, std::string_view text) {
  ex.respond({200, "text/plain", std::string{text}.append(" ").append(ex.parameter("id")).append(ex.parameter("run")), {}});
}

constexpr std::array table = std::to_array<gateway::route>({
  {"DELETE", "/api/v1/things/{id}", [](gateway::exchange ex) { tell(ex, "gone"); }, access::anyone},
  {"GET", "/api/v1/things/{id}", [](gateway::exchange ex) { tell(ex, "one"); }, access::anyone},
  {"GET", "/api/v1/things", [](gateway::exchange ex) { tell(ex, "all"); }, access::anyone},
  {"POST", "/api/v1/things", [](gateway::exchange ex) { tell(ex, "new"); }, access::anyone},
  {"POST", "/api/v1/things/{id}/runs/{run}", [](gateway::exchange ex) { tell(ex, "run"); }, access::anyone},
  {"GET", "/api/v1/things/7", [](gateway::exchange ex) { tell(ex, "seven"); }, access::anyone},
});

} // namespace

TEST_CASE("a path is matched by its pattern", "[gateway][routes]") {
  const auto found = match_path("/jobs/{id}/runs/{run}", "/jobs/5/runs/9223372036854775807");
  REQUIRE(found);
  CHECK(*found == gateway::path_parameters{{"id", "5"}, {"run", "9223372036854775807"}});
  CHECK(match_path("/jobs", "/jobs")->empty());
  for (const auto* other : {"/jobs/5", "/jobs/5/runs", "/jobs/5/runs/", "/jobs/5/runs/6/7", "/job/5/runs/6", "/jobs//runs/6", "",
                            "/", "jobs/5/runs/6/", "/jobs/5/Runs/6"}) {
    CAPTURE(other);
    CHECK_FALSE(match_path("/jobs/{id}/runs/{run}", other));
  }
}

TEST_CASE("only positive 64-bit numbers in canonical form match an id", "[gateway][routes]") {
  for (const auto* odd : {"0", "-1", "+1", "01", "1 ", " 1", "1.0", "1e3", "0x1", "9223372036854775808",
                          "99999999999999999999999", "", "{id}", "%31", "1%00", "a", "1;x", "\xd9\xa1", ".."}) {
    CAPTURE(odd);
    CHECK_FALSE(match_path("/jobs/{id}", std::string{"/jobs/"} + odd));
  }
}

TEST_CASE("a name in a path is one segment and decoded", "[gateway][routes]") {
  const auto name_in = [](std::string_view path) {
    const auto found = match_path("/channels/{name}/test", path);
    return found ? found->at(0).second : "(none)";
  };
  CHECK(name_in("/channels/mail/test") == "mail");
  CHECK(name_in("/channels/on%20call+x/test") == "on call+x");
  CHECK(name_in("/channels/a%2Fb/test") == "a/b");
  CHECK(name_in("/channels/%E5%91%8A/test") == "告");
  for (const auto* other : {"/channels//test", "/channels/a/b/test", "/channels/%/test", "/channels/%g0/test",
                            "/channels/%ff/test", "/channels/a%00b/test", "/channels/mail/Test", "/channels/mail"}) {
    CAPTURE(other);
    CHECK(name_in(other) == "(none)");
  }
  CHECK(name_in("/channels/" + std::string(1025, 'a') + "/test") == "(none)");
}

TEST_CASE_METHOD(gateway_fixture, "each method of a path has its own handler", "[gateway][routes]") {
  open(table);
  CHECK(get("/api/v1/things").body == "all ");
  CHECK(post("/api/v1/things", "").body == "new ");
  CHECK(get("/xxl-job-admin/api/v1/things/12").body == "one 12");
  CHECK(get("/xxl-job-admin/api/v1/things/12?x=13").status() == 400);
  CHECK(ask(text("DELETE", "/api/v1/things/12", "", "")).body == "gone 12");
  CHECK(post("/api/v1/things/12/runs/34", "").body == "run 1234");
  const auto refused = ask(text("PUT", "/api/v1/things/12", "", ""));
  CHECK(refused.status() == 405);
  CHECK(has(refused.head, "Allow: DELETE, GET, HEAD\r\n"));
  CHECK(has(post("/api/v1/things/12", "").head, "Allow: DELETE, GET, HEAD\r\n"));
}

TEST_CASE_METHOD(gateway_fixture, "an exact path takes precedence, and a non-numeric segment is not found", "[gateway][routes]") {
  open(table);
  CHECK(get("/api/v1/things/7").body == "seven ");
  for (const auto* odd : {"0", "-7", "x", "%37", "9223372036854775808", "7/runs", "7/runs/x"}) {
    CAPTURE(odd);
    const auto reply = get(std::string{"/api/v1/things/"} + odd);
    CHECK(reply.status() == 404);
    CHECK(has(reply.head, "Content-Type: application/problem+json\r\n"));
  }
}
