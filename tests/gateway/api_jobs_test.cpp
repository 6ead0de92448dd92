// /api/v1: jobs, their manual runs, and their sources.

#include "tests/support/catch.hpp"

#include "core/editing/edit_tag.hpp"
#include "gateway/handlers/v1/api_document.hpp"
#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

using lines = std::vector<std::string>;

TEST_CASE_METHOD(api_fixture, "api: jobs are listed in pages with a cursor", "[gateway][api]") {
  open();
  const auto page = json_of(call("GET", "/jobs?group=1&running=true&name=a&handler=b&author=c&limit=1", {}, "viewer"));
  REQUIRE(page["items"].size() == 1);
  CHECK(page["total"] == 41);
  const auto& job = page["items"][0];
  CHECK(job["id"] == 7);
  CHECK(job["schedule"] == json{{"type", "CRON"}, {"conf", "0 0 3 * * ?"}});
  CHECK(job["children"] == json::array({8, 9}));
  CHECK(job["next_ms"] == 1'767'323'049'000);
  CHECK_FALSE(job.contains("glue_source"));
  REQUIRE(page["next"].is_string());
  call("GET", "/jobs?limit=40&cursor=" + page["next"].get<std::string>(), {}, "viewer");
  CHECK(script->take_asked() == lines{"job_page_query('1', '1', 'a', 'b', 'c', '0+1') by vera@127.0.0.1",
                                      "job_page_query('-', '-', '', '', '', '1+40') by vera@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "api: the last page has no next cursor", "[gateway][api]") {
  open();
  CHECK(json_of(call("GET", "/jobs?cursor=p40"))["next"].is_null());
  CHECK(json_of(call("GET", "/groups?cursor=p40"))["next"].is_null());
  CHECK(json_of(call("GET", "/runs?limit=2"))["next"].is_null());
  CHECK(json_of(call("GET", "/runs?limit=1"))["next"] == "p70");
  CHECK(json_of(call("GET", "/audit?limit=1"))["next"] == "p12");
}

TEST_CASE_METHOD(api_fixture, "api: adding a job answers its location", "[gateway][api]") {
  open();
  const auto made = call("POST", "/jobs", R"({"group":1,"name":"x","schedule":{"type":"FIX_RATE","conf":"30"},"handler":"h",
    "children":[8,9],"interval_ms":null})", "editor");
  CHECK(made.status() == 201);
  CHECK(has(made.head, "Location: /api/v1/jobs/71\r\n"));
  CHECK(json_of(made) == json{{"id", 71}});
  CHECK(script->take_asked() == lines{"add_job('1|x|edda||FIX_RATE|30|DO_NOTHING|FIRST|SERIAL_EXECUTION|h||0|0|8,9|BEAN||') "
                                      "by edda@127.0.0.1"});
  // Below the prefix that the client used.
  CHECK(has(ask(text("POST", "/xxl-job-admin/api/v1/jobs", R"({"group":1,"name":"x"})",
                     "Content-Type: application/json; charset=utf-8\r\n" + cookie_2("editor") + csrf("editor")))
              .head,
            "Location: /xxl-job-admin/api/v1/jobs/71\r\n"));
}

TEST_CASE_METHOD(api_fixture, "api: replacing a job requires its current ETag", "[gateway][api]") {
  open();
  const auto* body = R"({"group":1,"name":"y","author":"tom"})";
  const auto seen = call("GET", "/jobs/7");
  const auto at = seen.head.find("ETag: \"") + 7;
  const auto tag = seen.head.substr(at, seen.head.find('"', at) - at);
  CHECK(tag.size() == 32);
  CHECK(json_of(seen)["revision"] == 40);
  script->take_asked();

  CHECK(type_of(call("PUT", "/jobs/7", body)) == "urn:ringmaster:if_match_needed");
  for (const auto* odd : {"x", "\"1", "\"40\", \"1\"", "\"", "40"}) {
    CAPTURE(odd);
    CHECK(call("PUT", "/jobs/7", body, "admin", std::string{"If-Match: "} + odd + "\r\n").status() == 400);
  }
  CHECK(script->take_asked().empty());

  for (const auto& other :
       {std::string{"\"1\""}, "W/\"" + tag + "0\"", std::string{"\"40\""}, std::string{"\"\""}, '"' + tag + "0\""}) {
    CAPTURE(other);
    const auto reply = call("PUT", "/jobs/7", body, "admin", std::string{"If-Match: "} + other + "\r\n");
    CHECK(reply.status() == 412);
    CHECK(type_of(reply) == "urn:ringmaster:changed_meanwhile");
    // The problem names the later edit.
    CHECK(script->take_asked() == lines{"job_query(7) by admin@127.0.0.1", "job_query(7) by admin@127.0.0.1",
                                        "changes_query('job', 1, '-', '20') by admin@127.0.0.1"});
  }

  const std::string update = "update_job(7, '1|y|tom||NONE|-|DO_NOTHING|FIRST|SERIAL_EXECUTION|||0|0||||')";
  const std::string by = " by admin@127.0.0.1";
  CHECK(call("PUT", "/jobs/7", body, "admin", "If-Match: \"" + tag + "\"\r\n").status() == 200);
  CHECK(script->take_asked() == lines{"job_query(7)" + by, update + " seen " + tag + by});
  // `*` matches any version of the job.
  CHECK(call("PUT", "/jobs/7", body, "admin", "If-Match: *\r\n").status() == 200);
  CHECK(script->take_asked() == lines{"job_query(7)" + by, update + by});
}

TEST_CASE_METHOD(api_fixture, "api: replacing a job without an author makes the caller its author", "[gateway][api]") {
  open();
  for (const auto* body : {R"({"group":1,"name":"y"})", R"({"group":1,"name":"y","author":""})",
                           R"({"group":1,"name":"y","author":null})"}) {
    CAPTURE(body);
    CHECK(call("PUT", "/jobs/7", body, "admin", "If-Match: *\r\n").status() == 200);
    CHECK(script->take_asked() ==
          lines{"job_query(7) by admin@127.0.0.1",
                "update_job(7, '1|y|admin||NONE|-|DO_NOTHING|FIRST|SERIAL_EXECUTION|||0|0||||') by admin@127.0.0.1"});
  }
}

TEST_CASE_METHOD(api_fixture, "api: an empty address is refused and does not mean any executor", "[gateway][api]") {
  open();
  for (const std::string list : {R"([""])", R"(["http://a:1/"," "])", R"(["http://a:1/,http://b:1/"])"})
    for (const std::string target : {"/jobs/7/trigger", "/jobs/trigger"}) {
      CAPTURE(list, target);
      const auto ids = target == "/jobs/trigger" ? R"("ids":[7],)" : "";
      const auto reply = call("POST", target, std::string{"{"} + ids + "\"addresses\":" + list + "}");
      CHECK(reply.status() == 400);
      CHECK(has(reply.body, "an address "));
    }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: jobs are started, stopped and removed", "[gateway][api]") {
  open();
  CHECK(json_of(call("POST", "/jobs/7/start"))["job"] == 7);
  CHECK(json_of(call("POST", "/jobs/7/stop"))["next_ms"].is_null());
  const auto gone = call("DELETE", "/jobs/7");
  CHECK(gone.status() == 204);
  CHECK(gone.body.empty());
  CHECK(script->take_asked() == lines{"start_job(7) by admin@127.0.0.1", "stop_job(7) by admin@127.0.0.1",
                                      "remove_job(7) by admin@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "api: the outcome of a trigger can be read", "[gateway][api]") {
  open();
  CHECK(json_of(call("GET", "/intents/50")) == json{{"waiting", false}, {"runs", {70, 71}}});
  CHECK(json_of(call("GET", "/intents/51"))["waiting"] == true);
  CHECK(script->take_asked() == lines{"intent_query(50) by admin@127.0.0.1", "intent_query(51) by admin@127.0.0.1"});
  script->refuse({core::errc::not_found, "intent 50 does not exist"});
  CHECK(call("GET", "/intents/50").status() == 404);
  script->take_asked();
  for (const auto* odd : {"/intents/99999999999999999999", "/intents/-1", "/intents/x"})
    CHECK(call("GET", odd).status() == 404);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: an idempotency key repeats a trigger for the same user only", "[gateway][api]") {
  open();
  const auto asked_with = [this](const std::string& session, const std::string& key,
                                 const std::string& target = "/jobs/7/trigger", std::string_view body = {}) {
    CHECK(call("POST", target, body, session, key.empty() ? "" : "Idempotency-Key: " + key + "\r\n").status() / 100 == 2);
    const auto asked = script->take_asked();
    REQUIRE(asked.size() == 1);
    return asked[0].substr(0, asked[0].find(" by "));
  };
  CHECK(asked_with("admin", "") == "trigger_job(7, '-', '')");
  const auto first = asked_with("admin", "k-1");
  CHECK(has(first, "trigger_job(7, '-', '') token "));
  CHECK(asked_with("admin", "k-1") == first);
  CHECK(asked_with("admin", "k-2") != first);
  CHECK(asked_with("operator", "k-1") != first);
  CHECK(asked_with("admin", "k-1", "/jobs/trigger", R"({"ids":[7]})") == first);
  CHECK(asked_with("admin", "", "/jobs/7/trigger", R"({"params":"p","addresses":["http://a:1/","http://b:1"]})") ==
        "trigger_job(7, 'p', 'http://a:1/;http://b:1;')");
  CHECK(call("POST", "/jobs/7/trigger").status() == 202);
  script->take_asked();
  for (const auto& odd : {std::string{}, std::string(256, 'k'), std::string{"a b"}, std::string{"\xc3\xa4"},
                          std::string{"k\r\nIdempotency-Key: k"}, std::string{"k\r\nidempotency-key: l"}})
    CHECK(call("POST", "/jobs/7/trigger", {}, "admin", "Idempotency-Key: " + odd + "\r\n").status() == 400);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: an idempotency key with another body runs nothing", "[gateway][api]") {
  open();
  const auto* const key = "Idempotency-Key: k-1\r\n";
  const core::error other{core::errc::conflict,
                          "job 7 was already triggered with this key and another parameter or other addresses"};
  script->refuse(other, "trigger_job(7");
  const auto one = call("POST", "/jobs/7/trigger", R"({"params":"p"})", "admin", key);
  CHECK(one.status() == 409);
  CHECK(type_of(one) == "urn:ringmaster:conflict");
  script->refuse(other, "trigger_job(7");
  const auto items = json_of(call("POST", "/jobs/trigger", R"({"ids":[7,8],"params":"p"})", "admin", key))["items"];
  CHECK(items[0]["status"] == 409);
  CHECK(items[0]["problem"]["detail"] == other.context);
  CHECK(items[1]["status"] == 200);
}

TEST_CASE_METHOD(api_fixture, "api: a request for many jobs answers an outcome for each", "[gateway][api]") {
  open();
  const auto reply = json_of(call("POST", "/jobs/stop", R"({"ids":[7,1007,8]})", "operator"));
  REQUIRE(reply["items"].size() == 3);
  CHECK(reply["items"][0]["id"] == 7);
  CHECK(reply["items"][0]["status"] == 200);
  CHECK(reply["items"][0]["done"]["job"] == 7);
  CHECK(reply["items"][1]["id"] == 1007);
  CHECK(reply["items"][1]["status"] == 403);
  CHECK(reply["items"][1]["problem"]["type"] == "urn:ringmaster:not_permitted");
  CHECK(reply["items"][2]["status"] == 200);
  script->take_asked();

  json many{{"ids", json::array()}};
  for (int id = 1; id <= 500; ++id)
    many["ids"].push_back(id);
  CHECK(json_of(call("POST", "/jobs/start", many.dump()))["items"].size() == 500);
  CHECK(script->take_asked().size() == 500);
  many["ids"].push_back(501);
  CHECK(call("POST", "/jobs/start", many.dump()).status() == 400);
  for (const auto* body : {R"({"ids":[]})", R"({})", R"({"ids":[7,7]})", R"({"ids":[0]})", R"({"ids":[2147483648]})",
                           R"({"ids":["7"]})", R"({"ids":7})", R"({"ids":[7],"params":"p"})"}) {
    CAPTURE(body);
    CHECK(call("POST", "/jobs/start", body).status() == 400);
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: a request for many jobs begins those that its time limit allows", "[gateway][api]") {
  server.reply_timeout = 1s;
  open();
  script->slow_down(30ms);
  json many{{"ids", json::array()}};
  for (int id = 1; id <= 500; ++id)
    many["ids"].push_back(id);
  const auto items = json_of(call("POST", "/jobs/start", many.dump()))["items"];
  REQUIRE(items.size() == 500);
  const auto begun = script->take_asked().size();
  CHECK(begun > 0);
  CHECK(begun < 100); // 720 ms, with a pause of 50 ms after the first answer
  for (std::size_t i = 0; i < items.size(); ++i) {
    CAPTURE(i);
    CHECK(items[i]["id"] == i + 1);
    CHECK(items[i]["status"] == (i < begun ? 200 : 503));
  }
  CHECK(items[499]["problem"]["type"] == "urn:ringmaster:unavailable");
  CHECK(items[499]["problem"]["detail"] ==
        "not begun within the time limit of the request: repeat the request for this job");
}

TEST_CASE_METHOD(api_fixture, "api: a job without an answer holds up no other job of its request", "[gateway][api]") {
  server.reply_timeout = 1s;
  open();
  script->slow_down(5s, "stop_job(8)");
  const auto items = json_of(call("POST", "/jobs/stop", R"({"ids":[7,8,9]})"))["items"];
  REQUIRE(items.size() == 3);
  CHECK(items[0]["status"] == 200);
  CHECK(items[1]["status"] == 503);
  CHECK(items[2]["status"] == 200);
}

TEST_CASE_METHOD(api_fixture, "api: sources of scripts are listed, with and without their texts", "[gateway][api]") {
  open();
  const auto reply = call("GET", "/jobs/7/sources");
  const auto list = json_of(reply);
  CHECK(has(reply.head, "ETag: \"5c1d\"\r\n"));
  CHECK(list["items"][0]["source"] == "echo 1");
  CHECK(list["items"][0]["job"] == 7);
  CHECK(call("GET", "/jobs/7/sources?bodies=true").body == reply.body);
  const auto bare = json_of(call("GET", "/jobs/7/sources?bodies=false"));
  CHECK(bare["items"][0]["source"].is_null());
  CHECK(bare["items"][0]["bytes"] == 6);
  CHECK(bare["items"][0]["remark"] == "first one");
  const auto one = call("GET", "/jobs/7/sources/3");
  CHECK(has(one.head, "ETag: \"5c1d\"\r\n"));
  CHECK(json_of(one)["source"] == "echo 1");
  CHECK(script->take_asked() ==
        lines{"source_query(7, '-', true) by admin@127.0.0.1", "source_query(7, '-', true) by admin@127.0.0.1",
              "source_query(7, '-', false) by admin@127.0.0.1", "source_query(7, '3', true) by admin@127.0.0.1"});
  script->refuse({core::errc::not_found, "job 7 has no version 4 of its source"});
  CHECK(call("GET", "/jobs/7/sources/4").status() == 404);
  script->take_asked();
  for (const auto* odd : {"/jobs/7/sources?bodies=1", "/jobs/7/sources?bodies=", "/jobs/7/sources?body=false",
                          "/jobs/7/sources/3?bodies=true"})
    CHECK(call("GET", odd).status() == 400);
  for (const auto* odd : {"/jobs/7/sources/0", "/jobs/7/sources/x", "/jobs/7/sources/99999999999999999999"})
    CHECK(call("GET", odd).status() == 404);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: the store compares the ETag of a source that is saved", "[gateway][api]") {
  open();
  const std::string asked = "save_source(7, 'echo 2', 'second')";
  const auto save = [this](const std::string& match) {
    return call("PUT", "/jobs/7/source", R"({"source":"echo 2","remark":"second"})", "admin",
                match.empty() ? "" : "If-Match: " + match + "\r\n");
  };
  for (const auto* any : {"", "*"}) {
    const auto saved = save(any);
    CHECK(saved.status() == 200);
    CHECK(has(saved.head, "ETag: \"5c1e\"\r\n"));
    CHECK(script->take_asked() == lines{asked + " by admin@127.0.0.1"});
  }
  // Also a tag that was never issued is left to the store, which checks the source first.
  for (const auto& [match, seen] : {std::pair{"\"5c1d\"", "5c1d"}, std::pair{"W/\"5c1d\"", "5c1d"}, std::pair{"\"\"", ""}}) {
    CHECK(save(match).status() == 200);
    CHECK(script->take_asked() == lines{asked + " seen '" + seen + "' by admin@127.0.0.1"});
  }
  script->refuse(core::edited_meanwhile("the source of job 7"), asked);
  const auto late = save("\"5c1d\"");
  CHECK(late.status() == 412);
  CHECK(type_of(late) == "urn:ringmaster:changed_meanwhile");
  script->take_asked();
  for (const auto* odd : {"x", "\"1", "\"40\", \"1\"", "\"*\"\r\nIf-Match: *"})
    CHECK(save(odd).status() == 400);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: rows of jobs tell the words of the schedule, the last run and the last editor",
                 "[gateway][api]") {
  open();
  const auto page = json_of(call("GET", "/jobs?limit=1", {}, "viewer", "Accept-Language: en\r\n"));
  const auto& job = page["items"][0];
  CHECK(job["words"] == "At 03:00, every day");
  CHECK_FALSE(job["effective_zone"].get<std::string>().empty());
  CHECK(job["group_title"] == "First");
  CHECK(job["last_run"]["id"] == 70);
  CHECK(job["last_run"]["status"] == "succeeded");
  CHECK(job["last_run"]["reason"].is_null());
  CHECK(job["last_run"]["duration_ms"] == 9000);
  CHECK(job["open_runs"] == 2);
  CHECK(job["updated_by"] == "edda");
}

TEST_CASE_METHOD(api_fixture, "api: finer filters of jobs and their order", "[gateway][api]") {
  open();
  const std::string asked = "job_page_query('-', '-', '', '', '', '0+50')";
  const auto line = [&](const std::string& query) {
    const auto status = call("GET", "/jobs?" + query).status();
    const auto lines_asked = script->take_asked();
    return lines_asked.empty() ? std::to_string(status) : lines_asked.front().substr(asked.size());
  };
  CHECK(line("group=1,2") == " group 1 group 2 by admin@127.0.0.1");
  CHECK(line("q=%20night%20&type=CRON&glue_type=GLUE_SHELL") ==
        " q night type CRON glue GLUE_SHELL by admin@127.0.0.1");
  CHECK(line("declared=false") == " declared no by admin@127.0.0.1");
  CHECK(line("source=deploy&sort=-updated") == " source deploy down 4 by admin@127.0.0.1");
  CHECK(line("last_status=failed") == " last 2 by admin@127.0.0.1");
  CHECK(line("last_status=pending,running,succeeded,failed,missed,failed&q=x&sort=name") ==
        " q x last 5 last 3 last 1 last 2 last 4 up 1 by admin@127.0.0.1");
  CHECK(line("ids=7,8") == " id 7 id 8 by admin@127.0.0.1");
  CHECK(line("sort=id&cursor=k7.0") == " up 5 after /0/7 by admin@127.0.0.1");
  CHECK(line("sort=-id") == " by admin@127.0.0.1");
  CHECK(line("sort=name&cursor=k7.a.b") == " up 1 after a.b/0/7 by admin@127.0.0.1");
  CHECK(line("sort=-next&cursor=k7.1767323049000") == " down 2 after /1767323049000/7 by admin@127.0.0.1");
  for (const auto* odd : {"type=cron", "glue_type=PERL", "declared=1", "group=1,x", "group=1,0", "group=1,", "ids=7,8&q=x",
                          "ids=7&sort=name", "ids=0", "sort=author", "sort=--name", "sort=next&cursor=k7.x",
                          "sort=next&cursor=p7", "cursor=k7.a", "sort=name&cursor=k7", "sort=name&cursor=k0.a",
                          "last_status=", "last_status=any", "last_status=lost", "last_status=Failed", "last_status=failed,",
                          "last_status=,failed", "last_status=failed%00", "last_status=%27%20OR%201", "last_status=2",
                          "ids=7&last_status=failed"}) {
    CAPTURE(odd);
    CHECK(line(odd) == "400");
  }
  std::string many = "ids=1";
  for (int id = 2; id <= 101; ++id)
    many += ',' + std::to_string(id);
  CHECK(line(many) == "400");
  CHECK(call("GET", "/groups?cursor=k7.a").status() == 400);
  const auto sorted = json_of(call("GET", "/jobs?sort=name&limit=1"));
  CHECK(sorted["next"] == "k7.nightly \"<b>\"");
}
