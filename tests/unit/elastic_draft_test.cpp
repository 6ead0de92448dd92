// Definitions of elastic jobs that users enter.

#include "core/elastic/elastic_draft.hpp"

#include "core/elastic/prop_fields.hpp"
#include "protocol/wire/v1/api_elastic_drafts.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
namespace elastic = core::elastic;
namespace wire = protocol::wire;

namespace {

/// Returns a definition with a value in each option that is not the default.
elastic::elastic_definition full_definition() {
  elastic::elastic_definition out;
  out.name_space = "n";
  out.name = "sums \"quoted\" 名";
  out.group = core::group_id{7};
  out.kind = "dataflow";
  out.handler = "sum";
  out.total = 9;
  out.props = elastic::props_text({{"http.data", "a\nb"}, {"http.uri", "http://a"}});
  for (const auto& field : elastic::elastic_fields) {
    using core::option_kind;
    if (field.kind == option_kind::choice)
      field.set(out.options, std::string{field.names.back()});
    else if (field.kind == option_kind::text)
      field.set(out.options, field.name == "item_params" ? std::string{R"({"0":"a,b"})"} : "x" + std::string{field.name});
    else if (field.kind == option_kind::flag)
      field.set(out.options, std::int64_t{1 - core::number_of(field.default_value())});
    else
      field.set(out.options, std::int64_t{25});
  }
  out.options.schedule_conf = core::rate_text_of(25);
  return out;
}

} // namespace

TEST_CASE("a definition in a request is read as it was written", "[unit][elastic]") {
  const auto what = full_definition();
  for (const auto& field : elastic::elastic_fields) {
    INFO(field.name);
    CHECK(field.get(what.options) != field.default_value());
  }
  const auto sent = wire::parse_api_elastic_draft(wire::api_elastic_body(what, false), core::draft_use::add);
  REQUIRE(sent);
  CHECK_FALSE(sent->enabled);
  CHECK(elastic::completed(sent->draft, {}).value() == what);
  elastic::elastic_definition plain;
  plain.name = "plain";
  plain.group = core::group_id{1};
  const auto least = wire::parse_api_elastic_draft(wire::api_elastic_body(plain, std::nullopt), core::draft_use::update);
  REQUIRE(least);
  CHECK(least->enabled);
  CHECK(elastic::completed(least->draft, {}).value() == plain);
}

TEST_CASE("properties without a value keep the stored one", "[unit][elastic]") {
  const auto stored = elastic::props_text({{"a", "1"}, {"b", "2"}});
  elastic::elastic_draft draft;
  CHECK(elastic::completed(draft, stored)->props == stored);
  draft.props.emplace();
  CHECK(elastic::completed(draft, stored)->props.empty());
  draft.props->emplace("a", std::nullopt);
  draft.props->emplace("c", "3");
  CHECK(elastic::completed(draft, stored)->props == elastic::props_text({{"a", "1"}, {"c", "3"}}));
  draft.props->emplace("d", std::nullopt);
  const auto refused = elastic::completed(draft, stored);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().context == "props.d: has no value");
}

TEST_CASE("a job of a type without code has the handler of its type", "[unit][elastic]") {
  elastic::elastic_draft draft;
  draft.what.kind = "script";
  CHECK(elastic::completed(draft, {})->handler == "SCRIPT");
  draft.what.handler = "own";
  CHECK(elastic::completed(draft, {})->handler == "own");
  draft.what.kind = "simple";
  draft.what.handler.clear();
  CHECK(elastic::completed(draft, {})->handler.empty());
}

TEST_CASE("values of unknown properties and of secrets are not shown", "[unit][elastic]") {
  elastic::job_props props{{"a.token", "x"}};
  for (const auto& field : elastic::prop_fields)
    props.emplace(std::string{field.name}, "v");
  const auto shown = elastic::shown_props(elastic::props_text(props));
  CHECK_FALSE(shown.at("a.token"));
  for (const auto& field : elastic::prop_fields)
    CHECK(shown.at(std::string{field.name}).has_value() == !field.is_secret);
  CHECK(elastic::shown_props("").empty());
  CHECK(elastic::shown_props("a=b").empty());
}
