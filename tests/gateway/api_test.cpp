// Requests of /api/v1 to actors, and its answers.

#include "tests/support/catch.hpp"

#include "core/editing/edit_tag.hpp"
#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

using lines = std::vector<std::string>;

TEST_CASE_METHOD(api_fixture, "api: edits and removals of objects with an ETag require the current ETag", "[gateway][api]") {
  open();
  const auto [path, body, query, save, remove] = GENERATE(table<const char*, const char*, const char*, const char*, const char*>({
    {"/jobs/7", R"({"group":1,"name":"y","author":"tom"})", "job_query(7)",
     "update_job(7, '1|y|tom||NONE|-|DO_NOTHING|FIRST|SERIAL_EXECUTION|||0|0||||')", "remove_job(7)"},
    {"/groups/1", R"({"app_name":"app-1","title":"One"})", "group_query(1)", "save_group('1', 'app-1', 'One', 0, '')",
     "remove_group(1)"},
    {"/users/4", R"({"admin":true})", "user_by_id(4)", "save_user('4', '', '', true, '-')", "remove_user(4)"},
  }));
  CAPTURE(path);
  const std::string by = " by admin@127.0.0.1";
  const bool is_job = std::string_view{path}.starts_with("/jobs");
  const auto seen = call("GET", path);
  const auto at = seen.head.find("ETag: \"") + 7;
  const auto tag = seen.head.substr(at, seen.head.find('"', at) - at);
  REQUIRE(tag.size() == 32);
  script->take_asked();

  const auto edit = [&, path = path, body = body](const std::string& method, const std::string& match) {
    return call(method, path, method == "PUT" ? body : "", "admin", match.empty() ? "" : "If-Match: " + match + "\r\n");
  };
  for (const auto& method : {std::string{"PUT"}, std::string{"DELETE"}}) {
    CAPTURE(method);
    const std::string wanted = method == "PUT" ? save : remove;
    for (const auto* odd : {"x", "\"1", "\"40\", \"1\"", "\"*\"\r\nIf-Match: *"})
      CHECK(edit(method, odd).status() == 400);
    CHECK(script->take_asked().empty());
    for (const auto& other : {std::string{"\"1\""}, "W/\"" + tag + "0\"", std::string{"\"\""}}) {
      CHECK(type_of(edit(method, other)) == "urn:ringmaster:changed_meanwhile");
      auto asked = lines{query + by};
      if (is_job) // who changed it
        asked.insert(asked.end(), {query + by, "changes_query('job', 1, '-', '20')" + by});
      CHECK(script->take_asked() == asked);
    }
    CHECK(edit(method, '"' + tag + '"').status() / 100 == 2);
    CHECK(script->take_asked() == lines{query + by, wanted + " seen " + tag + by});
    // Another edit came first after all.
    script->refuse(core::edited_meanwhile("it"), wanted);
    const auto late = edit(method, '"' + tag + '"');
    CHECK(late.status() == 412);
    CHECK(type_of(late) == "urn:ringmaster:changed_meanwhile");
    script->take_asked();
  }
  CHECK(type_of(edit("PUT", "")) == "urn:ringmaster:if_match_needed");
  CHECK(script->take_asked().empty());
  for (const auto* any : {"", "*"}) {
    CHECK(edit("DELETE", any).status() == 204);
    CHECK(script->take_asked() == lines{remove + by});
  }
}

TEST_CASE_METHOD(api_fixture, "api: If-Match is refused where it is not supported", "[gateway][api]") {
  open();
  for (const auto& row : gateway::routes()) {
    if (!row.path.starts_with("/api/v1/") || row.takes_if_match)
      continue;
    auto target = std::string{row.path.substr(7)};
    if (const auto at = target.find("{id}"); at != std::string::npos)
      target.replace(at, 4, "7");
    CAPTURE(row.method, target);
    for (const auto* match : {"*", "\"0\"", "x"}) {
      const auto reply = call(row.method, target, {}, "admin", std::string{"If-Match: "} + match + "\r\n");
      if (!row.changes()) {
        CHECK_FALSE(has(reply.body, "If-Match is not supported for this operation"));
        continue;
      }
      CHECK(reply.status() == 400);
      CHECK(has(reply.body, "If-Match is not supported for this operation"));
    }
    const auto asked = script->take_asked();
    if (row.changes())
      CHECK(asked.empty());
  }
}

TEST_CASE_METHOD(api_fixture, "api: groups are listed, added, replaced and removed", "[gateway][api]") {
  open();
  const auto one = json_of(call("GET", "/groups"))["items"][0];
  CHECK(one == json_of(call("GET", "/groups/1")));
  CHECK(one["addresses"] == json::array({"http://a:1/", "http://b:1/"}));
  CHECK(one["address_type"] == "automatic");
  const auto made = call("POST", "/groups", R"({"app_name":"app-9","title":"Nine","address_type":"manual",
    "addresses":["http://c:1","http://d:1"]})");
  CHECK(made.status() == 201);
  CHECK(has(made.head, "Location: /api/v1/groups/9\r\n"));
  CHECK(call("PUT", "/groups/1", R"({"app_name":"app-1","title":"One"})", "admin", "If-Match: *\r\n").status() == 204);
  CHECK(call("DELETE", "/groups/1").status() == 204);
  auto asked = script->take_asked();
  asked.erase(asked.begin(), asked.begin() + 2);
  CHECK(asked == lines{"save_group('-', 'app-9', 'Nine', 1, 'http://c:1,http://d:1') by admin@127.0.0.1",
                       "group_query(1) by admin@127.0.0.1", "save_group('1', 'app-1', 'One', 0, '') by admin@127.0.0.1",
                       "remove_group(1) by admin@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "api: users are managed, and the audit log is listed", "[gateway][api]") {
  open();
  const auto page = json_of(call("GET", "/users?name=ed&admin=false&limit=7"));
  CHECK(page["items"][0] == json{{"id", 4}, {"name", "edda"}, {"admin", false},
                                 {"rights", json::array({{{"group", 1}, {"right", "editor"}}})},
                                 {"last_sign_in_ms", 1767323045000}, {"sessions", 2}, {"keys", 3},
                                 {"must_change_password", true}});
  CHECK(call("POST", "/users", R"({"name":"abcd","password":"efgh","admin":false,"rights":[{"group":3,"right":"viewer"},
    {"group":2,"right":"operator"}]})").status() == 201);
  CHECK(call("PUT", "/users/4", R"({"admin":true})", "admin", "If-Match: *\r\n").status() == 204);
  CHECK(call("DELETE", "/users/4").status() == 204);
  CHECK(call("PUT", "/users/me/password", R"({"old_password":"a","password":"b"})", "viewer").status() == 204);
  const auto audit = json_of(call("GET", "/audit?user=tom&limit=9&cursor=p44"));
  CHECK(audit["items"][0]["changes"] == json::array({"a: 1 -> 2", "b: \"\" -> \"x\""}));
  CHECK(audit["total"].is_null());
  CHECK(script->take_asked() ==
        lines{"user_query('ed', '0', '0+7') by admin@127.0.0.1",
              "save_user('-', 'abcd', 'efgh', false, 'only: 2=operator,3=viewer') by admin@127.0.0.1",
              "user_by_id(4) by admin@127.0.0.1", "save_user('4', '', '', true, '-') by admin@127.0.0.1",
              "remove_user(4) by admin@127.0.0.1",
              "change_password('a', 'b') by vera@127.0.0.1", "audit_query('tom', '44', '9') by admin@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "api: schedule previews and reports are answered", "[gateway][api]") {
  open();
  const auto times = json_of(call("GET", "/schedule/preview?type=FIX_RATE&interval_ms=500&count=3", {}, "viewer"))["next_ms"];
  REQUIRE(times.size() == 3);
  CHECK(times[1].get<std::int64_t>() - times[0].get<std::int64_t>() == 500);
  CHECK(json_of(call("GET", "/schedule/preview?type=CRON&conf=0+0+3+*+*+%3F&time_zone=Asia/Shanghai"))["next_ms"].size() == 5);
  for (const auto* odd : {"", "?type=X", "?type=CRON&conf=x", "?type=NONE&count=101", "?type=NONE&count=0", "?type=NONE&count=x",
                          "?type=CRON&conf=0+0+3+*+*+%3F&time_zone=No/Where", "?type=FIX_RATE&interval_ms=-1"}) {
    CAPTURE(odd);
    CHECK(call("GET", std::string{"/schedule/preview"} + odd).status() == 400);
  }
  const auto report = json_of(call("GET", "/reports?from_ms=1767225600000&to_ms=1767312000000"));
  CHECK(report["changed_ms"] == 1'767'323'045'000);
  const auto& days = report["items"];
  REQUIRE(days.size() == 2);
  CHECK(days[0] == json{{"day", "2026-01-02"}, {"day_ms", 1'767'312'000'000}, {"total", 9}, {"running", 1}, {"succeeded", 6},
                        {"failed", 2}, {"median_ms", 2000}});
  CHECK(call("GET", "/reports?from_ms=1").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "api: every user sees the nodes, only administrators see their addresses", "[gateway][api]") {
  web.version = "1.2.3";
  open();
  const auto seen = json_of(call("GET", "/nodes"));
  CHECK(seen["mode"] == "shared");
  CHECK(seen["dead_after_ms"] == 1500);
  CHECK(seen["version"] == "1.2.3");
  REQUIRE(seen["items"].size() == 2);
  CHECK(seen["items"][0] == nlohmann::json::parse(
    R"({"id":"a","self":true,"state":"alive","address":"a:8080","beat_age_ms":120,"life":7,"slots":256,
       "started_ms":1767323045000,"version":"1.2.3"})"));
  CHECK(seen["items"][1]["state"] == "dead");
  for (const auto* unknown : {"slots", "started_ms", "version"})
    CHECK(seen["items"][1][unknown].is_null());
  CHECK(seen["items"][1]["beat_age_ms"].is_null());
  CHECK(json_of(call("GET", "/nodes", {}, "viewer"))["items"][0]["address"].is_null());
}

TEST_CASE_METHOD(api_fixture, "api: a forecast reports its end and the cursor of the next page", "[gateway][api]") {
  open();
  const auto reply = call("GET", "/schedule/forecast?job=7&limit=20");
  REQUIRE(reply.status() == 200);
  const auto seen = json_of(reply);
  CHECK(seen["items"][0]["job"] == 7);
  CHECK(seen["truncated"] == true);
  CHECK(seen["cannot_be_planned"] == nlohmann::json::parse("[9]"));
  CHECK(script->take_asked() == lines{"forecast_query('-', '7', 20, true) by admin@127.0.0.1"});
  const auto next = seen["next"].get<std::string>();
  const auto far = std::to_string(std::stoll(next.substr(1)) + 1000);
  CHECK(call("GET", "/schedule/forecast?cursor=" + next + "&to_ms=" + far).status() == 200);
  CHECK(script->take_asked() == lines{"forecast_query('-', '-', 50, false) by admin@127.0.0.1"});

  for (const auto* odd : {"limit=0", "limit=501", "cursor=p1", "cursor=f1", "cursor=f1-", "cursor=f-1-1", "cursor=f1-1x",
                          "cursor=f1-99999999999", "job=x", "group=x", "from_ms=-1", "to_ms=x", "to_ms=253402300799999"}) {
    CAPTURE(odd);
    CHECK(call("GET", std::string{"/schedule/forecast?"} + odd).status() == 400);
  }
  CHECK(script->take_asked().empty());
}
