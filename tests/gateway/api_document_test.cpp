// Compares the OpenAPI document with the routes.

#include "tests/support/catch.hpp"

#include <cctype>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "gateway/exchange/gzip.hpp"
#include "gateway/handlers/v1/api_document.hpp"
#include "protocol/wire/v1/api_elastic_drafts.hpp"
#include "tests/gateway/api_fixture.hpp"
#include "tests/gateway/rights.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

namespace {

std::string in_capitals(std::string text) {
  for (auto& each : text)
    each = static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
  return text;
}

/// Collects each `$ref` below `value`.
void collect_references(const json& value, std::set<std::string>& found) {
  for (const auto& [name, inner] : value.items()) {
    if (value.is_object() && name == "$ref")
      found.insert(inner.get<std::string>());
    else if (inner.is_structured())
      collect_references(inner, found);
  }
}

} // namespace

TEST_CASE("the document has every route of the API and no other", "[gateway][api]") {
  const auto document = json::parse(gateway::api_document());
  std::set<std::string> described, routed;
  for (const auto& [path, methods] : document["paths"].items())
    for (const auto& [method, operation] : methods.items())
      described.insert(in_capitals(method) + ' ' + path);
  for (const auto& row : gateway::routes())
    if (is_of_api(row.path))
      routed.insert(std::string{row.method} + ' ' + std::string{row.path});
  CHECK(described == routed);
}

TEST_CASE("the document states the same permissions as the routes", "[gateway][api]") {
  const auto document = json::parse(gateway::api_document());
  std::set<std::string> names;
  for (const auto& row : gateway::routes()) {
    if (!is_of_api(row.path))
      continue;
    CAPTURE(row.method, row.path);
    auto method = std::string{row.method};
    for (auto& each : method)
      each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    const auto& operation = document["paths"][std::string{row.path}][method];
    CHECK(names.insert(operation["operationId"].get<std::string>()).second);
    CHECK(operation.contains("security") == !gateway::needs_session(row.who.who));
    const auto said = operation["description"].get<std::string>();
    const auto wanted = own_rights(row.who.who);
    CHECK((wanted == viewers ? "Allowed for: viewer."
           : wanted == operators ? "Allowed for: operator."
           : wanted == editors   ? "Allowed for: editor."
           : wanted == admins    ? "Allowed for: administrator."
           : wanted == users     ? "Allowed for: any user."
                                 : "Allowed for: anyone.") == said);
  }
}

TEST_CASE("the document has no dangling references and no unused schemas", "[gateway][api]") {
  const auto document = json::parse(gateway::api_document());
  std::set<std::string> wanted, there;
  collect_references(document, wanted);
  for (const auto& [name, schema] : document["components"]["schemas"].items())
    there.insert("#/components/schemas/" + name);
  CHECK(wanted == there);
}

TEST_CASE("the document has each option of elastic jobs and no other", "[gateway][api]") {
  const auto document = json::parse(gateway::api_document());
  std::set<std::string> options;
  for (const auto& field : core::elastic::elastic_fields)
    options.insert(protocol::wire::api_member_of(field));
  for (const auto* name : {"ElasticOptions", "ElasticOptionsDraft"}) {
    std::set<std::string> described;
    for (const auto& [member, schema] : document["components"]["schemas"][name]["properties"].items())
      described.insert(member);
    CHECK(described == options);
  }
}

TEST_CASE_METHOD(api_fixture, "the document is served without a session", "[gateway][api]") {
  open();
  const auto reply = get("/api/v1/openapi.json");
  CHECK(reply.status() == 200);
  CHECK(reply.head.find("Content-Type: application/json\r\n") != std::string::npos);
  CHECK(reply.body == gateway::api_document());
  const auto packed = get("/api/v1/openapi.json", "Accept-Encoding: gzip\r\n");
  CHECK(packed.head.find("Content-Encoding: gzip\r\n") != std::string::npos);
  CHECK(gateway::decompressed(packed.body) == reply.body);
}
