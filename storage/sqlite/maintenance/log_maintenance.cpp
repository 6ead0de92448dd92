// Reads of stretches of the log: accepted runs, counts by day, unattended claims.

#include "storage/sqlite/maintenance/log_maintenance.hpp"

#include "core/maintenance/log_ranges.hpp"
#include "storage/rows/claim_items.hpp"
#include "storage/sqlite/runs/run_sql.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char next_dated[] =
  "SELECT id, trigger_time < ?2 FROM xxl_job_log WHERE id >= ?1 AND trigger_time IS NOT NULL ORDER BY id LIMIT 1";
constexpr char list_running[] = "SELECT id, job_group, job_id, executor_address, trigger_time FROM xxl_job_log "
                                "WHERE id > ?1 AND id <= ?2 AND trigger_code = 200 AND handle_code = 0 ORDER BY id";
constexpr char count_by_day[] =
  "SELECT (trigger_time >= ?3) + (trigger_time >= ?4) + (trigger_time >= ?5) + (trigger_time >= ?6) AS day, count(*), "
  "sum(trigger_code IN (0, 200) AND handle_code = 0), sum(handle_code = 200) FROM xxl_job_log "
  "WHERE id > ?1 AND id <= ?2 GROUP BY day";
constexpr char write_day[] =
  "INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, fail_count, update_time) VALUES (?1, ?2, ?3, ?4, ?5) "
  "ON CONFLICT (trigger_day) DO UPDATE SET running_count = excluded.running_count, suc_count = excluded.suc_count, "
  "fail_count = excluded.fail_count, update_time = excluded.update_time";

} // namespace

core::log_id last_before(session& own, core::time_point t) {
  auto span = own.db->prepare(log_span_text);
  span.with().step();
  auto before = span.number(0) - 1;
  auto behind = span.number(1);
  const auto limit = own.dates.of(t);
  core::log_id found{};
  auto looking = own.db->prepare(next_dated);
  while (before < behind) {
    const auto middle = before + (behind - before + 1) / 2;
    if (looking.with(middle, limit).step() && looking.number(1) == 1) {
      found = looking.id<core::log_id>(0);
      before = std::max(middle, core::number(found));
    } else {
      behind = middle - 1;
    }
  }
  return found;
}

core::result<core::log_span> maintenance_role::span() {
  return within(*own_.db, transaction_kind::read, [](connection& db) -> core::result<core::log_span> {
    auto reading = db.prepare(log_span_text);
    reading.with().step();
    return core::log_span{reading.id<core::log_id>(0), reading.id<core::log_id>(1)};
  });
}

core::result<core::log_id> maintenance_role::last_before(core::time_point t) {
  return within(*own_.db, transaction_kind::read,
                [&](connection&) -> core::result<core::log_id> { return sqlite::last_before(own_, t); });
}

core::result<core::open_page> maintenance_role::open_runs(const core::open_search& search) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::open_page> {
    const auto range = core::cut(search.range, ids_per_call);
    core::open_page page{{}, range.through};
    auto listing = db.prepare(list_running);
    listing.with(range.after, range.through);
    while (listing.step()) {
      if (page.runs.size() == search.limit) {
        page.through = page.runs.back().id;
        break;
      }
      const auto address = listing.text(3);
      if (!search.addresses.empty() &&
          std::find(search.addresses.begin(), search.addresses.end(), address) == search.addresses.end())
        continue;
      page.runs.push_back({listing.id<core::log_id>(0), listing.id<core::group_id>(1), listing.id<core::job_id>(2),
                           std::string{address}, own_.dates.read(listing.text(4)).value_or(core::time_point{})});
    }
    return page;
  });
}

core::result<core::day_counts> maintenance_role::count_runs(const core::log_range& range, const core::day_bounds& days) {
  if (core::number(range.through) - core::number(range.after) > ids_per_call)
    return core::fail(core::errc::invalid_argument, "the range of the log is too long to be counted in one call");
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::day_counts> {
    std::array<std::string, core::report_days + 1> midnights;
    std::transform(days.begin(), days.end(), midnights.begin(), [this](auto day) { return own_.dates.of(day); });
    core::day_counts counts;
    auto counting = db.prepare(count_by_day);
    counting.with(range.after, range.through, midnights[0], midnights[1], midnights[2], midnights[3]);
    while (counting.step()) {
      const auto day = static_cast<std::size_t>(counting.number(0));
      if (day >= 1 && day <= core::report_days)
        counts[day - 1] = {counting.number(1), counting.number(2), counting.number(3)};
    }
    return counts;
  });
}

core::result<void> maintenance_role::write_report(std::span<const core::day_report> days, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    const auto written = own_.dates.of(now);
    for (const auto& day : days)
      db.run(write_day, own_.dates.of(day.day), day.counts.running, day.counts.succeeded, day.counts.failed(), written);
    return {};
  });
}

core::result<std::vector<core::stray_run>> maintenance_role::stray_runs(const core::node_incarnation& owner,
                                                                   std::span<const std::int64_t> claims) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<std::vector<core::stray_run>> {
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    std::vector<core::stray_run> strays;
    for (auto claim : claims) {
      std::vector<claim_item> items;
      bool maybe_sent = false;
      {
        auto finding = db.prepare(find_own_claim);
        if (!finding.with(owner.node, owner.incarnation, claim).step())
          continue;
        auto packed = unpack(finding.id<core::log_id>(1), finding.text(2));
        if (!packed)
          continue; // a newer release's claim: it waits for a node that can read it
        items = std::move(*packed);
        maybe_sent = finding.number(0) != 0;
      }
      const auto known = strays.size();
      auto reading = db.prepare(read_claimed_run);
      for (const auto& item : items)
        if (reading.with(item.id).step())
          strays.push_back({{item.id, claim, item.job, item.fire_at, item.part, item.attempt, std::string{reading.text(0)},
                             reading.optional_text(1), reading.small(2), reading.small(3)},
                            maybe_sent});
      if (strays.size() == known)
        db.run(delete_own_claim, owner.node, owner.incarnation, claim);
    }
    return strays;
  });
}

} // namespace ringmaster::storage::sqlite
