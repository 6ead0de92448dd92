#pragma once

// What both backends do alike at a claim (T1, T2): refuse a batch that cannot be meant, and the column values of a new log row.

#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/run/run.hpp"

namespace ringmaster::storage {

/// A batch moves a job at most once, and every run has a job and comes from a move or an intent of the batch: there is no other
/// way to send. Errors: `invalid_argument`.
[[nodiscard]] core::result<void> check(const core::claim_batch& batch);

/// Whether a run of the one is a run of the other: everything that it is made of is equal, whenever it fires. The source of a
/// script is as old as its time says.
[[nodiscard]] bool runs_alike(const core::job& one, const core::job& other);

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

/// Of the row of dropped instants, which is a failed trigger without an address.
[[nodiscard]] log_values log_values_of(const core::missed_gap& gap, std::string_view node_host);

/// `executor_sharding_param` of a run; nothing when it is no broadcast.
[[nodiscard]] std::optional<std::string> sharding_text(const core::shard& part);

/// The inverse; a text that is no `index/total` is no broadcast.
[[nodiscard]] core::shard read_sharding(std::string_view text) noexcept;

/// `child` and `retry` in `rm_intent.kind` are trigger kinds under the names of the firing protocol.
[[nodiscard]] std::string_view intent_kind_name(core::trigger_kind kind) noexcept;
[[nodiscard]] core::trigger_kind find_intent_kind(std::string_view name) noexcept;

} // namespace ringmaster::storage
