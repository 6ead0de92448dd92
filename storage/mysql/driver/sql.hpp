#pragma once

// Statement texts and driver errors of the MySQL backend.

#include <compare>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::storage::mysql {

/// What columns are called that XXL renamed between two generations.
struct column_names {
  /// `$job_name` in a statement.
  std::string_view job_name = "job_desc";
  /// `$group_title`.
  std::string_view group_title = "title";
};

/// A statement's text. Always a literal, so no value can be spliced into it. A part in braces is repeated for each row of a
/// batch, without the comma that ends it the last time: `… VALUES {(?,?),}` is `… VALUES (?,?),(?,?)` for two rows. `$job_name`
/// and
/// `$group_title` are what this schema calls these columns.
class sql {
public:
  consteval sql(const char* text) : head_{text} {}
  /// Two parts, where several statements begin alike.
  consteval sql(const char* head, const char* tail) : head_{head}, tail_{tail} {}

  /// The text for `rows` rows.
  [[nodiscard]] std::string expand(std::size_t rows, const column_names& names) const;

  friend auto operator<=>(const sql&, const sql&) = default;

private:
  std::string_view head_;
  std::string_view tail_;
};

/// What the driver or the server refused, by its number. Thrown inside this backend only; `connection` turns it into a
/// `core::error`.
class driver_error : public std::runtime_error {
public:
  /// `state`: the SQLSTATE. A number of 0 is a defect of ours.
  driver_error(unsigned number, std::string_view state, const std::string& text)
    : std::runtime_error{text}, number_{number}, state_{state} {}

  [[nodiscard]] unsigned number() const noexcept { return number_; }

  /// The statement names a column that the schema has not, or not any more.
  [[nodiscard]] bool column_unknown() const noexcept;

  /// The connection is over; the server has rolled back what was not committed.
  [[nodiscard]] bool connection_lost() const noexcept;

  /// A row that the statement wants is locked by another transaction, and went on being so for as long as it waits.
  [[nodiscard]] bool lock_held() const noexcept;

  /// A deadlock or a lock that was held too long: the same transaction may succeed the next time.
  [[nodiscard]] bool worth_repeating() const noexcept;

  /// The same failure, of the statement that should have committed: whatever it was, the data had been taken by then.
  [[nodiscard]] driver_error of_commit() const {
    auto out = *this;
    out.at_commit_ = true;
    return out;
  }

  /// What this very data causes is refused: `invalid_argument` for a value that its column does not hold, `internal` for a broken
  /// constraint. Everything else (a full disk, a missing table, whatever is not known here) is `unavailable`: the same call may
  /// succeed when somebody has mended the server.
  [[nodiscard]] core::error to_error() const;

private:
  [[nodiscard]] bool refuses_data() const noexcept;

  unsigned number_;
  std::string state_;
  bool at_commit_ = false;
};

} // namespace ringmaster::storage::mysql
