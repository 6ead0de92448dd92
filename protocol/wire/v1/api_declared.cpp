#include "protocol/wire/v1/api_declared.hpp"

#include <algorithm>

#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

namespace {

void append_source(std::string& out, const core::declared_source& source, bool has_files) {
  json_object row{out};
  row.text("source", source.name);
  source.revision ? row.number("revision", *source.revision) : row.null("revision");
  row.raw("objects", json_object_of([&](json_object& counts) {
            counts.number("groups", static_cast<std::int64_t>(source.groups));
            counts.number("jobs", static_cast<std::int64_t>(source.jobs));
            counts.number("alarms", static_cast<std::int64_t>(source.alarms));
            counts.number("elastic_jobs", static_cast<std::int64_t>(source.elastic_jobs));
          }));
  row.raw("files", json_array(source.files));
  source.applied ? row.number("applied_ms", core::to_ms(*source.applied)) : row.null("applied_ms");
  append_text_or_null(row, "by", source.by);
  row.boolean("has_files", has_files);
}

} // namespace

std::string api_declared_sources(const std::vector<core::declared_source>& sources, std::string_view own) {
  auto rows = sources;
  const bool is_listed = std::any_of(rows.begin(), rows.end(), [own](const auto& each) { return each.name == own; });
  if (!own.empty() && !is_listed)
    rows.emplace_back().name = own;
  return json_object_of([&](json_object& list) {
    list.raw("items", json_array(rows, [own](std::string& out, const core::declared_source& each) {
               append_source(out, each, !own.empty() && each.name == own);
             }));
  });
}

} // namespace ringmaster::protocol::wire
