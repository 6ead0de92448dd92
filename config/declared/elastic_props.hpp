#pragma once

// The properties of an `[[elastic_job]]`. Internal to config.

#include <optional>
#include <string>
#include <string_view>

#include "config/text/table_fields.hpp"

namespace ringmaster::config {

/// Properties as a file has them.
struct given_props {
  /// In the canonical form of `core::elastic::props_text`.
  std::string text;
  /// ElasticJob's property `streaming.process`, which is an option here.
  std::optional<bool> streaming;
};

/// Reads the table `props`: texts, whole numbers and flags by name; dotted names may be nested tables. A command line may be a
/// list of words. Refuses what a job of this type does not have.
[[nodiscard]] given_props read_props(table_fields& in, std::string_view job_type);

} // namespace ringmaster::config
