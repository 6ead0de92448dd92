#pragma once

// Keys of an `[[elastic_job]]` and their other spellings. Internal to config, the importer and the check of entered jobs.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic/elastic_fields.hpp"

namespace ringmaster::config {

/// One key with the names that ElasticJob has for it.
struct elastic_key {
  std::string_view name;
  /// The name, and ElasticJob's names in camel case and with hyphens.
  std::vector<std::string> spellings;
};

/// Returns all keys, also those that this release refuses.
[[nodiscard]] std::span<const elastic_key> elastic_keys();

/// Returns whether nothing implements the key yet: declared files refuse it, and the importer leaves it out.
[[nodiscard]] bool is_later_elastic_key(std::string_view name) noexcept;

/// Returns whether the option is a duration: it has a unit in the file and milliseconds in its column.
[[nodiscard]] bool is_elastic_duration(const core::elastic::elastic_field& field) noexcept;

} // namespace ringmaster::config
