// The audit log.

#include <algorithm>
#include <limits>

#include "storage/admin/access.hpp"
#include "storage/admin/audit_row.hpp"

namespace ringmaster::storage {

namespace {

#define RINGMASTER_AUDIT_COLUMNS                                                                                                 \
  "SELECT id, at_ms, user_id, user_name, remote, action, object, object_id, object_name, changes FROM rm_audit "
#define RINGMASTER_AUDIT_FILTER                                                                                                  \
  "id < ? AND (? = 0 OR LOWER(user_name) = LOWER(?)) AND (? = '' OR object = ?) AND (? = 0 OR object_id = ?)"                   \
  " ORDER BY id DESC LIMIT ?"

core::audit_row read_audit_row(const sql_rows& row) {
  core::audit_row out;
  out.id = row.number(0);
  out.at = row.time_ms(1);
  out.user = row.id<core::user_id>(2);
  out.user_name = row.string(3);
  out.remote = row.string(4);
  out.action = core::find_audit_action(row.text(5)).value_or(core::audit_action::update);
  out.object = core::find_audit_object(row.text(6)).value_or(core::audit_object::job);
  out.object_id = row.number(7);
  out.object_name = row.string(8);
  out.changes = row.string(9);
  return out;
}

} // namespace

core::result<std::vector<core::audit_row>> audit_role::list(const core::audit_search& search, const core::principal& by) {
  if (auto allowed = core::check_admin(by); !allowed)
    return tl::unexpected{allowed.error()};
  return own_.read([&]() -> core::result<std::vector<core::audit_row>> {
    const auto name = search.user_name.value_or(""); // empty: any user
    const bool of_user = !name.empty();
    const std::string_view object = search.object ? core::stored_name(*search.object) : std::string_view{};
    const bool of_one = search.object && search.object_id;
    const auto before = search.before.value_or(std::numeric_limits<std::int64_t>::max());
    const auto id = search.object_id.value_or(0);
    const auto limit = std::min(search.limit, core::page_rows_max);
    // The index leads to one object.
    auto found = of_one ? own_.query(RINGMASTER_AUDIT_COLUMNS "WHERE object = ? AND object_id = ? AND " RINGMASTER_AUDIT_FILTER,
                                     object, id, before, of_user, name, object, object, true, id, limit)
                        : own_.query(RINGMASTER_AUDIT_COLUMNS "WHERE " RINGMASTER_AUDIT_FILTER, before, of_user, name, object,
                                     object, search.object_id.has_value(), id, limit);
    std::vector<core::audit_row> out;
    while (found.next())
      out.push_back(read_audit_row(found));
    return out;
  });
}

core::result<void> audit_role::record(std::span<const core::audit_row> rows) {
  return own_.edit([&]() -> core::result<void> {
    for (const auto& row : rows)
      write_audit(own_, row);
    return {};
  });
}

#undef RINGMASTER_AUDIT_FILTER
#undef RINGMASTER_AUDIT_COLUMNS

} // namespace ringmaster::storage
