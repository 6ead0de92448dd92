#include "bench/stored_results.hpp"

#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>

#include <mysql/mysql.h>
#include <sqlite3.h>

namespace ringmaster::bench {

namespace {

std::string query_of(std::int64_t after) {
  return "SELECT id FROM xxl_job_log WHERE id > " + std::to_string(after) + " AND handle_code = 200 ORDER BY id";
}

void read_sqlite(const std::filesystem::path& file, const std::string& query, const std::function<void(sqlite3_stmt*)>& take) {
  sqlite3* opened = nullptr;
  const auto code = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> db{opened, &sqlite3_close};
  sqlite3_stmt* prepared = nullptr;
  if (code != SQLITE_OK || sqlite3_prepare_v2(opened, query.c_str(), -1, &prepared, nullptr) != SQLITE_OK)
    throw std::runtime_error(file.string() + ": " + sqlite3_errmsg(opened));
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> rows{prepared, &sqlite3_finalize};
  int step = SQLITE_ROW;
  while ((step = sqlite3_step(prepared)) == SQLITE_ROW)
    take(prepared);
  if (step != SQLITE_DONE)
    throw std::runtime_error(file.string() + ": " + sqlite3_errmsg(opened));
}

} // namespace

std::vector<std::int64_t> stored_in_sqlite(const std::filesystem::path& file, std::int64_t after) {
  std::vector<std::int64_t> ids;
  read_sqlite(file, query_of(after), [&](sqlite3_stmt* row) { ids.push_back(sqlite3_column_int64(row, 0)); });
  return ids;
}

std::vector<stored_run> runs_in_sqlite(const std::filesystem::path& file) {
  std::vector<stored_run> runs;
  const std::string query = "SELECT id, job_id, strftime('%s', trigger_time), strftime('%s', handle_time), handle_code"
                            " FROM xxl_job_log ORDER BY id";
  read_sqlite(file, query, [&](sqlite3_stmt* row) {
    runs.push_back({sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2),
                    sqlite3_column_int64(row, 3), sqlite3_column_int64(row, 4)});
  });
  return runs;
}

std::vector<std::int64_t> stored_in_mysql(const std::string& socket, const std::string& database, std::int64_t after) {
  const auto query = query_of(after);
  const std::unique_ptr<MYSQL, decltype(&mysql_close)> db{mysql_init(nullptr), &mysql_close};
  if (mysql_real_connect(db.get(), nullptr, "root", "", database.c_str(), 0, socket.c_str(), 0) == nullptr ||
      mysql_query(db.get(), query.c_str()) != 0)
    throw std::runtime_error(mysql_error(db.get()));
  const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> rows{mysql_use_result(db.get()), &mysql_free_result};
  std::vector<std::int64_t> ids;
  if (rows)
    while (const auto row = mysql_fetch_row(rows.get()))
      ids.push_back(std::atoll(row[0]));
  if (mysql_errno(db.get()) != 0)
    throw std::runtime_error(mysql_error(db.get()));
  return ids;
}

} // namespace ringmaster::bench
