#include "storage/admin/group_tokens.hpp"

#include <string>

namespace ringmaster::storage {

namespace {

constexpr sql_text token_of_java{"SELECT access_token FROM xxl_job_group WHERE id = ?"};
constexpr sql_text token_of_ours{"SELECT token FROM rm_group_token WHERE group_id = ?"};

std::string known_token(admin_session& own, core::group_id group) {
  auto row = own.query(own.facts().group_token ? token_of_java : token_of_ours, group);
  return row.next() ? row.string(0) : std::string{};
}

} // namespace

void replace_group_token(admin_session& own, core::group_id group, std::string_view token, core::time_point now) {
  const auto before = known_token(own, group);
  if (before == token)
    return;
  // Java admins with a column for the token keep reading that column.
  if (own.facts().group_token)
    own.execute("UPDATE xxl_job_group SET access_token = ? WHERE id = ?", token, group);
  own.execute("INSERT INTO rm_group_token (group_id, token, previous, previous_until_ms) VALUES (?, ?, ?, ?)"
              " $on_conflict(group_id) token = $new_value(token), previous = $new_value(previous),"
              " previous_until_ms = $new_value(previous_until_ms)",
              group, token, before, now + core::group_token_overlap);
}

} // namespace ringmaster::storage
