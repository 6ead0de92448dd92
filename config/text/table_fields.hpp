#pragma once

// Typed reads of one TOML table, with a line for each error. Internal to config.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/diagnostics.hpp"
#include "config/text/toml_file.hpp"

namespace ringmaster::config {

/// Allowed number of characters of a text: the width of its column.
struct text_limit {
  std::size_t min = 0;
  std::size_t max = 0;
};

/// Returns true for letters, digits, `-`, `_` and `.` only; an empty text is also accepted.
[[nodiscard]] bool is_key(std::string_view text);

/// Returns the name in lower case, with `_` for `-`.
[[nodiscard]] std::string normal_name(std::string name);

/// One table of an array, e.g. one `[[job]]`. A missing key keeps the default; an invalid one adds a problem and keeps the
/// default, too.
class table_fields {
public:
  table_fields(const toml::table& table, problems& found) : table_(table), found_(found) {}

  /// Adds a problem for each key that is not in `known`; keys in `later` belong to a future release.
  void check_names(std::span<const std::string_view> known, std::span<const std::string_view> later);

  /// Reads a text without NUL. A `min` above 0 makes the key required and refuses blank texts.
  [[nodiscard]] std::string text(std::string_view key, text_limit limit, std::string otherwise = {});
  [[nodiscard]] bool flag(std::string_view key, bool otherwise);
  [[nodiscard]] std::int64_t number(std::string_view key, std::int64_t min, std::int64_t max, std::int64_t otherwise);

  /// Reads a number of seconds, or a duration of whole seconds, from 0 to the 32-bit maximum.
  [[nodiscard]] std::optional<std::int32_t> seconds(std::string_view key);

  /// Reads a list of texts; unset if the key is absent or invalid.
  [[nodiscard]] std::optional<std::vector<std::string>> texts(std::string_view key);

  /// Reads a name of an enumeration in any case, with `-` or `_`. `to_case` converts a letter to the case of the stored names.
  template <class Enum>
  [[nodiscard]] Enum choice(std::string_view key, Enum otherwise, std::optional<Enum> (*find)(std::string_view),
                            int (*to_case)(int)) {
    const auto given = optional_text(key);
    if (!given)
      return otherwise;
    std::string normal = *given;
    std::transform(normal.begin(), normal.end(), normal.begin(),
                   [to_case](unsigned char c) { return c == '-' ? '_' : static_cast<char>(to_case(c)); });
    if (const auto value = find(normal))
      return *value;
    std::vector<std::string_view> names;
    for (std::uint8_t i = 0; !stored_name(static_cast<Enum>(i)).empty(); ++i)
      names.push_back(stored_name(static_cast<Enum>(i)));
    add_unknown_name(key, *given, normal, names);
    return otherwise;
  }

  /// One of `names`, in any case, with `-` or `_`; nothing when the key is absent or wrong.
  [[nodiscard]] std::optional<std::string> choice(std::string_view key, std::span<const std::string_view> names);

  [[nodiscard]] const toml::node* node(std::string_view key) const { return table_.get(key); }

  /// Adds a problem at the key's line, or at the table's if the key is absent.
  void refuse(std::string_view key, std::string_view problem);

  [[nodiscard]] std::string place() const { return found_.place(table_.source()); }
  [[nodiscard]] problems& found() noexcept { return found_; }

private:
  [[nodiscard]] std::optional<std::string> optional_text(std::string_view key);
  void add_unknown_name(std::string_view key, const std::string& given, const std::string& normal,
                        std::span<const std::string_view> names);

  const toml::table& table_;
  problems& found_;
};

} // namespace ringmaster::config
