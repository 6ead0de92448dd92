#pragma once

// DATETIME columns as text. Optimised for rows that share their second, as most rows written or read together do.

#include <optional>
#include <string>
#include <string_view>

#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::storage {

/// Converter between instants and the text of a DATETIME column in the database's zone. Caches the last answer of either
/// direction. Belongs to one connection; not thread-safe.
class datetime_text {
public:
  explicit datetime_text(core::zone where);

  /// Returns `YYYY-MM-DD HH:MM:SS` of the second that contains `t`. Valid until the next call.
  [[nodiscard]] const std::string& of(core::time_point t);

  /// Returns an empty optional for a text that is not a date (MySQL's zero date, or a text that another program wrote).
  [[nodiscard]] std::optional<core::time_point> read(std::string_view text);

private:
  core::zone where_;
  std::optional<core::time_point> written_at_;
  std::string written_;
  std::string read_;
  std::optional<core::time_point> read_at_;
};

} // namespace ringmaster::storage
