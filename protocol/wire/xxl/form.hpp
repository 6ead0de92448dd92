#pragma once

// Parameters of a request: its query and its form (XXL admin §8.1).

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringmaster::protocol::wire {

/// Names and values, decoded, in valid UTF-8 without NUL. If a name comes twice, the first value counts as the scalar.
class form {
public:
  /// Reads the query of `target`, then `body` when `content_type` is that of a form (`application/x-www-form-urlencoded` or
  /// `multipart/form-data` without files). Errors: `invalid_argument` for a broken escape, invalid UTF-8, NUL, a broken multipart
  /// body, more than 256 parameters.
  [[nodiscard]] static core::result<form> parse(std::string_view target, std::string_view content_type, std::string_view body);

  /// Returns nothing when the parameter is missing.
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  /// Returns an empty text when the parameter is missing.
  [[nodiscard]] std::string text_or_empty(std::string_view name) const;
  /// Return nothing when the parameter is missing or empty. Errors: `invalid_argument` naming it, for a value that is not a
  /// number of that width.
  [[nodiscard]] core::result<std::optional<std::int32_t>> int32(std::string_view name) const;
  [[nodiscard]] core::result<std::optional<std::int64_t>> int64(std::string_view name) const;
  /// As above; a missing or empty parameter is an error, too.
  [[nodiscard]] core::result<std::int32_t> needed_int32(std::string_view name) const;
  [[nodiscard]] core::result<std::int64_t> needed_int64(std::string_view name) const;
  /// Returns the values of `name` and of `name[]`, also those of one comma list.
  [[nodiscard]] core::result<std::vector<std::int64_t>> int64_list(std::string_view name) const;

  /// Returns the name of a parameter that was not read yet.
  [[nodiscard]] std::optional<std::string> unread() const;

private:
  /// Names that were read.
  mutable std::set<std::string, std::less<>> read_;
  std::multimap<std::string, std::string, std::less<>> values_;
};

/// Returns a cookie's value as it is written; nothing without a cookie of that name. The first one of several.
[[nodiscard]] std::optional<std::string> find_cookie(std::string_view header, std::string_view name);

} // namespace ringmaster::protocol::wire
