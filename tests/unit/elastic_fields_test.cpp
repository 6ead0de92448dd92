// Options of elastic jobs: names, limits, defaults (EJ §3, elastic design §7).

#include "core/elastic/elastic_fields.hpp"

#include <set>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using core::elastic::elastic_definition;
using core::elastic::elastic_field;
using core::elastic::elastic_fields;

namespace {

const elastic_field& field_named(std::string_view name) {
  for (const auto& field : elastic_fields)
    if (field.name == name)
      return field;
  FAIL("no option " << name);
  return elastic_fields[0];
}

elastic_definition sound_definition() {
  elastic_definition out;
  out.name = "sums";
  out.group = core::group_id{1};
  out.handler = "sum";
  out.total = 3;
  return out;
}

/// Returns the message of the refusal.
std::string definition_refusal(const elastic_definition& of) {
  const auto done = core::elastic::check(of);
  if (done)
    return "sound";
  CHECK(done.error().code == core::errc::invalid_argument);
  return done.error().context;
}

} // namespace

TEST_CASE("each option has names of its own", "[unit]") {
  std::set<std::string_view> names, columns, aliases;
  for (const auto& field : elastic_fields) {
    INFO(field.name);
    CHECK(names.insert(field.name).second);
    CHECK(columns.insert(field.column).second);
    CHECK((field.alias.empty() || aliases.insert(field.alias).second));
    CHECK((field.kind == core::option_kind::choice) == !field.names.empty());
    CHECK(field.step == 22);
  }
}

TEST_CASE("an option returns the value that it was given", "[unit]") {
  for (const auto& field : elastic_fields) {
    INFO(field.name);
    core::elastic::elastic_options options;
    core::option_value value = std::int64_t{field.kind == core::option_kind::flag ? 1 : field.min + 1};
    if (field.kind == core::option_kind::text)
      value = std::string{"text"};
    if (field.kind == core::option_kind::choice)
      value = std::string{field.names.back()};
    field.set(options, value);
    CHECK(field.get(options) == value);
    field.set(options, field.default_value());
    CHECK(options == core::elastic::elastic_options{});
  }
}

TEST_CASE("defaults are those of ElasticJob", "[unit]") {
  CHECK(core::number_of(field_named("misfire").default_value()) == 1);
  CHECK(core::number_of(field_named("failover").default_value()) == 0);
  CHECK(core::number_of(field_named("static").default_value()) == 0);
  CHECK(core::text_of(field_named("strategy").default_value()).empty());
  CHECK(std::holds_alternative<std::monostate>(field_named("max_time_diff").default_value()));
}

TEST_CASE("unknown words of a column leave the default, except those of a schedule", "[unit]") {
  core::elastic::elastic_options options;
  field_named("fence_mode").set(options, std::string{"no such mode"});
  CHECK(options.fence_mode == core::elastic::fence_mode::by_nodes);
  field_named("schedule_type").set(options, std::string{"lunar"});
  CHECK(options.schedule == core::schedule_type::unknown);
  field_named("failover_max").set(options, std::int64_t{-5});
  CHECK(options.failover_max == 0);
}

TEST_CASE("a definition that does not fit its columns is refused", "[unit]") {
  auto of = sound_definition();
  CHECK(definition_refusal(of) == "sound");
  SECTION("texts") {
    of.name.clear();
    CHECK(definition_refusal(of) == "name: empty");
    of.name = std::string(129, 'x');
    CHECK(definition_refusal(of) == "name: longer than 128 characters");
    of.name = "\xff";
    CHECK(definition_refusal(of) == "name: not a text in UTF-8");
    of.name = std::string{"a\0b", 3};
    CHECK(definition_refusal(of) == "name: not a text in UTF-8");
  }
  SECTION("options") {
    of.options.label = std::string(1025, 'x');
    CHECK(definition_refusal(of) == "label: longer than 1024 characters");
    of.options.label.clear();
    of.options.param = std::string(70'000, 'x');
    CHECK(definition_refusal(of) == "param: longer than 65536 bytes");
    of.options.param.clear();
    of.options.timeout = core::milliseconds{-1};
    CHECK(definition_refusal(of).starts_with("timeout: must be from 0 to "));
    of.options.timeout = core::milliseconds{0};
    of.options.failover_max = 255;
    CHECK(definition_refusal(of) == "failover_max: must be from 0 to 254");
    of.options.failover_max = 1;
    of.options.schedule = core::schedule_type::unknown;
    CHECK(definition_refusal(of) == "schedule_type: must be none, cron or fixed_rate");
    of.options.schedule = core::schedule_type::none;
    of.options.item_params = "0=a,x=b";
    CHECK(definition_refusal(of) ==
          "item_params: invalid item parameters: part 2 \"x=b\" has a key that is not an integer");
    of.options.item_params = "2=a,3=b";
    CHECK(definition_refusal(of) == "item_params: invalid item parameters: the job has no item 3, only items 0 to 2");
    of.options.item_params.clear();
    of.options.strategy = "FOO";
    CHECK(definition_refusal(of) == "strategy: unknown strategy \"FOO\"; expected AVG_ALLOCATION, ODEVITY, ROUND_ROBIN, "
                                    "SINGLE_SHARDING_BALANCE or STICKY");
    of.options.strategy.clear();
    of.options.streaming = true;
    CHECK(definition_refusal(of) == "streaming: only jobs of type dataflow have it, and this one has the type simple");
    of.kind = "dataflow";
    CHECK(definition_refusal(of) == "sound");
  }
  SECTION("lists of names") {
    for (const auto* list : {",", "a,", ",a", "a, ,b", " "}) {
      of.options.listeners = list;
      CHECK(definition_refusal(of) == "listeners: \"" + std::string{list} + "\" has an empty name");
    }
    of.options.listeners = "a, b";
    CHECK(definition_refusal(of) == "sound");
    of.options.once_listeners = ",";
    CHECK(definition_refusal(of) == "once_listeners: \",\" has an empty name");
  }
  SECTION("numbers") {
    of.total = 0;
    CHECK(definition_refusal(of) == "total: invalid number of items 0: a job has 1 to 100000 items");
    of.total = 100'001;
    CHECK(definition_refusal(of) != "sound");
    of.total = 1;
    of.group = core::group_id{};
    CHECK(definition_refusal(of) == "group: missing");
  }
}
