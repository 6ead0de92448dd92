#include "storage/mysql/jobs/group_writes.hpp"

#include <algorithm>

#include <mysql/mysqld_error.h>

#include "core/job/address_list.hpp"
#include "core/rules/audit_rules.hpp"
#include "core/rules/group_draft_rules.hpp"
#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/jobs/group_tokens.hpp"
#include "storage/mysql/users/audit_row.hpp"

namespace ringmaster::storage::mysql {

namespace {

constexpr const char* group_rows =
  "SELECT g.id, g.app_name, g.$group_title, g.address_type, g.address_list, g.update_time, x.source FROM xxl_job_group g"
  " LEFT JOIN rm_group_ext x ON x.group_id = g.id ";

#define RINGMASTER_GROUP_FILTERS                                                                                                 \
  "WHERE (? = '' OR INSTR(LOWER(g.app_name), LOWER(?)) > 0) AND (? = '' OR INSTR(LOWER(g.$group_title), LOWER(?)) > 0)"
#define RINGMASTER_GROUP_ORDER "ORDER BY g.app_name, g.$group_title, g.id"

core::group_record read_group(session& own, const rows& row) {
  core::group_record out;
  out.group = {row.id<core::group_id>(0), row.string(1), row.string(2),
               row.number(3) == 0 ? core::address_type::automatic : core::address_type::manual,
               core::split_addresses(row.text(4))};
  out.updated = own.dates.read(row.text(5));
  out.source = row.text(6);
  return out;
}

std::optional<core::group_record> find_group(session& own, core::group_id group) {
  auto row = own.db.query({group_rows, "WHERE g.id = ?"}, group);
  return row.next() ? std::optional{read_group(own, row)} : std::nullopt;
}

/// Reads the group and locks its row, so that Java admins' edits of it wait.
std::optional<core::group_record> held_group(session& own, core::group_id group) {
  if (!own.db.query("SELECT id FROM xxl_job_group WHERE id = ? FOR UPDATE", group).next())
    return std::nullopt;
  return find_group(own, group);
}

/// Returns whether another group has the name. The database compares names as it compares executors' calls: without case where
/// XXL-JOB made the table.
bool has_another(connection& db, const std::string& app_name, core::group_id group) {
  return db.query("SELECT 1 FROM xxl_job_group WHERE app_name = ? AND id <> ?", app_name, group).next();
}

/// Deletes the group's rows in our own tables.
void forget(connection& db, core::group_id group) {
  db.execute("DELETE FROM rm_group_ext WHERE group_id = ?", group);
  db.execute("DELETE FROM rm_group_token WHERE group_id = ?", group);
  db.execute("DELETE FROM rm_group_right WHERE group_id = ?", group);
}

/// Reads the remaining values of an edit. Errors: `conflict` for a name that another group has.
core::result<void> complete(connection& db, core::group_writing& wanted, core::group_id group) {
  if (wanted.renamed && has_another(db, wanted.row.app_name, group))
    return tl::unexpected{core::group_name_is_taken(wanted.row.app_name)};
  if (!wanted.takes_registered)
    return {};
  auto found = db.query("SELECT registry_value FROM xxl_job_registry WHERE registry_group = 'EXECUTOR' AND registry_key = ?"
                        " AND CAST(registry_key AS BINARY) = ?", wanted.row.app_name, wanted.row.app_name);
  auto& addresses = wanted.row.addresses;
  while (found.next())
    addresses.push_back(found.string(0));
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  return {};
}

/// Converts a violated unique key to an error: a Java admin that adds a group at the same time does not take our locks.
template <class Write>
auto unless_taken(const std::string& app_name, Write write) -> decltype(write()) {
  try {
    return write();
  } catch (const driver_error& failure) {
    if (failure.number() != ER_DUP_ENTRY)
      throw;
    return tl::unexpected{core::group_name_is_taken(app_name)};
  }
}

} // namespace

core::result<core::group_id> group_editor_role::add(const core::group_draft& draft, const core::principal& by,
                                                    core::time_point now) {
  return own_.db.transact([&]() -> core::result<core::group_id> {
    auto& db = own_.db;
    if (auto mode = begin_edit(db); !mode)
      return tl::unexpected{mode.error()};
    auto wanted = core::write_group(draft, std::nullopt, {}, own_.shape.limits, by);
    if (!wanted)
      return tl::unexpected{wanted.error()};
    if (auto done = complete(db, *wanted, core::group_id{}); !done)
      return tl::unexpected{done.error()};
    return unless_taken(draft.app_name, [&]() -> core::result<core::group_id> {
      const auto& row = wanted->row;
      const auto group = db.insert<core::group_id>(
        "INSERT INTO xxl_job_group (app_name, $group_title, address_type, address_list, update_time) VALUES (?, ?, ?, ?, ?)",
        row.app_name, row.title, static_cast<std::int32_t>(row.type), core::address_column(row.addresses),
        std::string{own_.dates.of(now)});
      // A restarted server may reuse the id of a group that Java admins removed.
      forget(db, group);
      if (!draft.access_token.empty())
        replace_group_token(own_, group, draft.access_token, now);
      write_audit(db, core::audit_of(by, core::audit_action::add, core::audit_object::group, core::number(group), row.app_name,
                               wanted->changes, now));
      return group;
    });
  });
}

core::result<void> group_editor_role::update(core::group_id group, const core::group_draft& draft, std::string_view seen,
                                             const core::principal& by, core::time_point now) {
  return own_.db.transact([&]() -> core::result<void> {
    auto& db = own_.db;
    if (auto may = core::check_admin(by); !may)
      return may;
    if (auto mode = begin_edit(db); !mode)
      return tl::unexpected{mode.error()};
    const auto held = held_group(own_, group);
    if (!held)
      return tl::unexpected{core::no_such_group(group)};
    auto wanted = core::write_group(draft, held, seen, own_.shape.limits, by);
    if (!wanted)
      return tl::unexpected{wanted.error()};
    if (auto done = complete(db, *wanted, group); !done)
      return done;
    return unless_taken(draft.app_name, [&]() -> core::result<void> {
      const auto& row = wanted->row;
      db.execute("UPDATE xxl_job_group SET app_name = ?, $group_title = ?, address_type = ?, update_time = ? WHERE id = ?",
                 row.app_name, row.title, static_cast<std::int32_t>(row.type), std::string{own_.dates.of(now)}, group);
      if (!wanted->keeps_list)
        db.execute("UPDATE xxl_job_group SET address_list = ? WHERE id = ?", core::address_column(row.addresses), group);
      if (!draft.access_token.empty())
        replace_group_token(own_, group, draft.access_token, now);
      if (!wanted->changes.empty())
        write_audit(db, core::audit_of(by, core::audit_action::update, core::audit_object::group, core::number(group),
                                       row.app_name, wanted->changes, now));
      return {};
    });
  });
}

core::result<void> group_editor_role::remove(core::group_id group, std::string_view seen, const core::principal& by,
                                             core::time_point now) {
  return own_.db.transact([&]() -> core::result<void> {
    auto& db = own_.db;
    if (auto may = core::check_admin(by); !may)
      return may;
    if (auto mode = begin_edit(db); !mode)
      return tl::unexpected{mode.error()};
    const auto held = held_group(own_, group);
    if (!held)
      return {};
    const core::group_uses uses{db.query("SELECT 1 FROM xxl_job_info WHERE job_group = ? LIMIT 1", group).next(),
                          db.query("SELECT 1 FROM xxl_job_group WHERE id <> ? LIMIT 1", group).next()};
    if (auto may = core::check_removal(*held, seen, uses); !may)
      return may;
    const auto& name = held->group.app_name;
    db.execute("DELETE FROM xxl_job_group WHERE id = ?", group);
    forget(db, group);
    // Older releases allow several groups with one name.
    if (!has_another(db, name, group))
      db.execute("DELETE FROM xxl_job_registry WHERE registry_group = 'EXECUTOR' AND registry_key = ?"
                 " AND CAST(registry_key AS BINARY) = ?", name, name);
    write_audit(db, core::audit_of(by, core::audit_action::remove, core::audit_object::group, core::number(group), name,
                             core::changes_of_removal(*held), now));
    return {};
  });
}

core::result<core::group_record> group_editor_role::read(core::group_id group, const core::principal& by) {
  return own_.db.read([&]() -> core::result<core::group_record> {
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
  return own_.db.read([&]() -> core::result<core::page<core::group_record>> {
    core::page<core::group_record> out;
    const auto& [name, title, window] = search;
    auto counted = own_.db.query("SELECT COUNT(*) FROM xxl_job_group g " RINGMASTER_GROUP_FILTERS, name, name, title, title);
    if (counted.next())
      out.total = counted.number(0);
    auto found = own_.db.query({group_rows, RINGMASTER_GROUP_FILTERS " " RINGMASTER_GROUP_ORDER " LIMIT ? OFFSET ?"}, name, name,
                               title, title, std::min(window.limit, core::page_rows_max), window.offset);
    while (found.next())
      out.rows.push_back(read_group(own_, found));
    return out;
  });
}

core::result<std::vector<core::group_record>> group_editor_role::visible(const core::principal& by) {
  return own_.db.read([&]() -> core::result<std::vector<core::group_record>> {
    std::vector<core::group_record> out;
    auto found = own_.db.query({group_rows, RINGMASTER_GROUP_ORDER});
    while (found.next())
      if (by.may(core::group_right::viewer, found.id<core::group_id>(0)))
        out.push_back(read_group(own_, found));
    return out;
  });
}

#undef RINGMASTER_GROUP_ORDER
#undef RINGMASTER_GROUP_FILTERS

} // namespace ringmaster::storage::mysql
