#pragma once

// Columns of `ej_job` that hold the options of an elastic job, made from `core::elastic::elastic_fields`.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/elastic/elastic_fields.hpp"

namespace ringmaster::storage {

/// Text of a statement, put together when it is compiled. Ends with a NUL.
template <std::size_t Size>
struct fixed_text {
  std::array<char, Size> chars{};

  [[nodiscard]] constexpr const char* c_str() const noexcept { return chars.data(); }
};

/// Puts `head`, each option's column between `before` and `after`, and `tail` together. `Parts` is a type with these four texts;
/// with a text `middle`, that one and a `?, ` for each option come before the tail.
template <class Parts>
[[nodiscard]] constexpr auto with_option_columns() {
  constexpr auto append_all = [](auto append) {
    append(Parts::head);
    for (const auto& field : core::elastic::elastic_fields) {
      append(Parts::before);
      append(field.column);
      append(Parts::after);
    }
    if constexpr (requires { Parts::middle; }) {
      append(Parts::middle);
      for (std::size_t i = 0; i < core::elastic::elastic_fields.size(); ++i)
        append("?, ");
    }
    append(Parts::tail);
  };
  constexpr auto size = [&] {
    std::size_t out = 1;
    append_all([&](std::string_view part) { out += part.size(); });
    return out;
  }();
  fixed_text<size> out;
  std::size_t at = 0;
  append_all([&](std::string_view part) {
    for (const char each : part)
      out.chars[at++] = each;
  });
  return out;
}

/// Returns the columns that a migration step made, as lines of CREATE TABLE. `long_text`: the type of texts beyond VARCHAR.
[[nodiscard]] std::string option_column_list(int step, std::string_view long_text);

} // namespace ringmaster::storage
