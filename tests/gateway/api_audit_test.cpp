// /api/v1: the audit log, and the changes of one job or group.

#include "tests/support/catch.hpp"

#include "core/editing/edit_tag.hpp"
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

TEST_CASE_METHOD(api_fixture, "api: a later edit of a job is refused with its user and time", "[gateway][api]") {
  open();
  const auto put = [this] {
    return json_of(call("PUT", "/jobs/7", R"({"group":1,"name":"y"})", "editor", "If-Match: \"1\"\r\n"));
  };
  auto problem = put();
  CHECK(problem["status"] == 412);
  CHECK(problem["type"] == "urn:ringmaster:changed_meanwhile");
  CHECK(problem["changed_by"] == "admin");
  CHECK(problem["changed_ms"] == 1'767'323'046'250);
  // Without the audit log the answer is the same refusal.
  script->refuse({core::errc::unavailable, "no database"}, "changes_query");
  problem = put();
  CHECK(problem["status"] == 412);
  CHECK_FALSE(problem.contains("changed_by"));
  // The source of the job was changed at another time, and the audit log has no such change.
  script->refuse(core::edited_meanwhile("the source of job 7"), "save_source");
  problem = json_of(call("PUT", "/jobs/7/source", R"({"source":"echo 2","remark":"second"})", "editor", "If-Match: \"1\"\r\n"));
  CHECK(problem["status"] == 412);
  CHECK(problem["changed_by"].is_null());
  CHECK(problem["changed_ms"] == 1'767'323'047'000);
}
