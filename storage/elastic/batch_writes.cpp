// The rows of one batch: what is written at its end, table by table.

#include <algorithm>

#include "core/elastic/item_events.hpp"
#include "core/text/text.hpp"
#include "storage/elastic/batch_rows.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

/// `ej_run.state` of a run that has no end.
constexpr std::int64_t granted_state = 1;

void append(std::vector<sql_value>& to, std::initializer_list<sql_value> values) { to.insert(to.end(), values); }

} // namespace

void batch_rows::write() {
  write_schedules();
  write_fires();
  insert_runs();
  insert_failed_hooks();
  write_items();
  end_runs();
  write_plans();
  write_others();
  write_requests();
  alarms_.write();
}

void batch_rows::write_schedules() {
  std::vector<sql_value> values;
  for (const auto& [job, row] : schedules_)
    if (row.changed)
      append(values, {value_of(job), row.next_ms, row.last_ms, row.revision});
  own_.execute_rows("INSERT INTO ej_schedule (job, next_ms, last_ms, revision) VALUES {(?, ?, ?, ?),} $on_conflict(job)"
                    " next_ms = $new_value(next_ms), last_ms = $new_value(last_ms)",
                    values, 4);
}

void batch_rows::write_fires() {
  std::sort(new_fires_.begin(), new_fires_.end(), [](const auto& a, const auto& b) {
    return key_of(a.first, a.second->key) < key_of(b.first, b.second->key);
  });
  std::vector<sql_value> values;
  for (const auto& [job, row] : new_fires_)
    append(values, {value_of(job), value_of(row->key.at), value_of(row->key.source), value_of(row->key.request),
                    row->plan_version, row->config_version, value_of(fires_.at(key_of(job, row->key))), value_of(row->expected),
                    value_of(row->dropped), value_of(row->param)});
  own_.execute_rows("INSERT INTO ej_fire (job, fire_ms, source, request, plan_version, config_version, state, expected, dropped,"
                    " param) VALUES {(?, ?, ?, ?, ?, ?, ?, ?, ?, ?),}",
                    values, 10);
  for (const auto& [key, to] : stepped_)
    own_.execute("UPDATE ej_fire SET state = ? WHERE job = ? AND fire_ms = ? AND source = ? AND request = ?", to,
                 std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key));
}

void batch_rows::insert_runs() {
  std::sort(begun_.begin(), begun_.end(), [](const auto& a, const auto& b) { return a.item < b.item; });
  std::vector<sql_value> values;
  values.reserve(begun_.size() * 14);
  for (const auto& [key, grant, answer] : begun_)
    append(values, {value_of(key.first), value_of(key.second), value_of(grant.cause.source), value_of(grant.cause.fire.at),
                    value_of(grant.cause.fire.source), value_of(grant.cause.fire.request),
                    value_of(elastic::next_fence(grant.fence)), value_of(grant.attempt), value_of(grant.host.host),
                    value_of(grant.host.incarnation), value_of(now_), granted_state});
  const auto ids = own_.execute_rows(
    "INSERT INTO ej_run (job, item, source, fire_ms, fire_source, request, fence, attempt, host, host_inc, granted_ms,"
    " started_ms, ended_ms, state) VALUES {(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?),}",
    values, 12);
  for (std::size_t i = 0; i < begun_.size() && i < ids.size(); ++i) {
    begun_[i].answer->run = elastic::item_run_id{ids[i]};
    items_.at(begun_[i].item).run = elastic::item_run_id{ids[i]};
  }
}

// They have no host: a barrier that is late has none.
void batch_rows::insert_failed_hooks() {
  for (const auto* step : failed_hooks_) {
    const bool before = step->from == elastic::fire_state::gathering;
    const auto text = core::valid_utf8(step->late);
    own_.execute(
      "INSERT INTO ej_run (job, item, source, fire_ms, fire_source, request, fence, attempt, host, host_inc,"
      " granted_ms, started_ms, ended_ms, state, message) VALUES (?, ?, ?, ?, ?, ?, 0, 1, 0, 0, ?, 0, ?, ?, ?)",
      step->job, before ? elastic::before_hook_item : elastic::after_hook_item, step->fire.source, step->fire.at,
      step->fire.source, step->fire.request, now_, now_, elastic::item_run_end::failed,
      core::cut_characters(text, elastic::run_message_chars));
  }
}

// Flags belong to operators (I8): an existing row keeps its own.
void batch_rows::write_items() {
  std::vector<sql_value> values, removed;
  for (const auto& [key, row] : items_) {
    if (row.removed && row.stored)
      append(removed, {value_of(key.first), value_of(key.second)});
    if (row.changed && !row.removed)
      append(values, {value_of(key.first), value_of(key.second), value_of(row.fence), value_of(row.state), value_of(row.run),
                      value_of(row.host.host), value_of(row.host.incarnation), value_of(row.attempt), value_of(row.missed),
                      value_of(row.lease.count())});
  }
  own_.execute_rows("INSERT INTO ej_item (job, item, fence, state, run, host, host_inc, attempt, missed, flags, lease_ms)"
                    " VALUES {(?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?),} $on_conflict(job, item) fence = $new_value(fence),"
                    " state = $new_value(state), run = $new_value(run), host = $new_value(host),"
                    " host_inc = $new_value(host_inc), attempt = $new_value(attempt), missed = $new_value(missed),"
                    " lease_ms = $new_value(lease_ms)",
                    values, 10);
  own_.execute_rows("DELETE FROM ej_cursor WHERE $is_pair(job, item)", removed, 2);
  own_.execute_rows("DELETE FROM ej_item WHERE $is_pair(job, item)", removed, 2);
}

void batch_rows::end_runs() {
  std::sort(ended_.begin(), ended_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  std::vector<std::int64_t> ids;
  std::vector<sql_value> values, all;
  for (const auto& run : ended_) {
    all.push_back(value_of(run.id));
    if (!run.message.empty())
      continue;
    ids.push_back(core::number(run.id));
    append(values, {value_of(run.end), value_of(run.started), value_of(run.ended)});
  }
  own_.update_rows("UPDATE ej_run $by_primary_key SET $set_by_id(state), $set_by_id(started_ms), $set_by_id(ended_ms)"
                   " WHERE $is_id(id)",
                   ids, values, 3);
  for (const auto& run : ended_)
    if (!run.message.empty())
      own_.execute("UPDATE ej_run SET state = ?, started_ms = ?, ended_ms = ?, message = ? WHERE id = ?", run.end, run.started,
                   run.ended, run.message, run.id);
  own_.execute_rows("DELETE FROM ej_inbox WHERE $is_id(run)", all, 1);
}

void batch_rows::write_plans() {
  std::sort(plans_.begin(), plans_.end(), [](const auto& a, const auto& b) {
    return std::pair{a.first, a.second->version} < std::pair{b.first, b.second->version};
  });
  std::vector<sql_value> values;
  for (const auto& [job, row] : plans_)
    append(values, {value_of(job), row->version, value_of(row->members), value_of(row->total), value_of(row->assignment),
                    value_of(row->at)});
  own_.execute_rows("INSERT $or_ignore INTO ej_plan (job, version, members, total, assignment, at_ms)"
                    " VALUES {(?, ?, ?, ?, ?, ?),}",
                    values, 6);
}

void batch_rows::write_others() {
  std::vector<sql_value> values;
  for (const auto& [key, cursor] : cursors_)
    if (const auto item = items_.find(key); item == items_.end() || !item->second.removed)
      append(values, {value_of(key.first), value_of(key.second), value_of(cursor->fence), sql_bytes{cursor->value}});
  own_.execute_rows("INSERT INTO ej_cursor (job, item, fence, value) VALUES {(?, ?, ?, ?),} $on_conflict(job, item)"
                    " fence = $new_value(fence), value = $new_value(value)",
                    values, 4);
}

// An item may be owed and granted in one batch.
void batch_rows::write_requests() {
  std::vector<sql_value> owed, over;
  for (const auto& [key, job] : owed_)
    append(owed, {value_of(key.first), value_of(key.second), value_of(job)});
  for (const auto& [request, item] : over_)
    append(over, {value_of(request), value_of(item)});
  own_.execute_rows("INSERT $or_ignore INTO ej_request_item (request, item, job) VALUES {(?, ?, ?),}", owed, 3);
  own_.execute_rows("DELETE FROM ej_request_item WHERE $is_pair(request, item)", over, 2);
  for (const auto& [job, request] : requests_)
    own_.execute("DELETE FROM ej_request WHERE id = ? AND job = ?"
                 " AND NOT EXISTS (SELECT 1 FROM ej_request_item WHERE request = ?)",
                 request, job, request);
}

} // namespace ringmaster::storage
