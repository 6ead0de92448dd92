#pragma once

// Results that the server itself records for a run, in the users' languages.

#include <string_view>

#include "core/text/language.hpp"

namespace ringmaster::core {

/// Returns the stored result of a lost run (XXL admin §7.4).
[[nodiscard]] std::string_view lost_result(language reader) noexcept;

/// Returns the prefix of the result of a killed run; the executor's message follows it (XXL admin §8.7).
[[nodiscard]] std::string_view killed_result(language reader) noexcept;

/// Translates a stored result that the server recorded, in whatever language, into the reader's language; any other text is
/// unchanged. Returns a view of the argument or of a constant.
[[nodiscard]] std::string_view result_text(std::string_view stored, language reader) noexcept;

} // namespace ringmaster::core
