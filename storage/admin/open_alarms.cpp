// Alarms that are not finished. Both states are read along the index on the state and the time, so that a backlog of any length
// costs the same.

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

#include "storage/admin/object_searches.hpp"
#include "storage/rows/alarm_book.hpp"

namespace ringmaster::storage {

namespace {

/// A node that is not up any more sends nothing: its alarms wait for another node.
core::open_alarm open_alarm_of(const sql_rows& row) {
  core::open_alarm out;
  out.id = row.id<core::intent_id>(0);
  out.kind = alarm_kind_of(row.number32(1));
  out.job = row.id<core::job_id>(2);
  out.run = row.id<core::log_id>(3);
  out.since = row.time_ms(4);
  out.node = row.optional_string(5);
  out.job_name = row.optional_string(6);
  if (!row.is_null(7))
    out.group = row.id<core::group_id>(7);
  out.group_title = row.optional_string(8);
  return out;
}

std::vector<core::open_alarm> alarms_in_state(admin_session& own, int state, std::size_t limit) {
  std::vector<core::open_alarm> out;
  auto found = own.query("SELECT a.id, a.shard, a.job, a.origin_log_id, a.created_ms, n.id, i.$job_name, g.id, g.$group_title"
                         " FROM rm_intent a"
                         " LEFT JOIN rm_node n ON n.id = a.node AND n.incarnation = a.incarnation AND n.state = 'up'"
                         " LEFT JOIN xxl_job_info i ON i.id = a.job LEFT JOIN xxl_job_group g ON g.id = i.job_group"
                         " WHERE a.state = ? ORDER BY a.created_ms, a.id LIMIT ?",
                         state, limit);
  while (found.next())
    out.push_back(open_alarm_of(found));
  return out;
}

/// Alarms of elastic jobs, which have a table of their own.
std::vector<core::open_alarm> elastic_alarms_in_state(admin_session& own, int state, std::size_t limit) {
  std::vector<core::open_alarm> out;
  auto found = own.query(
    "SELECT a.id, a.cause, a.job, a.item, a.run, a.at_ms, n.id, j.namespace, j.name, g.id, g.$group_title"
    " FROM ej_alarm a"
    " LEFT JOIN rm_node n ON n.id = a.node AND n.incarnation = a.incarnation AND n.state = 'up'"
    " LEFT JOIN ej_job j ON j.id = a.job LEFT JOIN xxl_job_group g ON g.id = j.job_group"
    " WHERE a.state = ? ORDER BY a.at_ms, a.id LIMIT ?",
    state, limit);
  while (found.next()) {
    core::open_alarm alarm;
    alarm.id = found.id<core::elastic::elastic_alarm_id>(0);
    auto& what = alarm.elastic.emplace();
    if (const auto cause = found.number(1); cause != 0)
      what.cause = core::elastic::alarm_cause{static_cast<std::uint8_t>(cause)};
    else
      alarm.kind = core::alarm_kind::recovery;
    what.job = found.id<core::elastic::elastic_job_id>(2);
    what.item = found.id<core::elastic::item_number>(3);
    what.run = found.id<core::elastic::item_run_id>(4);
    alarm.since = found.time_ms(5);
    alarm.node = found.optional_string(6);
    if (!found.is_null(8))
      alarm.job_name = found.text(7).empty() ? found.string(8) : found.string(7) + '/' + found.string(8);
    if (!found.is_null(9))
      alarm.group = found.id<core::group_id>(9);
    alarm.group_title = found.optional_string(10);
    out.push_back(std::move(alarm));
  }
  return out;
}

std::vector<core::open_alarm> all_in_state(admin_session& own, int state, std::size_t limit) {
  auto out = alarms_in_state(own, state, limit);
  auto more = elastic_alarms_in_state(own, state, limit);
  std::move(more.begin(), more.end(), std::back_inserter(out));
  return out;
}

} // namespace

// An alarm that is taken between the two reads is in both; its later state counts.
core::result<core::open_alarm_list> search_role::open_alarms(std::size_t limit, const core::principal& by) {
  if (auto allowed = core::check_admin(by); !allowed)
    return tl::unexpected{allowed.error()};
  if (!own_.facts().own_tables)
    return core::open_alarm_list{};
  return own_.read([&]() -> core::result<core::open_alarm_list> {
    core::open_alarm_list out;
    auto& all = out.rows = all_in_state(own_, alarm_waits, limit + 1);
    const auto taken = all_in_state(own_, alarm_taken, limit + 1);
    std::erase_if(all, [&](const core::open_alarm& one) {
      return std::any_of(taken.begin(), taken.end(), [&](const core::open_alarm& other) { return other.id == one.id; });
    });
    all.insert(all.end(), taken.begin(), taken.end());
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return std::tie(a.since, a.id) < std::tie(b.since, b.id); });
    out.more = all.size() > limit;
    all.resize(std::min(all.size(), limit));
    return out;
  });
}

} // namespace ringmaster::storage
