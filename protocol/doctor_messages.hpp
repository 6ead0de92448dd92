#pragma once

// Payloads about the checks of a node by its doctor. None leaves the process.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/maintenance/finding.hpp"
#include "core/time.hpp"

namespace ringmaster::protocol {

/// Asks for the last report, for administrators.
struct doctor_query {
  core::principal by;
};

/// Starts the checks, for administrators.
struct start_doctor {
  core::principal by;
};

/// The last report of a node, kept in memory only.
struct doctor_report {
  enum class progress : std::uint8_t {
    /// No check was made since the node started.
    none,
    running,
    done
  };
  progress state = progress::none;
  /// Start of the checks; empty: none yet.
  std::optional<core::time_point> at = {};
  /// Id of the node that was checked.
  std::string node;
  /// Findings so far, in the order of the checks.
  std::vector<core::finding> findings = {};
};

/// INTERNAL: a check of the report with this number has ended.
struct doctor_progress {
  std::uint64_t number = 0;
  std::vector<core::finding> found = {};
  bool done = false;
};

} // namespace ringmaster::protocol
