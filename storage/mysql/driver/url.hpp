#pragma once

// `database.url` of a MySQL or MariaDB server.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::storage::mysql {

/// Where a server is and who asks. A socket path goes before host and port.
struct address {
  std::string host;
  std::uint16_t port = 3306;
  std::string user;
  std::string password;
  std::string database;
  std::string socket;

  /// `user@host:port/database` or `user@/path/of/socket/database`: for messages, without the password.
  [[nodiscard]] std::string description() const;
};

/// Reads `mysql://user:password@host:port/name?socket=/path`. User, password, name and socket may be percent-encoded, an IPv6
/// host stands in brackets. Errors: `invalid_argument`, which names the part that is wrong and never shows the password.
[[nodiscard]] core::result<address> parse_url(std::string_view url);

} // namespace ringmaster::storage::mysql
