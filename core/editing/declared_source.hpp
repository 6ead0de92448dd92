#pragma once

// A source of declared files, as the database knows it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.hpp"

namespace ringmaster::core {

struct declared_source {
  std::string name;
  /// The highest revision that was applied; empty: none was given.
  std::optional<std::int64_t> revision = {};
  /// Names of the files of its applies, sorted; empty: unknown.
  std::vector<std::string> files = {};
  /// Number of its objects that exist.
  std::size_t groups = 0;
  std::size_t jobs = 0;
  std::size_t alarms = 0;
  std::size_t elastic_jobs = 0;
  /// Time and author of the last apply that changed something, as the newest part of the audit log has it; empty: it has none.
  std::optional<time_point> applied = {};
  std::string by = {};
};

} // namespace ringmaster::core
