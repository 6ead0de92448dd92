#include "storage/mysql/sql.hpp"

#include <mysql/errmsg.h>
#include <mysql/mysqld_error.h>

namespace ringmaster::storage::mysql {

namespace {

// Numbers that not every client library's headers name.
constexpr unsigned connection_killed = 1927;        // MariaDB
constexpr unsigned statement_timeout_mariadb = 1969;
constexpr unsigned statement_timeout_mysql = 3024;
constexpr unsigned read_only_mode = 1836;
constexpr unsigned client_closed_by_server = 4031;  // MySQL 8: idle for too long
constexpr unsigned socket_read_failed = 5014;       // the MariaDB connector's own

} // namespace

std::string sql::expand(std::size_t rows) const {
  const auto pattern = std::string{head_} + std::string{tail_};
  std::string out;
  std::string_view rest = pattern;
  for (auto open = rest.find('{'); open != rest.npos; open = rest.find('{')) {
    const auto close = rest.find('}', open);
    auto part = rest.substr(open + 1, close - open - 1);
    out += rest.substr(0, open);
    for (std::size_t i = 0; i < rows; ++i) {
      if (i + 1 == rows && part.ends_with(','))
        part.remove_suffix(1);
      out += part;
    }
    rest.remove_prefix(close + 1);
  }
  return out += rest;
}

bool driver_error::connection_lost() const noexcept {
  switch (number_) {
  case CR_SERVER_GONE_ERROR:
  case CR_SERVER_LOST:
  case CR_COMMANDS_OUT_OF_SYNC:
  case CR_MALFORMED_PACKET:
  case ER_SERVER_SHUTDOWN:
  case ER_UNKNOWN_STMT_HANDLER:
  case connection_killed:
  case client_closed_by_server:
  case socket_read_failed: return true;
  default: return false;
  }
}

bool driver_error::worth_repeating() const noexcept { return number_ == ER_LOCK_DEADLOCK || number_ == ER_LOCK_WAIT_TIMEOUT; }

core::error driver_error::to_error() const {
  const auto with = [this](core::errc code) { return core::error{code, "database: " + std::string{what()}}; };
  if (connection_lost() || worth_repeating())
    return with(core::errc::unavailable);
  switch (number_) {
  case CR_CONNECTION_ERROR:
  case CR_CONN_HOST_ERROR:
  case CR_UNKNOWN_HOST:
  case ER_ACCESS_DENIED_ERROR:
  case ER_DBACCESS_DENIED_ERROR:
  case ER_BAD_DB_ERROR:
  case ER_CON_COUNT_ERROR:
  case ER_TOO_MANY_USER_CONNECTIONS:
  case ER_USER_LIMIT_REACHED:
  case ER_OPTION_PREVENTS_STATEMENT: // a server that was made read-only
  case ER_QUERY_INTERRUPTED:
  case read_only_mode:
  case statement_timeout_mariadb:
  case statement_timeout_mysql: return with(core::errc::unavailable);
  case ER_DATA_TOO_LONG:
  case ER_WARN_DATA_OUT_OF_RANGE:
  case ER_TRUNCATED_WRONG_VALUE_FOR_FIELD: return with(core::errc::invalid_argument);
  default: return with(core::errc::internal);
  }
}

} // namespace ringmaster::storage::mysql
