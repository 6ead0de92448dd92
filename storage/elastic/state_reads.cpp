// Load of hosts, servers, and the stored state of one job, for users.

#include <utility>

#include "storage/admin/listed_groups.hpp"
#include "storage/elastic/elastic_role.hpp"
#include "storage/elastic/host_columns.hpp"
#include "storage/elastic/job_reads.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

/// Hosts of one list, also those that are down; the newest of these are left out.
constexpr std::size_t listed_hosts_max = 4 * elastic::hosts_max;

std::vector<elastic::host_row> hosts_of_groups(admin_session& own, const std::string& groups) {
  std::vector<elastic::host_row> out;
  // The tables may have different collations.
  auto rows = own.query(RINGMASTER_HOST_COLUMNS
                        "WHERE mode <> 3 AND (? = '' OR CAST(app_name AS $bytes) IN (SELECT"
                        " CAST(g.app_name AS $bytes) FROM xxl_job_group g WHERE $listed(g.id)))"
                        " ORDER BY CASE WHEN state IN (0, 1) THEN 0 ELSE 1 END, num LIMIT ?",
                        groups, groups, listed_hosts_max);
  while (rows.next())
    out.push_back(host_in(rows));
  return out;
}

std::vector<elastic::server_job> jobs_of_groups(admin_session& own, const std::string& groups) {
  std::vector<elastic::server_job> out;
  auto rows = own.query(
    "SELECT j.id, g.app_name FROM ej_job j JOIN xxl_job_group g ON g.id = j.job_group"
    " WHERE (? = '' OR $listed(j.job_group)) ORDER BY j.id",
    groups, groups);
  while (rows.next())
    out.push_back({rows.id<elastic::elastic_job_id>(0), rows.string(1)});
  return out;
}

std::vector<elastic::server_row> servers_off(admin_session& own) {
  std::vector<elastic::server_row> out;
  auto rows = own.query("SELECT namespace, job, server FROM ej_server ORDER BY job, server");
  while (rows.next())
    out.push_back({rows.string(0), rows.id<elastic::elastic_job_id>(1), rows.string(2)});
  return out;
}

std::vector<elastic::elastic_host_load> loads_of(admin_session& own) {
  std::vector<elastic::elastic_host_load> out;
  auto rows = own.query("SELECT host, COUNT(*) FROM ej_item WHERE state = 1 AND host > 0 GROUP BY host ORDER BY host");
  while (rows.next())
    out.push_back({rows.id<elastic::host_number>(0), rows.number(1)});
  return out;
}

/// Returns the hosts of the job's group, and those of its items.
std::vector<elastic::host_row> hosts_of_job(admin_session& own, const elastic::elastic_job_row& job) {
  std::vector<elastic::host_row> out;
  auto rows = own.query(RINGMASTER_HOST_COLUMNS
                        "WHERE (mode <> 3 AND CAST(app_name AS $bytes) IN (SELECT CAST(g.app_name AS"
                        " $bytes) FROM xxl_job_group g WHERE g.id = ?)) OR num IN (SELECT i.host FROM"
                        " ej_item i WHERE i.job = ?)"
                        " ORDER BY CASE WHEN state IN (0, 1) THEN 0 ELSE 1 END, num LIMIT ?",
                        job.what.group, job.id, listed_hosts_max);
  while (rows.next())
    out.push_back(host_in(rows));
  return out;
}

elastic::elastic_dump dump_of(admin_session& own, elastic::elastic_job_row&& job, bool masked) {
  elastic::elastic_dump out;
  out.masked = masked;
  const auto id = job.id;
  out.state = state_of(own, std::move(job), cursor_read::none);
  {
    auto rows = own.query("SELECT item, fence, LENGTH(value) FROM ej_cursor WHERE job = ? ORDER BY item LIMIT ?", id,
                          elastic::dump_items_max);
    while (rows.next())
      out.cursors.push_back({rows.id<elastic::item_number>(0), rows.id<elastic::fence_number>(1), rows.number(2)});
  }
  out.hosts = hosts_of_job(own, out.state.job);
  return out;
}

} // namespace

core::result<std::vector<elastic::elastic_host_load>> elastic_role::host_loads() {
  return own_.read([&]() -> core::result<std::vector<elastic::elastic_host_load>> { return loads_of(own_); });
}

core::result<std::vector<elastic::elastic_server>> elastic_role::servers(std::optional<core::group_id> group,
                                                                         const core::principal& by) {
  auto may =
    group ? core::check_right(by, core::group_right::viewer, *group) : core::check_right_anywhere(by, core::group_right::viewer);
  if (!may)
    return tl::unexpected{may.error()};
  return own_.read_together([&]() -> core::result<std::vector<elastic::elastic_server>> {
    const auto groups = group ? listed_groups(std::vector{*group}) : listed_groups(by);
    const auto hosts = hosts_of_groups(own_, groups);
    const auto loads = loads_of(own_);
    return elastic::servers_of(hosts, loads, jobs_of_groups(own_, groups), servers_off(own_));
  });
}

core::result<elastic::elastic_dump> elastic_role::dump(elastic::elastic_job_id job, bool masked, const core::principal& by) {
  if (auto may = masked ? core::result<void>{} : core::check_admin(by); !may)
    return tl::unexpected{may.error()};
  return own_.read_together([&]() -> core::result<elastic::elastic_dump> {
    return visible_elastic_job(own_, job, by).map([&](elastic::elastic_job_row&& found) {
      return dump_of(own_, std::move(found), masked);
    });
  });
}

} // namespace ringmaster::storage
