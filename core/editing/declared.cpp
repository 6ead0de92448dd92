#include "core/editing/declared.hpp"

#include <string_view>

#include "core/editing/content_sum.hpp"

namespace ringmaster::core {

namespace {

/// Adds each option that is not the default under its name: jobs without options keep the hash that they had before there were
/// any. `on_unknown` was in all hashes from the beginning.
void add_options(content_sum& sum, const job_options& options) {
  for (const auto& field : job_option_fields()) {
    if (field.name == "on_unknown" || field.is_default(options))
      continue;
    sum.add(field.name);
    if (const auto value = field.get(options); field.kind != option_kind::flag)
      sum.add(field.is_text() ? std::string{text_of(value)} : std::to_string(number_of(value)));
  }
}

} // namespace

std::string content_hash(const declared_job& job) {
  content_sum sum;
  for (const std::string* text : {&job.group, &job.key, &job.name, &job.author, &job.alarm_email, &job.schedule_conf,
                                  &job.handler, &job.params, &job.glue_type})
    sum.add(*text);
  for (const std::string_view name : {stored_name(job.schedule), stored_name(job.misfire), stored_name(job.route),
                                      stored_name(job.block), stored_name(job.on_unknown)})
    sum.add(name);
  sum.add(std::to_string(job.timeout_s));
  sum.add(std::to_string(job.retry_count));
  sum.add(job.enabled ? "1" : "0");
  for (const auto& [group, key] : job.children) {
    sum.add(group);
    sum.add(key);
  }
  add_options(sum, job);
  return sum.hex();
}

} // namespace ringmaster::core
