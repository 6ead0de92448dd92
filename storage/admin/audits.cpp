// The audit log.

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/rules/group_draft_rules.hpp"
#include "core/rules/job_draft_rules.hpp"
#include "core/rules/job_edit_rules.hpp"
#include "storage/admin/access.hpp"
#include "storage/admin/audit_row.hpp"

namespace ringmaster::storage {

namespace {

#define RINGMASTER_AUDIT_COLUMNS                                                                                                 \
  "SELECT id, at_ms, user_id, user_name, remote, action, object, object_id, object_name, changes, field_values FROM rm_audit "
#define RINGMASTER_AUDIT_FILTER                                                                                                  \
  "id < ? AND id > ? AND (? = 0 OR LOWER(user_name) = LOWER(?)) AND (? = '' OR object = ?) AND (? = 0 OR object_id = ?)"        \
  " AND (? = '' OR action = ?) AND at_ms >= ? AND at_ms <= ? AND (? = '' OR INSTR(LOWER(object_name), LOWER(?)) > 0"            \
  " OR INSTR(LOWER(changes), LOWER(?)) > 0) ORDER BY id DESC LIMIT ?"

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
  out.field_values = row.optional_string(10);
  return out;
}

std::vector<core::audit_row> read_audit_rows(sql_rows found) {
  std::vector<core::audit_row> out;
  while (found.next())
    out.push_back(read_audit_row(found));
  return out;
}

/// Reads the rows of a search with ids above `after`.
std::vector<core::audit_row> find_changes(admin_session& own, const core::audit_search& search, std::int64_t after) {
  const auto name = search.user_name.value_or(""); // empty: any user
  const bool of_user = !name.empty();
  const std::string_view object = search.object ? core::stored_name(*search.object) : std::string_view{};
  const std::string_view action = search.action ? core::stored_name(*search.action) : std::string_view{};
  const auto before = search.before.value_or(std::numeric_limits<std::int64_t>::max());
  const bool by_id = search.object_id.has_value();
  const auto id = search.object_id.value_or(0);
  const auto from = search.from.value_or(core::time_point::min());
  const auto to = search.to.value_or(core::time_point::max());
  const auto& part = search.text_part;
  const auto limit = std::min(search.limit, core::page_rows_max);
  const auto ask = [&](sql_text text, const auto&... first) {
    return own.query(text, first..., before, after, of_user, name, object, object, by_id, id, action, action, from, to, part,
                     part, part, limit);
  };
  // The index leads to one object.
  auto found =
    search.object && by_id
      ? ask(RINGMASTER_AUDIT_COLUMNS "WHERE object = ? AND object_id = ? AND " RINGMASTER_AUDIT_FILTER, object, id)
      : ask(RINGMASTER_AUDIT_COLUMNS "WHERE " RINGMASTER_AUDIT_FILTER);
  return read_audit_rows(std::move(found));
}

/// Reads the newest rows of a job with ids above `after`, except those of manual runs, which may be many: two ranges of the index
/// leave them out.
std::vector<core::audit_row> find_edits(admin_session& own, core::job_id job, std::int64_t after, std::size_t limit) {
  auto found = own.query(RINGMASTER_AUDIT_COLUMNS
                         "JOIN (SELECT id AS edit FROM rm_audit WHERE object = 'job' AND object_id = ? AND action < 'trigger'"
                         " UNION ALL SELECT id FROM rm_audit WHERE object = 'job' AND object_id = ? AND action > 'trigger') edits"
                         " ON id = edits.edit WHERE id > ? ORDER BY id DESC LIMIT ?",
                         job, job, after, limit);
  return read_audit_rows(std::move(found));
}

#undef RINGMASTER_AUDIT_FILTER
#undef RINGMASTER_AUDIT_COLUMNS

/// Returns the last removal of an object with this id, 0 without one. A later object may have the id again. The index leads to
/// the rows of one action.
std::int64_t last_removal(admin_session& own, core::audit_object object, std::int64_t id) {
  const auto name = core::stored_name(object);
  std::int64_t last = 0;
  {
    auto removed = own.query("SELECT COALESCE(MAX(id), 0) FROM rm_audit WHERE object = ? AND object_id = ? AND action = 'remove'",
                             name, id);
    last = removed.next() ? removed.number(0) : 0;
  }
  auto undeclared = own.query("SELECT id FROM rm_audit WHERE object = ? AND object_id = ? AND action = 'apply' AND id > ?"
                              " AND changes LIKE '%kind: remove' ORDER BY id DESC LIMIT 1",
                              name, id, last);
  return undeclared.next() ? undeclared.number(0) : last;
}

core::error no_such_object(const core::audited_object& object) {
  if (const auto* job = std::get_if<core::job_id>(&object))
    return core::no_such_job(*job);
  return core::no_such_group(std::get<core::group_id>(object));
}

/// Returns the group whose viewers may see the object; nothing if the object does not exist.
std::optional<core::group_id> group_of_object(admin_session& own, const core::audited_object& object) {
  const auto* job = std::get_if<core::job_id>(&object);
  auto found = job ? own.query("SELECT job_group FROM xxl_job_info WHERE id = ?", *job)
                   : own.query("SELECT id FROM xxl_job_group WHERE id = ?", std::get<core::group_id>(object));
  return found.next() ? std::optional{found.id<core::group_id>(0)} : std::nullopt;
}

} // namespace

core::result<std::vector<core::audit_row>> audit_role::list(const core::audit_search& search, const core::principal& by) {
  if (auto allowed = core::check_admin(by); !allowed)
    return tl::unexpected{allowed.error()};
  return own_.read([&]() -> core::result<std::vector<core::audit_row>> { return find_changes(own_, search, 0); });
}

core::result<std::vector<core::audit_row>> audit_role::history(const core::audited_object& object,
                                                               const core::audit_search& window, const core::principal& by) {
  return own_.read([&]() -> core::result<std::vector<core::audit_row>> {
    const auto group = group_of_object(own_, object);
    if (!group)
      return tl::unexpected{no_such_object(object)};
    if (auto may = core::check_right(by, core::group_right::viewer, *group); !may)
      return tl::unexpected{may.error()};
    core::audit_search search;
    search.before = window.before;
    search.limit = window.limit;
    search.object = std::holds_alternative<core::job_id>(object) ? core::audit_object::job : core::audit_object::group;
    search.object_id = std::visit([](auto id) { return std::int64_t{core::number(id)}; }, object);
    auto out = find_changes(own_, search, last_removal(own_, *search.object, *search.object_id));
    if (!by.admin)
      for (auto& row : out)
        row.remote.clear();
    return out;
  });
}

core::result<core::job_edits> audit_role::edits_of(core::job_id job, std::size_t limit) {
  return own_.read_together([&]() -> core::result<core::job_edits> {
    const auto removal = last_removal(own_, core::audit_object::job, core::number(job));
    core::job_edits out{find_edits(own_, job, removal, limit + 1)};
    const bool more = out.rows.size() > limit;
    if (more)
      out.rows.pop_back();
    // The age limit removes the oldest rows of all objects first.
    auto oldest = own_.query("SELECT at_ms FROM rm_audit ORDER BY at_ms LIMIT 1");
    if (oldest.next())
      out.complete_from = more ? out.rows.back().at : oldest.time_ms(0);
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

} // namespace ringmaster::storage
