#pragma once

// Values and rows of statements that both backends run.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/ids.hpp"
#include "core/job/job_options.hpp"
#include "core/time.hpp"

namespace ringmaster::storage {

/// The value of a column of bytes, which no database interprets.
struct sql_bytes {
  std::string_view bytes;
  friend bool operator==(const sql_bytes&, const sql_bytes&) = default;
};

/// The value of a parameter. Nothing: NULL. A text is not copied: it must live until the statement was given to the session.
using sql_value = std::variant<std::monostate, std::int64_t, std::string_view, sql_bytes>;

template <class Number>
  requires std::is_integral_v<Number>
[[nodiscard]] sql_value value_of(Number value) {
  return static_cast<std::int64_t>(value);
}
template <class Id>
  requires std::is_enum_v<Id>
[[nodiscard]] sql_value value_of(Id value) {
  return static_cast<std::int64_t>(core::number(value));
}
/// Returns epoch milliseconds.
[[nodiscard]] inline sql_value value_of(core::time_point value) { return core::to_ms(value); }
[[nodiscard]] inline sql_value value_of(std::string_view value) { return value; }
[[nodiscard]] inline sql_value value_of(const std::string& value) { return std::string_view{value}; }
[[nodiscard]] inline sql_value value_of(sql_bytes value) { return value; }
[[nodiscard]] inline sql_value value_of(const char* value) { return std::string_view{value}; }
template <class T>
[[nodiscard]] sql_value value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : sql_value{};
}
[[nodiscard]] inline sql_value value_of(const core::option_value& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return value_of(*text);
  const auto* number = std::get_if<std::int64_t>(&value);
  return number == nullptr ? sql_value{} : sql_value{*number};
}

/// The rows of one SELECT. Valid until the same statement runs again.
class sql_rows {
public:
  /// The rows as a driver gives them. Columns count from 0; text is valid until the next row, NULL is an empty one.
  class source {
  public:
    virtual ~source() = default;
    virtual bool next() = 0;
    [[nodiscard]] virtual bool is_null(std::size_t column) const = 0;
    /// Reads NULL as 0.
    [[nodiscard]] virtual std::int64_t number(std::size_t column) const = 0;
    [[nodiscard]] virtual std::string_view text(std::size_t column) const = 0;
  };

  explicit sql_rows(std::unique_ptr<source> from) : from_{std::move(from)} {}

  /// Steps to the next row; returns false after the last.
  [[nodiscard]] bool next() { return from_->next(); }

  [[nodiscard]] bool is_null(std::size_t column) const { return from_->is_null(column); }
  /// Reads NULL as 0.
  [[nodiscard]] std::int64_t number(std::size_t column) const { return from_->number(column); }
  [[nodiscard]] std::int32_t number32(std::size_t column) const { return static_cast<std::int32_t>(number(column)); }
  /// Reads NULL as an empty optional.
  [[nodiscard]] std::optional<std::int64_t> optional_number(std::size_t column) const {
    return is_null(column) ? std::nullopt : std::optional{number(column)};
  }
  /// Reads NULL as an empty text. Valid until `next`.
  [[nodiscard]] std::string_view text(std::size_t column) const { return from_->text(column); }
  [[nodiscard]] std::string string(std::size_t column) const { return std::string{text(column)}; }
  /// Reads NULL as an empty optional.
  [[nodiscard]] std::optional<std::string> optional_string(std::size_t column) const {
    return is_null(column) ? std::nullopt : std::optional{string(column)};
  }
  [[nodiscard]] core::time_point time_ms(std::size_t column) const { return core::from_ms(number(column)); }
  template <class Id>
    requires std::is_enum_v<Id>
  [[nodiscard]] Id id(std::size_t column) const {
    return Id{static_cast<std::underlying_type_t<Id>>(number(column))};
  }

private:
  std::unique_ptr<source> from_;
};

} // namespace ringmaster::storage
