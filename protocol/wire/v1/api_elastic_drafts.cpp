#include "protocol/wire/v1/api_elastic_drafts.hpp"

#include <algorithm>
#include <utility>

#include "core/elastic/plan.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/v1/api_members.hpp"

namespace ringmaster::protocol::wire {

namespace {

namespace elastic = core::elastic;
using elastic::elastic_field;

/// Maximum number of properties of a job.
constexpr std::size_t entered_props_max = 256;

void append_option_value(json_object& row, const elastic_field& field, const core::option_value& value) {
  const auto name = api_member_of(field);
  if (std::holds_alternative<std::monostate>(value))
    row.null(name);
  else if (field.kind == core::option_kind::flag)
    row.boolean(name, core::number_of(value) != 0);
  else if (field.is_text())
    row.text(name, core::text_of(value));
  else
    row.number(name, core::number_of(value));
}

// -- reading ---------------------------------------------------------------------------------------------------------------

core::option_value read_elastic_choice(api_members& in, const elastic_field& field, const std::string& name) {
  auto given = in.maybe_text(name);
  if (!given)
    return {};
  if (std::find(field.names.begin(), field.names.end(), *given) == field.names.end()) {
    std::string expected;
    for (const auto each : field.names)
      expected.append(expected.empty() ? "" : each == field.names.back() ? " or " : ", ").append(each);
    in.wrong(name, "must be " + expected);
  }
  return std::move(*given);
}

core::option_value read_elastic_text(api_members& in, const elastic_field& field, const std::string& name) {
  auto given = in.maybe_text(name);
  if (!given)
    return {};
  const auto max = static_cast<std::size_t>(field.max);
  if (field.is_long ? given->size() > max : !core::fits(*given, max))
    in.wrong(name, "is longer than " + std::to_string(max) + (field.is_long ? " bytes" : " characters"));
  return std::move(*given);
}

/// Returns nothing for an option that is absent or null.
core::option_value read_elastic_option(api_members& in, const elastic_field& field) {
  const auto name = api_member_of(field);
  const auto number_or_none = [](std::optional<std::int64_t> number) {
    return number ? core::option_value{*number} : core::option_value{};
  };
  switch (field.kind) {
  case core::option_kind::flag: {
    const auto flag = in.optional_boolean(name);
    return flag ? core::option_value{std::int64_t{*flag}} : core::option_value{};
  }
  case core::option_kind::choice: return read_elastic_choice(in, field, name);
  case core::option_kind::number: return number_or_none(in.maybe_number(name, field.min, field.max));
  case core::option_kind::instant: return number_or_none(in.maybe_number(name, 0));
  case core::option_kind::text:
  case core::option_kind::names: break;
  }
  return read_elastic_text(in, field, name);
}

void read_elastic_options(api_members& in, elastic::elastic_options& options) {
  for (const auto& field : elastic::elastic_fields)
    if (const auto value = read_elastic_option(in, field); !std::holds_alternative<std::monostate>(value))
      field.set(options, value);
  if (options.schedule == core::schedule_type::none && !options.schedule_conf.empty())
    in.wrong("schedule", "needs a schedule_type");
  // Whole seconds in place of an interval, for lists.
  if (options.timing.interval_ms)
    options.schedule_conf = core::rate_text_of(*options.timing.interval_ms);
}

std::string read_limited(api_members& in, std::string_view name, std::size_t max, std::string otherwise = {}) {
  auto text = in.maybe_text(name).value_or(std::move(otherwise));
  if (!core::fits(text, max))
    in.wrong(name, "is longer than " + std::to_string(max) + " characters");
  return text;
}

elastic::elastic_draft read_definition(api_members& in) {
  elastic::elastic_draft draft;
  auto& what = draft.what;
  what.group = core::group_id{in.needed_id("group")};
  what.name_space = read_limited(in, "namespace", elastic::name_space_chars);
  what.name = read_limited(in, "name", elastic::elastic_name_chars);
  if (what.name.empty())
    in.wrong("name", "is missing");
  what.kind = read_limited(in, "type", elastic::kind_chars, what.kind);
  what.handler = read_limited(in, "handler", elastic::elastic_handler_chars);
  const auto total = in.maybe_number("total", 1, elastic::items_max);
  if (!total)
    in.wrong("total", "is missing");
  what.total = static_cast<std::int32_t>(total.value_or(1));
  in.object("options", [&](api_members& options) { read_elastic_options(options, what.options); });
  draft.props = in.maybe_named_texts("props", entered_props_max);
  return draft;
}

} // namespace

std::string api_member_of(const elastic_field& field) {
  const bool is_ms = field.column.ends_with("_ms") || field.kind == core::option_kind::instant;
  return std::string{field.name} + (is_ms && !field.name.ends_with("_ms") ? "_ms" : "");
}

std::string api_elastic_options(const elastic::elastic_options& options) {
  return json_object_of([&](json_object& row) {
    for (const auto& field : elastic::elastic_fields)
      append_option_value(row, field, field.get(options));
  });
}

std::string api_elastic_props(std::string_view stored) {
  return json_object_of([&](json_object& row) {
    for (const auto& [name, value] : elastic::shown_props(stored))
      value ? row.text(name, *value) : row.null(name);
  });
}

std::string api_elastic_body(const elastic::elastic_definition& what, std::optional<bool> enabled) {
  return json_object_of([&](json_object& row) {
    row.number("group", core::number(what.group));
    row.text("namespace", what.name_space);
    row.text("name", what.name);
    row.text("type", what.kind);
    row.text("handler", what.handler);
    row.number("total", what.total);
    if (enabled)
      row.boolean("enabled", *enabled);
    row.raw("options", json_object_of([&](json_object& options) {
              for (const auto& field : elastic::elastic_fields)
                if (const auto value = field.get(what.options); value != field.default_value())
                  append_option_value(options, field, value);
            }));
    row.raw("props", json_object_of([&](json_object& props) {
              for (const auto& [name, value] : elastic::parse_props(what.props).value_or(elastic::job_props{}))
                props.text(name, value);
            }));
  });
}

core::result<api_elastic_draft> parse_api_elastic_draft(std::string_view body, core::draft_use use) {
  return read_api_object(body, [use](api_members& in) {
    api_elastic_draft out{read_definition(in)};
    if (use == core::draft_use::add)
      out.enabled = in.optional_boolean("enabled").value_or(true);
    return out;
  });
}

core::result<api_elastic_preview> parse_api_elastic_preview(std::string_view body) {
  return read_api_object(body, [](api_members& in) {
    const auto job = in.maybe_id("job");
    return api_elastic_preview{job ? std::optional{elastic::elastic_job_id{*job}} : std::nullopt, read_definition(in).what};
  });
}

} // namespace ringmaster::protocol::wire
