// The audit log.

#include <algorithm>

#include "storage/sqlite/users/access.hpp"

namespace ringmaster::storage::sqlite {

namespace {

#define RINGMASTER_AUDIT_COLUMNS                                                                                                 \
  "SELECT id, at_ms, user_id, user_name, remote, action, object, object_id, object_name, changes FROM rm_audit "
#define RINGMASTER_AUDIT_FILTER                                                                                                  \
  "(?1 IS NULL OR user_name = ?1 COLLATE NOCASE) AND (?4 IS NULL OR id < ?4) ORDER BY id DESC LIMIT ?5"

constexpr char list_rows[] = RINGMASTER_AUDIT_COLUMNS
  "WHERE (?2 IS NULL OR object = ?2) AND (?3 IS NULL OR object_id = ?3) AND " RINGMASTER_AUDIT_FILTER;
// The index leads to the object's rows.
constexpr char list_one_object[] = RINGMASTER_AUDIT_COLUMNS "WHERE object = ?2 AND object_id = ?3 AND " RINGMASTER_AUDIT_FILTER;

#undef RINGMASTER_AUDIT_FILTER
#undef RINGMASTER_AUDIT_COLUMNS

core::audit_row read_audit_row(const statement& row) {
  core::audit_row out;
  out.id = row.number(0);
  out.at = row.time_ms(1);
  out.user = row.id<core::user_id>(2);
  out.user_name = row.text(3);
  out.remote = row.text(4);
  out.action = core::find_audit_action(row.text(5)).value_or(core::audit_action::update);
  out.object = core::find_audit_object(row.text(6)).value_or(core::audit_object::job);
  out.object_id = row.number(7);
  out.object_name = row.text(8);
  out.changes = row.text(9);
  return out;
}

} // namespace

core::result<std::vector<core::audit_row>> audit_role::list(const core::audit_search& search, const core::principal& by) {
  if (auto allowed = core::check_admin(by); !allowed)
    return tl::unexpected{allowed.error()};
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<std::vector<core::audit_row>> {
    std::optional<std::string_view> object;
    if (search.object)
      object = core::stored_name(*search.object);
    std::vector<core::audit_row> out;
    auto rows = db.prepare(object && search.object_id ? list_one_object : list_rows);
    rows.with(search.user_name, object, search.object_id, search.before, std::min(search.limit, core::page_rows_max));
    while (rows.step())
      out.push_back(read_audit_row(rows));
    return out;
  });
}

} // namespace ringmaster::storage::sqlite
