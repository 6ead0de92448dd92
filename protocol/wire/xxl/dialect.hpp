#pragma once

// Dialects of XXL-JOB's web clients (XXL admin §8.1): up to 3.2 and from 3.3 on.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/refusal.hpp"
#include "core/result.hpp"
#include "core/text/language.hpp"

namespace ringmaster::protocol::wire {

enum class dialect : std::uint8_t {
  /// `content`, `start` and `length`, `recordsTotal`; cookie `XXL_JOB_LOGIN_IDENTITY`.
  xxl2,
  /// `data`, `offset` and `pagesize`, `total`; cookie `xxl_job_login_token`.
  xxl3
};

/// Language and form of an answer to a client.
struct reply_style {
  wire::dialect dialect = wire::dialect::xxl3;
  core::language language = core::language::zh_cn;
};

/// Returns XXL's text of a refusal, with its subject in place; empty for `none`.
[[nodiscard]] std::string words_of(core::refusal why, std::string_view subject, reply_style style);

/// Returns the text of an error for a client: XXL's text, else the context, else (an internal error) a general text.
[[nodiscard]] std::string message_of(const core::error& error, reply_style style);

// -- replies; all with HTTP 200 and `application/json;charset=UTF-8` -----------------------------------------------------------

/// Returns `code` 200 without content.
[[nodiscard]] std::string success(reply_style style);
/// Returns `code` 200 with a JSON value as content or data.
[[nodiscard]] std::string success_with(std::string_view json, reply_style style);
/// Returns `code` 200 with a text as content or data.
[[nodiscard]] std::string success_text(std::string_view text, reply_style style);
/// Returns `code` 200 with a text as its message.
[[nodiscard]] std::string success_message(std::string_view text, reply_style style);
/// Returns `code` 500 with a message.
[[nodiscard]] std::string failure(std::string_view message, reply_style style);
/// Returns a page of rows, each a JSON object.
[[nodiscard]] std::string page_reply(std::int64_t total, std::string_view rows_json, reply_style style);

} // namespace ringmaster::protocol::wire
