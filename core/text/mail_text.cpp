#include "core/text/mail_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

/// Bytes in one encoded word: 12 characters of markup, and four characters for each three bytes, 75 in all.
constexpr std::size_t word_bytes_max = 45;
constexpr std::size_t line_chars = 76;
constexpr std::size_t address_chars_max = 254;

bool is_plain(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7F; });
}

std::string without_controls(std::string_view text) {
  auto out = valid_utf8(text);
  std::replace_if(out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; }, ' ');
  return out;
}

std::string base64_lines(std::string_view text) {
  const auto all = base64(text);
  std::string out;
  for (std::size_t at = 0; at < all.size(); at += line_chars)
    out.append(all, at, line_chars).append("\r\n");
  return out;
}

/// Formats a date as `Mon, 02 Mar 2026 12:00:00 +0000`.
std::string date_text(time_point t) {
  constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{std::chrono::floor<std::chrono::seconds>(t - day)};
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%s, %02u %s %04d %02ld:%02ld:%02ld +0000",
                days.at(std::chrono::weekday{day}.c_encoding()), static_cast<unsigned>(date.day()),
                months.at(static_cast<unsigned>(date.month()) - 1), static_cast<int>(date.year()),
                static_cast<long>(clock.hours().count()), static_cast<long>(clock.minutes().count()),
                static_cast<long>(clock.seconds().count()));
  return out.data();
}

/// Returns a display name in quotes, or in encoded words.
std::string phrase(std::string_view name) {
  if (!is_plain(name))
    return encoded_words(name);
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out += '"';
}

void add_part(std::string& to, std::string_view boundary, std::string_view type, std::string_view body) {
  to.append("--").append(boundary).append("\r\nContent-Type: ").append(type);
  to.append("; charset=UTF-8\r\nContent-Transfer-Encoding: base64\r\n\r\n").append(base64_lines(valid_utf8(body)));
}

} // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto left = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < left ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= left ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::string encoded_words(std::string_view utf8) {
  const auto clean = without_controls(utf8);
  // Text that looks like an encoded word would be decoded as one.
  if (is_plain(clean) && clean.find("=?") == std::string::npos)
    return clean;
  std::string out;
  for (std::string_view rest = clean; !rest.empty();) {
    const auto part = cut_bytes(rest, word_bytes_max);
    out.append(out.empty() ? "" : "\r\n ").append("=?UTF-8?B?").append(base64(part)).append("?=");
    rest.remove_prefix(part.size());
  }
  return out;
}

bool is_mail_address(std::string_view text) noexcept {
  const auto at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size() || text.size() > address_chars_max)
    return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7F && std::string_view{"<>()[],;:\\\""}.find(c) == std::string_view::npos;
  });
}

std::string mail_text(const mail& message) {
  const auto id = without_controls(message.message_id);
  const std::string boundary = "=_ringmaster_" + base64(id).substr(0, 40);
  std::string out = "Date: " + date_text(message.date) + "\r\n";
  out += "From: " + phrase(message.from_name) + " <" + message.from_address + ">\r\n";
  out += "To: <" + message.to_address + ">\r\n";
  out += "Subject: " + encoded_words(message.subject) + "\r\n";
  out += "Message-ID: <" + id + ">\r\n";
  // Prevents automatic replies.
  out += "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n";
  out += "Content-Type: multipart/alternative; boundary=\"" + boundary + "\"\r\n\r\n";
  add_part(out, boundary, "text/plain", message.text);
  add_part(out, boundary, "text/html", message.html);
  return out + "--" + boundary + "--\r\n";
}

} // namespace ringmaster::core
