#pragma once

// The runs of one broadcast among the rows of the log. Pure.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/run/log_row.hpp"

namespace ringmaster::core {

/// Parsed value of `executor_sharding_param`, e.g. `0/3`.
struct shard_text {
  std::int32_t index = 0;
  std::int32_t total = 1;
};
/// Parses the text; unset if it is not a shard of a broadcast.
[[nodiscard]] std::optional<shard_text> read_shard_text(std::string_view text) noexcept;

/// Returns one row for each shard of the broadcast of `run`, by index; only `run` if it does not belong to one. `same_instant`:
/// rows of its job and trigger time. Two broadcasts of one instant are distinguished by their ids, which are consecutive in each.
[[nodiscard]] std::vector<log_row> shard_family(const log_row& run, const std::vector<log_row>& same_instant);

} // namespace ringmaster::core
