#pragma once

// The part of a parent's result that lists its started children. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::core {

/// One child in the result of its parent.
struct reported_child {
  /// Its job, as the parent's list has it: usually an id.
  std::string_view job;
  bool started = false;

  friend bool operator==(const reported_child&, const reported_child&) = default;
};

struct parent_report {
  /// The executor's own words.
  std::string_view words;
  /// Empty for a result without the part.
  std::vector<reported_child> children;
};

/// Splits a result without HTML into the executor's words and the children. Knows the part in all languages of XXL-JOB (XXL admin
/// §7.3). The views are parts of `report`.
[[nodiscard]] parent_report read_children(std::string_view report);

} // namespace ringmaster::core
