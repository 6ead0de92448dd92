#include "storage/mysql/admin/admin_session.hpp"

#include <mysql/mysqld_error.h>

#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/jobs/searched_jobs.hpp"
#include "storage/mysql/maintenance/log_maintenance.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Length of `$argon2id$` hashes with our parameters.
constexpr std::size_t argon2id_chars = 97;
constexpr std::size_t sha256_chars = 64;

class found_rows final : public sql_rows::source {
public:
  explicit found_rows(rows found) : rows_{std::move(found)} {}

  bool next() override { return rows_.next(); }
  [[nodiscard]] bool is_null(std::size_t column) const override { return rows_.is_null(column); }
  [[nodiscard]] std::int64_t number(std::size_t column) const override { return rows_.number(column); }
  [[nodiscard]] std::string_view text(std::size_t column) const override { return rows_.text(column); }

private:
  rows rows_;
};

statement& prepare_with(connection& db, sql_text text, std::span<const sql_value> values) {
  auto& out = db.prepare(sql{text});
  for (const auto& value : values)
    out.add(value);
  return out;
}

statement& prepare_for(connection& db, sql_text text, std::span<const std::int64_t> ids, const chunk& part) {
  auto& out = db.prepare(sql{text}, part.rows);
  for (std::size_t i = 0; i < part.rows; ++i)
    out.add(ids[part.at(i)]);
  return out;
}

/// Returns whether Ringmaster made XXL's tables. The step has another name where they were found.
bool is_ours(connection& db) {
  return db.query("SELECT 1 FROM rm_migration WHERE number = 1 AND name = 'xxl_tables'").next();
}

} // namespace

core::result<void> mysql_admin_session::begin(work what, const std::function<core::result<void>()>& body) {
  if (what == work::snapshot)
    return own_.db.read([&] { return at_one_moment(body); });
  return what == work::read || what == work::change ? own_.db.read(body) : own_.db.transact(body);
}

core::result<void> mysql_admin_session::at_one_moment(const std::function<core::result<void>()>& body) {
  own_.db.command("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  own_.db.command("START TRANSACTION WITH CONSISTENT SNAPSHOT");
  failure_ = nullptr;
  auto done = body();
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
  own_.db.command("ROLLBACK");
  return done;
}

core::result<void> mysql_admin_session::attempt(const std::function<void()>& ask) {
  try {
    ask();
    return {};
  } catch (const std::exception& failure) {
    failure_ = std::current_exception();
    return core::fail(core::errc::unavailable, failure.what());
  }
}

sql_rows mysql_admin_session::select(sql_text text, std::span<const sql_value> values) {
  return sql_rows{std::make_unique<found_rows>(prepare_with(own_.db, text, values).select())};
}

admin_session::sql_change mysql_admin_session::run(sql_text text, std::span<const sql_value> values) {
  auto& prepared = prepare_with(own_.db, text, values);
  const auto changed = prepared.run();
  return {changed, prepared.first_id()};
}

void mysql_admin_session::select_in(sql_text text, std::span<const std::int64_t> ids,
                                    const std::function<void(const sql_rows&)>& take) {
  for (const auto part : padded_chunks(ids.size())) {
    sql_rows found{std::make_unique<found_rows>(prepare_for(own_.db, text, ids, part).select())};
    while (found.next())
      take(found);
  }
}

std::size_t mysql_admin_session::run_in(std::span<const sql_text> texts, std::span<const std::int64_t> ids) {
  std::size_t out = 0;
  for (const auto part : padded_chunks(ids.size()))
    for (const auto& text : texts) {
      const auto changed = prepare_for(own_.db, text, ids, part).run();
      out += &text == &texts.front() ? changed : 0;
    }
  return out;
}

void mysql_admin_session::select_rows(sql_text text, std::span<const sql_value> keys, std::size_t width,
                                      const std::function<void(const sql_rows&)>& take) {
  for (const auto part : padded_chunks(keys.size() / width)) {
    auto& some = own_.db.prepare(sql{text}, part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      for (const auto& value : keys.subspan(part.at(i) * width, width))
        some.add(value);
    sql_rows found{std::make_unique<found_rows>(some.select())};
    while (found.next())
      take(found);
  }
}

std::vector<std::int64_t> mysql_admin_session::run_rows(sql_text text, std::span<const sql_value> values, std::size_t width) {
  std::vector<std::int64_t> out;
  const auto bytes_of = [&](std::size_t row) {
    std::size_t bytes = 0;
    for (const auto& value : values.subspan(row * width, width)) {
      const auto* const line = std::get_if<std::string_view>(&value);
      const auto* const blob = std::get_if<sql_bytes>(&value);
      bytes += line != nullptr ? line->size() : blob != nullptr ? blob->bytes.size() : sizeof(std::int64_t);
    }
    return bytes;
  };
  for (const auto part : chunks_within_bytes(values.size() / width, bytes_of, exact_chunks)) {
    auto& some = own_.db.prepare(sql{text}, part.rows);
    for (const auto& value : values.subspan(part.begin * width, part.rows * width))
      some.add(value);
    some.run();
    // The server assigns equidistant numbers to the rows of one statement.
    for (std::size_t i = 0; i < part.rows; ++i)
      out.push_back(some.first_id() + static_cast<std::int64_t>(i) * own_.db.id_step());
  }
  return out;
}

std::size_t mysql_admin_session::set_rows(sql_text text, std::span<const std::int64_t> ids, std::span<const sql_value> values,
                                          std::size_t width) {
  std::size_t out = 0;
  for (const auto part : padded_chunks(ids.size(), case_rows_max)) {
    auto& some = own_.db.prepare(sql{text}, part.rows);
    for (std::size_t column = 0; column < width; ++column)
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(ids[part.at(i)]).add(values[part.at(i) * width + column]);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(ids[part.at(i)]);
    out += some.run();
  }
  return out;
}

bool mysql_admin_session::write_once(const std::function<bool()>&, const std::function<void()>& write) {
  try {
    write();
    return true;
  } catch (const driver_error& failure) {
    if (failure.number() != ER_DUP_ENTRY)
      throw;
    return false;
  }
}

// Names that differ only in case are not duplicates to the unique key of tables that Ringmaster made.
void mysql_admin_session::hold_edits() { (void) own_.db.query("SELECT counter FROM rm_edit WHERE id = 1 FOR UPDATE").next(); }

core::result<core::cluster_mode> mysql_admin_session::mode() {
  const auto read = read_mode(own_.db);
  return read ? core::result<core::cluster_mode>{read->mode} : tl::unexpected{read.error()};
}

core::result<core::cluster_mode> mysql_admin_session::begin_edit() { return mysql::begin_edit(own_.db); }

core::result<core::password_form> mysql_admin_session::password_form() {
  return own_.db.read([this]() -> core::result<core::password_form> {
    if (is_ours(own_.db) && own_.shape.password_chars >= argon2id_chars && is_native(own_.db))
      return core::password_form::argon2id;
    return own_.shape.user_token && own_.shape.password_chars >= sha256_chars ? core::password_form::sha256
                                                                              : core::password_form::md5;
  });
}

// A switch to shared mode adds the index, which stays.
bool mysql_admin_session::may_have_java_runs() {
  return !is_ours(own_.db) || own_.db
                                .query("SELECT 1 FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()"
                                       " AND TABLE_NAME = 'xxl_job_info' AND INDEX_NAME = 'rm_due' LIMIT 1")
                                .next();
}

std::unique_ptr<job_paths> mysql_admin_session::paths_of(const core::job_search& search,
                                                         const std::optional<std::vector<core::group_id>>& groups) {
  return mysql::paths_of(own_.db, search, groups);
}

std::vector<core::log_id> mysql_admin_session::held_runs(const core::log_range& range) {
  return mysql::held_runs(own_.db, range);
}

xxl_facts mysql_admin_session::facts() const {
  return {own_.shape.limits, own_.shape.user_token, own_.shape.group_token, own_.shape.own_tables,
          own_.shape.report_update_time};
}

} // namespace ringmaster::storage::mysql
