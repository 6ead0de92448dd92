#pragma once

// Results that the server itself gives to a run, in the languages of people.

#include <string_view>

#include "core/text/language.hpp"

namespace ringmaster::core {

/// The result never came (XXL admin §7.4), as it is stored.
[[nodiscard]] std::string_view lost_result(language reader) noexcept;

/// Somebody ended the run: what the executor said goes behind it (XXL admin §8.7).
[[nodiscard]] std::string_view killed_result(language reader) noexcept;

/// A stored result as people read it: one that the server gave, in whatever language, in theirs; everything else as it is. A view
/// of the argument or of a constant.
[[nodiscard]] std::string_view result_text(std::string_view stored, language reader) noexcept;

} // namespace ringmaster::core
