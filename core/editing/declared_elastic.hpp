#pragma once

// Elastic jobs that a file declares.

#include <string>
#include <string_view>

#include "core/elastic/elastic_definition.hpp"

namespace ringmaster::core {

/// One `[[elastic_job]]`. Identity: (namespace, name).
struct declared_elastic_job {
  /// App name of its group.
  std::string group;
  /// Without an id of the group.
  elastic::elastic_definition what;
  bool enabled = true;
  /// `file:line` of the table, for messages.
  std::string where = {};
};

/// Returns `sums`, or `namespace/sums`.
[[nodiscard]] std::string full_name(const elastic::elastic_definition& of);

/// Returns a hash of the declaration without `where`, equal on every machine and release; stored. Its end says whether the job is
/// enabled.
[[nodiscard]] std::string content_hash(const declared_elastic_job& job);

/// Returns whether the declaration with this hash was enabled.
[[nodiscard]] bool declares_enabled(std::string_view content_hash) noexcept;

/// Stands for the hash of a job that is no longer declared, but has items that run.
inline constexpr std::string_view pruned_hash = "pruned";

} // namespace ringmaster::core
