#include "storage/mysql/jobs/group_tokens.hpp"

#include <string>

namespace ringmaster::storage::mysql {

namespace {

constexpr sql token_of_java{"SELECT access_token FROM xxl_job_group WHERE id = ?"};
constexpr sql token_of_ours{"SELECT token FROM rm_group_token WHERE group_id = ?"};

std::string known_token(session& own, core::group_id group) {
  auto row = own.db.query(own.shape.group_token ? token_of_java : token_of_ours, group);
  return row.next() ? row.string(0) : std::string{};
}

} // namespace

void replace_group_token(session& own, core::group_id group, std::string_view token, core::time_point now) {
  const auto before = known_token(own, group);
  if (before == token)
    return;
  const std::string after{token};
  const auto until = core::to_ms(now + core::group_token_overlap);
  // Java admins with a column for the token keep reading that column.
  if (own.shape.group_token)
    own.db.execute("UPDATE xxl_job_group SET access_token = ? WHERE id = ?", after, group);
  own.db.execute("INSERT INTO rm_group_token (group_id, token, previous, previous_until_ms) VALUES (?, ?, ?, ?)"
                 " ON DUPLICATE KEY UPDATE token = VALUES(token), previous = VALUES(previous),"
                 " previous_until_ms = VALUES(previous_until_ms)",
                 group, after, before, until);
}

} // namespace ringmaster::storage::mysql
