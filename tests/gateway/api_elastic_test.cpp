// Elastic jobs in /api/v1.

#include "tests/support/catch.hpp"

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

TEST_CASE_METHOD(api_fixture, "api: items of an elastic job have hosts and a place in the plan", "[gateway][api][elastic]") {
  open();
  CHECK(json_of(call("GET", "/elastic/jobs/7/items")) == json::parse(R"({"items":[
    {"item":0,"state":"running","host":"h1","run":55,"source":"normal","attempt":1,"fence":0,"granted_ms":2000,"missed":false,
     "disabled":false,"surplus":false,"planned_host":"h1","gap":null,"param":"a"},
    {"item":1,"state":"idle","host":null,"run":null,"source":null,"attempt":1,"fence":0,"granted_ms":null,"missed":false,
     "disabled":true,"surplus":false,"planned_host":null,"gap":"no_host","param":null}],
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
    {"number":3,"id":"h1","app_name":"app-1","state":"up","ip":"","pid":0,"labels":"","capacity":4,"running":2,"incarnation":7,
     "keeper":""}]})"));
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
    "items":[{"run":55,"item":1,"state":"lost","source":"failover","attempt":2,"host":"h1","fire_ms":1000,"fire_source":"normal",
              "granted_ms":2000,"started_ms":null,"ended_ms":3000,"message":"gone"}],
    "next":"p55","total":null,"total_is_capped":false})"));
  CHECK(call("GET", "/elastic/jobs/7/history").status() == 200);
  CHECK(script->take_asked() == asked_of_elastic{"elastic_history_query(7, '1', '4', 5, 9, 60, 1) by admin@127.0.0.1",
                                                 "elastic_history_query(7, '-', '-', 0, -1, 0, 50) by admin@127.0.0.1"});
  for (const auto* wrong : {"item=-1", "item=100000", "item=x", "state=gone", "from_ms=-1", "to_ms=x", "limit=0", "colour=red"})
    CHECK(call("GET", std::string{"/elastic/jobs/7/history?"} + wrong).status() == 400);
  CHECK(call("GET", "/elastic/jobs/0/history").status() == 404);
  CHECK(script->take_asked().empty());
}
