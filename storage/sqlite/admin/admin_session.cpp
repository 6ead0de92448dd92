#include "storage/sqlite/admin/admin_session.hpp"

#include <utility>
#include <vector>

#include "storage/sqlite/jobs/searched_jobs.hpp"
#include "storage/sqlite/maintenance/log_maintenance.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr sql_dialect sqlite_dialect{
  .for_update = "",
  .utf8 = "#",
  .by_bytes = "COLLATE BINARY",
  .bytes = "TEXT",
  .group_title = "title",
  .on_conflict = "ON CONFLICT (#) DO UPDATE SET",
  .new_value = "excluded.#",
  .last_pieces = "AND piece IN (SELECT p.piece FROM rm_run_log p WHERE p.log_id = ?1 ORDER BY p.piece DESC LIMIT ?2)",
  .job_name = "job_desc",
  .or_ignore = "OR IGNORE",
  .by_primary_key = "",
  .bytes_of = "LENGTH(CAST(# AS BLOB))",
  .planned_next = "s.next_ms",
  .planned_last = "CASE WHEN s.last_ms = s.missed_ms THEN s.sent_ms ELSE s.last_ms END",
  .listed = "INSTR(?, ',' || # || ',') > 0",
  .planned_kinds = "kind = 'cron'",
  .seconds_taken = "strftime('%s', handle_time) - strftime('%s', trigger_time)",
  .for_share = "",
  .is_pair = "(#) = (?, ?)",
  .is_four = "(#) = (?, ?, ?, ?)",
  .is_id = "# = ?",
  .set_by_id = "# = ?",
};

/// Rows that are read while the statement runs, with copies of its texts.
class live_rows final : public sql_rows::source {
public:
  live_rows(connection& db, const char* text, std::span<const sql_value> values)
    : values_{values.begin(), values.end()}, statement_{db.prepare(text)} {
    texts_.reserve(values_.size()); // so that no text moves
    for (auto& value : values_)
      if (const auto* held = std::get_if<std::string_view>(&value))
        value = std::string_view{texts_.emplace_back(*held)};
    statement_.with(std::span<const sql_value>{values_});
  }

  bool next() override { return statement_.step(); }
  [[nodiscard]] bool is_null(std::size_t column) const override { return statement_.is_null(static_cast<int>(column)); }
  [[nodiscard]] std::int64_t number(std::size_t column) const override { return statement_.number(static_cast<int>(column)); }
  [[nodiscard]] std::string_view text(std::size_t column) const override { return statement_.text(static_cast<int>(column)); }

private:
  std::vector<sql_value> values_;
  std::vector<std::string> texts_;
  statement statement_;
};

} // namespace

core::result<void> sqlite_admin_session::begin(work what, const std::function<core::result<void>()>& body) {
  const auto kind = what == work::change || what == work::edit ? transaction_kind::write : transaction_kind::read;
  return within(*own_.db, kind, [&](connection&) { return body(); });
}

// The failure stays with the connection, and the end of the transaction returns it.
core::result<void> sqlite_admin_session::attempt(const std::function<void()>& ask) {
  ask();
  if (own_.db->failed())
    return core::fail(core::errc::unavailable, "the database cannot be read");
  return {};
}

sql_rows sqlite_admin_session::select(sql_text text, std::span<const sql_value> values) {
  return sql_rows{std::make_unique<live_rows>(*own_.db, text_of(text), values)};
}

admin_session::sql_change sqlite_admin_session::run(sql_text text, std::span<const sql_value> values) {
  const auto changed = own_.db->run(text_of(text), values);
  return {static_cast<std::uint64_t>(changed), own_.db->last_id()};
}

void sqlite_admin_session::select_in(sql_text text, std::span<const std::int64_t> ids,
                                     const std::function<void(const sql_rows&)>& take) {
  for (const sql_value id : ids) {
    auto found = select(text, {&id, 1});
    while (found.next())
      take(found);
  }
}

std::size_t sqlite_admin_session::run_in(std::span<const sql_text> texts, std::span<const std::int64_t> ids) {
  std::size_t out = 0;
  for (const sql_value id : ids)
    for (const auto& text : texts) {
      const auto changed = run(text, {&id, 1}).rows;
      out += &text == &texts.front() ? changed : 0;
    }
  return out;
}

void sqlite_admin_session::select_rows(sql_text text, std::span<const sql_value> keys, std::size_t width,
                                       const std::function<void(const sql_rows&)>& take) {
  for (std::size_t at = 0; at + width <= keys.size(); at += width) {
    auto found = select(text, keys.subspan(at, width));
    while (found.next())
      take(found);
  }
}

std::vector<std::int64_t> sqlite_admin_session::run_rows(sql_text text, std::span<const sql_value> values, std::size_t width) {
  std::vector<std::int64_t> out;
  out.reserve(values.size() / width);
  auto prepared = own_.db->prepare(text_of(text));
  for (std::size_t at = 0; at + width <= values.size(); at += width) {
    prepared.run(values.subspan(at, width));
    out.push_back(own_.db->last_id());
  }
  return out;
}

std::size_t sqlite_admin_session::set_rows(sql_text text, std::span<const std::int64_t> ids, std::span<const sql_value> values,
                                           std::size_t width) {
  std::size_t out = 0;
  auto prepared = own_.db->prepare(text_of(text));
  for (std::size_t i = 0; i < ids.size(); ++i)
    out += static_cast<std::size_t>(prepared.run(values.subspan(i * width, width), ids[i]));
  return out;
}

bool sqlite_admin_session::write_once(const std::function<bool()>& exists, const std::function<void()>& write) {
  if (exists())
    return false;
  write();
  return true;
}

std::unique_ptr<job_paths> sqlite_admin_session::paths_of(const core::job_search& search,
                                                         const std::optional<std::vector<core::group_id>>& groups) {
  return sqlite::paths_of(*own_.db, search, groups);
}

std::vector<core::log_id> sqlite_admin_session::held_runs(const core::log_range& range) {
  return sqlite::held_runs(*own_.db, range);
}

const char* sqlite_admin_session::text_of(sql_text text) {
  if (const auto known = texts_.find(text.literal()); known != texts_.end())
    return known->second.c_str();
  auto spoken = in_dialect(text.literal(), sqlite_dialect);
  // A part in braces stands for one row here.
  for (auto open = spoken.find('{'); open != std::string::npos; open = spoken.find('{')) {
    spoken.erase(open, 1);
    const auto close = spoken.find('}', open);
    const bool has_comma = spoken[close - 1] == ',';
    spoken.erase(close - (has_comma ? 1 : 0), has_comma ? 2 : 1);
  }
  return texts_.emplace(text.literal(), std::move(spoken)).first->second.c_str(); // last, so that only whole texts are kept
}

} // namespace ringmaster::storage::sqlite
