#pragma once

// E-mail in wire format (RFC 5322, RFC 2047, RFC 2045): headers, then text and HTML as alternatives, all in ASCII.

#include <string>
#include <string_view>

#include "core/time.hpp"

namespace ringmaster::core {

struct mail {
  std::string from_address;
  std::string from_name;
  std::string to_address;
  std::string subject;
  std::string text;
  std::string html;
  /// Without angle brackets. Equal for each attempt, so that a duplicate delivery is recognisable.
  std::string message_id;
  time_point date{};
};

/// Returns the e-mail with CRLF line ends. Characters that could end a header line are removed from the values; the addresses
/// must have passed `is_mail_address`.
[[nodiscard]] std::string mail_text(const mail& message);

/// Returns true for `local@domain` in printable ASCII without characters that could break out of a command or a header. Checks
/// the grammar only.
[[nodiscard]] bool is_mail_address(std::string_view text) noexcept;

/// Returns an unstructured header value: unchanged if it is plain ASCII, else in encoded words of at most 75 characters.
[[nodiscard]] std::string encoded_words(std::string_view utf8);

/// Encodes Base64 with padding, without line ends.
[[nodiscard]] std::string base64(std::string_view bytes);

} // namespace ringmaster::core
