// Sources of declared files.

#include <map>
#include <string>
#include <utility>

#include "core/editing/audit.hpp"
#include "storage/admin/exports.hpp"

namespace ringmaster::storage {

namespace {

using found_sources = std::map<std::string, core::declared_source>;

/// Number of rows of the audit log among which the last applies are searched: a larger log would take seconds.
constexpr std::int64_t audited_rows = 10'000;

core::declared_source& source_in(found_sources& all, std::string name) {
  auto& source = all[name];
  source.name = std::move(name);
  return source;
}

void count_objects(admin_session& own, found_sources& all) {
  auto groups = own.query("SELECT x.source, COUNT(*) FROM rm_group_ext x JOIN xxl_job_group g ON g.id = x.group_id"
                          " WHERE x.source <> '' GROUP BY x.source");
  while (groups.next())
    source_in(all, groups.string(0)).groups = static_cast<std::size_t>(groups.number(1));
  auto jobs = own.query("SELECT x.source, COUNT(*) FROM rm_job_ext x JOIN xxl_job_info i ON i.id = x.job"
                        " WHERE x.source <> '' GROUP BY x.source");
  while (jobs.next())
    source_in(all, jobs.string(0)).jobs = static_cast<std::size_t>(jobs.number(1));
  auto alarms = own.query("SELECT source, COUNT(*) FROM rm_alarm GROUP BY source");
  while (alarms.next())
    source_in(all, alarms.string(0)).alarms = static_cast<std::size_t>(alarms.number(1));
  auto elastic_jobs = own.query("SELECT source, COUNT(*) FROM ej_job WHERE source IS NOT NULL GROUP BY source");
  while (elastic_jobs.next())
    source_in(all, elastic_jobs.string(0)).elastic_jobs = static_cast<std::size_t>(elastic_jobs.number(1));
}

void read_applies(admin_session& own, found_sources& all) {
  auto revisions = own.query("SELECT source, revision FROM rm_deploy");
  while (revisions.next())
    source_in(all, revisions.string(0)).revision = revisions.number(1);
  auto files = own.query("SELECT source, file_name FROM rm_source_file ORDER BY source, file_name");
  while (files.next())
    source_in(all, files.string(0)).files.push_back(files.string(1));
}

/// Finds the newest audit row of each source. The text of a row of an apply begins with the source's name.
void find_authors(admin_session& own, found_sources& all) {
  auto rows = own.query("SELECT at_ms, user_name, changes FROM (SELECT id, at_ms, user_name, action, SUBSTR(changes, 1, 200)"
                        " AS changes FROM rm_audit ORDER BY id DESC LIMIT ?) newest WHERE action = ? ORDER BY id DESC",
                        audited_rows, core::stored_name(core::audit_action::apply));
  auto missing = all.size();
  while (rows.next()) {
    if (missing == 0)
      continue; // the rows are read to their end
    const auto text = rows.text(2);
    for (auto& [name, source] : all)
      if (!source.applied && text.starts_with("source: " + name + '\n')) {
        source.applied = rows.time_ms(0);
        source.by = rows.string(1);
        --missing;
      }
  }
}

} // namespace

core::result<std::vector<core::declared_source>> export_role::sources() {
  if (!own_.facts().own_tables)
    return std::vector<core::declared_source>{};
  return own_.snapshot([&]() -> core::result<std::vector<core::declared_source>> {
    found_sources all;
    count_objects(own_, all);
    read_applies(own_, all);
    find_authors(own_, all);
    std::vector<core::declared_source> out;
    for (auto& [name, source] : all)
      out.push_back(std::move(source));
    return out;
  });
}

} // namespace ringmaster::storage
