#pragma once

// What a claim holds, packed into one column: a claim row a transaction instead of a row a firing (firing protocol §2).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
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
  /// Sends before, with the same log id. 1 after a permitted resend (T7).
  std::int32_t attempt = 0;
  /// Index of the run in its claim batch, so that a repeated claim finds which runs it kept. Means nothing after an adoption.
  std::uint32_t position = 0;
  friend bool operator==(const claim_item&, const claim_item&) = default;
};

/// The column `rm_claim.items`: a version byte, then about eight bytes an item. Log ids are kept as distances from `first`
/// (`rm_claim.first_log_id`).
[[nodiscard]] std::string pack(core::log_id first, std::span<const claim_item> items);

/// The inverse. Accepts any bytes: what `pack` did not write is refused. Errors: `unsupported` for the version of a newer
/// release, `internal` for damaged bytes.
[[nodiscard]] core::result<std::vector<claim_item>> unpack(core::log_id first, std::string_view bytes);

} // namespace ringmaster::storage
