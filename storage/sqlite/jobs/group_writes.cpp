// Edits and reads of executor groups for administrators.

#include "storage/sqlite/jobs/group_writes.hpp"

#include <algorithm>

#include "core/job/address_list.hpp"
#include "core/rules/audit_rules.hpp"
#include "core/rules/group_draft_rules.hpp"
#include "storage/sqlite/jobs/group_tokens.hpp"
#include "storage/sqlite/users/audit_row.hpp"

namespace ringmaster::storage::sqlite {

namespace {

#define RINGMASTER_GROUP_ROWS                                                                                                    \
  "SELECT g.id, g.app_name, g.title, g.address_type, g.address_list, g.update_time, x.source FROM xxl_job_group g "              \
  "LEFT JOIN rm_group_ext x ON x.group_id = g.id "
#define RINGMASTER_GROUP_FILTERS                                                                                                 \
  "WHERE (?1 = '' OR instr(lower(g.app_name), lower(?1)) > 0) AND (?2 = '' OR instr(lower(g.title), lower(?2)) > 0) "
constexpr char read_group_row[] = RINGMASTER_GROUP_ROWS "WHERE g.id = ?1";
constexpr char list_all[] = RINGMASTER_GROUP_ROWS "ORDER BY g.app_name, g.title, g.id";
constexpr char list_some_groups[] =
  RINGMASTER_GROUP_ROWS RINGMASTER_GROUP_FILTERS "ORDER BY g.app_name, g.title, g.id LIMIT ?3 OFFSET ?4";
constexpr char count_group_rows[] = "SELECT count(*) FROM xxl_job_group g " RINGMASTER_GROUP_FILTERS;
#undef RINGMASTER_GROUP_FILTERS
#undef RINGMASTER_GROUP_ROWS

constexpr char find_name[] = "SELECT 1 FROM xxl_job_group WHERE app_name = ?1 AND id <> ?2";
constexpr char list_addresses_of[] = "SELECT DISTINCT registry_value FROM xxl_job_registry WHERE registry_group = 'EXECUTOR' "
                                   "AND registry_key = ?1 ORDER BY registry_value";
constexpr char add_group_row[] =
  "INSERT INTO xxl_job_group (app_name, title, address_type, address_list, update_time) VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr char update_group_row[] = "UPDATE xxl_job_group SET app_name = ?2, title = ?3, address_type = ?4, update_time = ?5 "
                                "WHERE id = ?1";
constexpr char write_list[] = "UPDATE xxl_job_group SET address_list = ?2 WHERE id = ?1";
constexpr char find_job_of[] = "SELECT 1 FROM xxl_job_info WHERE job_group = ?1 LIMIT 1";
constexpr char find_other[] = "SELECT 1 FROM xxl_job_group WHERE id <> ?1 LIMIT 1";
constexpr char remove_registered[] = "DELETE FROM xxl_job_registry WHERE registry_group = 'EXECUTOR' AND registry_key = ?1";
constexpr char remove_group[] = "DELETE FROM xxl_job_group WHERE id = ?1";
/// Removals of the group's rows in our own tables.
constexpr const char* group_removals[] = {"DELETE FROM rm_group_ext WHERE group_id = ?1",
                                    "DELETE FROM rm_group_token WHERE group_id = ?1",
                                    "DELETE FROM rm_group_right WHERE group_id = ?1"};

core::group_record read_group(const statement& row, datetime_text& dates) {
  core::group_record out;
  out.group = {row.id<core::group_id>(0), std::string{row.text(1)}, std::string{row.text(2)},
               row.number(3) == 0 ? core::address_type::automatic : core::address_type::manual,
               core::split_addresses(row.text(4))};
  out.updated = dates.read(row.text(5));
  out.source = row.text(6);
  return out;
}

std::optional<core::group_record> find_group(session& own, core::group_id group) {
  auto reading = own.db->prepare(read_group_row);
  return reading.with(group).step() ? std::optional{read_group(reading, own.dates)} : std::nullopt;
}

bool is_there(connection& db, const char* sql, const auto&... values) { return db.prepare(sql).with(values...).step(); }

/// Reads the remaining values of an edit. Errors: `conflict` for a name that another group has.
core::result<void> complete(connection& db, core::group_writing& wanted, core::group_id group) {
  if (wanted.renamed && is_there(db, find_name, wanted.row.app_name, group))
    return tl::unexpected{core::group_name_is_taken(wanted.row.app_name)};
  if (!wanted.takes_registered)
    return {};
  auto listing = db.prepare(list_addresses_of);
  listing.with(wanted.row.app_name);
  while (listing.step())
    wanted.row.addresses.emplace_back(listing.text(0));
  return {};
}

} // namespace

core::result<core::group_id> group_editor_role::add(const core::group_draft& draft, const core::principal& by,
                                                    core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::group_id> {
    auto wanted = core::write_group(draft, std::nullopt, {}, core::column_limits{}, by);
    if (!wanted)
      return tl::unexpected{wanted.error()};
    if (auto done = complete(db, *wanted, core::group_id{}); !done)
      return tl::unexpected{done.error()};
    const auto& row = wanted->row;
    const auto list = core::address_column(row.addresses);
    db.run(add_group_row, row.app_name, row.title, static_cast<std::int32_t>(row.type), list, own_.dates.of(now));
    const core::group_id group{static_cast<std::int32_t>(db.last_id())};
    // Ids are reused if the table was filled again with SQL.
    for (const char* sql : group_removals)
      db.run(sql, group);
    if (!draft.access_token.empty())
      replace_group_token(db, group, draft.access_token, now);
    write_audit(db, core::audit_of(by, core::audit_action::add, core::audit_object::group, core::number(group), row.app_name,
                             wanted->changes, now));
    return group;
  });
}

core::result<void> group_editor_role::update(core::group_id group, const core::group_draft& draft, std::string_view seen,
                                             const core::principal& by, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    if (auto may = core::check_admin(by); !may)
      return may;
    const auto held = find_group(own_, group);
    if (!held)
      return tl::unexpected{core::no_such_group(group)};
    auto wanted = core::write_group(draft, held, seen, core::column_limits{}, by);
    if (!wanted)
      return tl::unexpected{wanted.error()};
    if (auto done = complete(db, *wanted, group); !done)
      return done;
    const auto& row = wanted->row;
    db.run(update_group_row, group, row.app_name, row.title, static_cast<std::int32_t>(row.type), own_.dates.of(now));
    const auto list = core::address_column(row.addresses);
    if (!wanted->keeps_list)
      db.run(write_list, group, list);
    if (!draft.access_token.empty())
      replace_group_token(db, group, draft.access_token, now);
    if (!wanted->changes.empty())
      write_audit(db, core::audit_of(by, core::audit_action::update, core::audit_object::group, core::number(group), row.app_name,
                               wanted->changes, now));
    return {};
  });
}

core::result<void> group_editor_role::remove(core::group_id group, std::string_view seen, const core::principal& by,
                                             core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    if (auto may = core::check_admin(by); !may)
      return may;
    const auto held = find_group(own_, group);
    if (!held)
      return {};
    if (auto may = core::check_removal(*held, seen, {is_there(db, find_job_of, group), is_there(db, find_other, group)}); !may)
      return may;
    db.run(remove_group, group);
    for (const char* sql : group_removals)
      db.run(sql, group);
    // Older releases allow several groups with one name.
    if (!is_there(db, find_name, held->group.app_name, group))
      db.run(remove_registered, held->group.app_name);
    write_audit(db, core::audit_of(by, core::audit_action::remove, core::audit_object::group, core::number(group),
                             held->group.app_name, core::changes_of_removal(*held), now));
    return {};
  });
}

core::result<core::group_record> group_editor_role::read(core::group_id group, const core::principal& by) {
  return within(*own_.db, transaction_kind::read, [&](connection&) -> core::result<core::group_record> {
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
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::page<core::group_record>> {
    core::page<core::group_record> out;
    if (auto counting = db.prepare(count_group_rows); counting.with(search.app_name_part, search.title_part).step())
      out.total = counting.number(0);
    auto listing = db.prepare(list_some_groups);
    listing.with(search.app_name_part, search.title_part, std::min(search.window.limit, core::page_rows_max),
                 search.window.offset);
    while (listing.step())
      out.rows.push_back(read_group(listing, own_.dates));
    return out;
  });
}

core::result<std::vector<core::group_record>> group_editor_role::visible(const core::principal& by) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<std::vector<core::group_record>> {
    std::vector<core::group_record> out;
    auto listing = db.prepare(list_all);
    listing.with();
    while (listing.step())
      if (by.may(core::group_right::viewer, listing.id<core::group_id>(0)))
        out.push_back(read_group(listing, own_.dates));
    return out;
  });
}

} // namespace ringmaster::storage::sqlite
