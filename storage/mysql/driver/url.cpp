#include "storage/mysql/driver/url.hpp"

#include <algorithm>

#include "core/text/url_text.hpp"

namespace ringmaster::storage::mysql {

namespace {

using core::errc;
using core::fail;

constexpr std::string_view scheme = "mysql://";

core::result<void> assign(std::string& target, std::string_view text, const char* part) {
  auto decoded = core::percent_decoded(text);
  if (!decoded || decoded->find('\0') != std::string::npos)
    return fail(errc::invalid_argument, std::string{"database.url: a % without two hexadecimal digits in the "} + part);
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
  const auto place = core::split_host_port(text);
  if (text.starts_with('[') && !(place.in_brackets && place.is_plain))
    return fail(errc::invalid_argument, "database.url: the host in brackets is not closed");
  if (core::is_ip6_without_brackets(text))
    return fail(errc::invalid_argument, "database.url: an IPv6 address must be in brackets");
  out.host = place.host;
  const auto port = place.port.value_or("");
  if (!place.is_plain || (!port.empty() && core::parse_port(port).value_or(0) == 0))
    return fail(errc::invalid_argument, "database.url: invalid port, expected 1 to 65535");
  if (!port.empty())
    out.port = *core::parse_port(port);
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
  // No general parser of URLs would do: passwords are often written with a / # or @ in them, so the account ends at the last @.
  const auto rest = url.substr(scheme.size());
  const auto options = rest.substr(std::min(rest.find('?'), rest.size()));
  const auto [account, server] = core::split_authority(rest.substr(0, rest.size() - options.size()));
  if (!account)
    return fail(errc::invalid_argument, "database.url: the user is missing (mysql://user:password@host:port/name)");
  const auto slash = std::min(server.find('/'), server.size());

  auto parsed = parse_account(out, *account);
  if (parsed)
    parsed = parse_place(out, server.substr(0, slash));
  if (parsed)
    parsed = assign(out.database, server.substr(std::min(slash + 1, server.size())), "database name");
  if (parsed)
    parsed = parse_options(out, options.substr(std::min<std::size_t>(1, options.size())));
  if (!parsed)
    return tl::unexpected{parsed.error()};
  if (out.database.empty() || out.database.find('/') != std::string::npos)
    return fail(errc::invalid_argument, "database.url: the database name is missing (mysql://user:password@host:port/name)");
  if (out.host.empty() && out.socket.empty())
    return fail(errc::invalid_argument, "database.url: the host is missing (mysql://user:password@host:port/name)");
  return out;
}

} // namespace ringmaster::storage::mysql
