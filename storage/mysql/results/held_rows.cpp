#include "storage/mysql/results/held_rows.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/run/trigger_note.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/alarm_rows.hpp"
#include "storage/mysql/firing/row_texts.hpp"
#include "storage/mysql/results/foreign_retries.hpp"
#include "storage/rows/claim_values.hpp"

namespace ringmaster::storage::mysql {

namespace {

using row_list = std::vector<const held_row*>;

template <class Predicate>
row_list where(const std::vector<held_row>& rows, Predicate wanted) {
  row_list out;
  for (const auto& held : rows)
    if (wanted(held.write))
      out.push_back(&held);
  return out;
}

core::log_id id_of(const held_row& held) { return held.update->id; }

/// Adds one part of a CASE over all rows: id, value.
template <class Value>
void add_cases(statement& to, const row_list& rows, chunk part, Value value) {
  for (std::size_t i = 0; i < part.rows; ++i) {
    const auto& held = *rows[part.at(i)];
    to.add(id_of(held)).add(value(held));
  }
}

void add_ids(statement& to, const row_list& rows, chunk part) {
  for (std::size_t i = 0; i < part.rows; ++i)
    to.add(id_of(*rows[part.at(i)]));
}

std::vector<chunk> case_chunks(std::size_t size) { return padded_chunks(size, case_rows_max); }

std::int32_t alarm_status(const held_row& held) {
  if (!held.write.mark_alarm)
    return held.row.alarm_status;
  return held.alarm ? core::alarm_status::claimed : core::alarm_status::not_needed;
}

/// Writes trigger results. The message follows the note of the claim; 15 000 characters are at most 60 000 bytes and fit the
/// column. The claim has filled the time of the result so that the row does not grow; it becomes NULL for a run that was not
/// sent. Assignments run from left to right: trigger_code already has its new value there.
void write_triggers(connection& db, const row_list& rows) {
  const auto bytes_of = [&](std::size_t i) { return rows[i]->write.trigger_message.size(); };
  for (const auto part : chunks_within_bytes(rows.size(), bytes_of, case_chunks)) {
    auto& some = db.prepare("UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET trigger_code = CASE id {WHEN ? THEN ? }END,"
                            " trigger_msg = LEFT(CONCAT(COALESCE(trigger_msg, ''), CASE id {WHEN ? THEN ? }END), 15000),"
                            " executor_fail_retry_count = CASE id {WHEN ? THEN ? }END,"
                            " alarm_status = CASE id {WHEN ? THEN ? }END,"
                            " handle_time = IF(handle_code = 0 AND trigger_code <> 200, NULL, handle_time) WHERE id IN ({?,})",
                            part.rows);
    add_cases(some, rows, part, [](const held_row& held) { return *held.write.trigger_code; });
    add_cases(some, rows, part, [](const held_row& held) { return storable(held.write.trigger_message); });
    add_cases(some, rows, part, [](const held_row& held) { return held.write.clear_retries ? 0 : held.row.retries; });
    add_cases(some, rows, part, alarm_status);
    add_ids(some, rows, part);
    some.run();
  }
}

/// Does the same with Java's texts, whose end replaces the part that the claim left open.
void write_triggers_as_java(session& own, const row_list& rows) {
  const auto open = core::pending_end(own.texts.tail);
  // Twice, and escaped.
  const auto bytes_of = [&](std::size_t i) { return 4 * rows[i]->write.trigger_message.size(); };
  for (const auto part : chunks_within_bytes(rows.size(), bytes_of, case_chunks)) {
    auto& some = own.db.prepare(
      "UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET trigger_code = CASE id {WHEN ? THEN ? }END,"
      " trigger_msg = LEFT(" RINGMASTER_CLOSED_IN_PLACE "CASE id {WHEN ? THEN ? }END)"
      " ELSE CONCAT(COALESCE(trigger_msg, ''), CASE id {WHEN ? THEN ? }END) END, 15000),"
      " executor_fail_retry_count = CASE id {WHEN ? THEN ? }END, alarm_status = CASE id {WHEN ? THEN ? }END"
      " WHERE id IN ({?,})",
      part.rows);
    add_cases(some, rows, part, [](const held_row& held) { return *held.write.trigger_code; });
    some.add(open).add(open).add(open);
    add_cases(some, rows, part, [&own](const held_row& held) {
      const auto said = core::without_refusal_mark(held.write.trigger_message);
      return core::answered_end(*held.write.trigger_code, core::trigger_reason(said, own.texts.reader), own.texts.tail);
    });
    add_cases(some, rows, part, [](const held_row& held) { return storable(held.write.trigger_message); });
    add_cases(some, rows, part, [](const held_row& held) { return held.write.clear_retries ? 0 : held.row.retries; });
    add_cases(some, rows, part, alarm_status);
    add_ids(some, rows, part);
    some.run();
  }
}

void write_results(connection& db, const row_list& rows, std::string_view handle_time) {
  const auto bytes_of = [&](std::size_t i) { return rows[i]->write.handle_message.size(); };
  for (const auto part : chunks_within_bytes(rows.size(), bytes_of, case_chunks)) {
    auto& some = db.prepare(
      "UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET handle_time = ?, handle_code = CASE id {WHEN ? THEN ? }END,"
      " handle_msg = CASE id {WHEN ? THEN ? }END, alarm_status = CASE id {WHEN ? THEN ? }END WHERE id IN ({?,})",
      part.rows);
    some.add(handle_time);
    add_cases(some, rows, part, [](const held_row& held) { return *held.write.handle_code; });
    add_cases(some, rows, part, [](const held_row& held) { return storable(held.write.handle_message); });
    add_cases(some, rows, part, alarm_status);
    add_ids(some, rows, part);
    some.run();
  }
}

void write_failures(connection& db, const row_list& failed, const row_list& not_failed) {
  for (const auto part : exact_chunks(failed.size())) {
    auto& some = db.prepare("INSERT IGNORE INTO rm_failed_run (log_id, job, fire_ms) VALUES {(?,?,?),}", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(id_of(*failed[part.at(i)])).add(failed[part.at(i)]->job).add(failed[part.at(i)]->fire_at);
    some.run();
  }
  for (const auto part : padded_chunks(not_failed.size())) {
    auto& some = db.prepare("DELETE FROM rm_failed_run WHERE log_id IN ({?,})", part.rows);
    add_ids(some, not_failed, part);
    some.run();
  }
}

} // namespace

std::vector<held_row> lock_rows(session& own, const std::vector<const core::run_update*>& updates, core::time_point now) {
  const bool skips = own.db.skills().skip;
  std::vector<held_row> out;
  std::unordered_map<std::int64_t, const core::run_update*> by_id;
  for (const auto* one : updates)
    by_id.emplace(core::number(one->id), one);
  for (const auto part : padded_chunks(updates.size())) {
#define RINGMASTER_HELD_ROWS                                                                                                     \
  "SELECT id, trigger_code, handle_code, alarm_status, executor_fail_retry_count, job_id, executor_param,"                       \
  " executor_sharding_param, trigger_time, job_group FROM xxl_job_log FORCE INDEX (PRIMARY) WHERE id IN ({?,})"                  \
  " ORDER BY id FOR UPDATE"
    auto& some = own.db.prepare(skips ? sql{RINGMASTER_HELD_ROWS " SKIP LOCKED"} : sql{RINGMASTER_HELD_ROWS}, part.rows);
#undef RINGMASTER_HELD_ROWS
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(updates[part.at(i)]->id);
    for (auto found = some.select(); found.next();) {
      held_row held;
      held.update = by_id.at(found.number(0));
      held.row = {found.number32(1), found.number32(2), found.number32(3), found.number32(4), found.id<core::group_id>(9)};
      held.job = found.id<core::job_id>(5);
      held.param = found.optional_string(6);
      held.part = read_sharding(found.text(7));
      // The hour that a clock change repeats is read as its second pass: no retry may wait for it.
      held.triggered = found.text(8);
      held.fire_at = std::min(own.dates.read(held.triggered).value_or(now), now);
      out.push_back(std::move(held));
    }
  }
  return out;
}

void decide_alarms(session& own, std::vector<held_row>& rows) {
  std::vector<core::job_id> jobs;
  for (const auto& held : rows)
    if (held.write.mark_alarm)
      jobs.push_back(held.job);
  const auto book = read_alarm_book(own, jobs);
  for (auto& held : rows)
    held.alarm = held.write.mark_alarm && book.needs(held.job, held.write.retry_left.has_value());
}

void write(session& own, const std::vector<held_row>& rows, std::string_view handle_time, bool shared, core::time_point now) {
  const auto triggers = where(rows, [](const core::run_write& write) { return write.trigger_code.has_value(); });
  if (shared) {
    write_triggers_as_java(own, triggers);
  } else {
    write_triggers(own.db, triggers);
  }
  write_results(own.db, where(rows, [](const core::run_write& write) { return write.handle_code.has_value(); }), handle_time);
  write_failures(own.db, where(rows, [](const core::run_write& write) { return write.failed; }),
                 where(rows, [](const core::run_write& write) { return write.not_failed; }));
  std::vector<core::log_id> retried;
  for (const auto& held : rows)
    if (held.write.retry_left)
      retried.push_back(id_of(held));
  tell_of_retries(own, retried);
  std::vector<new_alarm> alarms;
  for (const auto& held : rows)
    if (held.alarm)
      alarms.push_back({held.job, id_of(held), core::alarm_kind::failure});
  insert_alarms(own, alarms, now);
}

} // namespace ringmaster::storage::mysql
