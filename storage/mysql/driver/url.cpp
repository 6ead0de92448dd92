#include "storage/mysql/driver/url.hpp"

#include <charconv>
#include <optional>

namespace ringmaster::storage::mysql {

namespace {

using core::errc;
using core::fail;

constexpr std::string_view scheme = "mysql://";

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return std::nullopt;
}

core::result<std::string> decode(std::string_view text, const char* part) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
    if (!low || (*high == 0 && *low == 0))
      return fail(errc::invalid_argument, std::string{"database.url: a % without two hexadecimal digits in the "} + part);
    out += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return out;
}

core::result<void> assign(std::string& target, std::string_view text, const char* part) {
  auto decoded = decode(text, part);
  if (!decoded)
    return tl::unexpected{decoded.error()};
  target = std::move(*decoded);
  return {};
}

core::result<void> parse_account(address& out, std::string_view text) {
  const auto colon = text.find(':');
  if (auto user = assign(out.user, text.substr(0, colon), "user"); !user)
    return user;
  if (out.user.empty())
    return fail(errc::invalid_argument, "database.url: the user is missing (mysql://user:password@host:port/name)");
  return colon == text.npos ? core::result<void>{} : assign(out.password, text.substr(colon + 1), "password");
}

core::result<void> parse_place(address& out, std::string_view text) {
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == text.npos || (end + 1 < text.size() && text[end + 1] != ':'))
      return fail(errc::invalid_argument, "database.url: the host in brackets is not closed");
    out.host = text.substr(1, end - 1);
    port = end + 1 < text.size() ? text.substr(end + 2) : std::string_view{};
  } else {
    const auto colon = text.find(':');
    out.host = text.substr(0, colon);
    port = colon == text.npos ? std::string_view{} : text.substr(colon + 1);
  }
  if (port.empty())
    return {};
  const auto [rest, code] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (code != std::errc{} || rest != port.data() + port.size() || out.port == 0)
    return fail(errc::invalid_argument, "database.url: invalid port, expected 1 to 65535");
  return {};
}

core::result<void> parse_options(address& out, std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('&');
    const auto option = text.substr(0, end);
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    const auto name = option.substr(0, option.find('='));
    if (name != "socket" || name.size() == option.size())
      return fail(errc::invalid_argument,
                  "database.url: unknown option after the ? (only socket=/path is known; write a ? in a password as %3F)");
    if (auto socket = assign(out.socket, option.substr(name.size() + 1), "socket"); !socket)
      return socket;
  }
  return {};
}

} // namespace

std::string address::description() const {
  const auto host_text = host.find(':') == host.npos ? host : "[" + host + "]";
  return user + "@" + (socket.empty() ? host_text + ":" + std::to_string(port) : socket) + "/" + database;
}

core::result<address> parse_url(std::string_view url) {
  if (!url.starts_with(scheme))
    return fail(errc::invalid_argument, "database.url: must begin with mysql://");
  address out;
  auto rest = url.substr(scheme.size());
  const auto question = rest.find('?');
  const auto options = question == rest.npos ? std::string_view{} : rest.substr(question + 1);
  rest = rest.substr(0, question);
  const auto slash = rest.find('/', rest.rfind('@') == rest.npos ? 0 : rest.rfind('@'));
  const auto authority = rest.substr(0, slash);
  const auto at = authority.rfind('@');
  if (at == authority.npos)
    return fail(errc::invalid_argument, "database.url: the user is missing (mysql://user:password@host:port/name)");

  auto parsed = parse_account(out, authority.substr(0, at));
  if (parsed)
    parsed = parse_place(out, authority.substr(at + 1));
  if (parsed)
    parsed = assign(out.database, slash == rest.npos ? std::string_view{} : rest.substr(slash + 1), "database name");
  if (parsed)
    parsed = parse_options(out, options);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  if (out.database.empty() || out.database.find('/') != std::string::npos)
    return fail(errc::invalid_argument, "database.url: the database name is missing (mysql://user:password@host:port/name)");
  if (out.host.empty() && out.socket.empty())
    return fail(errc::invalid_argument, "database.url: the host is missing (mysql://user:password@host:port/name)");
  return out;
}

} // namespace ringmaster::storage::mysql
