#include "bench/prefill.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <mysql/mysql.h>
#include <sqlite3.h>

namespace ringmaster::bench {

namespace {

// Rows in one transaction.
constexpr std::size_t chunk_rows = 250'000;
constexpr std::size_t days_s = 7 * 24 * 3600;

constexpr const char* columns =
  "INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, executor_param, executor_sharding_param, "
  "executor_fail_retry_count, trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status) ";

/// Returns a `SELECT` of the values for each `n` of `source`; `time_of_n` is an SQL expression. One of a hundred rows has failed,
/// with an alarm that is already decided.
std::string rows_of(std::size_t jobs, const std::string& time_of_n, const std::string& source) {
  const std::string message = "'1|bench|0|ROUND|SERIAL_EXECUTION|0|0|http://127.0.0.1:65535/|200'";
  return std::string{columns} + "SELECT 1, 1 + n % " + std::to_string(std::max<std::size_t>(1, jobs))
         + ", 'http://127.0.0.1:65535/', 'noop', '', NULL, 0, " + time_of_n + ", 200, " + message + ", " + time_of_n
         + ", CASE n % 100 WHEN 0 THEN 500 ELSE 200 END, '', CASE n % 100 WHEN 0 THEN 1 ELSE 0 END FROM " + source;
}

/// Returns the age of row `n` in seconds: the last row is the newest.
std::string age_of_n(std::size_t rows) {
  return "((" + std::to_string(rows) + " - n) * " + std::to_string(days_s) + " / " + std::to_string(rows) + ")";
}

} // namespace

void prefill_sqlite(const std::filesystem::path& file, std::size_t rows, std::size_t jobs) {
  sqlite3* opened = nullptr;
  const auto code = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> db{opened, &sqlite3_close};
  const auto run = [&](const std::string& sql) {
    if (sqlite3_exec(opened, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      throw std::runtime_error(file.string() + ": " + sqlite3_errmsg(opened));
  };
  if (code != SQLITE_OK)
    throw std::runtime_error(file.string() + ": " + sqlite3_errmsg(opened));
  run("PRAGMA synchronous = OFF");
  for (std::size_t done = 0; done < rows; done += chunk_rows) {
    const auto last = std::min(rows, done + chunk_rows);
    run("WITH RECURSIVE some(n) AS (VALUES (" + std::to_string(done + 1) + ") UNION ALL SELECT n + 1 FROM some WHERE n < "
        + std::to_string(last) + ") "
        + rows_of(jobs, "datetime('now', '-' || " + age_of_n(rows) + " || ' seconds')", "some"));
  }
  run("PRAGMA wal_checkpoint(TRUNCATE)");
}

void run_mysql(const std::string& socket, const std::string& database, const std::vector<std::string>& statements) {
  const std::unique_ptr<MYSQL, decltype(&mysql_close)> db{mysql_init(nullptr), &mysql_close};
  if (mysql_real_connect(db.get(), nullptr, "root", "", database.c_str(), 0, socket.c_str(), 0) == nullptr)
    throw std::runtime_error(mysql_error(db.get()));
  for (const auto& statement : statements)
    if (mysql_real_query(db.get(), statement.data(), statement.size()) != 0)
      throw std::runtime_error(statement + ": " + mysql_error(db.get()));
}

void prefill_mysql(const std::string& socket, const std::string& database, std::size_t rows, std::size_t jobs) {
  const std::unique_ptr<MYSQL, decltype(&mysql_close)> db{mysql_init(nullptr), &mysql_close};
  if (mysql_real_connect(db.get(), nullptr, "root", "", database.c_str(), 0, socket.c_str(), 0) == nullptr)
    throw std::runtime_error(mysql_error(db.get()));
  for (std::size_t done = 0; done < rows; done += chunk_rows) {
    const auto last = std::min(rows, done + chunk_rows);
    const auto sql = rows_of(jobs, "UTC_TIMESTAMP() - INTERVAL " + age_of_n(rows) + " SECOND",
                             "(SELECT seq AS n FROM seq_" + std::to_string(done + 1) + "_to_" + std::to_string(last) + ") some");
    if (mysql_query(db.get(), sql.c_str()) != 0)
      throw std::runtime_error(mysql_error(db.get()));
  }
}

} // namespace ringmaster::bench
