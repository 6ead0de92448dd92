// Text of one `[[elastic_job]]` with the comments of its import.

#include "config/declared/declared_writer.hpp"
#include "config/elasticjob/imported_job.hpp"
#include "config/text/units.hpp"
#include "core/elastic/elastic_fields.hpp"

namespace ringmaster::config {

namespace {

using core::option_kind;

void add_line(std::string& out, std::string_view key, std::string_view value) {
  out.append(key).append(" = ").append(value) += '\n';
}

std::string option_text(const core::elastic::elastic_field& field, const core::option_value& value) {
  if (field.kind == option_kind::flag)
    return core::number_of(value) != 0 ? "true" : "false";
  if (field.kind == option_kind::number)
    return quoted_text(format_duration(core::milliseconds{core::number_of(value)}));
  return quoted_text(core::text_of(value));
}

std::string table_of(const imported_job& job, std::string_view group) {
  std::string out = "[[elastic_job]]\n";
  const auto& what = job.what;
  add_line(out, "group", quoted_text(group));
  if (!what.name_space.empty())
    add_line(out, "namespace", quoted_text(what.name_space));
  add_line(out, "name", quoted_text(what.name));
  if (!what.handler.empty())
    add_line(out, "handler", quoted_text(what.handler));
  if (what.kind != "simple")
    add_line(out, "type", quoted_text(what.kind));
  add_line(out, "total", std::to_string(what.total));
  if (what.options.schedule == core::schedule_type::cron)
    add_line(out, "schedule", "{ cron = " + quoted_text(what.options.schedule_conf) + " }");
  for (const auto& field : core::elastic::elastic_fields)
    if (const auto value = field.get(what.options);
        field.name != "schedule_type" && field.name != "schedule" && value != field.default_value())
      add_line(out, field.name,
               option_text(field, value) + (field.name == "misfire" && job.implies_no_misfire ? " # implied" : ""));
  if (!job.enabled)
    add_line(out, "enabled", "false");
  return out;
}

} // namespace

std::string elastic_job_text(const imported_job& job, std::string_view group) {
  std::string out = comment_text("From " + job.where);
  for (const auto& note : job.notes)
    out += comment_text(note);
  for (const auto& [name, value] : job.left_out)
    out += comment_text(std::string{name} + " = " + quoted_text(value));
  if (job.unsupported.empty())
    return out + table_of(job, group);
  return out + comment_text("Left out: " + job.unsupported + '.') + comment_text(table_of(job, group));
}

} // namespace ringmaster::config
