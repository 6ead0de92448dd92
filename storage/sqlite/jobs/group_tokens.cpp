#include "storage/sqlite/jobs/group_tokens.hpp"

#include <string>

namespace ringmaster::storage::sqlite {

namespace {

constexpr char read_token[] = "SELECT token FROM rm_group_token WHERE group_id = ?1";
constexpr char write_token[] = "INSERT INTO rm_group_token (group_id, token, previous, previous_until_ms) VALUES (?1, ?2, ?3, ?4)"
                               " ON CONFLICT (group_id) DO UPDATE SET token = excluded.token, previous = excluded.previous,"
                               " previous_until_ms = excluded.previous_until_ms";

} // namespace

void replace_group_token(connection& db, core::group_id group, std::string_view token, core::time_point now) {
  std::string before;
  {
    auto row = db.prepare(read_token);
    row.with(group);
    if (row.step())
      before = row.text(0);
  }
  if (before != token)
    db.run(write_token, group, token, before, now + core::group_token_overlap);
}

} // namespace ringmaster::storage::sqlite
