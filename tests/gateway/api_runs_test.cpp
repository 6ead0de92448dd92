// Runs and their logs in /api/v1.

#include "tests/support/catch.hpp"

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

using lines = std::vector<std::string>;

TEST_CASE_METHOD(api_fixture, "api: runs are listed, killed and cleared", "[gateway][api]") {
  open();
  const auto page = json_of(call("GET", "/runs?group=1&job=7&status=failed&from_ms=5&to_ms=9&limit=3&cursor=p99"));
  CHECK(page["total"].is_null());
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
  CHECK(run["merged_instants"].is_null());
  CHECK(json_of(call("GET", "/runs/70")) == run);
  CHECK(json_of(call("POST", "/runs/70/kill"))["message"] == "job thread killed");
  CHECK(json_of(call("POST", "/runs/clear", R"({"job":7,"keep_newest":5})"))["removed"] == 5);
  CHECK(script->take_asked() == lines{"run_page_query('1', '7', 2, '5', '9', '0+3') complete by admin@127.0.0.1",
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

TEST_CASE_METHOD(api_fixture, "api: runs are searched by kind, address, duration and words", "[gateway][api]") {
  open();
  const auto page =
    json_of(call("GET", "/runs?kind=retry,api&address=http%3A%2F%2Fa%3A1&min_duration_ms=3600000&q=no+space&limit=2"));
  CHECK(page["searched_to_ms"].is_null());
  const std::string asked{"run_page_query('-', '-', 0, '-', '-', '0+2') 2/http://a:1/3600000/no space complete"};
  CHECK(script->take_asked() == lines{asked + " by admin@127.0.0.1"});
  for (const auto* wrong : {"kind=x", "min_duration_ms=0", "q=", "duration=5", "ids=70&q=x"})
    CHECK(call("GET", std::string{"/runs?"} + wrong).status() == 400);
  const std::string filter{R"({"kind":["retry","api"],"address":"http://a:1","min_duration_ms":5,"q":"x"})"};
  CHECK(call("POST", "/runs/kill", R"({"filter":)" + filter + R"(,"expect":57})").status() == 202);
  CHECK(call("POST", "/runs/kill", R"({"filter":{"kind":["late"]},"expect":57})").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "api: runs are counted by hour, of a group and of a job", "[gateway][api]") {
  open();
  const std::string range = "/reports?from_ms=1767225600000&to_ms=1767232800000";
  const auto hours = json_of(call("GET", range + "&by=hour"))["items"];
  REQUIRE(hours.size() == 2);
  CHECK(hours[0]["day"].get<std::string>().size() == std::string{"2026-01-02 00:00"}.size());
  CHECK(hours[0]["median_ms"] == 2000);
  CHECK(hours[1]["median_ms"].is_null());
  CHECK(call("GET", range + "&group=1", {}, "viewer").status() == 200);
  CHECK(call("GET", range + "&group=2", {}, "viewer").status() == 403);
  CHECK(call("GET", range + "&job=7&by=day").status() == 200);
  const std::string asked{"report_query(1767225600000, 1767232800000) "};
  CHECK(script->take_asked() ==
        lines{asked + "-/- by hour by admin@127.0.0.1", asked + "1/- by vera@127.0.0.1", asked + "2/- by vera@127.0.0.1",
              asked + "-/7 by admin@127.0.0.1"});
  for (const auto* wrong : {"&by=minute", "&group=0", "&job=x", "&status=failed"})
    CHECK(call("GET", range + wrong).status() == 400);
  // 32 days by hour, 367 days of a group; the daily report has no limit.
  CHECK(call("GET", "/reports?from_ms=0&to_ms=2764800000&by=hour").status() == 400);
  CHECK(call("GET", "/reports?from_ms=0&to_ms=31708800000&group=1").status() == 400);
  CHECK(call("GET", "/reports?from_ms=0&to_ms=31708800000").status() == 200);
}
