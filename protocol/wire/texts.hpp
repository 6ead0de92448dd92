#pragma once

// Texts that clients or people compare, in one place. Texts of the wire have one language, those of log rows three.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringmaster::protocol::wire {

/// `msg` of replies to executors (XXL wire §1.5); clients match them literally.
namespace reply_text {
inline constexpr std::string_view method_not_supported = "invalid request, HttpMethod not support.";
inline constexpr std::string_view body_empty = "invalid request, requestBody empty.";
inline constexpr std::string_view token_wrong = "The access token is wrong.";
inline constexpr std::string_view token_or_app_empty = "invalid request, accessToken or appname is empty.";
inline constexpr std::string_view token_or_app_invalid = "invalid request, accessToken or appname invalid.";
inline constexpr std::string_view illegal_argument = "Illegal Argument.";
/// Followed by a reason.
inline constexpr std::string_view invoke_error = "openapi invoke error: ";
} // namespace reply_text

/// `invalid request, uri-mapping(x) not found.`
[[nodiscard]] std::string mapping_not_found(std::string_view operation);

/// What executors say (XXL wire §2.3).
namespace executor_text {
/// Matched by prefix: `repeate trigger job, logId:N` up to 3.4.0, `repeat trigger job, logId:N` since.
inline constexpr std::string_view repeat_prefix = "repeat";
} // namespace executor_text

enum class language : std::uint8_t { zh_cn, zh_tc, en };
inline constexpr std::size_t language_count = 3;

/// One enumerator per text; the table stands in texts.cpp in this order.
enum class text_key : std::uint8_t {
  /// A group has nobody to call.
  address_empty,
};

[[nodiscard]] std::string_view text(text_key key, language in) noexcept;

} // namespace ringmaster::protocol::wire
