#pragma once

// Languages of stored trigger messages, e-mails and pages.

#include <cstdint>
#include <optional>
#include <string_view>

namespace ringmaster::core {

enum class language : std::uint8_t { zh_cn, zh_tc, en };

/// A text in the three languages.
struct localized {
  std::string_view zh_cn;
  std::string_view zh_tc;
  std::string_view en;

  [[nodiscard]] constexpr std::string_view in(language reader) const noexcept {
    switch (reader) {
    case language::zh_cn: return zh_cn;
    case language::zh_tc: return zh_tc;
    case language::en: break;
    }
    return en;
  }
};

/// Returns XXL's name: `zh_CN`, `zh_TC`, `en`.
[[nodiscard]] inline std::string_view stored_name(language which) noexcept { return localized{"zh_CN", "zh_TC", "en"}.in(which); }

/// Finds a language by its exact name; unset if it is unknown.
[[nodiscard]] inline std::optional<language> find_language(std::string_view name) noexcept {
  for (const auto which : {language::zh_cn, language::zh_tc, language::en})
    if (stored_name(which) == name)
      return which;
  return std::nullopt;
}

} // namespace ringmaster::core
