// Declared files in /api/v1.

#include "tests/support/catch.hpp"

#include "gateway/routes.hpp"
#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

namespace {

using lines = std::vector<std::string>;

std::string files(const std::string& text) {
  return json{{"source", "ci"}, {"files", {{{"name", "pay.toml"}, {"text", text}}}}}.dump();
}

} // namespace

TEST_CASE_METHOD(api_fixture, "api: apply reports the changes", "[gateway][api]") {
  open();
  const auto reply = call("POST", "/apply", R"({"files":[{"name":"a","text":""}]})");
  CHECK(reply.status() == 200);
  CHECK(json_of(reply) == json::parse(R"({"dry_run":true,"changes":[{"kind":"update","object":"job pay-worker/settle",
    "fields":["retry: 0 -> 2"]}],"on_their_way":0,"warnings":[]})"));
  // Unchanged: a store worker reads the body.
  CHECK(script->take_asked() == lines{R"(apply_files('{"files":[{"name":"a","text":""}]}') by admin@127.0.0.1)"});
}

TEST_CASE_METHOD(api_fixture, "api: errors in files are reported with file and line", "[gateway][api]") {
  open();
  script->refuse({core::errc::invalid_argument,
                  "a: b.toml:14: route: \"x\" is unknown; see 1: 2\npay.toml:3: no\nfiles: is missing"});
  const auto reply = call("POST", "/apply", files(""));
  CHECK(reply.status() == 400);
  CHECK(reply.head.find("Content-Type: application/problem+json\r\n") != std::string::npos);
  const auto problem = json_of(reply);
  CHECK(problem["type"] == "urn:ringmaster:invalid_argument");
  CHECK(problem["detail"] == "a: b.toml:14: route: \"x\" is unknown; see 1: 2 (and more)");
  CHECK(problem["errors"] == json::parse(R"([{"file":"a: b.toml","line":14,"detail":"route: \"x\" is unknown; see 1: 2"},
    {"file":"pay.toml","line":3,"detail":"no"},{"file":null,"line":null,"detail":"files: is missing"}])"));

  script->refuse({core::errc::conflict, "pay.toml:1: group pay-worker belongs to the source ops; it stays as it is"});
  const auto conflict = call("POST", "/apply", files(""));
  CHECK(conflict.status() == 409);
  CHECK(json_of(conflict)["errors"][0]["line"] == 1);

  script->refuse({core::errc::unavailable, "no connection to user@host"});
  const auto away = call("POST", "/apply", files(""));
  CHECK(away.status() == 503);
  CHECK(away.body.find("user@host") == std::string::npos);
}

TEST_CASE_METHOD(api_fixture, "api: files may be long, up to a limit", "[gateway][api]") {
  open();
  CHECK(call("POST", "/apply", files(std::string(2 * gateway::form_bytes_max, '#'))).status() == 200);
  script->take_asked();
  CHECK(call("POST", "/apply", files(std::string(gateway::apply_bytes_max, '#'))).status() == 413);
  CHECK(call("POST", "/jobs", std::string(2 * gateway::form_bytes_max, ' ')).status() == 413);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: an export is a declared file", "[gateway][api]") {
  open();
  const auto reply = call("GET", "/export");
  CHECK(reply.status() == 200);
  CHECK(reply.head.find("Content-Type: application/toml\r\n") != std::string::npos);
  CHECK(reply.head.find("Cache-Control: no-store\r\n") != std::string::npos);
  CHECK(reply.body == "# all\n[[group]]\napp_name = \"pay-worker\"\n");
  call("GET", "/export?group=2");
  call("GET", "/export?group=2&source=ops%20a");
  CHECK(script->take_asked() == lines{"export(-) by admin@127.0.0.1", "export(2) by admin@127.0.0.1",
                                      "export(2, ops a) by admin@127.0.0.1"});
  for (const auto* odd : {"group=x", "group=99999999999", "source=", "source=%20"})
    CHECK(call("GET", std::string{"/export?"} + odd).status() == 400);
  CHECK(script->take_asked().empty());
  script->refuse({core::errc::too_large, "more than 8 MiB"});
  CHECK(call("GET", "/export").status() == 413);
}

TEST_CASE_METHOD(api_fixture, "api: files need JSON and a CSRF token that other sites cannot send", "[gateway][api]") {
  open();
  const auto body = files("");
  CHECK(call_as(cookie_3("admin"), "POST", "/apply", body).status() == 403);
  CHECK(ask(text("POST", "/api/v1/apply", body, "Content-Type: text/plain\r\n" + cookie_3("admin") + csrf("admin"))).status()
        == 415);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: sources are listed with their objects and last apply", "[gateway][api]") {
  open();
  CHECK(json_of(call("GET", "/declared")) == json::parse(R"({"items":[
    {"source":"ci","revision":17,"objects":{"groups":1,"jobs":2,"alarms":3,"elastic_jobs":4},"files":["a.toml"],
     "applied_ms":1767225600000,"by":"ann","has_files":false},
    {"source":"deploy","revision":null,"objects":{"groups":0,"jobs":0,"alarms":0,"elastic_jobs":0},"files":[],
     "applied_ms":null,"by":null,"has_files":true}]})"));
  CHECK(call("GET", "/declared?source=ci").status() == 400);
}

TEST_CASE_METHOD(api_fixture, "api: the drift of a source has the form of a dry run", "[gateway][api]") {
  open();
  const auto reply = call("GET", "/declared/ci%20%E5%91%8A/drift");
  CHECK(json_of(reply) == json::parse(R"({"dry_run":true,"changes":[{"kind":"update","object":"job pay-worker/settle",
    "fields":["retry: 0 -> 2"]}],"on_their_way":0,"warnings":[]})"));
  CHECK(script->take_asked() == lines{"drift_query('ci 告') by admin@127.0.0.1"});
  script->refuse({core::errc::conflict, "pay.toml:3: no"});
  const auto wrong = call("GET", "/declared/deploy/drift");
  CHECK(wrong.status() == 409);
  CHECK(json_of(wrong)["errors"] == json::parse(R"([{"file":"pay.toml","line":3,"detail":"no"}])"));
}

TEST_CASE_METHOD(api_fixture, "api: a job is answered as a table of a declared file", "[gateway][api]") {
  open();
  const auto reply = call("GET", "/jobs/7/declaration");
  CHECK(reply.status() == 200);
  CHECK(reply.head.find("Content-Type: application/toml\r\n") != std::string::npos);
  CHECK(reply.body == "[[job]]\ngroup = \"pay-worker\"\n");
  CHECK(script->take_asked() == lines{"declaration_query(7) by admin@127.0.0.1"});
  CHECK(call("GET", "/jobs/x/declaration").status() == 404);
}
