#include "core/editing/declared_elastic.hpp"

#include "core/editing/content_sum.hpp"
#include "core/elastic/elastic_fields.hpp"

namespace ringmaster::core {

namespace {

constexpr std::string_view disabled_end = "-off";

} // namespace

std::string full_name(const elastic::elastic_definition& of) {
  return of.name_space.empty() ? of.name : of.name_space + '/' + of.name;
}

std::string content_hash(const declared_elastic_job& job) {
  content_sum sum;
  const auto& what = job.what;
  for (const std::string* text : {&job.group, &what.name_space, &what.name, &what.kind, &what.handler, &what.props})
    sum.add(*text);
  sum.add(std::to_string(what.total));
  // Only options that differ from their default: a new option leaves the hashes of older releases equal.
  for (const auto& field : elastic::elastic_fields) {
    const auto value = field.get(what.options);
    if (value == field.default_value())
      continue;
    sum.add(field.name);
    sum.add(field.is_text() ? std::string{text_of(value)} : std::to_string(number_of(value)));
  }
  auto out = sum.hex();
  return job.enabled ? out : out.append(disabled_end);
}

bool declares_enabled(std::string_view content_hash) noexcept { return !content_hash.ends_with(disabled_end); }

} // namespace ringmaster::core
