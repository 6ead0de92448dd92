// The history of an elastic job: its runs, newest first.

#include <algorithm>
#include <limits>
#include <utility>

#include "storage/elastic/elastic_role.hpp"
#include "storage/elastic/job_reads.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

/// Runs of a job below an id, as far as one call reads.
struct run_stretch {
  elastic::item_run_id first{};
  std::size_t count = 0;
  core::time_point oldest{};
};

run_stretch stretch_below(admin_session& own, elastic::elastic_job_id job, elastic::item_run_id before) {
  auto rows = own.query("SELECT COALESCE(MIN(id), 0), COUNT(*), COALESCE(MIN(granted_ms), 0) FROM (SELECT id, granted_ms"
                        " FROM ej_run WHERE job = ? AND id < ? ORDER BY id DESC LIMIT ?) s",
                        job, before, elastic::history_runs_per_call);
  run_stretch out;
  if (rows.next())
    out = {rows.id<elastic::item_run_id>(0), static_cast<std::size_t>(rows.number(1)), rows.time_ms(2)};
  return out;
}

elastic::elastic_run run_in(const sql_rows& row) {
  elastic::elastic_run out;
  out.id = row.id<elastic::item_run_id>(0);
  out.item = row.id<elastic::item_number>(1);
  out.cause.source = elastic::run_source{static_cast<std::uint8_t>(row.number(2))};
  out.cause.fire = {row.time_ms(3), elastic::run_source{static_cast<std::uint8_t>(row.number(4))},
                    row.id<elastic::request_id>(5)};
  out.attempt = static_cast<std::uint8_t>(row.number(6));
  out.fence = row.id<elastic::fence_number>(7);
  out.host = row.optional_string(8).value_or("");
  out.granted = row.time_ms(9);
  if (row.number(10) > 0)
    out.started = row.time_ms(10);
  if (row.number(11) > 0)
    out.ended = row.time_ms(11);
  out.state = static_cast<std::uint8_t>(row.number(12));
  out.message = row.optional_string(13);
  return out;
}

elastic::elastic_history history_of(admin_session& own, const elastic::elastic_history_search& search,
                                    elastic::item_run_id before) {
  const auto stretch = stretch_below(own, search.job, before);
  const auto limit = std::min(search.limit, core::page_rows_max);
  const auto item = search.item ? static_cast<std::int64_t>(core::number(*search.item)) : -1;
  const auto state = static_cast<std::int64_t>(search.state.value_or(0));
  elastic::elastic_history out;
  {
    auto rows = own.query("SELECT r.id, r.item, r.source, r.fire_ms, r.fire_source, r.request, r.attempt, r.fence, n.id,"
                          " r.granted_ms,"
                          " r.started_ms, r.ended_ms, r.state, r.message FROM ej_run r LEFT JOIN ej_node n ON n.num = r.host"
                          " WHERE r.job = ? AND r.id < ? AND r.id >= ? AND (? < 0 OR r.item = ?)"
                          " AND (? = 0 OR r.state = ?) AND r.granted_ms >= ? AND r.granted_ms <= ? ORDER BY r.id DESC LIMIT ?",
                          search.job, before, stretch.first, item, item, state, state, search.from, search.until, limit + 1);
    while (rows.next())
      out.rows.push_back(run_in(rows));
  }
  if (out.rows.size() > limit) {
    out.rows.resize(limit);
    out.next = out.rows.empty() ? before : out.rows.back().id;
  } else if (stretch.count == elastic::history_runs_per_call && stretch.oldest >= search.from - run_disorder) {
    out.next = stretch.first;
  }
  return out;
}

} // namespace

core::result<elastic::elastic_history> elastic_role::history(const elastic::elastic_history_search& search,
                                                             const core::principal& by) {
  constexpr elastic::item_run_id newest{std::numeric_limits<std::int64_t>::max()};
  return own_.read_together([&]() -> core::result<elastic::elastic_history> {
    return visible_elastic_job(own_, search.job, by).map([&](const elastic::elastic_job_row&) {
      return history_of(own_, search, core::number(search.before) > 0 ? search.before : newest);
    });
  });
}

} // namespace ringmaster::storage
