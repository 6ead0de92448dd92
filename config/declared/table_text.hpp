#pragma once

// Text of one table of a declared file. Internal to config.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/declared/declared_writer.hpp"

namespace ringmaster::config {

/// Lines of one table, in the order in which they are added.
class table_text {
public:
  explicit table_text(std::string_view head) { out_.append("[[").append(head).append("]]\n"); }

  void raw(std::string_view key, std::string_view value) { out_.append(key).append(" = ").append(value) += '\n'; }
  void text(std::string_view key, std::string_view value) { raw(key, quoted_text(value)); }
  /// Adds a text unless it is empty.
  void optional(std::string_view key, std::string_view value) {
    if (!value.empty())
      text(key, value);
  }
  void number(std::string_view key, std::int64_t value) { raw(key, std::to_string(value)); }
  void list(std::string_view key, const std::vector<std::string>& values) {
    std::string items;
    for (const auto& value : values)
      items += (items.empty() ? "" : ", ") + quoted_text(value);
    raw(key, '[' + items + ']');
  }
  /// Adds an enumerator in the spelling of the files, unless it is `usual` or has no name.
  template <class Enum>
  void choice(std::string_view key, Enum value, std::optional<std::type_identity_t<Enum>> usual) {
    std::string name{stored_name(value)};
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    if (value != usual)
      optional(key, name);
  }

  [[nodiscard]] std::string take() && { return std::move(out_); }

private:
  std::string out_;
};

} // namespace ringmaster::config
