#pragma once

// Checks of a whole XML text before it is parsed. Internal to the importer.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::config {

/// A mistake with its place.
struct markup_error {
  /// Index of the byte.
  std::size_t at = 0;
  std::string why;
};

/// Returns the first part that the importer refuses: a DTD, a reference to an entity that XML does not define or to a character
/// that XML does not have, and an encoding other than UTF-8 of a text with characters other than ASCII.
[[nodiscard]] std::optional<markup_error> find_refused_markup(std::string_view text);

/// Lines of a text.
class line_index {
public:
  explicit line_index(std::string_view text);
  /// Returns the line of a byte, counted from 1.
  [[nodiscard]] std::size_t line_of(std::ptrdiff_t offset) const noexcept;

private:
  std::vector<std::ptrdiff_t> line_ends_;
};

} // namespace ringmaster::config
