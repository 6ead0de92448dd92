#pragma once

// The runs of one broadcast among the rows of the log. Pure.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/run/log_row.hpp"

namespace ringmaster::core {

/// What `executor_sharding_param` says: `0/3`.
struct shard_text {
  std::int32_t index = 0;
  std::int32_t total = 1;
};
/// Nothing: no shard of a broadcast.
[[nodiscard]] std::optional<shard_text> read_shard_text(std::string_view text) noexcept;

/// One row for each shard of the broadcast that `run` belongs to, by index; `run` alone when it is of none. `same_instant`: rows
/// of its job and trigger time. Two broadcasts of one instant are told apart by their ids, which follow each other in each.
[[nodiscard]] std::vector<log_row> shard_family(const log_row& run, const std::vector<log_row>& same_instant);

} // namespace ringmaster::core
