// Orders about runs, servers and hosts of elastic jobs in /api/v1.

#include "tests/support/catch.hpp"

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

namespace {

using elastic_orders_asked = std::vector<std::string>;

} // namespace

TEST_CASE_METHOD(api_fixture, "api: elastic jobs are drained and restarted", "[gateway][api][elastic]") {
  open();
  CHECK(json_of(call("POST", "/elastic/jobs/7/drain")) == json::parse(R"({"id":7,"changed":true,"next_ms":1000})"));
  CHECK(json_of(call("POST", "/elastic/jobs/7/restart")) == json::parse(R"({"id":7,"changed":true,"next_ms":1000})"));
  CHECK(script->take_asked() ==
        elastic_orders_asked{"set_elastic_status(7, 3) by admin@127.0.0.1", "restart_elastic(7) by admin@127.0.0.1"});
  CHECK(call("GET", "/elastic/jobs?status=draining").status() == 200);
  CHECK(call("POST", "/elastic/jobs/0/drain").status() == 404);
}

TEST_CASE_METHOD(api_fixture, "api: a run of an elastic job is cancelled", "[gateway][api][elastic]") {
  open();
  CHECK(call("POST", "/elastic/runs/55/cancel").status() == 200);
  CHECK(script->take_asked() == elastic_orders_asked{"cancel_elastic_run(55) by admin@127.0.0.1"});
  const auto ended = call("POST", "/elastic/runs/99/cancel");
  CHECK(ended.status() == 409);
  CHECK(json_of(ended)["detail"] == "run 99 of item 0 has ended");
  CHECK(call("POST", "/elastic/runs/x/cancel").status() == 404);
  CHECK(call("GET", "/elastic/runs/55/cancel").status() == 405);
}

TEST_CASE_METHOD(api_fixture, "api: a host is disabled for one elastic job", "[gateway][api][elastic]") {
  open();
  CHECK(call("POST", "/elastic/jobs/7/hosts/10.0.0.1/disable").status() == 200);
  CHECK(call("POST", "/elastic/jobs/7/hosts/ringmaster%3A%2F%2Fapp-1%2Fa/enable").status() == 200);
  CHECK(script->take_asked() == elastic_orders_asked{"set_elastic_server(7, '10.0.0.1', true) by admin@127.0.0.1",
                                                     "set_elastic_server(7, 'ringmaster://app-1/a', false) by admin@127.0.0.1"});
  CHECK(call("POST", "/elastic/jobs/7/hosts/%ff/enable").status() == 404);
}

TEST_CASE_METHOD(api_fixture, "api: administrators set the modes of hosts", "[gateway][api][elastic]") {
  open();
  CHECK(json_of(call("POST", "/elastic/hosts/h1/disable")) == json::parse(R"({"hosts":["h1"],"changed":true})"));
  for (const auto* verb : {"enable", "drain", "remove"})
    CHECK(call("POST", std::string{"/elastic/hosts/h1/"} + verb).status() == 200);
  CHECK(script->take_asked() ==
        elastic_orders_asked{"set_elastic_host('h1', 1) by admin@127.0.0.1", "set_elastic_host('h1', 0) by admin@127.0.0.1",
                             "set_elastic_host('h1', 2) by admin@127.0.0.1", "set_elastic_host('h1', 3) by admin@127.0.0.1"});
  CHECK(call("POST", "/elastic/hosts/h1/disable", "", "operator").status() == 403);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: servers are listed with counts", "[gateway][api][elastic]") {
  open();
  CHECK(json_of(call("GET", "/elastic/servers?group=1")) == json::parse(R"({"items":[
    {"ip":"10.0.0.1","hosts":["h1","h2"],"up":1,"silent":0,"down":1,"disabled":0,"running":0,"jobs":3,"disabled_jobs":0}]})"));
  CHECK(script->take_asked() == elastic_orders_asked{"elastic_servers_query('1') by admin@127.0.0.1"});
  CHECK(call("GET", "/elastic/servers?group=0").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "api: a dump hides IP addresses unless an administrator asks for them", "[gateway][api][elastic]") {
  open();
  const auto server_in = [](const json& dump) {
    for (const auto& line : dump["items"])
      if (line["path"] == "/disabled_servers/0")
        return line["value"].get<std::string>();
    return std::string{};
  };
  CHECK(server_in(json_of(call("GET", "/elastic/jobs/7/dump"))) == "ip1");
  CHECK(server_in(json_of(call("GET", "/elastic/jobs/7/dump?mask=false"))) == "10.0.0.9");
  CHECK(call("GET", "/elastic/jobs/7/dump?mask=false", "", "operator").status() == 403);
  CHECK(call("GET", "/elastic/jobs/7/dump?mask=no").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "api: an order without parameters refuses a body with members", "[gateway][api][elastic]") {
  open();
  const std::string target =
    "/elastic/" + GENERATE(as<std::string>{}, "jobs/7/shutdown", "jobs/7/drain", "jobs/7/restart", "jobs/7/hosts/h1/enable",
                           "jobs/7/hosts/h1/disable", "runs/55/cancel", "hosts/h1/enable", "hosts/h1/disable", "hosts/h1/drain",
                           "hosts/h1/remove");
  CAPTURE(target);
  for (const auto* body : {R"({"item":1})", R"({"item":null})", "[]", "null", "x", "{"})
    CHECK(call("POST", target, body).status() == 400);
  CHECK(json_of(call("POST", target, R"({"item":1})"))["detail"] == "item: is unknown");
  CHECK(script->take_asked().empty());
  CHECK(call("POST", target, "{}").status() == 200);
  CHECK(script->take_asked().size() == 1);
}
