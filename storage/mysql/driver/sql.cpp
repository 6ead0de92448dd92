#include "storage/mysql/driver/sql.hpp"

#include <utility>

#include <mysql/errmsg.h>
#include <mysql/mysqld_error.h>

namespace ringmaster::storage::mysql {

using namespace std::string_view_literals;

namespace {

// Numbers that some client libraries' headers do not define.
constexpr unsigned connection_killed = 1927;       // MariaDB
constexpr unsigned client_closed_by_server = 4031; // MySQL 8: idle for too long
constexpr unsigned socket_read_failed = 5014;      // the MariaDB connector's own

constexpr sql_dialect mysql_dialect{
  .for_update = "FOR UPDATE",
  .utf8 = "CONVERT(# USING utf8mb4)",
  .by_bytes = "COLLATE utf8mb4_bin",
  .bytes = "BINARY",
  .group_title = "$group_title",
  .on_conflict = "ON DUPLICATE KEY UPDATE",
  .new_value = "VALUES(#)",
  .last_pieces = "ORDER BY piece DESC LIMIT ?",
  .job_name = "$job_name",
  .or_ignore = "IGNORE",
  .by_primary_key = "FORCE INDEX (PRIMARY)",
  .bytes_of = "LENGTH(#)",
  .planned_next =
    "IF((SELECT mode FROM rm_mode WHERE id = 1) = 'shared', IF(i.trigger_status = 1, i.trigger_next_time, 0), s.next_ms)",
  .planned_last = "IF((SELECT mode FROM rm_mode WHERE id = 1) = 'shared', GREATEST(COALESCE(s.last_ms, 0), i.trigger_last_time),"
                  " IF(s.last_ms = s.missed_ms, s.sent_ms, s.last_ms))",
  .listed = "FIND_IN_SET(#, ?) > 0",
  .planned_kinds = "kind IN ('cron', 'misfire')",
  .seconds_taken = "TIMESTAMPDIFF(SECOND, trigger_time, handle_time)",
  .for_share = "LOCK IN SHARE MODE",
  .is_pair = "(#) IN ({(?,?),})",
  .is_four = "(#) IN ({(?,?,?,?),})",
  .is_id = "# IN ({?,})",
  .set_by_id = "# = CASE id {WHEN ? THEN ? }END",
};

} // namespace

std::string sql::expand(std::size_t rows, const column_names& names) const {
  const auto pattern = in_dialect(std::string{head_} + std::string{tail_}, mysql_dialect);
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
  out += rest;
  for (const auto& [token, name] : {std::pair{"$job_name"sv, names.job_name}, std::pair{"$group_title"sv, names.group_title}})
    for (auto at = out.find(token); at != out.npos; at = out.find(token, at + name.size()))
      out.replace(at, token.size(), name);
  return out;
}

bool driver_error::column_unknown() const noexcept { return number_ == ER_BAD_FIELD_ERROR; }

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

bool driver_error::lock_held() const noexcept {
  constexpr unsigned nowait_of_mysql = 3572; // ER_LOCK_NOWAIT; MariaDB returns a lock wait timeout instead
  return number_ == ER_LOCK_WAIT_TIMEOUT || number_ == nowait_of_mysql;
}

bool driver_error::worth_repeating() const noexcept { return number_ == ER_LOCK_DEADLOCK || lock_held(); }

bool driver_error::refuses_data() const noexcept {
  // SQLSTATE 22 is "data exception"; the numbers are data errors for which some servers return a general state.
  switch (number_) {
  case ER_TRUNCATED_WRONG_VALUE_FOR_FIELD:
  case WARN_DATA_TRUNCATED:
  case ER_TOO_BIG_ROWSIZE:
  case ER_NET_PACKET_TOO_LARGE:
  case ER_WARN_ALLOWED_PACKET_OVERFLOWED:
  case CR_NET_PACKET_TOO_LARGE: return true;
  default: return state_.starts_with("22");
  }
}

core::error driver_error::to_error() const {
  const bool constraint = state_.starts_with("23");
  auto code = core::errc::unavailable;
  if (!at_commit_ && refuses_data())
    code = core::errc::invalid_argument;
  else if (!at_commit_ && (constraint || number_ == 0))
    code = core::errc::internal;
  return {code, "database: " + std::string{what()}};
}

} // namespace ringmaster::storage::mysql
