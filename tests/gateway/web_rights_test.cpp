// Permissions: each route of the table, each role, in an own and in a foreign group.

#include "tests/support/catch.hpp"

#include <array>
#include <map>
#include <span>

#include "tests/gateway/rights.hpp"
#include "tests/gateway/web_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

/// The letters are those of tests/gateway/rights.hpp.
struct rights_row {
  const char* path;
  const char* own_form;
  const char* own;
  const char* foreign_form;
  const char* foreign;
};

constexpr const char* none = "";

const std::array rights = std::to_array<rights_row>({
  // without an access token
  {"/api/registry", none, nobody, none, nobody},
  {"/api/registryRemove", none, nobody, none, nobody},
  {"/api/callback", none, nobody, none, nobody},
  {"/api/addJob", none, nobody, none, nobody},
  {"/api/updateJob", none, nobody, none, nobody},
  {"/api/removeJob", none, nobody, none, nobody},
  {"/api/startJob", none, nobody, none, nobody},
  {"/api/stopJob", none, nobody, none, nobody},
  {"/api/triggerJob", none, nobody, none, nobody},
  {"/", none, everybody, none, everybody},
  {"/livez", none, everybody, none, everybody},
  {"/readyz", none, everybody, none, everybody},
  {"/actuator/health", none, everybody, none, everybody},
  {"/metrics", none, nobody, none, nobody},

  {"/toLogin", none, visitors, none, visitors},
  {"/login", "userName=a&password=b", everybody, none, everybody},
  {"/logout", none, everybody, none, everybody},
  {"/auth/login", none, visitors, none, visitors},
  {"/auth/doLogin", "userName=a&password=b", everybody, none, everybody},
  {"/auth/logout", none, everybody, none, everybody},

  {"/jobinfo/pageList", "jobGroup=1&triggerStatus=-1", viewers, "jobGroup=2&triggerStatus=-1", admins},
  {"/jobinfo/add", "jobGroup=1&jobDesc=x", editors, "jobGroup=2&jobDesc=x", admins},
  {"/jobinfo/insert", "jobGroup=1&jobDesc=x", editors, "jobGroup=2&jobDesc=x", admins},
  {"/jobinfo/update", "id=7&jobGroup=1", editors, "id=1007&jobGroup=1", admins},
  {"/jobinfo/remove", "id=7", editors, "id=1007", admins},
  {"/jobinfo/delete", "ids[]=7", editors, "ids[]=1007", admins},
  {"/jobinfo/start", "id=7", operators, "id=1007", admins},
  {"/jobinfo/stop", "id=7", operators, "id=1007", admins},
  {"/jobinfo/trigger", "id=7", operators, "id=1007", admins},
  {"/jobinfo/nextTriggerTime", "scheduleType=NONE", users, "scheduleType=NONE", users},
  {"/jobcode/save", "id=7&glueSource=x&glueRemark=12345", editors, "id=1007&glueSource=x&glueRemark=12345", admins},

  {"/joblog/pageList", "jobGroup=1&jobId=0&logStatus=-1", viewers, "jobGroup=2&jobId=0&logStatus=-1", admins},
  {"/joblog/getJobsByGroup", "jobGroup=1", viewers, "jobGroup=2", admins},
  {"/joblog/logDetailCat", "logId=70&fromLineNum=1", viewers, "logId=1070&fromLineNum=1", admins},
  {"/joblog/logKill", "id=70", operators, "id=1070", admins},
  {"/joblog/clearLog", "jobGroup=1&jobId=0&type=9", editors, "jobGroup=2&jobId=0&type=9", admins},
  {"/chartInfo", "startDate=2026-01-01 00:00:00&endDate=2026-01-02 00:00:00", users,
   "startDate=2026-01-01 00:00:00&endDate=2026-01-02 00:00:00", users},

  {"/jobgroup/pageList", none, admins, none, admins},
  {"/jobgroup/save", "appname=app-1&title=x", admins, none, admins},
  {"/jobgroup/insert", "appname=app-1&title=x", admins, none, admins},
  {"/jobgroup/update", "id=1", admins, "id=2", admins},
  {"/jobgroup/remove", "id=1", admins, "id=2", admins},
  {"/jobgroup/delete", "ids[]=1", admins, "ids[]=2", admins},
  {"/jobgroup/loadById", "id=1", viewers, "id=2", admins},

  {"/user/pageList", "role=-1", admins, "role=0", admins},
  {"/user/add", "username=abcd&password=efgh&role=0", admins, none, admins},
  {"/user/insert", "username=abcd&password=efgh&role=0", admins, none, admins},
  {"/user/update", "id=4&role=1", admins, "id=5&role=1", admins},
  {"/user/remove", "id=4", admins, "id=5", admins},
  {"/user/delete", "ids[]=4", admins, "ids[]=5", admins},
  {"/user/updatePwd", "oldPassword=abcd&password=efgh", users, none, users},
  {"/auth/updatePwd", "oldPassword=abcd&password=efgh", users, none, users},
});

const rights_row* find_rights(std::string_view path) {
  const auto* found = std::find_if(rights.begin(), rights.end(), [path](const rights_row& each) { return each.path == path; });
  return found != rights.end() ? found : nullptr;
}

char outcome_of(const raw_socket::message& reply) {
  const auto has = [&](std::string_view part) { return reply.body.find(part) != std::string::npos; };
  if (reply.status() == 302 || reply.status() == 303 || has("not login for path"))
    return '>';
  if (reply.status() == 403)
    return '-';
  if (reply.status() != 200)
    return '?';
  return has(R"("code":500)") ? '-' : '+';
}

class rights_fixture : public web_fixture {
public:
  rights_fixture() { security.trust_loopback = false; }

  raw_socket::message call(const gateway::route& row, const std::string& form, const std::string& cookie) {
    auto sent = form;
    std::replace(sent.begin(), sent.end(), ' ', '+');
    if (row.method.find("GET") != std::string_view::npos)
      return get("/xxl-job-admin" + std::string{row.path} + "?" + sent, cookie);
    return submit(std::string{row.path}, sent, cookie);
  }

  std::string outcomes(const gateway::route& row, const std::string& form) {
    std::string letters;
    for (const auto* role : roles) {
      const auto reply = call(row, form, row.by == gateway::dialect_set::xxl3_only ? cookie_3(role) : cookie_2(role));
      letters += outcome_of(reply);
      const bool about_people = row.by != gateway::dialect_set::none;
      if (letters.back() == '-' && about_people)
        CHECK(reply.body.find("ermission limit") != std::string::npos);
      const auto asked = script->take_asked();
      // No actor is asked before the caller is known.
      if (letters.back() == '>' || (letters.back() == '-' && row.who.who == gateway::access::admin))
        CHECK(asked.empty());
    }
    return letters;
  }
};

template <class Route>
concept can_lack_permission = requires { Route{std::string_view{}, std::string_view{}, nullptr}; };

} // namespace

TEST_CASE("a route without a permission does not compile", "[gateway][rights]") {
  STATIC_REQUIRE_FALSE(std::is_default_constructible_v<gateway::permission>);
  STATIC_REQUIRE_FALSE(can_lack_permission<gateway::route>);
  STATIC_REQUIRE(gateway::route{"GET", "/x", nullptr, gateway::access::admin}.who.who == gateway::access::admin);
}

TEST_CASE("each route has one row of permissions, and each row a route", "[gateway][rights]") {
  std::map<std::string_view, int> seen;
  for (const auto& row : gateway::routes()) {
    if (is_of_api(row.path))
      continue;
    CAPTURE(row.path);
    CHECK(++seen[row.path] == 1);
    const auto* known = find_rights(row.path);
    REQUIRE(known != nullptr);
    if (gateway::needs_session(row.who.who))
      CHECK(known->own == own_rights(row.who.who));
    // A link never changes anything.
    const bool reads = row.method.find("GET") != std::string_view::npos;
    CHECK(row.changes() != reads);
  }
  CHECK(seen.size() == rights.size());
}

TEST_CASE_METHOD(rights_fixture, "permissions by route, role and group", "[gateway][rights]") {
  open();
  for (const auto& row : gateway::routes()) {
    if (is_of_api(row.path))
      continue;
    const auto* known = find_rights(row.path);
    REQUIRE(known != nullptr);
    CAPTURE(row.path);
    CHECK(outcomes(row, known->own_form) == known->own);
    if (*known->foreign_form != '\0')
      CHECK(outcomes(row, known->foreign_form) == known->foreign);
  }
}

TEST_CASE_METHOD(rights_fixture, "a user who must change the password may only do that and sign out", "[gateway][rights]") {
  open();
  for (const auto& row : gateway::routes()) {
    if (!gateway::needs_session(row.who.who) || is_of_api(row.path))
      continue;
    CAPTURE(row.path);
    const auto reply = call(row, find_rights(row.path)->own_form,
                            row.by == gateway::dialect_set::xxl3_only ? cookie_3("mona") : cookie_2("mona"));
    const bool is_change = row.path.ends_with("/updatePwd");
    CHECK(outcome_of(reply) == (is_change ? '+' : '-'));
    CHECK((reply.body.find("change your password first") != std::string::npos) == !is_change);
    CHECK(script->take_asked().size() == (is_change ? 1 : 0));
  }
  CHECK(submit("/logout", "", cookie_2("mona")).body.find(R"("code":200)") != std::string::npos);
}
