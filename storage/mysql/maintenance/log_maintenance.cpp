#include "storage/mysql/maintenance/log_maintenance.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/maintenance/log_ranges.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/rows/claim_items.hpp"

namespace ringmaster::storage::mysql {

namespace {

core::log_span read_span(connection& db) {
  auto row = db.query("SELECT COALESCE(MIN(id), 0), COALESCE(MAX(id), 0) FROM xxl_job_log");
  if (!row.next())
    return {};
  return {row.id<core::log_id>(0), row.id<core::log_id>(1)};
}

} // namespace

core::log_id last_before(session& own, core::time_point t) {
  const auto span = read_span(own.db);
  const std::string limit{own.dates.of(t)};
  auto before = core::number(span.first) - 1;
  auto behind = core::number(span.last);
  core::log_id found{};
  while (before < behind) {
    const auto middle = before + (behind - before + 1) / 2;
    auto row = own.db.query("SELECT id, trigger_time < ? FROM xxl_job_log FORCE INDEX (PRIMARY)"
                            " WHERE id >= ? AND trigger_time IS NOT NULL ORDER BY id LIMIT 1",
                            limit, middle);
    if (row.next() && row.number(1) == 1) {
      found = row.id<core::log_id>(0);
      before = std::max(middle, core::number(found));
    } else {
      behind = middle - 1;
    }
  }
  return found;
}

core::result<core::log_span> maintenance_role::span() {
  return own_.db.read([&]() -> core::result<core::log_span> { return read_span(own_.db); });
}

core::result<core::log_id> maintenance_role::last_before(core::time_point t) {
  return own_.db.read([&]() -> core::result<core::log_id> { return mysql::last_before(own_, t); });
}

core::result<core::open_page> maintenance_role::open_runs(const core::open_search& search) {
  return own_.db.read([&]() -> core::result<core::open_page> {
    const auto range = core::cut(search.range, ids_per_call);
    core::open_page page{{}, range.through};
    auto found = own_.db.query(
      "SELECT id, job_group, job_id, executor_address, trigger_time FROM xxl_job_log FORCE INDEX (PRIMARY)"
      " WHERE id > ? AND id <= ? AND trigger_code = 200 AND handle_code = 0 ORDER BY id",
      range.after, range.through);
    while (found.next()) {
      if (page.runs.size() == search.limit) {
        page.through = page.runs.back().id;
        break;
      }
      const auto address = found.text(3);
      if (!search.addresses.empty() &&
          std::find(search.addresses.begin(), search.addresses.end(), address) == search.addresses.end())
        continue;
      page.runs.push_back({found.id<core::log_id>(0), found.id<core::group_id>(1), found.id<core::job_id>(2),
                           std::string{address}, own_.dates.read(found.text(4)).value_or(core::time_point{})});
    }
    return page;
  });
}

core::result<core::day_counts> maintenance_role::count_runs(const core::log_range& range, const core::day_bounds& days) {
  if (core::number(range.through) - core::number(range.after) > ids_per_call)
    return core::fail(core::errc::invalid_argument, "the range of the log is too long to be counted in one call");
  return own_.db.read([&]() -> core::result<core::day_counts> {
    std::array<std::string, core::report_days + 1> midnights;
    std::transform(days.begin(), days.end(), midnights.begin(), [this](auto day) { return std::string{own_.dates.of(day)}; });
    core::day_counts counts;
    auto row = own_.db.query(
      "SELECT (trigger_time >= ?) + (trigger_time >= ?) + (trigger_time >= ?) + (trigger_time >= ?) AS day, COUNT(*),"
      " COUNT(CASE WHEN trigger_code IN (0, 200) AND handle_code = 0 THEN 1 END), COUNT(CASE WHEN handle_code = 200 THEN 1 END)"
      " FROM xxl_job_log FORCE INDEX (PRIMARY) WHERE id > ? AND id <= ? GROUP BY day",
      midnights[0], midnights[1], midnights[2], midnights[3], range.after, range.through);
    while (row.next()) {
      const auto day = static_cast<std::size_t>(row.number(0));
      if (day >= 1 && day <= core::report_days)
        counts[day - 1] = {row.number(1), row.number(2), row.number(3)};
    }
    return counts;
  });
}

#define RINGMASTER_NEW_COUNTS                                                                                                    \
  " ON DUPLICATE KEY UPDATE running_count = VALUES(running_count), suc_count = VALUES(suc_count),"                               \
  " fail_count = VALUES(fail_count)"

core::result<void> maintenance_role::write_report(std::span<const core::day_report> days, core::time_point now) {
  return own_.db.transact([&]() -> core::result<void> {
    const std::string written{own_.dates.of(now)};
    for (const auto& day : days)
      if (own_.shape.report_update_time)
        own_.db.execute(
          "INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, fail_count, update_time)"
          " VALUES (?, ?, ?, ?, ?)" RINGMASTER_NEW_COUNTS ", update_time = VALUES(update_time)",
          std::string{own_.dates.of(day.day)}, day.counts.running, day.counts.succeeded, day.counts.failed(), written);
      else
        own_.db.execute(
          "INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, fail_count) VALUES (?, ?, ?, ?)"
          RINGMASTER_NEW_COUNTS,
          std::string{own_.dates.of(day.day)}, day.counts.running, day.counts.succeeded, day.counts.failed());
    return {};
  });
}

#undef RINGMASTER_NEW_COUNTS

namespace {

struct own_claim {
  std::int64_t sequence = 0;
  bool maybe_sent = false;
  std::vector<claim_item> items;
};

/// Appends the unresolved runs of the claim, in the order of its items; returns false if there are none.
bool append_unresolved(connection& db, const own_claim& claim, std::vector<core::stray_run>& strays) {
  const auto known = strays.size();
  std::unordered_map<core::log_id, const claim_item*> items;
  for (const auto& item : claim.items)
    items.emplace(item.id, &item);
  for (const auto part : padded_chunks(claim.items.size())) {
    auto& some = db.prepare("SELECT id, executor_address, executor_param, executor_fail_retry_count, handle_code FROM xxl_job_log"
                            " WHERE trigger_code = 0 AND id IN ({?,}) ORDER BY id",
                            part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(claim.items[part.at(i)].id);
    for (auto row = some.select(); row.next();) {
      const auto& item = *items.at(row.id<core::log_id>(0));
      strays.push_back({{item.id, claim.sequence, item.job, item.fire_at, item.part, item.attempt, row.string(1),
                         row.optional_string(2), row.number32(3), row.number32(4)},
                        claim.maybe_sent});
    }
  }
  return strays.size() > known;
}

} // namespace

core::result<std::vector<core::stray_run>> maintenance_role::stray_runs(const core::node_incarnation& owner,
                                                                   std::span<const std::int64_t> claims) {
  return own_.db.transact([&]() -> core::result<std::vector<core::stray_run>> {
    auto& db = own_.db;
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    std::vector<core::stray_run> strays;
    for (auto sequence : claims) {
      own_claim claim{sequence, false, {}};
      {
        auto row = db.query("SELECT maybe_sent, first_log_id, items FROM rm_claim WHERE node = ? AND incarnation = ? AND seq = ?",
                            owner.node, owner.incarnation, sequence);
        if (!row.next())
          continue;
        auto items = unpack(row.id<core::log_id>(1), row.text(2));
        if (!items)
          continue; // a newer release's claim: it waits for a node that can read it
        claim.maybe_sent = row.number(0) != 0;
        claim.items = std::move(*items);
      }
      if (!append_unresolved(db, claim, strays))
        db.execute("DELETE FROM rm_claim WHERE node = ? AND incarnation = ? AND seq = ?", owner.node, owner.incarnation,
                   sequence);
    }
    return strays;
  });
}

} // namespace ringmaster::storage::mysql
