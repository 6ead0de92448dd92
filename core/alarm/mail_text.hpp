#pragma once

// A mail as it goes over the wire (RFC 5322, RFC 2047, RFC 2045): headers, then text and HTML as alternatives, all in ASCII.

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
  /// Without angle brackets. The same for each try, so that a mail that arrived twice can be told from two mails.
  std::string message_id;
  time_point date{};
};

/// Line ends are CRLF. What could end a header's line is taken out of the values; the addresses must have passed
/// `is_mail_address`.
[[nodiscard]] std::string mail_text(const mail& message);

/// `local@domain` in printable ASCII, without what could break out of a command or a header. Grammar only.
[[nodiscard]] bool is_mail_address(std::string_view text) noexcept;

/// An unstructured header value: as it is when plain ASCII, else in encoded words of at most 75 characters.
[[nodiscard]] std::string encoded_words(std::string_view utf8);

/// Base64 with padding, without line ends.
[[nodiscard]] std::string base64(std::string_view bytes);

} // namespace ringmaster::core
