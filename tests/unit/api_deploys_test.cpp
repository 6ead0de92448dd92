// Declared files in /api/v1.

#include "protocol/wire/v1/api_deploys.hpp"

#include <nlohmann/json.hpp>

#include "core/text/text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::protocol::wire;
using nlohmann::json;

namespace {

std::string refusal_of_body(std::string_view body) {
  const auto read = parse_api_apply(body);
  return read ? "accepted" : read.error().context;
}

} // namespace

TEST_CASE("api: an apply request is read", "[wire][api]") {
  const auto little = parse_api_apply(R"({"files":[{"name":"a.toml","text":"x"}]})");
  REQUIRE(little);
  CHECK(little->source == "apply");
  CHECK(little->revision == 0);
  CHECK_FALSE(little->dry_run);
  CHECK_FALSE(little->prune);
  CHECK(little->files == std::vector<std::pair<std::string, std::string>>{{"a.toml", "x"}});
  const auto all = parse_api_apply(R"({"source":"ci","revision":17,"dry_run":true,"prune":true,
    "files":[{"name":"a","text":""},{"name":"b","text":"y"}]})");
  REQUIRE(all);
  CHECK(all->source == "ci");
  CHECK(all->revision == 17);
  CHECK(all->dry_run);
  CHECK(all->prune);
  CHECK(all->files.size() == 2);
}

TEST_CASE("api: an invalid apply request is refused", "[wire][api]") {
  // With prune, an empty set would remove everything.
  CHECK(refusal_of_body("{}").find("files") != std::string::npos);
  CHECK(refusal_of_body(R"({"prune":true,"files":[]})").find("files") != std::string::npos);
  CHECK(refusal_of_body(R"({"files":[{"name":"a.toml"}]})").find("files[0].text") != std::string::npos);
  for (const auto* name : {"", " ", "a\\nb", "a\\u007f"})
    CHECK(refusal_of_body(R"({"files":[{"name":")" + std::string{name} + R"(","text":""}]})").find("files[0].name")
          != std::string::npos);
  CHECK(refusal_of_body(R"({"files":[{"name":"a","text":"","mode":7}]})").find("mode") != std::string::npos);
  const std::string one = R"("files":[{"name":"a","text":""}])";
  CHECK(refusal_of_body(R"({"source":"",)" + one + "}").find("source") != std::string::npos);
  CHECK(refusal_of_body(R"({"source":")" + std::string(129, 's') + R"(",)" + one + "}").find("source") != std::string::npos);
  CHECK(refusal_of_body(R"({"revision":-1,)" + one + "}").find("revision") != std::string::npos);
  CHECK(refusal_of_body(R"({"revision":1e3,)" + one + "}").find("revision") != std::string::npos);
  CHECK(refusal_of_body(R"({"dry_run":"yes",)" + one + "}").find("dry_run") != std::string::npos);
}

TEST_CASE("api: a long list of errors is cut", "[wire][api]") {
  std::string context;
  for (std::size_t i = 1; i <= file_errors_max + 5; ++i)
    context += "a.toml:" + std::to_string(i) + ": wrong\n";
  const auto errors = json::parse(api_file_errors(context));
  CHECK(errors.size() == file_errors_max);
  CHECK(errors.back()["line"] == file_errors_max);
  CHECK(json::parse(api_file_errors("")).empty());
}

TEST_CASE("api: a report without a count of runs in progress", "[wire][api]") {
  core::deploy_report report;
  report.changes.push_back({core::change_kind::remove, "job a/b", {}});
  report.on_their_way.reset();
  CHECK(json::parse(api_deploy_report(report, false))
        == json::parse(R"({"dry_run":false,"changes":[{"kind":"remove","object":"job a/b","fields":[]}],"on_their_way":null,
                          "warnings":[]})"));
}

TEST_CASE("api: encoder and decoder of an apply agree", "[wire][api]") {
  const api_apply wanted{"ci", 17, true, true, true, {{"a.toml", "x = \"\n\\\""}, {"b", ""}}};
  const auto sent = parse_api_apply(api_apply_body(wanted));
  REQUIRE(sent);
  CHECK(sent->source == wanted.source);
  CHECK(sent->revision == wanted.revision);
  CHECK(sent->dry_run);
  CHECK(sent->prune);
  CHECK(sent->files == wanted.files);

  core::deploy_report report;
  report.changes = {{core::change_kind::create, "group a", {}}, {core::change_kind::remove, "job a/b", {"retry: 0 -> 2"}}};
  for (const auto runs : {std::optional<std::size_t>{}, std::optional<std::size_t>{3}}) {
    report.on_their_way = runs;
    report.warnings = {"job a/b: look"};
    const auto got = parse_api_applied(api_deploy_report(report, true));
    REQUIRE(got);
    CHECK(got->dry_run);
    CHECK(got->report.on_their_way == runs);
    CHECK(got->report.warnings == report.warnings);
    REQUIRE(got->report.changes.size() == 2);
    CHECK(got->report.changes[1].kind == core::change_kind::remove);
    CHECK(got->report.changes[1].object == "job a/b");
    CHECK(core::texts_of(got->report.changes[1].fields) == core::texts_of(report.changes[1].fields));
  }
  CHECK_FALSE(parse_api_applied(R"({"dry_run":false,"changes":[{"kind":"explode","object":"x","fields":[]}],"on_their_way":0})"));
  CHECK_FALSE(parse_api_applied("no"));
}

TEST_CASE("api: the client prints errors as the command does", "[wire][api]") {
  const std::string context = "a.toml:14: route: \"x\" is unknown\nnothing more\n";
  CHECK(api_problem_lines(R"({"detail":"first","errors":)" + api_file_errors(context) + "}") == context);
  CHECK(api_problem_lines(R"({"detail":"Permission limit"})") == "Permission limit");
  for (const auto* odd : {"", "<html>", "[]", R"({"detail":7,"errors":[1,{"line":"x"}]})"})
    CHECK(core::is_blank(api_problem_lines(odd)));
}

TEST_CASE("api: the filter of an export is read", "[wire][api]") {
  const auto read = [](const std::string& query) { return api_export_of(*form::parse("/x?" + query, {}, {})); };
  const auto all = read("");
  REQUIRE(all);
  CHECK_FALSE(all->group);
  CHECK_FALSE(all->source);
  const auto part = read("group=7&source=a%20b");
  REQUIRE(part);
  CHECK(part->group == core::group_id{7});
  CHECK(part->source == "a b");
  for (const auto& odd : {std::string{"group="}, std::string{"group=0"}, std::string{"group=x"}, std::string{"source="},
                          std::string{"source=%20"}, "source=" + std::string(129, 's')}) {
    CAPTURE(odd);
    CHECK_FALSE(read(odd));
  }
}
