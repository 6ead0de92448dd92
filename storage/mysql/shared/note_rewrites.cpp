// Conversion of native mode's runs to the form that a Java console shows, after `takeover --back`.

#include <vector>

#include "core/run/trigger_note.hpp"
#include "core/run/trigger_text.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/shared/reservations.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Number of log rows that one step reads, and of notes that it rewrites: a short transaction each.
constexpr std::int64_t rows_looked_at = 20'000;
constexpr std::size_t notes_max = 500;

struct rewritten_row {
  core::log_id id{};
  std::int32_t trigger_code = 0;
  std::string text;
};

/// The last id that this step reads, and the last one of the table.
struct id_span {
  core::log_id to{};
  core::log_id last{};
};

/// Returns the next ids to read; empty: no row is left. Skips deleted ids.
std::optional<id_span> find_span(connection& db, core::log_id after) {
  auto found = db.query("SELECT MIN(id), MAX(id) FROM xxl_job_log WHERE id > ?", after);
  if (!found.next() || found.number(1) == 0)
    return std::nullopt;
  return id_span{core::log_id{found.number(0) + rows_looked_at - 1}, found.id<core::log_id>(1)};
}

std::string text_of(const rows& row, core::trigger_note&& note, const text_style& style) {
  core::trigger_story story;
  story.note = std::move(note);
  story.address = row.text(3);
  story.handler = row.text(4);
  story.param = row.text(5);
  story.code = row.number32(1);
  return core::trigger_text(story, style.reader, style.tail);
}

/// Writes the texts. An answer is recorded together with a trigger code, so a row whose code has changed keeps its note. The
/// result columns of a row without a result become empty, as Java admins leave them.
std::size_t write(connection& db, const std::vector<rewritten_row>& some_rows) {
  std::size_t changed = 0;
  const auto bytes_of = [&](std::size_t i) { return some_rows[i].text.size(); };
  const auto cut = [](std::size_t size) { return padded_chunks(size, case_rows_max); };
  for (const auto part : chunks_within_bytes(some_rows.size(), bytes_of, cut)) {
    auto& some = db.prepare("UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET trigger_msg = CASE id {WHEN ? THEN ? }END,"
                            " handle_time = CASE handle_code WHEN 0 THEN NULL ELSE handle_time END,"
                            " handle_msg = CASE handle_code WHEN 0 THEN NULL ELSE handle_msg END"
                            " WHERE (id, trigger_code) IN ({(?,?),})", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(some_rows[part.at(i)].id).add(storable(some_rows[part.at(i)].text));
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(some_rows[part.at(i)].id).add(some_rows[part.at(i)].trigger_code);
    changed += some.run();
  }
  return changed;
}

} // namespace

core::result<core::note_rewrite> reservation_role::rewrite_notes(core::log_id after) {
  return own_.db.read([&]() -> core::result<core::note_rewrite> {
    core::note_rewrite out;
    const auto span = find_span(own_.db, after);
    if (!span)
      return out;
    std::vector<rewritten_row> some_rows;
    std::size_t notes = 0;
    auto reached = span->to;
    auto found = own_.db.query("SELECT id, trigger_code, trigger_msg, COALESCE(executor_address, ''),"
                               " COALESCE(executor_handler, ''), COALESCE(executor_param, '') FROM xxl_job_log"
                               " WHERE id > ? AND id <= ? AND (trigger_msg LIKE 'rm1;%' OR trigger_msg LIKE 'rm2;%')"
                               " ORDER BY id LIMIT ?",
                               after, span->to, notes_max);
    while (found.next()) {
      if (++notes == notes_max)
        reached = found.id<core::log_id>(0);
      if (auto note = core::decode_trigger_note(found.text(2)))
        some_rows.push_back({found.id<core::log_id>(0), found.number32(1), text_of(found, std::move(*note), own_.texts)});
    }
    out.rewritten = write(own_.db, some_rows);
    out.left = some_rows.size() - out.rewritten;
    if (reached < span->last)
      out.next = reached;
    return out;
  });
}

} // namespace ringmaster::storage::mysql
