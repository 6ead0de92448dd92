// Text of one `[[elastic_job]]`.

#include "config/declared/elastic_writer.hpp"

#include "config/declared/elastic_keys.hpp"
#include "config/text/units.hpp"
#include "core/elastic/job_types.hpp"
#include "core/elastic/props.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::config {

void write_elastic_schedule(table_text& out, const core::elastic::elastic_options& options) {
  if (options.timing.interval_ms)
    out.number("interval_ms", *options.timing.interval_ms);
  else if (options.schedule == core::schedule_type::cron)
    out.raw("schedule", "{ cron = " + quoted_text(options.schedule_conf) + " }");
  else if (options.schedule == core::schedule_type::fixed_rate)
    out.raw("schedule", "{ rate = " + quoted_text(options.schedule_conf + 's') + " }");
}

void write_elastic_option(table_text& out, const core::elastic::elastic_field& field, const core::option_value& value) {
  using core::option_kind;
  switch (field.kind) {
  case option_kind::text:
  case option_kind::choice:
  case option_kind::names: return out.text(field.name, core::text_of(value));
  case option_kind::flag: return out.raw(field.name, core::number_of(value) != 0 ? "true" : "false");
  case option_kind::instant: return out.raw(field.name, core::instant_text(core::from_ms(core::number_of(value))));
  case option_kind::number: break;
  }
  if (is_elastic_duration(field))
    return out.text(field.name, format_duration(core::milliseconds{core::number_of(value)}));
  out.number(field.name, core::number_of(value));
}

void write_props(table_text& out, std::string_view text) {
  if (text.empty())
    return;
  const auto props = core::elastic::parse_props(text);
  if (!props)
    return out.text("props", text);
  std::string pairs;
  for (const auto& [name, value] : *props)
    pairs += (pairs.empty() ? " " : ", ") + quoted_text(name) + " = " + quoted_text(value);
  out.raw("props", '{' + pairs + " }");
}

std::string declared_text(const core::declared_elastic_job& job) {
  table_text out{"elastic_job"};
  const auto& what = job.what;
  const core::elastic::elastic_definition usual;
  out.text("group", job.group);
  out.optional("namespace", what.name_space);
  out.text("name", what.name);
  if (what.kind != usual.kind)
    out.text("type", what.kind);
  // A type with a handler of its own says it.
  if (what.handler != core::elastic::handler_of_type(what.kind))
    out.optional("handler", what.handler);
  out.number("total", what.total);
  write_elastic_schedule(out, what.options);
  for (const auto& field : core::elastic::elastic_fields)
    if (const auto value = field.get(what.options); field.name != "schedule_type" && field.name != "schedule"
                                                     && field.name != "interval_ms" && value != field.default_value())
      write_elastic_option(out, field, value);
  if (!job.enabled)
    out.raw("enabled", "false");
  write_props(out, what.props);
  return std::move(out).take();
}

} // namespace ringmaster::config
