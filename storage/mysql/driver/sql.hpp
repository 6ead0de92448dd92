#pragma once

// Statement texts and driver errors of the MySQL backend.

#include <compare>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "storage/admin/sql_dialect.hpp"

namespace ringmaster::storage::mysql {

/// Names of columns that XXL renamed between two generations.
struct column_names {
  /// `$job_name` in a statement.
  std::string_view job_name = "job_desc";
  /// `$group_title`.
  std::string_view group_title = "title";
};

/// The text of a statement. Always a literal, so no value can be spliced into it. A part in braces is repeated for each row of a
/// batch, the last time without its trailing comma: `… VALUES {(?,?),}` is `… VALUES (?,?),(?,?)` for two rows. `$job_name` and
/// `$group_title` are replaced by the names of these columns in this schema, words of `sql_dialect` by MySQL's text.
class sql {
public:
  consteval sql(const char* text) : head_{text} {}
  /// Joins two parts, where several statements begin alike.
  consteval sql(const char* head, const char* tail) : head_{head}, tail_{tail} {}
  explicit constexpr sql(sql_text text) : head_{text.literal()} {}

  /// Returns the text for `rows` rows.
  [[nodiscard]] std::string expand(std::size_t rows, const column_names& names) const;

  friend auto operator<=>(const sql&, const sql&) = default;

private:
  std::string_view head_;
  std::string_view tail_;
};

/// An error of the driver or the server, by its number. Thrown inside this backend only; `connection` turns it into a
/// `core::error`.
class driver_error : public std::runtime_error {
public:
  /// `state`: the SQLSTATE. A number of 0 is a defect of this program.
  driver_error(unsigned number, std::string_view state, const std::string& text)
    : std::runtime_error{text}, number_{number}, state_{state} {}

  [[nodiscard]] unsigned number() const noexcept { return number_; }

  /// Returns whether the statement names a column that the schema does not have (any more).
  [[nodiscard]] bool column_unknown() const noexcept;

  /// Returns whether the connection has ended; the server has rolled back uncommitted changes.
  [[nodiscard]] bool connection_lost() const noexcept;

  /// Returns whether a row of the statement is locked by another transaction and stayed locked for the whole wait.
  [[nodiscard]] bool lock_held() const noexcept;

  /// Returns whether the error is a deadlock or a lock that was held too long: the same transaction may succeed the next time.
  [[nodiscard]] bool worth_repeating() const noexcept;

  /// Returns the same failure for a failed commit: whatever the error, the server had accepted the data by then.
  [[nodiscard]] driver_error of_commit() const {
    auto out = *this;
    out.at_commit_ = true;
    return out;
  }

  /// Returns the error value. Errors caused by the data are `invalid_argument` for a value that does not fit its column, and
  /// `internal` for a broken constraint. All others (a full disk, a missing table, unknown errors) are `unavailable`: the same
  /// call may succeed once the server is repaired.
  [[nodiscard]] core::error to_error() const;

private:
  [[nodiscard]] bool refuses_data() const noexcept;

  unsigned number_;
  std::string state_;
  bool at_commit_ = false;
};

} // namespace ringmaster::storage::mysql
