// Requests of /api/v1 to actors, and its answers.

#include "tests/support/catch.hpp"

#include <array>

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

TEST_CASE_METHOD(api_fixture, "api: runs are listed, killed and cleared", "[gateway][api]") {
  open();
  const auto page = json_of(call("GET", "/runs?group=1&job=7&status=failed&from_ms=5&to_ms=9&limit=3&cursor=p99"));
  const auto& run = page["items"][0];
  CHECK(run["id"] == 70);
  CHECK(run["status"] == "succeeded");
  CHECK(run["trigger_ms"] == 1'767'323'045'000);
  CHECK(run["handle_message"] == "done");
  CHECK(run["job_name"] == "settle");
  CHECK(run["group_title"] == "First");
  CHECK(run["trigger_text"] == "sent");
  CHECK(run["handle_text"] == "done");
  CHECK(run["shard_total"] == 2);
  CHECK(run["reason"].is_null());
  CHECK(json_of(call("GET", "/runs/70")) == run);
  CHECK(json_of(call("POST", "/runs/70/kill"))["message"] == "job thread killed");
  CHECK(json_of(call("POST", "/runs/clear", R"({"job":7,"keep_newest":5})"))["removed"] == 5);
  CHECK(script->take_asked() == lines{"run_page_query('1', '7', 2, '5', '9', '0+3') by admin@127.0.0.1",
                                      "run_query(70) by admin@127.0.0.1", "kill_run(70) by admin@127.0.0.1",
                                      "clear_runs('-', '7', 'keep 5') by admin@127.0.0.1"});
  // An incomplete request removes nothing.
  for (const auto* body : {"{}", R"({"group":1})", R"({"all":false})", R"({"all":true,"keep_newest":1})", R"({"until_ms":-1})"})
    CHECK(call("POST", "/runs/clear", body).status() == 400);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: a log is sent again only when it has grown", "[gateway][api]") {
  open();
  const auto first = call("GET", "/runs/70/log");
  CHECK(json_of(first)["content"] == "one <i>\n<br>three\n");
  CHECK(json_of(first)["to_line"] == 3);
  const auto at = first.head.find("ETag: ") + 6;
  const auto etag = first.head.substr(at, first.head.find('\r', at) - at);
  const auto again = [&](const std::string& target, const std::string& tags) {
    return call("GET", target, {}, "admin", "If-None-Match: " + tags + "\r\n").status();
  };
  CHECK(again("/runs/70/log?from_line=1", etag) == 304);
  CHECK(again("/runs/70/log", "\"x\", W/" + etag) == 304);
  CHECK(again("/runs/70/log?from_line=4", etag) == 200);
  CHECK(call("GET", "/runs/70/log?from_line=0").status() == 400);
  // A client that has seen the log of the executor gets it again when it is kept here: then it is complete.
  CHECK(json_of(first)["kept"] == false);
  CHECK(json_of(call("GET", "/runs/71/log"))["kept"] == true);
  CHECK(again("/runs/71/log", etag) == 200);
}

TEST_CASE_METHOD(api_fixture, "api: a reader that waits for more log may exceed the server's limit", "[gateway][api]") {
  server.reply_timeout = 2s;
  open();
  const auto late = call("GET", "/runs/70/log?from_line=4&wait_s=3");
  CHECK(late.status() == 200);
  CHECK(json_of(late)["content"].get<std::string>().empty());
  CHECK(script->take_asked() == lines{"follow_log(70, 4, 3000, false) by admin@127.0.0.1"});
  const auto at = late.head.find("ETag: ") + 6;
  const auto etag = late.head.substr(at, late.head.find('\r', at) - at);
  CHECK(call("GET", "/runs/70/log?from_line=4&wait_s=3", {}, "admin", "If-None-Match: " + etag + "\r\n").status() == 304);
  CHECK(script->take_asked() == lines{"follow_log(70, 4, 3000, true) by admin@127.0.0.1"});
  CHECK(call("GET", "/runs/1070/log?wait_s=1", {}, "viewer").status() == 403);
  script->take_asked();
  CHECK(call("GET", "/runs/70/log?wait_s=0").status() == 200);
  for (const auto* wait : {"31", "-1", "x", "99999999999"})
    CHECK(call("GET", std::string{"/runs/70/log?wait_s="} + wait).status() == 400);
  CHECK(script->take_asked() == lines{"run_log_query(70, 1) by admin@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "api: the logs of a broadcast are read merged", "[gateway][api]") {
  open();
  CHECK(call("GET", "/runs/70/log?merged=true").status() == 200);
  CHECK(call("GET", "/runs/1070/log?merged=true", {}, "viewer").status() == 403);
  CHECK(script->take_asked() ==
        lines{"merged_log_query(70, 1) by admin@127.0.0.1", "merged_log_query(1070, 1) by vera@127.0.0.1"});
  for (const auto* more : {"merged=1", "merged=true&from_line=1", "merged=true&wait_s=1"})
    CHECK(call("GET", std::string{"/runs/70/log?"} + more).status() == 400);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: a log is read in pieces, and from its end", "[gateway][api]") {
  open();
  CHECK(call("GET", "/runs/70/log?from_line=2&max_lines=10&max_bytes=4096").status() == 200);
  const auto piece = json_of(call("GET", "/runs/70/log?tail=100"));
  CHECK((piece["more"] == false && piece["cut"] == false));
  CHECK((piece["bytes"].is_null() && piece["lines"].is_null()));
  CHECK(script->take_asked() == lines{"run_log_query(70, 2) 10/4096/0 by admin@127.0.0.1",
                                      "run_log_query(70, 1) 5000/524288/100 by admin@127.0.0.1"});
  for (const auto* wrong : {"max_lines=0", "max_lines=5001", "max_bytes=255", "max_bytes=524289", "tail=0", "tail=5001", "tail=x",
                            "tail=5&from_line=1", "tail=5&wait_s=1", "max_lines=5&merged=true"})
    CHECK(call("GET", std::string{"/runs/70/log?"} + wrong).status() == 400);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: a log is a file, and may be read in parts", "[gateway][api]") {
  open();
  const auto get = [&](const std::string& headers) { return call("GET", "/runs/70/log/file", {}, "admin", headers); };
  const auto whole = get({});
  CHECK(whole.status() == 200);
  CHECK(whole.body == "one <i>\n<br>three\n");
  CHECK(whole.head.find("Content-Type: text/plain; charset=utf-8\r\n") != std::string::npos);
  CHECK(whole.head.find("Content-Disposition: attachment; filename=\"run-70.log\"\r\n") != std::string::npos);
  CHECK(whole.head.find("ETag: \"run-70-18-end\"\r\n") != std::string::npos);
  CHECK(get("If-None-Match: \"run-70-18-end\"\r\n").status() == 304);
  const auto part = get("Range: bytes=4-6\r\n");
  CHECK(part.status() == 206);
  CHECK(part.body == "<i>");
  CHECK(part.head.find("Content-Range: bytes 4-6/18\r\n") != std::string::npos);
  CHECK(get("Range: bytes=-6\r\n").body == "three\n");
  CHECK(get("Range: bytes=12-\r\nIf-Range: \"run-70-18-end\"\r\n").body == "three\n");
  CHECK(get("Range: bytes=12-\r\nIf-Range: \"run-70-9\"\r\n").status() == 200);
  CHECK(get("Range: bytes=0-1,4-5\r\n").status() == 200);
  const auto beyond = get("Range: bytes=18-\r\n");
  CHECK(beyond.status() == 416);
  CHECK(beyond.head.find("Content-Range: bytes */18\r\n") != std::string::npos);
  const auto empty = call("GET", "/runs/71/log/file");
  CHECK((empty.status() == 200 && empty.body.empty()));
}

TEST_CASE_METHOD(api_fixture, "api: a log is searched", "[gateway][api]") {
  open();
  const auto first = json_of(call("GET", "/runs/70/log/search?q=thr"));
  CHECK(first["matches"] == json::array({{{"line", 2}, {"column", 5}, {"length", 3}, {"text", "<br>three"}}}));
  CHECK((first["next_line"] == 3 && first["scanned_to"] == 2 && first["partial_reason"].is_null()));
  CHECK(json_of(call("GET", "/runs/70/log/search?q=a%20b&case=true&from_line=3&limit=7"))["next_line"].is_null());
  CHECK(script->take_asked() == lines{"run_search_query(70, 'thr', false, 1, 200) by admin@127.0.0.1",
                                      "run_search_query(70, 'a b', true, 3, 7) by admin@127.0.0.1"});
  for (const auto* wrong : {"", "q=", "q=a%0Ab", "q=x&case=1", "q=x&from_line=0", "q=x&limit=0", "q=x&limit=201",
                            "q=x&regex=true"})
    CHECK(call("GET", std::string{"/runs/70/log/search?"} + wrong).status() == 400);
  CHECK(call("GET", "/runs/70/log/search?q=" + std::string(257, 'x')).status() == 400);
  CHECK(script->take_asked().empty());
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
  const auto days = json_of(call("GET", "/reports?from_ms=1767225600000&to_ms=1767312000000"))["items"];
  REQUIRE(days.size() == 2);
  CHECK(days[0] == json{{"day", "2026-01-02"}, {"day_ms", 1'767'312'000'000}, {"total", 9}, {"running", 1}, {"succeeded", 6},
                        {"failed", 2}});
  CHECK(call("GET", "/reports?from_ms=1").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "api: errors are problems with a stable type", "[gateway][api]") {
  open();
  CHECK(type_of(call("GET", "/jobs/7", {}, "forged")) == "urn:ringmaster:not_signed_in");
  CHECK(type_of(call("GET", "/jobs/1007", {}, "viewer")) == "urn:ringmaster:forbidden");
  CHECK(type_of(call("GET", "/jobs/2147483648")) == "urn:ringmaster:not_found");
  CHECK(type_of(call("GET", "/jobs/x")) == "urn:ringmaster:not_found");
  CHECK(type_of(call("GET", "/nothing/here")) == "urn:ringmaster:not_found");
  const auto method = call("PATCH", "/jobs/7");
  CHECK(type_of(method) == "urn:ringmaster:method_not_allowed");
  CHECK(has(method.head, "Allow: GET, HEAD, PUT, DELETE\r\n"));
  script->take_asked();

  const std::array<std::pair<core::errc, int>, 5> errors{{{core::errc::not_found, 404}, {core::errc::conflict, 409},
                                                               {core::errc::unavailable, 503}, {core::errc::timeout, 503},
                                                               {core::errc::too_large, 413}}};
  for (const auto& [code, status] : errors) {
    script->refuse({code, "because of this"});
    const auto reply = call("POST", "/jobs/7/start");
    CHECK(reply.status() == status);
    CHECK(type_of(reply) == "urn:ringmaster:" + std::string{core::to_string(code)});
    // The reason why a component is unavailable is only logged.
    CHECK((json_of(reply)["detail"] == "because of this") == (status != 503));
  }
  CHECK(type_of(call("POST", "/jobs", R"({"x":")" + std::string(1024 * 1024, 'x') + "\"}")) == "urn:ringmaster:too_large");
  script->refuse({core::errc::unavailable, "root@10.0.0.1"});
  CHECK_FALSE(has(call("POST", "/jobs/start", R"({"ids":[7]})").body, "root@"));
  script->refuse({core::errc::internal, "SELECT secret FROM x"});
  CHECK_FALSE(has(call("POST", "/jobs/7/start").body, "SELECT"));
}

TEST_CASE_METHOD(api_fixture, "api: refusals that XXL has texts for use them, in the server's language", "[gateway][api]") {
  server.language = "zh_CN";
  open();
  script->refuse({core::errc::invalid_argument, "no author", core::refusal::author_empty});
  const auto reply = call("POST", "/jobs", R"({"group":1,"name":"x"})");
  CHECK(type_of(reply) == "urn:ringmaster:invalid_argument");
  CHECK(json_of(reply)["detail"] == "请输入负责人");
  // The exception is one whose text gives no reason.
  script->refuse({core::errc::invalid_argument, "no executor took it", core::refusal::run_not_triggered});
  CHECK(json_of(call("POST", "/runs/70/kill"))["detail"] == "no executor took it");
}

TEST_CASE_METHOD(api_fixture, "api: only JSON is read, and pages of other sites change nothing", "[gateway][api]") {
  open();
  const auto send = [this](const std::string& headers) {
    return ask(text("PUT", "/api/v1/groups/1", R"({"app_name":"app-1","title":"x"})",
                    cookie_3("admin") + csrf("admin") + "If-Match: *\r\n" + headers))
      .status();
  };
  CHECK(send("Content-Type: application/x-www-form-urlencoded\r\n") == 415);
  CHECK(send("Content-Type: text/plain\r\n") == 415);
  CHECK(send("") == 415);
  CHECK(send("Content-Type: application/json\r\nSec-Fetch-Site: cross-site\r\n") == 403);
  CHECK(send("Content-Type: application/json\r\nOrigin: http://evil.example\r\n") == 403);
  CHECK(script->take_asked().empty());
  CHECK(send("Content-Type: Application/JSON;charset=utf-8\r\n") == 204);
}

TEST_CASE_METHOD(api_fixture, "api: invalid parameters of lists are refused by name", "[gateway][api][hostile]") {
  open();
  for (const std::string list : {"/jobs", "/groups", "/runs", "/users", "/audit"})
    for (const auto* odd : {"limit=0", "limit=501", "limit=x", "limit=-1", "cursor=", "cursor=1", "cursor=p0", "cursor=p-5",
                            "cursor=p99999999999999999999", "cursor=p1x", "cursor=%00", "limit=%zz"}) {
      CAPTURE(list, odd);
      if (list == "/runs" && odd == std::string{"limit=0"})
        continue; // asks for the number of runs alone
      CHECK(call("GET", list + "?" + odd).status() == 400);
    }
  for (const auto* odd : {"/jobs?group=x", "/jobs?running=1", "/runs?status=odd", "/runs?from_ms=-1", "/runs?job=99999999999",
                          "/audit?object=odd", "/audit?object_id=x", "/audit?action=odd", "/audit?from_ms=x", "/audit?to_ms=-1",
                          "/jobs/7/changes?user=tom", "/jobs/7/changes?limit=0", "/groups/1/changes?cursor=1",
                          "/users?admin=yes"}) {
    CAPTURE(odd);
    CHECK(call("GET", odd).status() == 400);
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: hostile bodies are refused by every route that reads one", "[gateway][api][hostile]") {
  open();
  const std::string deep = R"({"name":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  const std::string mega = R"({"group":1,"x":")" + std::string(1000 * 1000, 'x') + "\"}";
  for (const auto& row : gateway::routes()) {
    if (!row.path.starts_with("/api/v1/") || row.method == "GET" || row.method == "DELETE" || row.path.ends_with("}/start") ||
        row.path.ends_with("}/stop") || row.path.ends_with("}/kill") || row.path.ends_with("}/abort") ||
        row.path.ends_with("/doctor"))
      continue;
    auto target = std::string{row.path.substr(7)};
    if (const auto at = target.find("{id}"); at != std::string::npos)
      target.replace(at, 4, "7");
    for (const std::string& body : {deep, mega, std::string{"[]"}, std::string{"null"}, std::string{"{"}, std::string{"7"},
                                    std::string{"{\"odd\":1}"}, std::string{"{\"a\":1,\"a\":2}"}, std::string{"{\"a\":1e999}"},
                                    std::string{"{\"a\":\"\xff\"}"}, std::string{"{\"a\":\"\0\"}", 9}, std::string{"{} {}"}}) {
      CAPTURE(row.method, target, body.substr(0, 40));
      const auto reply = call(row.method, target, body, "admin", row.takes_if_match ? "If-Match: \"0\"\r\n" : "");
      const bool is_long = body.size() > row.body_max;
      CHECK(reply.status() == (is_long ? 413 : 400));
      CHECK(type_of(reply) == (is_long ? "urn:ringmaster:too_large" : "urn:ringmaster:invalid_argument"));
    }
  }
  CHECK(script->take_asked().empty());
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

TEST_CASE_METHOD(api_fixture, "api: the request limit delays one user and not others", "[gateway][api]") {
  web.settings.requests_per_second = 2;
  open();
  unsigned status = 0;
  raw_socket::message last;
  for (int i = 0; i < 50 && status != 429; ++i) {
    last = call("GET", "/session", {}, "viewer");
    status = last.status();
  }
  CHECK(status == 429);
  CHECK(has(last.head, "Retry-After: 1\r\n"));
  CHECK(type_of(last) == "urn:ringmaster:too_many");
  CHECK(call("GET", "/session", {}, "editor").status() == 200);
  // XXL-JOB's routes count as well.
  CHECK(get("/xxl-job-admin/jobinfo/pageList", "Cookie: xxl_job_login_token=viewer\r\n").status() == 429);
}

TEST_CASE_METHOD(api_fixture, "api: a request that names many jobs counts as many", "[gateway][api]") {
  web.settings.requests_per_second = 10;
  open();
  std::string ids = "1";
  for (int i = 2; i <= 100; ++i)
    ids += "," + std::to_string(i);
  CHECK(call("POST", "/jobs/start", "{\"ids\":[" + ids + "]}", "operator").status() == 200);
  CHECK(call("GET", "/session", {}, "operator").status() == 429);
}

TEST_CASE_METHOD(api_fixture, "api: the runs around a run have a short form", "[gateway][api]") {
  open();
  const auto related = json_of(call("GET", "/runs/70/related"));
  CHECK(related["parent"]["id"] == 70);
  CHECK(related["parent"]["job_name"] == "settle");
  CHECK(related["children"].empty());
  CHECK(related["attempt"].is_null());
  CHECK(related["by"] == "ann");
  CHECK(script->take_asked() == lines{"related_query(70) by admin@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "api: given runs have no next page, and a count has no rows to ask for", "[gateway][api]") {
  open();
  CHECK(json_of(call("GET", "/runs?ids=70&limit=1"))["next"].is_null());
  CHECK(call("GET", "/runs?after=69&limit=0").status() == 200);
  CHECK(call("GET", "/jobs?limit=0").status() == 400);
  CHECK(call("GET", "/runs?status=failed,late").status() == 400);
  CHECK(call("GET", "/runs?ids=70&job=7").status() == 400);
}
