#pragma once

// The content of a compiled time zone file (RFC 8536, "TZif"). Used only by `zone`.

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringmaster::core {

/// One offset of a zone: from `begin` (seconds since the epoch) to the next segment's begin, clocks show UTC + `offset` seconds.
struct zone_segment {
  std::int64_t begin = 0;
  std::int32_t offset = 0;
  friend bool operator==(const zone_segment&, const zone_segment&) = default;
};

/// The last year for which clock changes are computed from a zone's closing rule.
inline constexpr int zone_year_last = 2200;

/// Returns the segments in a file of version 2 or later, in order; the first one begins before all time. After the file's last
/// clock change the rule in its last line applies, to the end of `zone_year_last`. Never reads outside `bytes`. Errors:
/// `invalid_argument` if the bytes are not such a file, or count leap seconds.
[[nodiscard]] result<std::vector<zone_segment>> read_zone_segments(std::string_view bytes);

} // namespace ringmaster::core
