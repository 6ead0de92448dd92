#include "core/elastic/elastic_definition.hpp"

#include <algorithm>

#include "core/elastic/elastic_fields.hpp"
#include "core/elastic/error_target.hpp"
#include "core/elastic/item_params.hpp"
#include "core/elastic/job_types.hpp"
#include "core/elastic/plan.hpp"
#include "core/elastic/props.hpp"
#include "core/elastic/strategy.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

namespace {

error refused(std::string_view name, std::string_view why) {
  return {errc::invalid_argument, std::string{name}.append(": ").append(why)};
}

result<void> check_text(std::string_view name, std::string_view text, std::size_t max, bool counts_bytes) {
  if (text.find('\0') != text.npos || valid_utf8(text) != text)
    return tl::unexpected{refused(name, "not a text in UTF-8")};
  if (counts_bytes ? text.size() > max : !fits(text, max))
    return tl::unexpected{refused(name, "longer than " + std::to_string(max) + (counts_bytes ? " bytes" : " characters"))};
  return {};
}

/// Returns `a, b or c`.
template <class Names>
std::string choices_in(const Names& names) {
  std::string out;
  for (const auto& each : names)
    out.append(out.empty() ? "" : each == names.back() ? " or " : ", ").append(each);
  return out;
}

result<void> check_names(std::string_view option, std::string_view list) {
  const bool is_ended = list.ends_with(',');
  for (auto rest = list; !rest.empty();)
    if (is_blank(take_item(rest)) || (rest.empty() && is_ended))
      return tl::unexpected{refused(option, "\"" + std::string{cut_bytes(list, 100)} + "\" has an empty name")};
  return {};
}

result<void> check_field(const elastic_field& field, const elastic_options& of) {
  const auto value = field.get(of);
  if (field.kind == option_kind::text)
    return check_text(field.name, text_of(value), static_cast<std::size_t>(field.max), field.is_long);
  if (field.kind == option_kind::choice) {
    if (std::find(field.names.begin(), field.names.end(), text_of(value)) == field.names.end())
      return tl::unexpected{refused(field.name, "must be " + choices_in(field.names))};
    return {};
  }
  if (std::holds_alternative<std::monostate>(value) || (number_of(value) >= field.min && number_of(value) <= field.max))
    return {};
  return tl::unexpected{refused(field.name, "must be from " + std::to_string(field.min) + " to " + std::to_string(field.max))};
}

result<void> check_items(std::int32_t total) {
  return check_total(total).map_error([](const error& why) { return refused("total", why.context); });
}

/// Checks that only the jobs of a type with a handler of its own have that handler.
result<void> check_type(const elastic_definition& of) {
  const auto own = handler_of_type(of.kind);
  if (!own.empty() && of.handler != own)
    return tl::unexpected{refused("handler", "a job of type " + of.kind + " has the handler " + std::string{own})};
  if (own.empty() && is_type_handler(of.handler))
    return tl::unexpected{refused("handler", of.handler + " is the handler of a type, not of a job of type " + of.kind)};
  return {};
}

result<void> check_strategy(const std::string& name) {
  const strategy_registry known;
  if (known.find(name) != nullptr)
    return {};
  return tl::unexpected{
    refused("strategy", "unknown strategy \"" + name + "\"; expected " + choices_in(known.names()))};
}

/// Checks the options that need the type or the number of items.
result<void> check_together(const elastic_definition& of) {
  if (of.options.streaming && of.kind != dataflow_type)
    return tl::unexpected{refused("streaming", "only jobs of type dataflow have it, and this one has the type " + of.kind)};
  if (const auto sound = check_item_params(of.options.item_params, of.total); !sound)
    return tl::unexpected{refused("item_params", sound.error().context)};
  return {};
}

result<void> check_properties(const elastic_definition& of) {
  const auto props = parse_props(of.props);
  if (!props)
    return tl::unexpected{refused("props", props.error().context)};
  if (const auto sound = check_props(of.kind, *props); !sound)
    return tl::unexpected{refused("props", sound.error().context)};
  if (const auto sound = check_error_handler(of.options.error_handler, *props); !sound)
    return tl::unexpected{refused("props", sound.error().context)};
  return {};
}

} // namespace

std::string_view to_string(fence_mode mode) noexcept { return fields::fence_modes[static_cast<std::size_t>(mode)]; }

result<void> check(const elastic_definition& of) {
  if (of.name.empty())
    return tl::unexpected{refused("name", "empty")};
  if (number(of.group) <= 0)
    return tl::unexpected{refused("group", "missing")};
  if (of.kind.empty())
    return tl::unexpected{refused("type", "empty")};
  for (const auto& done :
       {check_text("namespace", of.name_space, name_space_chars, false), check_text("name", of.name, elastic_name_chars, false),
        check_text("type", of.kind, kind_chars, false), check_text("handler", of.handler, elastic_handler_chars, false),
        check_text("props", of.props, props_bytes, true), check_items(of.total), check_type(of), check_properties(of)})
    if (!done)
      return done;
  for (const auto& field : elastic_fields)
    if (auto sound = check_field(field, of.options); !sound)
      return sound;
  for (const auto& done : {check_strategy(of.options.strategy), check_names("listeners", of.options.listeners),
                           check_names("once_listeners", of.options.once_listeners), check_together(of)})
    if (!done)
      return done;
  return check(of.options.schedule, of.options.timing);
}

} // namespace ringmaster::core::elastic
