// Elastic jobs in /api/v1.

#include "tests/support/catch.hpp"

#include "core/editing/edit_tag.hpp"
#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

namespace {

using asked_of_elastic = std::vector<std::string>;

} // namespace

TEST_CASE_METHOD(api_fixture, "api: elastic jobs are listed by page and filter", "[gateway][api][elastic]") {
  open();
  CHECK(json_of(call("GET", "/elastic/jobs?group=1&status=enabled&name=su&limit=1&cursor=p1")) == json::parse(R"({"items":[
    {"id":7,"namespace":"","name":"sums","group":1,"type":"simple","handler":"sum","total":2,"schedule_type":"cron",
     "schedule":"0 0 1 * * ?","time_zone":"","status":"enabled","next_ms":5000,"last_ms":null,"source":null,"description":"",
     "items":{"running":1,"waiting":0,"disabled":0,"unassigned":1}}],
    "next":"p2","total":3,"total_is_capped":false})"));
  CHECK(script->take_asked() == asked_of_elastic{"elastic_page_query('1', '1', 'su', '1+1') by admin@127.0.0.1"});
  CHECK(call("GET", "/elastic/jobs?status=on").status() == 400);
  CHECK(call("GET", "/elastic/jobs?colour=red").status() == 400);
  CHECK(call("GET", "/elastic/jobs?group=0").status() == 400);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: one elastic job has its options and counts", "[gateway][api][elastic]") {
  open();
  const auto job = json_of(call("GET", "/elastic/jobs/7"));
  CHECK(job["name"] == "sums");
  CHECK(job["status"] == "enabled");
  CHECK(job["source"] == "deploy");
  CHECK(job["items"] == json::parse(R"({"running":1,"waiting":0,"disabled":0})"));
  CHECK(job["options"]["timeout_ms"] == 5000);
  CHECK(job["options"]["misfire"] == true);
  CHECK(job["options"]["max_time_diff_ms"].is_null());
  CHECK(job["options"]["start_at_ms"].is_null());
  CHECK(job["options"]["order"] == "desc-string");
  CHECK(call("GET", "/elastic/jobs/0").status() == 404);
  CHECK(call("GET", "/elastic/jobs/99999999999").status() == 404);
}

TEST_CASE_METHOD(api_fixture, "api: an elastic job is added with each option", "[gateway][api][elastic]") {
  open();
  const auto made = call("POST", "/elastic/jobs", R"({"group":1,"namespace":"n","name":"sums","type":"dataflow","handler":"sum",
    "total":3,"enabled":false,"options":{"schedule_type":"fixed_rate","interval_ms":250,"item_params":"0=a","failover":true,
    "misfire":false,"timeout_ms":1500,"order":"asc-natural","start_at_ms":7,"max_time_diff_ms":null,"strategy":null},
    "props":{"http.uri":"http://a"}})");
  CHECK(made.status() == 201);
  CHECK(json_of(made) == json::parse(R"({"id":8})"));
  CHECK(made.head.find("Location: /api/v1/elastic/jobs/8\r\n") != std::string::npos);
  CHECK(call("POST", "/elastic/jobs", R"({"group":1,"name":"x","total":1})", "editor").status() == 201);
  CHECK(script->take_asked()
        == asked_of_elastic{"add_elastic('1 n/sums dataflow sum 3 schedule_type=fixed_rate schedule=1 interval_ms=250 start_at=7"
                            " item_params=0=a order=asc-natural failover=1 misfire=0 timeout=1500 http.uri:http://a', false)"
                            " by admin@127.0.0.1",
                            "add_elastic('1 /x simple  1', true) by edda@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "api: a wrong definition of an elastic job is refused with its member", "[gateway][api][elastic]") {
  open();
  const auto detail = [&](const std::string& members) {
    const auto reply = call("POST", "/elastic/jobs", R"({"group":1,"name":"x","total":2)" + members + "}");
    CHECK(reply.status() == 400);
    return json_of(reply)["detail"].get<std::string>();
  };
  CHECK(detail(R"(,"options":{"timeout_ms":-1})").starts_with("options.timeout_ms: must be from 0"));
  CHECK(detail(R"(,"options":{"timeout":"5s"})") == "options.timeout: is unknown");
  CHECK(detail(R"(,"options":{"order":"x"})") == "options.order: must be desc-string or asc-natural");
  CHECK(detail(R"(,"options":{"failover":1})") == "options.failover: must be true or false");
  CHECK(detail(R"(,"options":{"label":")" + std::string(1025, 'a') + "\"}") == "options.label: is longer than 1024 characters");
  CHECK(detail(R"(,"options":{"schedule":"0 0 1 * * ?"})") == "options.schedule: needs a schedule_type");
  CHECK(detail(R"(,"options":7)") == "options: must be an object");
  CHECK(detail(R"(,"props":{"a":1})") == "props.a: must be a string");
  CHECK(detail(R"(,"colour":"red")") == "colour: is unknown");
  for (const auto* body : {R"({"name":"x","total":2})", R"({"group":1,"total":2})", R"({"group":1,"name":"x"})",
                           R"({"group":1,"name":"","total":1})", R"({"group":1,"name":"x","total":1,"type":"longer than ten"})",
                           R"({"group":1,"name":"x","total":0})", R"({"group":1,"name":"x","total":100001})"})
    CHECK(call("POST", "/elastic/jobs", body).status() == 400);
  // A stored job is enabled elsewhere.
  CHECK(call("PUT", "/elastic/jobs/7", R"({"group":1,"name":"x","total":2,"enabled":true})", "admin", "If-Match: *\r\n").status()
        == 400);
  CHECK(script->take_asked().empty());
  script->refuse({core::errc::invalid_argument, "Unexpected end of expression", core::refusal::cron_illegal, "x"});
  const auto wrong = call("POST", "/elastic/jobs",
                          R"({"group":1,"name":"x","total":2,"options":{"schedule_type":"cron","schedule":"0 0 x"}})");
  CHECK(wrong.status() == 400);
  CHECK(json_of(wrong)["errors"][0]["pointer"] == "/options/schedule");
  script->refuse({core::errc::invalid_argument, "pool: not supported", core::refusal::option_unsupported, "pool"});
  const auto later = call("POST", "/elastic/jobs", R"({"group":1,"name":"x","total":2})", "admin", "Accept-Language: zh-CN\r\n");
  CHECK(json_of(later)["detail"] == "pool: 此版本暂不支持");
}

TEST_CASE_METHOD(api_fixture, "api: an elastic job is replaced and removed as its version was read", "[gateway][api][elastic]") {
  open();
  const auto read = call("GET", "/elastic/jobs/7");
  CHECK(read.head.find("ETag: \"3\"\r\n") != std::string::npos);
  CHECK(json_of(read)["props"] == json::parse(R"({"a.token":null})"));
  const auto* body = R"({"group":1,"name":"sums","handler":"h","total":3})";
  const auto replace = [&](const std::string& match) { return call("PUT", "/elastic/jobs/7", body, "admin", match); };
  CHECK(replace("").status() == 428);
  const auto done = replace("If-Match: \"3\"\r\n");
  CHECK(json_of(done) == json::parse(R"({"id":7,"changed":true,"next_ms":1000})"));
  CHECK(done.head.find("ETag: \"4\"\r\n") != std::string::npos);
  CHECK(replace("If-Match: *\r\n").status() == 200);
  // An ETag that no version has is not taken for any version.
  CHECK(replace("If-Match: \"3x\"\r\n").status() == 200);
  CHECK(call("DELETE", "/elastic/jobs/7").status() == 204);
  CHECK(call("DELETE", "/elastic/jobs/7", {}, "admin", "If-Match: \"3\"\r\n").status() == 204);
  CHECK(script->take_asked()
        == asked_of_elastic{"elastic_query(7) by admin@127.0.0.1",
                            "update_elastic(7, '3', '1 /sums simple h 3') by admin@127.0.0.1",
                            "update_elastic(7, '*', '1 /sums simple h 3') by admin@127.0.0.1",
                            "update_elastic(7, '-1', '1 /sums simple h 3') by admin@127.0.0.1",
                            "remove_elastic(7, '*') by admin@127.0.0.1", "remove_elastic(7, '3') by admin@127.0.0.1"});
  script->refuse(core::edited_meanwhile("elastic job 7"));
  CHECK(replace("If-Match: \"2\"\r\n").status() == 412);
  script->refuse({core::errc::conflict, "items run", core::refusal::elastic_items_run});
  CHECK(call("DELETE", "/elastic/jobs/7").status() == 409);
}

TEST_CASE_METHOD(api_fixture, "api: a definition of an elastic job is planned before it is stored", "[gateway][api][elastic]") {
  open();
  CHECK(json_of(call("POST", "/elastic/preview", R"({"job":7,"group":1,"name":"sums","total":3})"))
        == json::parse(R"({"items":[{"host":"h1","gap":null,"ranges":[{"first":0,"last":2}]}]})"));
  CHECK(call("POST", "/elastic/preview", R"({"group":1,"name":"new","total":1})").status() == 200);
  CHECK(script->take_asked() == asked_of_elastic{"elastic_draft_query('7', 'sums') by admin@127.0.0.1",
                                                 "elastic_draft_query('-', 'new') by admin@127.0.0.1"});
  const auto file = call("GET", "/elastic/jobs/7/declaration");
  CHECK(file.body == "[[elastic_job]]\nname = \"sums\"\n");
  CHECK(file.head.find("Content-Type: application/toml\r\n") != std::string::npos);
}

TEST_CASE_METHOD(api_fixture, "api: items of an elastic job have hosts and a place in the plan", "[gateway][api][elastic]") {
  open();
  CHECK(json_of(call("GET", "/elastic/jobs/7/items")) == json::parse(R"({"items":[
    {"item":0,"state":"running","host":"h1","run":55,"source":"normal","attempt":1,"fence":0,"granted_ms":2000,"missed":false,
     "disabled":false,"surplus":false,"cancelled":false,"planned_host":"h1","gap":null,"param":"a"},
    {"item":1,"state":"idle","host":null,"run":null,"source":null,"attempt":1,"fence":0,"granted_ms":null,"missed":false,
     "disabled":true,"surplus":false,"cancelled":false,"planned_host":null,"gap":"no_host","param":null}],
    "next":null,"total":2,"total_is_capped":false})"));
  const auto page = json_of(call("GET", "/elastic/jobs/7/items?limit=1"));
  CHECK(page["items"].size() == 1);
  CHECK(page["next"] == "p1");
  CHECK(script->take_asked() ==
        asked_of_elastic{"elastic_items_query(7, 0, 51) by admin@127.0.0.1", "elastic_items_query(7, 0, 2) by admin@127.0.0.1"});
  CHECK(json_of(call("GET", "/elastic/jobs/7/plan?without=h2"))
        == json::parse(R"({"items":[{"host":"h1","gap":null,"ranges":[{"first":0,"last":1}]}]})"));
  CHECK(script->take_asked() == asked_of_elastic{"elastic_plan_query(7, 'h2') by admin@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "api: hosts of elastic jobs are listed", "[gateway][api][elastic]") {
  open();
  CHECK(json_of(call("GET", "/elastic/hosts?group=1")) == json::parse(R"({"items":[
    {"number":3,"id":"h1","app_name":"app-1","state":"up","mode":"enabled","ip":"","pid":0,"labels":"","capacity":4,
     "running":2,"incarnation":7,"keeper":""}]})"));
  CHECK(script->take_asked() == asked_of_elastic{"elastic_hosts_query('1') by admin@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "api: elastic jobs and their items are enabled and disabled", "[gateway][api][elastic]") {
  open();
  CHECK(json_of(call("POST", "/elastic/jobs/7/enable")) == json::parse(R"({"id":7,"changed":true,"next_ms":1000})"));
  CHECK(call("POST", "/elastic/jobs/7/disable", "{}").status() == 200);
  CHECK(json_of(call("POST", "/elastic/jobs/7/disable", R"({"item":0})"))
        == json::parse(R"({"id":7,"changed":false,"next_ms":null})"));
  CHECK(call("POST", "/elastic/jobs/7/enable", R"({"item":1})").status() == 200);
  CHECK(call("POST", "/elastic/jobs/7/shutdown").status() == 200);
  CHECK(script->take_asked()
        == asked_of_elastic{"set_elastic_status(7, 1) by admin@127.0.0.1", "set_elastic_status(7, 0) by admin@127.0.0.1",
                            "set_elastic_item(7, 0, true) by admin@127.0.0.1", "set_elastic_item(7, 1, false) by admin@127.0.0.1",
                            "set_elastic_status(7, 2) by admin@127.0.0.1"});
  for (const auto* body : {R"({"item":-1})", R"({"item":100000})", R"({"item":"0"})", R"({"items":1})", "[]", "x"})
    CHECK(call("POST", "/elastic/jobs/7/enable", body).status() == 400);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: an elastic job is triggered", "[gateway][api][elastic]") {
  open();
  const auto reply = call("POST", "/elastic/jobs/7/trigger", R"({"item":1,"param":"p","policy":"queue"})", "operator",
                          "Idempotency-Key: a\r\n");
  CHECK(reply.status() == 202);
  CHECK(json_of(reply) == json::parse(R"({"request":"77"})"));
  CHECK(call("POST", "/elastic/jobs/7/trigger").status() == 202);
  CHECK(script->take_asked()
        == asked_of_elastic{"trigger_elastic(7, '1', '1', 'p', true) by otto@127.0.0.1",
                            "trigger_elastic(7, '-', '-', '-', false) by admin@127.0.0.1"});
  CHECK(call("POST", "/elastic/jobs/7/trigger", R"({"policy":"later"})").status() == 400);
  CHECK(call("POST", "/elastic/jobs/7/trigger", R"({"params":"x"})").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "api: the history of an elastic job is read by page and filter", "[gateway][api][elastic]") {
  open();
  CHECK(json_of(call("GET", "/elastic/jobs/7/history?item=1&state=lost&from_ms=5&to_ms=9&limit=1&cursor=p60")) == json::parse(R"({
    "items":[{"run":55,"item":1,"state":"lost","source":"failover","attempt":2,"fence":9,"host":"h1","fire_ms":1000,
              "fire_source":"normal","granted_ms":2000,"started_ms":null,"ended_ms":3000,"message":"gone"}],
    "next":"p55","total":null,"total_is_capped":false})"));
  CHECK(call("GET", "/elastic/jobs/7/history").status() == 200);
  CHECK(script->take_asked() == asked_of_elastic{"elastic_history_query(7, '1', '4', 5, 9, 60, 1) by admin@127.0.0.1",
                                                 "elastic_history_query(7, '-', '-', 0, -1, 0, 50) by admin@127.0.0.1"});
  for (const auto* wrong : {"item=-1", "item=100000", "item=x", "state=gone", "from_ms=-1", "to_ms=x", "limit=0", "colour=red"})
    CHECK(call("GET", std::string{"/elastic/jobs/7/history?"} + wrong).status() == 400);
  CHECK(call("GET", "/elastic/jobs/0/history").status() == 404);
  CHECK(script->take_asked().empty());
}
