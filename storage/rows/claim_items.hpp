#pragma once

// The runs of a claim, packed into one column: one claim row per transaction instead of one row per run (firing protocol §2).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::storage {

/// One run of a claim.
struct claim_item {
  core::log_id id{};
  core::job_id job{};
  core::time_point fire_at{};
  core::shard part;
  /// Number of earlier sends with the same log id. 1 after a permitted resend (T7).
  std::int32_t attempt = 0;
  /// Index of the run in its claim batch, so that a repeated claim finds the runs it kept. Without meaning after an adoption.
  std::uint32_t position = 0;
  friend bool operator==(const claim_item&, const claim_item&) = default;
};

/// Packs items for the column `rm_claim.items`: a version byte, then about eight bytes per item. Log ids are stored as distances
/// from `first` (`rm_claim.first_log_id`).
[[nodiscard]] std::string pack(core::log_id first, std::span<const claim_item> items);

/// Unpacks the bytes of `pack`. Accepts any bytes and rejects those that `pack` did not write. Errors: `unsupported` for the
/// version of a newer release, `internal` for damaged bytes.
[[nodiscard]] core::result<std::vector<claim_item>> unpack(core::log_id first, std::string_view bytes);

/// Adds the ids of the runs of `jobs` in one claim row; adds none for invalid bytes.
void add_runs_of(const std::unordered_set<std::int32_t>& jobs, core::log_id first, std::string_view items,
                 std::vector<core::log_id>& found);

} // namespace ringmaster::storage
