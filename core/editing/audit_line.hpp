#pragma once

// Lines of the audit log, and the values that they were made of.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringmaster::core {

/// A field before and after a change.
struct field_change {
  /// The whole line if it has no values.
  std::string name;
  std::optional<std::string> before = {};
  std::optional<std::string> after = {};

  friend bool operator==(const field_change&, const field_change&) = default;
};

/// One line of a change. Converts to its text.
struct audit_line {
  /// Creates a line without values, and one whose text alone tells its values (`retry: 0 -> 2`).
  audit_line(std::string line);
  audit_line(const char* line) : audit_line{std::string{line}} {}
  /// Creates a line of which each value may be longer than its text shows.
  audit_line(std::string line, field_change values) : text{std::move(line)}, field{std::move(values)} {}

  operator std::string_view() const noexcept { return text; }

  std::string text;
  field_change field;
};

/// Returns a line without values, whatever it contains.
[[nodiscard]] inline audit_line remark_line(const std::string& line) { return {line, {line}}; }

/// Returns the texts of lines.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<audit_line>& lines);

/// Derives the fields from the lines of a row. A line that does not begin with a name continues the value before it; the first
/// ` -> ` separates the values; `none` without quotes is an empty value. Wrong for a value that contains ` -> `, and for a value
/// that the line shortens.
[[nodiscard]] std::vector<field_change> fields_in(std::string_view lines);

/// Returns the form of the fields in `rm_audit.field_values`. Nothing if `fields_in` derives the same fields from `lines`, or if
/// the form does not fit into its column. Values are shortened to `field_value_chars` characters.
[[nodiscard]] std::optional<std::string> stored_fields(const std::vector<audit_line>& changes, std::string_view lines);

/// Returns the fields of a row from both of its columns.
[[nodiscard]] std::vector<field_change> fields_of(const std::optional<std::string>& stored, std::string_view lines);

/// Maximum length of a stored value.
inline constexpr std::size_t field_value_chars = 1000;

} // namespace ringmaster::core
