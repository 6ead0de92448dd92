// Edits and reads of executor groups for administrators.

#include "storage/admin/group_writes.hpp"

#include <algorithm>

#include "core/job/address_list.hpp"
#include "core/rules/audit_rules.hpp"
#include "core/rules/group_draft_rules.hpp"
#include "storage/admin/audit_row.hpp"
#include "storage/admin/group_tokens.hpp"

namespace ringmaster::storage {

namespace {

#define RINGMASTER_GROUP_ROWS                                                                                                    \
  "SELECT g.id, g.app_name, g.$group_title, g.address_type, g.address_list, g.update_time, x.source FROM xxl_job_group g"        \
  " LEFT JOIN rm_group_ext x ON x.group_id = g.id "
#define RINGMASTER_GROUP_FILTERS                                                                                                 \
  "WHERE (? = '' OR INSTR(LOWER(g.app_name), LOWER(?)) > 0) AND (? = '' OR INSTR(LOWER(g.$group_title), LOWER(?)) > 0)"
#define RINGMASTER_GROUP_ORDER "ORDER BY g.app_name, g.$group_title, g.id"

core::group_record read_group(admin_session& own, const sql_rows& row) {
  core::group_record out;
  out.group = {row.id<core::group_id>(0), row.string(1), row.string(2),
               row.number(3) == 0 ? core::address_type::automatic : core::address_type::manual,
               core::split_addresses(row.text(4))};
  out.updated = own.dates().read(row.text(5));
  out.source = row.text(6);
  return out;
}

std::optional<core::group_record> find_group(admin_session& own, core::group_id group) {
  auto row = own.query(RINGMASTER_GROUP_ROWS "WHERE g.id = ?", group);
  return row.next() ? std::optional{read_group(own, row)} : std::nullopt;
}

/// Reads the group and locks its row, so that Java admins' edits of it wait.
std::optional<core::group_record> held_group(admin_session& own, core::group_id group) {
  if (!own.finds("SELECT id FROM xxl_job_group WHERE id = ? $for_update", group))
    return std::nullopt;
  return find_group(own, group);
}

/// Returns whether another group has the name. The database compares names as it compares executors' calls: without case where
/// XXL-JOB made the table.
bool has_another(admin_session& own, const std::string& app_name, core::group_id group) {
  return own.finds("SELECT 1 FROM xxl_job_group WHERE app_name = ? AND id <> ?", app_name, group);
}

/// Deletes the group's rows in our own tables.
void forget(admin_session& own, core::group_id group) {
  own.execute("DELETE FROM rm_group_ext WHERE group_id = ?", group);
  own.execute("DELETE FROM rm_group_token WHERE group_id = ?", group);
  own.execute("DELETE FROM rm_group_right WHERE group_id = ?", group);
}

/// Reads the remaining values of an edit. Errors: `conflict` for a name that another group has.
core::result<void> complete(admin_session& own, core::group_writing& wanted, core::group_id group) {
  if (wanted.renamed && has_another(own, wanted.row.app_name, group))
    return tl::unexpected{core::group_name_is_taken(wanted.row.app_name)};
  if (!wanted.takes_registered)
    return {};
  auto found = own.query("SELECT registry_value FROM xxl_job_registry WHERE registry_group = 'EXECUTOR' AND registry_key = ?"
                         " AND CAST(registry_key AS $bytes) = ?", wanted.row.app_name, wanted.row.app_name);
  auto& addresses = wanted.row.addresses;
  while (found.next())
    addresses.push_back(found.string(0));
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  return {};
}

} // namespace

core::result<core::group_id> group_editor_role::add(const core::group_draft& draft, const core::principal& by,
                                                    core::time_point now) {
  return own_.edit([&]() -> core::result<core::group_id> {
    if (auto mode = own_.begin_edit(); !mode)
      return tl::unexpected{mode.error()};
    auto wanted = core::write_group(draft, std::nullopt, {}, own_.facts().limits, by);
    if (!wanted)
      return tl::unexpected{wanted.error()};
    if (auto done = complete(own_, *wanted, core::group_id{}); !done)
      return tl::unexpected{done.error()};
    return own_.unless_taken(core::group_name_is_taken(draft.app_name), [&]() -> core::result<core::group_id> {
      const auto& row = wanted->row;
      const auto group = own_.insert<core::group_id>(
        "INSERT INTO xxl_job_group (app_name, $group_title, address_type, address_list, update_time) VALUES (?, ?, ?, ?, ?)",
        row.app_name, row.title, static_cast<std::int32_t>(row.type), core::address_column(row.addresses),
        std::string{own_.dates().of(now)});
      // A restarted server may reuse the id of a group that Java admins removed.
      forget(own_, group);
      if (!draft.access_token.empty())
        replace_group_token(own_, group, draft.access_token, now);
      write_audit(own_, core::audit_of(by, core::audit_action::add, core::audit_object::group, core::number(group), row.app_name,
                               wanted->changes, now));
      return group;
    });
  });
}

core::result<void> group_editor_role::update(core::group_id group, const core::group_draft& draft, std::string_view seen,
                                             const core::principal& by, core::time_point now) {
  return own_.edit([&]() -> core::result<void> {
    if (auto may = core::check_admin(by); !may)
      return may;
    if (auto mode = own_.begin_edit(); !mode)
      return tl::unexpected{mode.error()};
    const auto held = held_group(own_, group);
    if (!held)
      return tl::unexpected{core::no_such_group(group)};
    auto wanted = core::write_group(draft, held, seen, own_.facts().limits, by);
    if (!wanted)
      return tl::unexpected{wanted.error()};
    if (auto done = complete(own_, *wanted, group); !done)
      return done;
    return own_.unless_taken(core::group_name_is_taken(draft.app_name), [&]() -> core::result<void> {
      const auto& row = wanted->row;
      own_.execute("UPDATE xxl_job_group SET app_name = ?, $group_title = ?, address_type = ?, update_time = ? WHERE id = ?",
                   row.app_name, row.title, static_cast<std::int32_t>(row.type), std::string{own_.dates().of(now)}, group);
      if (!wanted->keeps_list)
        own_.execute("UPDATE xxl_job_group SET address_list = ? WHERE id = ?", core::address_column(row.addresses), group);
      if (!draft.access_token.empty())
        replace_group_token(own_, group, draft.access_token, now);
      if (!wanted->changes.empty())
        write_audit(own_, core::audit_of(by, core::audit_action::update, core::audit_object::group, core::number(group),
                                       row.app_name, wanted->changes, now));
      return {};
    });
  });
}

core::result<void> group_editor_role::remove(core::group_id group, std::string_view seen, const core::principal& by,
                                             core::time_point now) {
  return own_.edit([&]() -> core::result<void> {
    if (auto may = core::check_admin(by); !may)
      return may;
    if (auto mode = own_.begin_edit(); !mode)
      return tl::unexpected{mode.error()};
    const auto held = held_group(own_, group);
    if (!held)
      return {};
    const core::group_uses uses{own_.finds("SELECT 1 FROM xxl_job_info WHERE job_group = ? LIMIT 1", group)
                                  || own_.finds("SELECT 1 FROM ej_job WHERE job_group = ? LIMIT 1", group),
                                own_.finds("SELECT 1 FROM xxl_job_group WHERE id <> ? LIMIT 1", group)};
    if (auto may = core::check_removal(*held, seen, uses); !may)
      return may;
    const auto& name = held->group.app_name;
    own_.execute("DELETE FROM xxl_job_group WHERE id = ?", group);
    forget(own_, group);
    // Older releases allow several groups with one name.
    if (!has_another(own_, name, group))
      own_.execute("DELETE FROM xxl_job_registry WHERE registry_group = 'EXECUTOR' AND registry_key = ?"
                   " AND CAST(registry_key AS $bytes) = ?", name, name);
    write_audit(own_, core::audit_of(by, core::audit_action::remove, core::audit_object::group, core::number(group), name,
                             core::changes_of_removal(*held), now));
    return {};
  });
}

core::result<core::group_record> group_editor_role::read(core::group_id group, const core::principal& by) {
  return own_.read([&]() -> core::result<core::group_record> {
    auto held = find_group(own_, group);
    if (auto may = core::check_read(held, group, by); !may)
      return tl::unexpected{may.error()};
    return std::move(*held);
  });
}

core::result<core::page<core::group_record>> group_editor_role::page(const core::group_search& search,
                                                                     const core::principal& by) {
  if (auto may = core::check_admin(by); !may)
    return tl::unexpected{may.error()};
  return own_.read([&]() -> core::result<core::page<core::group_record>> {
    core::page<core::group_record> out;
    const auto& [name, title, window] = search;
    auto counted = own_.query("SELECT COUNT(*) FROM xxl_job_group g " RINGMASTER_GROUP_FILTERS, name, name, title, title);
    if (counted.next())
      out.total = counted.number(0);
    auto found = own_.query(RINGMASTER_GROUP_ROWS RINGMASTER_GROUP_FILTERS " " RINGMASTER_GROUP_ORDER " LIMIT ? OFFSET ?", name,
                            name, title, title, std::min(window.limit, core::page_rows_max), window.offset);
    while (found.next())
      out.rows.push_back(read_group(own_, found));
    return out;
  });
}

core::result<std::vector<core::group_record>> group_editor_role::visible(const core::principal& by) {
  return own_.read([&]() -> core::result<std::vector<core::group_record>> {
    std::vector<core::group_record> out;
    auto found = own_.query(RINGMASTER_GROUP_ROWS RINGMASTER_GROUP_ORDER);
    while (found.next())
      if (by.may(core::group_right::viewer, found.id<core::group_id>(0)))
        out.push_back(read_group(own_, found));
    return out;
  });
}

#undef RINGMASTER_GROUP_ORDER
#undef RINGMASTER_GROUP_FILTERS
#undef RINGMASTER_GROUP_ROWS

} // namespace ringmaster::storage
