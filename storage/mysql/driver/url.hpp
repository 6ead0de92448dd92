#pragma once

// `database.url` of a MySQL or MariaDB server.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::storage::mysql {

/// Address and account of a server. A socket path takes precedence over host and port.
struct address {
  std::string host;
  std::uint16_t port = 3306;
  std::string user;
  std::string password;
  std::string database;
  std::string socket;

  /// Returns `user@host:port/database` or `user@/path/of/socket/database`: for messages, without the password.
  [[nodiscard]] std::string description() const;
};

/// Parses `mysql://user:password@host:port/name?socket=/path`. User, password, name and socket may be percent-encoded; an IPv6
/// host is in brackets. Errors: `invalid_argument`, which names the invalid part and never shows the password.
[[nodiscard]] core::result<address> parse_url(std::string_view url);

} // namespace ringmaster::storage::mysql
