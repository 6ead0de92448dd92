#pragma once

// Texts of columns that a claim writes: those of a new log row, of a shard, and of the kind of an intent.

#include <optional>
#include <string>
#include <string_view>

#include "core/run/run.hpp"

namespace ringmaster::storage {

/// The text columns of a run's log row, cut to their widths. Views point into the run: use them at once.
struct log_values {
  /// NULL when no executor was found.
  std::optional<std::string_view> address;
  std::string_view handler;
  std::string_view param;
  /// `2/5`, for a broadcast only.
  std::optional<std::string> sharding;
  /// The compact note: the row is inserted at its final size, so that a later result changes it in place.
  std::string message;
};

[[nodiscard]] log_values log_values_of(const core::planned_run& run, std::string_view node_host);

/// Returns the columns of the row of dropped instants, which is a failed trigger without an address.
[[nodiscard]] log_values log_values_of(const core::missed_gap& gap, std::string_view node_host);

/// Returns `executor_sharding_param` of a run; empty when it is not a broadcast.
[[nodiscard]] std::optional<std::string> sharding_text(const core::shard& part);

/// Parses `index/total`; any other text is not a broadcast.
[[nodiscard]] core::shard read_sharding(std::string_view text) noexcept;

/// Returns the value of `rm_intent.kind`: trigger kinds under the names of the firing protocol, such as `child` and `retry`.
[[nodiscard]] std::string_view intent_kind_name(core::trigger_kind kind) noexcept;
[[nodiscard]] core::trigger_kind find_intent_kind(std::string_view name) noexcept;

} // namespace ringmaster::storage
