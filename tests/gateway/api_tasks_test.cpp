// Tasks in /api/v1: actions with many jobs or runs.

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

using asked_of_tasks = std::vector<std::string>;

TEST_CASE_METHOD(api_fixture, "removals, kills and reruns of many are tasks", "[gateway][api][tasks]") {
  open();
  const auto reply = call("POST", "/jobs/delete", R"({"ids":[7,8]})");
  CHECK(reply.status() == 202);
  CHECK(json_of(reply) == json::parse(R"({"task":7})"));
  CHECK(reply.head.find("Location: /api/v1/tasks/7\r\n") != std::string::npos);
  CHECK(call("POST", "/runs/kill", R"({"ids":[5000000000]})").status() == 202);
  CHECK(call("POST", "/runs/rerun", R"({"ids":[70]})").status() == 202);
  CHECK(call("POST", "/runs/rerun", R"({"ids":[70],"params":"p","addresses":[]})").status() == 202);
  CHECK(script->take_asked() ==
        asked_of_tasks{"begin_task('delete', '7,8', '-', '-', true, false, false) by admin@127.0.0.1",
                       "begin_task('kill', '5000000000', '-', '-', true, false, false) by admin@127.0.0.1",
                       "begin_task('rerun', '70', '-', '-', true, false, false) by admin@127.0.0.1",
                       "begin_task('rerun', '70', '-', 'p', false, false, false) by admin@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "a filter has the names of the list's parameters", "[gateway][api][tasks]") {
  open();
  for (const std::string action : {"start", "stop", "trigger", "delete"}) {
    CAPTURE(action);
    const auto reply =
      call("POST", "/jobs/" + action, R"({"filter":{"group":3,"name":"a b&c=d","running":null},"expect":57})");
    CHECK(reply.status() == 202);
    CHECK(script->take_asked() ==
          asked_of_tasks{"begin_task('" + action + "', '', '3/a b&c=d', '-', true, false, false) by admin@127.0.0.1"});
  }
  for (const auto* status : {R"(["failed","lost"])", R"("failed,lost")"}) {
    const auto body = R"({"filter":{"group":3,"status":)" + std::string{status} + R"(},"expect":57})";
    CHECK(call("POST", "/runs/kill", body).status() == 202);
    CHECK(script->take_asked() == asked_of_tasks{"begin_task('kill', '', '3/2', '-', true, false, false) by admin@127.0.0.1"});
  }
}

TEST_CASE_METHOD(api_fixture, "a wrong number of objects is a conflict with the real one", "[gateway][api][tasks]") {
  open();
  const auto reply = call("POST", "/jobs/stop", R"({"filter":{},"expect":50})");
  CHECK(reply.status() == 409);
  CHECK(type_of(reply) == "urn:ringmaster:conflict");
  CHECK(json_of(reply)["count"] == 57);
}

TEST_CASE_METHOD(api_fixture, "a task with wrong objects is refused", "[gateway][api][tasks]") {
  open();
  for (const auto* body :
       {"{}", R"({"ids":[]})", R"({"ids":[7,7]})", R"({"ids":[0]})", R"({"ids":["7"]})", R"({"filter":{}})", R"({"expect":57})",
        R"({"ids":[7],"expect":1})", R"({"ids":[7],"filter":{},"expect":57})", R"({"filter":{},"expect":-1})",
        R"({"filter":{},"expect":100001})", R"({"filter":[],"expect":57})", R"({"filter":"x","expect":57})",
        R"({"filter":{"nonsense":1},"expect":57})", R"({"filter":{"limit":1},"expect":57})",
        R"({"filter":{"cursor":"p1"},"expect":57})", R"({"filter":{"group":{"a":1}},"expect":57})",
        R"({"filter":{"group":[[1]]},"expect":57})", R"({"filter":{"group":1.5},"expect":57})",
        R"({"filter":{"group":"x"},"expect":57})", R"({"ids":[7],"more":1})"}) {
    CAPTURE(body);
    for (const auto* path : {"/jobs/delete", "/jobs/stop", "/jobs/trigger", "/runs/kill", "/runs/rerun"})
      CHECK(call("POST", path, body).status() == 400);
  }
  CHECK(call("POST", "/runs/kill", R"({"ids":[7],"params":"p"})").status() == 400);
  CHECK(call("POST", "/jobs/delete", R"({"ids":[2147483648]})").status() == 400);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "a key makes a task that a repeated request finds again", "[gateway][api][tasks]") {
  open();
  const std::string key = "Idempotency-Key: k-1\r\n";
  CHECK(call("POST", "/runs/rerun", R"({"ids":[70]})", "admin", key).status() == 202);
  CHECK(call("POST", "/jobs/trigger", R"({"filter":{},"expect":57})", "admin", key).status() == 202);
  CHECK(script->take_asked() == asked_of_tasks{"begin_task('rerun', '70', '-', '-', true, true, true) by admin@127.0.0.1",
                                               "begin_task('trigger', '', '-/', '-', true, true, true) by admin@127.0.0.1"});
  CHECK(call("POST", "/runs/rerun", R"({"ids":[70]})", "admin", "Idempotency-Key: a b\r\n").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "the progress of a task names failures, but no secrets", "[gateway][api][tasks]") {
  open();
  const auto progress = json_of(call("GET", "/tasks/7"));
  CHECK(progress["problems"][1]["code"] == "unavailable");
  for (const auto& each : progress["problems"])
    CHECK(each["detail"].get<std::string>().find("secret") == std::string::npos);
  CHECK(progress["problems"][2]["detail"] == "internal error");
  CHECK(progress["problems"][3] == json::parse(R"({"id":11,"code":"one_shard","detail":"run 11 is one shard"})"));
  auto rest = progress;
  rest.erase("problems");
  CHECK(rest == json::parse(R"({"id":7,"action":"stop","state":"done","done":46,"total":50,"failed":4})"));
  CHECK(progress["problems"][0] == json::parse(R"({"id":8,"code":"not_found","detail":"job 8 does not exist"})"));
  CHECK(json_of(call("POST", "/tasks/7/abort"))["state"] == "done");
  CHECK(call("GET", "/tasks/1007", "", "operator").status() == 404);
  CHECK(script->take_asked() == asked_of_tasks{"task_query(7) by admin@127.0.0.1", "abort_task(7) by admin@127.0.0.1"});
}
