// Reads of elastic jobs for users.

#include <algorithm>
#include <map>
#include <utility>

#include "core/elastic/elastic_fields.hpp"
#include "storage/admin/listed_groups.hpp"
#include "storage/elastic/elastic_role.hpp"
#include "storage/elastic/job_reads.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

#define RINGMASTER_LISTED_JOBS                                                                                                   \
  " FROM ej_job j JOIN ej_schedule s ON s.job = j.id WHERE (? = '' OR $listed(j.job_group)) AND (? = 0 OR j.job_group = ?)"      \
  " AND (? < 0 OR j.status = ?) AND (? = '' OR INSTR(LOWER(j.name), LOWER(?)) > 0)"

elastic::elastic_brief brief_in(const sql_rows& row) {
  elastic::elastic_options options;
  elastic::fields::schedule_kind().set(options, row.string(7));
  elastic::elastic_brief out;
  out.id = row.id<elastic::elastic_job_id>(0);
  out.name_space = row.string(1);
  out.name = row.string(2);
  out.group = row.id<core::group_id>(3);
  out.kind = row.string(4);
  out.handler = row.string(5);
  out.total = row.number32(6);
  out.schedule = options.schedule;
  out.schedule_conf = row.string(8);
  out.time_zone = row.string(9);
  out.status = elastic::job_status{static_cast<std::uint8_t>(row.number(10))};
  if (row.number(11) > 0)
    out.next = row.time_ms(11);
  out.last = row.time_ms(12);
  out.source = row.optional_string(13);
  out.description = row.string(14);
  return out;
}

/// Items of one page of jobs that are counted at most.
constexpr std::int64_t counted_items_max = 200'000;

using jobs_by_id = std::map<elastic::elastic_job_id, elastic::elastic_brief*>;

void add_unassigned(admin_session& own, const std::vector<elastic::elastic_job_id>& ids, const jobs_by_id& jobs) {
  own.query_in("SELECT p.job, p.total, p.assignment FROM ej_plan p WHERE p.job IN ({?,}) AND p.version ="
               " (SELECT MAX(q.version) FROM ej_plan q WHERE q.job = p.job)",
               ids, [&](const sql_rows& row) {
                 if (const auto plan = elastic::item_plan::decode(row.number32(1), row.string(2)))
                   jobs.at(row.id<elastic::elastic_job_id>(0))->items->unassigned = plan->unassigned_count();
               });
}

/// Counts the items of listed jobs, unless they have too many together.
void count_items(admin_session& own, std::vector<elastic::elastic_brief>& listed) {
  std::int64_t items = 0;
  std::vector<elastic::elastic_job_id> ids;
  jobs_by_id jobs;
  for (auto& job : listed) {
    items += job.total;
    ids.push_back(job.id);
    jobs.emplace(job.id, &job);
  }
  if (items > counted_items_max)
    return;
  for (auto& job : listed)
    job.items.emplace();
  own.query_in("SELECT job, COUNT(CASE state WHEN 1 THEN 1 END), COUNT(CASE state WHEN 2 THEN 1 END),"
               " COUNT(CASE WHEN flags IN (1, 3) THEN 1 END) FROM ej_item WHERE item >= 0 AND job IN ({?,}) GROUP BY job",
               ids, [&](const sql_rows& row) {
                 auto& counts = *jobs.at(row.id<elastic::elastic_job_id>(0))->items;
                 counts.running = row.number(1);
                 counts.waiting = row.number(2);
                 counts.disabled = row.number(3);
               });
  add_unassigned(own, ids, jobs);
}

core::page<elastic::elastic_brief> page_of(admin_session& own, const elastic::elastic_search& search,
                                           const std::string& groups) {
  const auto group = search.group.value_or(core::group_id{});
  const auto status = search.status ? static_cast<std::int64_t>(*search.status) : -1;
  const auto& name = search.name_part;
  core::page<elastic::elastic_brief> out;
  {
    auto count = own.query("SELECT COUNT(*)" RINGMASTER_LISTED_JOBS, groups, groups, group, group, status, status, name, name);
    out.total = count.next() ? count.number(0) : 0;
  }
  {
    auto rows = own.query("SELECT j.id, j.namespace, j.name, j.job_group, j.kind, j.handler, j.total, j.schedule_type,"
                          " j.schedule_conf, j.time_zone, j.status, s.next_ms, s.last_ms, j.source, j.description"
                          RINGMASTER_LISTED_JOBS " ORDER BY j.namespace, j.name, j.id LIMIT ? OFFSET ?",
                          groups, groups, group, group, status, status, name, name,
                          std::min(search.window.limit, core::page_rows_max), search.window.offset);
    while (rows.next())
      out.rows.push_back(brief_in(rows));
  }
  count_items(own, out.rows);
  return out;
}

#undef RINGMASTER_LISTED_JOBS

elastic::elastic_card card_of(admin_session& own, elastic::elastic_job_row job) {
  const auto id = job.id;
  elastic::elastic_card out;
  {
    auto counts = own.query("SELECT COUNT(CASE state WHEN 1 THEN 1 END), COUNT(CASE state WHEN 2 THEN 1 END),"
                            " COUNT(CASE WHEN flags IN (1, 3) THEN 1 END) FROM ej_item WHERE job = ? AND item >= 0",
                            id);
    if (counts.next()) {
      out.running = counts.number(0);
      out.waiting = counts.number(1);
      out.disabled = counts.number(2);
    }
    auto requests = own.query("SELECT COUNT(*) FROM ej_request WHERE job = ?", id);
    out.requests = requests.next() ? requests.number(0) : 0;
  }
  out.disabled_servers = disabled_servers_of(own, job);
  out.job = std::move(job);
  return out;
}

using host_ids = std::map<elastic::host_number, std::string>;

host_ids ids_of_hosts(admin_session& own) {
  host_ids out;
  auto rows = own.query("SELECT num, id FROM ej_node");
  while (rows.next())
    out.emplace(rows.id<elastic::host_number>(0), rows.string(1));
  return out;
}

std::string id_of(const host_ids& ids, elastic::host_number host) {
  const auto known = ids.find(host);
  return known == ids.end() ? std::string{} : known->second;
}

elastic::elastic_items items_of_page(admin_session& own, const elastic::elastic_job_row& job, elastic::item_number from,
                                     std::size_t limit) {
  elastic::elastic_items out;
  const auto ids = ids_of_hosts(own);
  std::optional<elastic::item_plan> plan;
  if (const auto stored = newest_plan(own, job.id))
    if (auto read = elastic::item_plan::decode(stored->total, stored->assignment))
      plan = std::move(*read);
  const auto params = elastic::parse_item_params(job.what.options.item_params).value_or(elastic::item_params{});
  for (auto& row : items_from(own, job.id, from, limit)) {
    elastic::elastic_item item;
    item.host = id_of(ids, row.host.host);
    if (plan) {
      item.planned = plan->owner_of(core::number(row.item));
      item.planned_host = id_of(ids, item.planned->host);
    }
    if (const auto param = elastic::param_of(params, core::number(row.item)))
      item.param = std::string{*param};
    item.row = std::move(row);
    out.rows.push_back(std::move(item));
  }
  auto count = own.query("SELECT COUNT(*) FROM ej_item WHERE job = ? AND item >= 0", job.id);
  out.total = count.next() ? count.number(0) : 0;
  return out;
}

} // namespace

core::result<elastic::elastic_job_row> visible_elastic_job(admin_session& own, elastic::elastic_job_id job,
                                                           const core::principal& by) {
  auto found = find_elastic_job(own, job);
  if (!found)
    return core::fail(core::errc::not_found, "unknown elastic job " + std::to_string(core::number(job)));
  if (auto may = core::check_right(by, core::group_right::viewer, found->what.group); !may)
    return tl::unexpected{may.error()};
  return std::move(*found);
}

core::result<core::page<elastic::elastic_brief>> elastic_role::list(const elastic::elastic_search& search,
                                                                    const core::principal& by) {
  auto may = search.group ? core::check_right(by, core::group_right::viewer, *search.group)
                          : core::check_right_anywhere(by, core::group_right::viewer);
  if (!may)
    return tl::unexpected{may.error()};
  return own_.read_together([&]() -> core::result<core::page<elastic::elastic_brief>> {
    return page_of(own_, search, listed_groups(by));
  });
}

core::result<elastic::elastic_card> elastic_role::show(elastic::elastic_job_id job, const core::principal& by) {
  return own_.read_together([&]() -> core::result<elastic::elastic_card> {
    return visible_elastic_job(own_, job, by).map([&](elastic::elastic_job_row&& found) {
      return card_of(own_, std::move(found));
    });
  });
}

core::result<elastic::elastic_items> elastic_role::items(elastic::elastic_job_id job, elastic::item_number from,
                                                         std::size_t limit, const core::principal& by) {
  const auto first = std::max(from, elastic::item_number{0});
  return own_.read_together([&]() -> core::result<elastic::elastic_items> {
    return visible_elastic_job(own_, job, by).map([&](elastic::elastic_job_row&& found) {
      return items_of_page(own_, found, first, std::min(limit, core::page_rows_max));
    });
  });
}

} // namespace ringmaster::storage
