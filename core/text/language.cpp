#include "core/text/language.hpp"

namespace ringmaster::core {

std::string_view stored_name(language which) noexcept { return localized{"zh_CN", "zh_TC", "en"}.in(which); }

std::optional<language> find_language(std::string_view name) noexcept {
  for (const auto which : {language::zh_cn, language::zh_tc, language::en})
    if (stored_name(which) == name)
      return which;
  return std::nullopt;
}

} // namespace ringmaster::core
