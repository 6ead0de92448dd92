// Permissions in /api/v1: each route, each role, in an own and in a foreign group.

#include "tests/support/catch.hpp"

#include <array>
#include <map>
#include <string>
#include <utility>

#include "tests/gateway/api_fixture.hpp"
#include "tests/gateway/rights.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

/// Request below /api/v1, with its body.
struct probe {
  const char* target;
  const char* body = "";
};

struct api_rights_row {
  const char* method;
  const char* path;
  probe mine;
  const char* own;
  probe theirs;
  const char* foreign;
};

/// Answered 404 to all but administrators.
constexpr const char* hidden = ">????+";
constexpr const char* own_job = R"({"group":1,"name":"x"})";
constexpr const char* foreign_job = R"({"group":2,"name":"x"})";
constexpr const char* own_elastic = R"({"group":1,"name":"x","total":2})";
constexpr const char* foreign_elastic = R"({"group":2,"name":"x","total":2})";
constexpr const char* sign_in = R"({"name":"ann","password":"123456"})";
constexpr const char* group = R"({"app_name":"app-1","title":"x"})";
constexpr const char* source = R"({"source":"echo","remark":"12345"})";
constexpr const char* some_files = R"({"files":[{"name":"a.toml","text":""}]})";
constexpr const char* own_change = R"({"job":7,"schedule":{"type":"NONE"}})";
constexpr const char* foreign_change = R"({"job":1007,"schedule":{"type":"NONE"}})";
constexpr const char* span = "?from_ms=1767225600000&to_ms=1767312000000";

const std::array api_rights = std::to_array<api_rights_row>({
  {"GET", "/openapi.json", {"/openapi.json"}, everybody, {"/openapi.json"}, everybody},
  {"GET", "/about", {"/about"}, everybody, {"/about"}, everybody},
  {"GET", "/jobs", {"/jobs?group=1"}, viewers, {"/jobs?group=2"}, admins},
  {"POST", "/jobs", {"/jobs", own_job}, editors, {"/jobs", foreign_job}, admins},
  {"POST", "/jobs/start", {"/jobs/start", R"({"ids":[7]})"}, operators, {"/jobs/start", R"({"ids":[1007]})"}, admins},
  {"POST", "/jobs/stop", {"/jobs/stop", R"({"ids":[7]})"}, operators, {"/jobs/stop", R"({"ids":[1007]})"}, admins},
  {"POST", "/jobs/trigger", {"/jobs/trigger", R"({"ids":[7]})"}, operators, {"/jobs/trigger", R"({"ids":[1007]})"}, admins},
  // In a foreign group each object of the task fails.
  {"POST", "/jobs/delete", {"/jobs/delete", R"({"ids":[7]})"}, editors, {"/jobs/delete", R"({"ids":[1007]})"}, editors},
  {"GET", "/jobs/{id}", {"/jobs/7"}, viewers, {"/jobs/1007"}, admins},
  {"PUT", "/jobs/{id}", {"/jobs/7", own_job}, editors, {"/jobs/1007", foreign_job}, admins},
  {"DELETE", "/jobs/{id}", {"/jobs/7"}, editors, {"/jobs/1007"}, admins},
  {"POST", "/jobs/{id}/start", {"/jobs/7/start"}, operators, {"/jobs/1007/start"}, admins},
  {"POST", "/jobs/{id}/stop", {"/jobs/7/stop"}, operators, {"/jobs/1007/stop"}, admins},
  {"POST", "/jobs/{id}/trigger", {"/jobs/7/trigger"}, operators, {"/jobs/1007/trigger"}, admins},
  {"GET", "/jobs/{id}/sources", {"/jobs/7/sources"}, viewers, {"/jobs/1007/sources"}, admins},
  {"GET", "/jobs/{id}/sources/{version}", {"/jobs/7/sources/3"}, viewers, {"/jobs/1007/sources/3"}, admins},
  {"PUT", "/jobs/{id}/source", {"/jobs/7/source", source}, editors, {"/jobs/1007/source", source}, admins},
  {"GET", "/jobs/{id}/declaration", {"/jobs/7/declaration"}, viewers, {"/jobs/1007/declaration"}, admins},
  {"GET", "/jobs/{id}/changes", {"/jobs/7/changes"}, viewers, {"/jobs/1007/changes"}, admins},
  {"GET", "/jobs/{id}/timeline", {"/jobs/7/timeline"}, viewers, {"/jobs/1007/timeline"}, admins},
  {"GET", "/intents/{id}", {"/intents/50"}, viewers, {"/intents/1050"}, admins},

  {"GET", "/groups", {"/groups"}, users, {"/groups"}, users},
  {"POST", "/groups", {"/groups", group}, admins, {"/groups", group}, admins},
  {"GET", "/groups/{id}", {"/groups/1"}, viewers, {"/groups/2"}, admins},
  {"PUT", "/groups/{id}", {"/groups/1", group}, admins, {"/groups/2", group}, admins},
  {"DELETE", "/groups/{id}", {"/groups/1"}, admins, {"/groups/2"}, admins},
  {"GET", "/groups/{id}/changes", {"/groups/1/changes"}, viewers, {"/groups/2/changes"}, admins},

  {"GET", "/executors", {"/executors?group=1"}, viewers, {"/executors?group=2"}, admins},
  {"GET", "/executors/refused", {"/executors/refused"}, admins, {"/executors/refused"}, admins},

  {"GET", "/export", {"/export"}, admins, {"/export?group=2"}, admins},
  {"POST", "/apply", {"/apply", some_files}, admins, {"/apply", some_files}, admins},
  {"GET", "/declared", {"/declared"}, admins, {"/declared"}, admins},
  {"GET", "/declared/{name}/drift", {"/declared/deploy/drift"}, admins, {"/declared/ci/drift"}, admins},

  {"GET", "/runs", {"/runs?group=1"}, viewers, {"/runs?group=2"}, admins},
  {"POST", "/runs/clear", {"/runs/clear", R"({"group":1,"all":true})"}, editors, {"/runs/clear", R"({"all":true})"}, admins},
  {"POST", "/runs/kill", {"/runs/kill", R"({"ids":[70]})"}, operators, {"/runs/kill", R"({"ids":[1070]})"}, operators},
  {"POST", "/runs/rerun", {"/runs/rerun", R"({"ids":[70]})"}, operators, {"/runs/rerun", R"({"ids":[1070]})"}, operators},
  {"GET", "/tasks/{id}", {"/tasks/7"}, users, {"/tasks/1007"}, hidden},
  {"POST", "/tasks/{id}/abort", {"/tasks/7/abort"}, users, {"/tasks/1007/abort"}, hidden},
  {"GET", "/runs/{id}", {"/runs/70"}, viewers, {"/runs/1070"}, admins},
  {"GET", "/runs/{id}/related", {"/runs/70/related"}, viewers, {"/runs/1070/related"}, admins},
  {"GET", "/runs/{id}/log", {"/runs/70/log"}, viewers, {"/runs/1070/log"}, admins},
  {"GET", "/runs/{id}/log/file", {"/runs/70/log/file"}, viewers, {"/runs/1070/log/file"}, admins},
  {"GET", "/runs/{id}/log/search", {"/runs/70/log/search?q=x"}, viewers, {"/runs/1070/log/search?q=x"}, admins},
  {"POST", "/runs/{id}/kill", {"/runs/70/kill"}, operators, {"/runs/1070/kill"}, admins},
  {"GET", "/reports", {"/reports"}, users, {"/reports"}, users},
  {"GET", "/schedule/preview", {"/schedule/preview?type=NONE"}, users, {"/schedule/preview?type=NONE"}, users},

  {"GET", "/schedule/forecast", {"/schedule/forecast?group=1"}, viewers, {"/schedule/forecast?group=2"}, admins},
  {"GET", "/schedule/forecast/counts", {"/schedule/forecast/counts?group=1"}, viewers,
   {"/schedule/forecast/counts?group=2"}, admins},
  {"POST", "/schedule/what_if", {"/schedule/what_if", own_change}, viewers, {"/schedule/what_if", foreign_change}, admins},
  {"GET", "/nodes", {"/nodes"}, users, {"/nodes"}, users},
  {"GET", "/now", {"/now"}, users, {"/now"}, users},
  {"GET", "/search", {"/search?q=a"}, users, {"/search?q=1007"}, users},

  {"POST", "/session", {"/session", sign_in}, everybody, {"/session", sign_in}, everybody},
  {"GET", "/session", {"/session"}, users, {"/session"}, users},
  {"DELETE", "/session", {"/session"}, users, {"/session"}, users},
  {"GET", "/sessions", {"/sessions"}, users, {"/sessions?user=99"}, admins},
  {"DELETE", "/sessions/{id}", {"/sessions/5"}, users, {"/sessions/1005"}, admins},
  {"GET", "/keys", {"/keys"}, users, {"/keys?user=99"}, admins},
  {"POST", "/keys", {"/keys", R"({"name":"ci"})"}, users, {"/keys", R"({"name":"ci","user":99})"}, admins},
  {"DELETE", "/keys/{id}", {"/keys/5"}, users, {"/keys/1005"}, admins},

  {"GET", "/elastic/jobs", {"/elastic/jobs?group=1"}, viewers, {"/elastic/jobs?group=2"}, admins},
  {"POST", "/elastic/jobs", {"/elastic/jobs", own_elastic}, editors, {"/elastic/jobs", foreign_elastic}, admins},
  {"GET", "/elastic/jobs/{id}", {"/elastic/jobs/7"}, viewers, {"/elastic/jobs/1007"}, admins},
  {"PUT", "/elastic/jobs/{id}", {"/elastic/jobs/7", own_elastic}, editors, {"/elastic/jobs/1007", foreign_elastic}, admins},
  {"DELETE", "/elastic/jobs/{id}", {"/elastic/jobs/7"}, editors, {"/elastic/jobs/1007"}, admins},
  {"GET", "/elastic/jobs/{id}/declaration", {"/elastic/jobs/7/declaration"}, viewers, {"/elastic/jobs/1007/declaration"},
   admins},
  {"POST", "/elastic/preview", {"/elastic/preview", own_elastic}, viewers, {"/elastic/preview", foreign_elastic}, admins},
  {"GET", "/elastic/jobs/{id}/items", {"/elastic/jobs/7/items"}, viewers, {"/elastic/jobs/1007/items"}, admins},
  {"GET", "/elastic/jobs/{id}/history", {"/elastic/jobs/7/history"}, viewers, {"/elastic/jobs/1007/history"}, admins},
  {"GET", "/elastic/jobs/{id}/plan", {"/elastic/jobs/7/plan"}, viewers, {"/elastic/jobs/1007/plan"}, admins},
  {"POST", "/elastic/jobs/{id}/enable", {"/elastic/jobs/7/enable"}, operators, {"/elastic/jobs/1007/enable"}, admins},
  {"POST", "/elastic/jobs/{id}/disable", {"/elastic/jobs/7/disable"}, operators, {"/elastic/jobs/1007/disable"}, admins},
  {"POST", "/elastic/jobs/{id}/shutdown", {"/elastic/jobs/7/shutdown"}, operators, {"/elastic/jobs/1007/shutdown"}, admins},
  {"POST", "/elastic/jobs/{id}/trigger", {"/elastic/jobs/7/trigger"}, operators, {"/elastic/jobs/1007/trigger"}, admins},
  {"POST", "/elastic/jobs/{id}/drain", {"/elastic/jobs/7/drain"}, operators, {"/elastic/jobs/1007/drain"}, admins},
  {"POST", "/elastic/jobs/{id}/restart", {"/elastic/jobs/7/restart"}, operators, {"/elastic/jobs/1007/restart"}, admins},
  {"POST", "/elastic/jobs/{id}/hosts/{name}/enable", {"/elastic/jobs/7/hosts/h1/enable"}, operators,
   {"/elastic/jobs/1007/hosts/h1/enable"}, admins},
  {"POST", "/elastic/jobs/{id}/hosts/{name}/disable", {"/elastic/jobs/7/hosts/h1/disable"}, operators,
   {"/elastic/jobs/1007/hosts/h1/disable"}, admins},
  {"GET", "/elastic/jobs/{id}/dump", {"/elastic/jobs/7/dump"}, viewers, {"/elastic/jobs/1007/dump"}, admins},
  {"POST", "/elastic/runs/{id}/cancel", {"/elastic/runs/70/cancel"}, operators, {"/elastic/runs/1070/cancel"}, admins},
  {"GET", "/elastic/hosts", {"/elastic/hosts?group=1"}, viewers, {"/elastic/hosts?group=2"}, admins},
  {"POST", "/elastic/hosts/{name}/enable", {"/elastic/hosts/h1/enable"}, admins, {"/elastic/hosts/h2/enable"}, admins},
  {"POST", "/elastic/hosts/{name}/disable", {"/elastic/hosts/h1/disable"}, admins, {"/elastic/hosts/h2/disable"}, admins},
  {"POST", "/elastic/hosts/{name}/drain", {"/elastic/hosts/h1/drain"}, admins, {"/elastic/hosts/h2/drain"}, admins},
  {"POST", "/elastic/hosts/{name}/remove", {"/elastic/hosts/h1/remove"}, admins, {"/elastic/hosts/h2/remove"}, admins},
  {"GET", "/elastic/servers", {"/elastic/servers?group=1"}, viewers, {"/elastic/servers?group=2"}, admins},

  {"GET", "/alarms/channels", {"/alarms/channels"}, admins, {"/alarms/channels"}, admins},
  {"GET", "/alarms/rules", {"/alarms/rules"}, admins, {"/alarms/rules"}, admins},
  {"GET", "/alarms/open", {"/alarms/open"}, admins, {"/alarms/open"}, admins},
  {"POST", "/alarms/channels/{name}/test", {"/alarms/channels/mail/test"}, admins, {"/alarms/channels/ops/test"}, admins},

  {"GET", "/doctor", {"/doctor"}, admins, {"/doctor"}, admins},
  {"POST", "/doctor", {"/doctor"}, admins, {"/doctor"}, admins},

  {"GET", "/users", {"/users"}, admins, {"/users"}, admins},
  {"POST", "/users", {"/users", R"({"name":"abcd","password":"efgh","admin":false})"}, admins,
   {"/users", R"({"name":"abcd","password":"efgh","admin":true})"}, admins},
  {"PUT", "/users/me/password", {"/users/me/password", R"({"old_password":"abcd","password":"efgh"})"}, users,
   {"/users/me/password", R"({"old_password":"abcd","password":"efgh"})"}, users},
  {"GET", "/users/me/settings", {"/users/me/settings"}, users, {"/users/me/settings"}, users},
  {"PUT", "/users/me/settings", {"/users/me/settings", R"({"theme":"dark"})"}, users,
   {"/users/me/settings", R"({"theme":"dark"})"}, users},
  {"GET", "/users/{id}", {"/users/4"}, admins, {"/users/5"}, admins},
  {"PUT", "/users/{id}", {"/users/4", R"({"admin":false})"}, admins, {"/users/5", R"({"admin":true})"}, admins},
  {"DELETE", "/users/{id}", {"/users/4"}, admins, {"/users/5"}, admins},
  {"GET", "/audit", {"/audit"}, admins, {"/audit"}, admins},
});

const api_rights_row* find_rights(const gateway::route& row) {
  const auto* found = std::find_if(api_rights.begin(), api_rights.end(), [&row](const api_rights_row& each) {
    return row.method == each.method && row.path == std::string{"/api/v1"} + each.path;
  });
  return found != api_rights.end() ? found : nullptr;
}

char api_outcome_of(const raw_socket::message& reply) {
  if (reply.status() == 401)
    return '>';
  // In a request for many jobs each is refused on its own.
  if (reply.status() == 403 || reply.body.find(R"("status":403)") != std::string::npos)
    return '-';
  return reply.status() / 100 == 2 ? '+' : '?';
}

class api_rights_fixture : public api_fixture {
public:
  raw_socket::message call_row(const gateway::route& row, const probe& of, const std::string& session) {
    auto target = std::string{of.target};
    if (target == "/reports")
      target += span;
    return call(row.method, target, of.body, session, row.takes_if_match ? "If-Match: *\r\n" : "");
  }

  std::string outcomes(const gateway::route& row, const probe& of) {
    std::string letters;
    for (const auto* role : roles) {
      const auto reply = call_row(row, of, role);
      letters += api_outcome_of(reply);
      if (letters.back() == '-')
        CHECK(reply.body.find("needs the permission") != std::string::npos);
      const auto asked = script->take_asked();
      // No actor is asked before the caller is known.
      if (letters.back() == '>' || (letters.back() == '-' && row.who.who == gateway::access::admin))
        CHECK(asked.empty());
    }
    return letters;
  }
};

} // namespace

TEST_CASE("each route of the API has one row of permissions, and each row a route", "[gateway][rights][api]") {
  std::map<std::pair<std::string_view, std::string_view>, int> seen;
  for (const auto& row : gateway::routes()) {
    if (!is_of_api(row.path))
      continue;
    CAPTURE(row.method, row.path);
    CHECK(++seen[{row.method, row.path}] == 1);
    const auto* known = find_rights(row);
    REQUIRE(known != nullptr);
    if (gateway::needs_session(row.who.who))
      CHECK(known->own == own_rights(row.who.who));
    CHECK(row.changes() == (row.method != "GET"));
  }
  CHECK(seen.size() == api_rights.size());
}

TEST_CASE_METHOD(api_rights_fixture, "permissions by route of the API, role and group", "[gateway][rights][api]") {
  open();
  for (const auto& row : gateway::routes()) {
    if (!is_of_api(row.path))
      continue;
    const auto* known = find_rights(row);
    REQUIRE(known != nullptr);
    CAPTURE(row.method, row.path);
    CHECK(outcomes(row, known->mine) == known->own);
    CHECK(outcomes(row, known->theirs) == known->foreign);
  }
}

TEST_CASE_METHOD(api_rights_fixture, "a user with a password to change can do only that in the API", "[gateway][rights][api]") {
  open();
  for (const auto& row : gateway::routes()) {
    if (!is_of_api(row.path) || !gateway::needs_session(row.who.who))
      continue;
    CAPTURE(row.method, row.path);
    const auto reply = call_row(row, find_rights(row)->mine, "mona");
    const bool is_change = row.path.ends_with("/password");
    const bool is_told = row.path.ends_with("/session");
    CHECK(api_outcome_of(reply) == (is_change || is_told ? '+' : '-'));
    const bool is_end = is_told && row.method == "DELETE";
    CHECK(script->take_asked().size() == (is_change || is_end ? 1 : 0));
  }
}
