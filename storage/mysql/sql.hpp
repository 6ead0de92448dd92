#pragma once

// Statement texts and driver errors of the MySQL backend.

#include <compare>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::storage::mysql {

/// A statement's text. Always a literal, so no value can be spliced into it. A part in braces is repeated for each row of a
/// batch, without the comma that ends it the last time: `… VALUES {(?,?),}` is `… VALUES (?,?),(?,?)` for two rows.
class sql {
public:
  consteval sql(const char* text) : head_{text} {}
  /// Two parts, where several statements begin alike.
  consteval sql(const char* head, const char* tail) : head_{head}, tail_{tail} {}

  /// The text for `rows` rows.
  [[nodiscard]] std::string expand(std::size_t rows) const;

  friend auto operator<=>(const sql&, const sql&) = default;

private:
  std::string_view head_;
  std::string_view tail_;
};

/// What the driver or the server refused, by its number. Thrown inside this backend only; `connection` turns it into a
/// `core::error`.
class driver_error : public std::runtime_error {
public:
  driver_error(unsigned number, const std::string& text) : std::runtime_error{text}, number_{number} {}

  [[nodiscard]] unsigned number() const noexcept { return number_; }

  /// The connection is over; the server has rolled back what was not committed.
  [[nodiscard]] bool connection_lost() const noexcept;

  /// A deadlock or a lock that was held too long: the same transaction may succeed the next time.
  [[nodiscard]] bool worth_repeating() const noexcept;

  /// `unavailable`, `invalid_argument` (a value that its column does not hold) or `internal`.
  [[nodiscard]] core::error to_error() const;

private:
  unsigned number_;
};

} // namespace ringmaster::storage::mysql
