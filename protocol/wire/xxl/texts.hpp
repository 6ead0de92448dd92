#pragma once

// Texts that clients or users compare, in one place.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::protocol::wire {

/// `msg` of replies to executors (XXL wire §1.5); clients match them literally.
namespace reply_text {
inline constexpr std::string_view method_not_supported = "invalid request, HttpMethod not support.";
inline constexpr std::string_view body_empty = "invalid request, requestBody empty.";
inline constexpr std::string_view token_wrong = "The access token is wrong.";
inline constexpr std::string_view token_or_app_empty = "invalid request, accessToken or appname is empty.";
inline constexpr std::string_view token_or_app_invalid = "invalid request, accessToken or appname invalid.";
/// Contained in both of the above and in no other text: the admin wants the app name's header.
inline constexpr std::string_view app_name_mark = "accessToken or appname";
inline constexpr std::string_view illegal_argument = "Illegal Argument.";
/// Sent with `reply_code::too_many`.
inline constexpr std::string_view too_many_requests = "Too many requests, please try again later.";
/// Followed by a reason.
inline constexpr std::string_view invoke_error = "openapi invoke error: ";
} // namespace reply_text

/// Codes of replies in addition to 200 and 500.
namespace reply_code {
inline constexpr std::int32_t too_many = 502;
} // namespace reply_code

/// Returns `invalid request, uri-mapping(x) not found.`
[[nodiscard]] std::string mapping_not_found(std::string_view operation);

/// Returns `openapi invoke error: ` and a reason: the body of a request does not have the form of its operation.
[[nodiscard]] core::error unreadable(std::string_view reason);

/// Texts of executors (XXL wire §2.3).
namespace executor_text {
/// Matched by prefix: `repeate trigger job, logId:N` up to 3.4.0, `repeat trigger job, logId:N` since.
inline constexpr std::string_view repeat_prefix = "repeat";
/// Followed by a reason: the body of a request does not have the form of its operation.
inline constexpr std::string_view request_error = "request error:";
/// Text of Node's `xxl-job` for a token that is not its own; Java uses `reply_text::token_wrong`.
inline constexpr std::string_view node_token_wrong = "Access token incorrect.";
} // namespace executor_text

/// Returns the beginning of a body that cannot be read, as text.
[[nodiscard]] std::string excerpt_of(std::string_view body);

/// Texts that the Java admins write into a log row and that users search for (XXL admin §5.1).
namespace log_text {
/// A group without executors.
inline constexpr std::string_view address_empty = "Trigger Fail：registry address is empty";
} // namespace log_text

} // namespace ringmaster::protocol::wire
