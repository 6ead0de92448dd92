#pragma once

// Reports of the doctor in /api/v1.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/maintenance/finding.hpp"
#include "core/time.hpp"

namespace ringmaster::protocol::wire {

/// Views of a report.
struct api_doctor {
  std::optional<core::time_point> at;
  std::string_view node;
  /// `none`, `running` or `done`.
  std::string_view state;
  std::span<const core::finding> findings;
};

[[nodiscard]] std::string api_doctor_report(const api_doctor& report);

/// Returns `ok`, `warning` or `failed`.
[[nodiscard]] std::string_view api_name(core::finding::level how) noexcept;

} // namespace ringmaster::protocol::wire
