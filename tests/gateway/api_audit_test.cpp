// /api/v1: the audit log, and the changes of one job or group.

#include "tests/support/catch.hpp"

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

using lines = std::vector<std::string>;

TEST_CASE_METHOD(api_fixture, "api: the audit log is filtered", "[gateway][api]") {
  open();
  CHECK(call("GET", "/audit?action=update&from_ms=1767323045000&to_ms=1767323046000&q=100%25%20%C3%A4").status() == 200);
  CHECK(call("GET", "/audit?q=").status() == 200);
  CHECK(script->take_asked() ==
        lines{"audit_query('-', '-', '50') of update('1767323045000', '1767323046000', '100% \xc3\xa4') by admin@127.0.0.1",
              "audit_query('-', '-', '50') by admin@127.0.0.1"});
  CHECK(call("GET", "/audit?q=" + std::string(256, 'x')).status() == 200);
  script->take_asked();
  for (const auto& odd : {"q=" + std::string(257, 'x'), std::string{"q=%ff"}, std::string{"action="},
                          std::string{"from_ms="}, std::string{"from_ms=99999999999999999999"}}) {
    CAPTURE(odd);
    CHECK(call("GET", "/audit?" + odd).status() == 400);
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: changes have their values beside their lines", "[gateway][api]") {
  open();
  const auto page = json_of(call("GET", "/jobs/7/changes?limit=1", {}, "viewer"));
  const auto& row = page["items"][0];
  CHECK(row["changes"] == json::array({"a: 1 -> 2", "b: \"\" -> \"x\"", "password: changed"}));
  CHECK(row["fields"] == json::array({{{"name", "a"}, {"before", "1"}, {"after", "2"}},
                                      {{"name", "b"}, {"before", ""}, {"after", "x"}},
                                      {{"name", "password: changed"}, {"before", nullptr}, {"after", nullptr}}}));
  CHECK(page["next"] == "p12");
  CHECK(json_of(call("GET", "/groups/1/changes?cursor=p12"))["next"].is_null());
  CHECK(script->take_asked() == lines{"changes_query('job', 1, '-', '1') by vera@127.0.0.1",
                                      "changes_query('group', 1, '12', '50') by admin@127.0.0.1"});
  script->refuse({core::errc::not_found, "job 8 does not exist", core::refusal::job_id_illegal});
  CHECK(call("GET", "/jobs/8/changes").status() == 404);
}
