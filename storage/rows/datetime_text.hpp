#pragma once

// DATETIME columns as text, cheaply: rows that are written or read together mostly share their second.

#include <optional>
#include <string>
#include <string_view>

#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::storage {

/// Converts between instants and the text of a DATETIME column in the database's zone. Remembers the last answer of either
/// direction. Belongs to one connection; not thread-safe.
class datetime_text {
public:
  explicit datetime_text(core::zone where);

  /// `YYYY-MM-DD HH:MM:SS` of the second that `t` lies in. Valid until the next call.
  [[nodiscard]] const std::string& of(core::time_point t);

  /// Nothing for a text that is no date (MySQL's zero date, something written by hand).
  [[nodiscard]] std::optional<core::time_point> read(std::string_view text);

private:
  core::zone where_;
  std::optional<core::time_point> written_at_;
  std::string written_;
  std::string read_;
  std::optional<core::time_point> read_at_;
};

} // namespace ringmaster::storage
