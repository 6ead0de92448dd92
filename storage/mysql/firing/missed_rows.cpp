#include "storage/mysql/firing/missed_rows.hpp"

#include "core/run/execution_state.hpp"
#include "core/text/text.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/alarm_rows.hpp"
#include "storage/rows/claim_values.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Returns the first id; the server assigns equidistant ids to the rows of one statement.
std::int64_t insert_rows(session& own, const std::vector<const core::missed_gap*>& gaps, chunk part, const alarm_book& book,
                         std::string_view node_host, const std::string& now) {
  auto& some = own.db.prepare(
    "INSERT INTO xxl_job_log (job_group, job_id, executor_handler, executor_param, executor_fail_retry_count, trigger_time,"
    " trigger_code, trigger_msg, handle_code, handle_msg, alarm_status) VALUES {(?,?,?,?,0,?,?,?,0,'',?),}",
    part.rows);
  for (std::size_t i = 0; i < part.rows; ++i) {
    const auto& gap = *gaps[part.at(i)];
    auto values = log_values_of(gap, node_host);
    if (const auto most = own.shape.limits.param_chars; most != 0)
      values.param = core::cut_characters(values.param, most);
    some.add(gap.spec->group).add(gap.spec->id).add(values.handler).add(values.param).add(now).add(core::failure_code);
    some.add(std::move(values.message)).add(book.status(gap.spec->id, false, core::alarm_reason::missed));
  }
  some.run();
  return some.first_id();
}

void insert_failed(connection& db, const std::vector<core::missed_row>& rows) {
  for (const auto part : exact_chunks(rows.size())) {
    auto& some = db.prepare("INSERT IGNORE INTO rm_failed_run (log_id, job, fire_ms) VALUES {(?,?,?),}", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(rows[part.at(i)].id).add(rows[part.at(i)].job).add(rows[part.at(i)].what.first);
    some.run();
  }
}

} // namespace

std::vector<core::missed_row> insert_missed_rows(session& own, const move_list& moves, std::string_view node_host,
                                                 core::time_point now) {
  std::vector<const core::missed_gap*> gaps;
  std::vector<core::job_id> jobs;
  for (const auto* move : moves)
    if (move->missed) {
      gaps.push_back(&*move->missed);
      jobs.push_back(move->job);
    }
  std::vector<core::missed_row> out;
  if (gaps.empty())
    return out;
  const auto book = read_alarm_book(own, jobs);
  const std::string now_text{own.dates.of(now)};
  std::vector<new_alarm> alarms;
  for (const auto part : exact_chunks(gaps.size())) {
    auto id = insert_rows(own, gaps, part, book, node_host, now_text);
    for (std::size_t i = 0; i < part.count; ++i, id += own.db.id_step()) {
      const auto& gap = *gaps[part.at(i)];
      out.push_back({core::log_id{id}, gap.spec->id, gap.spec->group, gap.what});
      if (book.needs(gap.spec->id, false, core::alarm_reason::missed))
        alarms.push_back({gap.spec->id, core::log_id{id}, core::alarm_kind::failure});
    }
  }
  insert_failed(own.db, out);
  insert_alarms(own, alarms, now);
  return out;
}

} // namespace ringmaster::storage::mysql
