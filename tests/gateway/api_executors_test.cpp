// Executors in /api/v1.

#include <algorithm>

#include "tests/support/catch.hpp"

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

TEST_CASE_METHOD(api_fixture, "executors are listed with their state and last heartbeat", "[gateway][api][executors]") {
  open();
  const auto page = json_of(call("GET", "/executors?group=1&state=gone&limit=1"));
  CHECK(page["items"] == json::parse(R"([{"group":1,"app_name":"app-1","address":"http://10.0.0.3:9999/","state":"gone",
                                          "last_beat_ms":1767323045000,"link":false,"family":"xxl","unreachable_ms":null}])"));
  CHECK(page["total"] == 41);
  CHECK(page["next"] == "p1");
  CHECK(json_of(call("GET", "/executors?q=nothing"))["total"] == 0);
  CHECK(json_of(call("GET", "/executors", {}, "stranger"))["items"].empty());
  CHECK(call("GET", "/executors?group=2", {}, "viewer").status() == 403);
  for (const auto* query : {"state=down", "state=", "group=x", "group=0", "limit=0", "app=a"}) {
    CAPTURE(query);
    CHECK(call("GET", std::string{"/executors?"} + query).status() == 400);
  }
}

TEST_CASE_METHOD(api_fixture, "groups are searched, sorted and counted", "[gateway][api]") {
  open();
  const auto row = json_of(call("GET", "/groups?q=App&sort=-title&counts=true&limit=3&cursor=p2"))["items"][0];
  CHECK(row["jobs"] == 7);
  CHECK(row["online"] == 2);
  CHECK(row["late"] == 1);
  CHECK(row["gone"] == 2);
  CHECK(row["known"] == 5);
  CHECK(row["has_token"] == true);
  CHECK(script->take_asked() == std::vector<std::string>{"visible_groups_query('App', '1', true, '2+3') by admin@127.0.0.1"});
  CHECK(json_of(call("GET", "/groups?counts=true", {}, "viewer"))["items"][0]["has_token"].is_null());
  CHECK_FALSE(json_of(call("GET", "/groups?counts=false"))["items"][0].contains("jobs"));
  (void) script->take_asked();
  for (const auto* place : {"/groups?sort=jobs", "/groups?sort=", "/groups?sort=--id", "/groups?counts=yes", "/groups?title=a"}) {
    CAPTURE(place);
    CHECK(call("GET", place).status() == 400);
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "an executor without a group is listed until its group is added", "[gateway][api][executors]") {
  open();
  tell_groups(std::vector<std::string>{"app-1"});
  // The answer is that of XXL-JOB: accepted.
  const auto stock = R"({"registryGroup":"EXECUTOR","registryKey":"stock","registryValue":"http://127.0.0.1:7001/"})";
  CHECK(post("/api/registry", stock).body == plain_success);
  CHECK(post("/api/registry", stock, "XXL-JOB-ACCESS-TOKEN: wrong\r\n").body != plain_success);
  const auto reasons = [this] {
    std::vector<std::string> out;
    const auto list = json_of(call("GET", "/executors/refused"));
    for (const auto& each : list["items"])
      out.push_back(each["reason"].get<std::string>() + ' ' + each["app_name"].get<std::string>());
    std::sort(out.begin(), out.end());
    return out;
  };
  CHECK(reasons() == std::vector<std::string>{"unknown_app stock"});
  tell_groups(std::vector<std::string>{"app-1", "stock"});
  CHECK(reasons().empty());
  CHECK(post("/api/registry", stock, "XXL-JOB-ACCESS-TOKEN: wrong\r\n").body != plain_success);
  CHECK(reasons() == std::vector<std::string>{"wrong_token stock"});
}

TEST_CASE_METHOD(api_fixture, "an executor without a group that registered at another node is listed once",
                 "[gateway][api][executors]") {
  open();
  tell_groups(std::vector<std::string>{"app-1"});
  const auto stock = R"({"registryGroup":"EXECUTOR","registryKey":"stock","registryValue":"http://127.0.0.1:7001/"})";
  CHECK(post("/api/registry", stock).body == plain_success);
  seen->note([](recorder& r) {
    r.without_group = {{{}, "stock", "http://127.0.0.1:7001/", core::executor_state::online, core::from_ms(1'767'323'045'000)},
                       {{}, "goods", "http://127.0.0.1:7002/", core::executor_state::late, core::from_ms(1'767'323'045'000)}};
  });
  const auto items = json_of(call("GET", "/executors/refused"))["items"];
  REQUIRE(items.size() == 2);
  CHECK(items[0]["app_name"] == "stock");
  CHECK(items[0]["times"] == 1);
  CHECK(items[1] == json::parse(R"({"reason":"unknown_app","app_name":"goods","address":"http://127.0.0.1:7002/","remote":null,
                                    "first_ms":1767323045000,"last_ms":1767323045000,"times":0})"));
}
