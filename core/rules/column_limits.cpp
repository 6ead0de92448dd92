#include "core/rules/column_limits.hpp"

#include <string>

#include "core/text/text.hpp"

namespace ringmaster::core {

result<void> check_title(std::string_view title, const column_limits& limits) {
  if (fits(title, limits.title_chars))
    return {};
  return fail(errc::invalid_argument,
              "title is longer than the " + std::to_string(limits.title_chars) + " characters that the column holds");
}

result<void> check_param(std::string_view param, const column_limits& limits) {
  if (param.size() > text_bytes)
    return fail(errc::invalid_argument, "params (executor_param) is longer than " + std::to_string(text_bytes) + " bytes");
  if (limits.param_chars != 0 && !fits(param, limits.param_chars))
    return fail(errc::invalid_argument, "params (executor_param) is longer than the " + std::to_string(limits.param_chars) +
                                          " characters that the column holds in this generation of the schema");
  return {};
}

} // namespace ringmaster::core
