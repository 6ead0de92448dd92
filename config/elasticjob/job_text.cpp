// Text of one `[[elastic_job]]` with the comments of its import.

#include <utility>

#include "config/declared/declared_writer.hpp"
#include "config/declared/elastic_writer.hpp"
#include "config/elasticjob/imported_job.hpp"
#include "core/elastic/job_types.hpp"

namespace ringmaster::config {

namespace {

std::string table_of(const imported_job& job, std::string_view group) {
  table_text out{"elastic_job"};
  const auto& what = job.what;
  out.text("group", group);
  out.optional("namespace", what.name_space);
  out.text("name", what.name);
  if (what.handler != core::elastic::handler_of_type(what.kind))
    out.optional("handler", what.handler);
  if (what.kind != "simple")
    out.text("type", what.kind);
  out.number("total", what.total);
  write_elastic_schedule(out, what.options);
  for (const auto& field : core::elastic::elastic_fields) {
    const auto value = field.get(what.options);
    if (field.name == "schedule_type" || field.name == "schedule" || value == field.default_value())
      continue;
    if (field.name == "misfire" && job.implies_no_misfire)
      out.raw(field.name, "false # implied");
    else
      write_elastic_option(out, field, value);
  }
  if (!job.enabled)
    out.raw("enabled", "false");
  write_props(out, what.props);
  return std::move(out).take();
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
