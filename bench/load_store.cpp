#include "bench/load_store.hpp"

#include <fstream>
#include <memory>
#include <stdexcept>

#include <sqlite3.h>

#include "bench/load_place.hpp"
#include "bench/prefill.hpp"
#include "bench/stored_results.hpp"
#include "tests/storage/xxl_schemas.hpp"

namespace ringmaster::bench {

namespace {

constexpr const char* database = "ringmaster_bench";
constexpr int xxl_generation = 7;

} // namespace

load_store::load_store(store_kind kind, const std::filesystem::path& folder, bool shared) : file_{folder / "ringmaster.db"} {
  if (kind == store_kind::sqlite) {
    url_ = "sqlite:" + file_.string();
    return;
  }
  test::mariadb_server::options sizes;
  sizes.buffer_pool_mb = 1024;
  sizes.redo_log_mb = 1024;
  sizes.file_per_table = true;
  sizes.synced = true;
  server_ = std::make_unique<test::mariadb_server>(sizes);
  url_ = server_->url(database);
  if (shared)
    run_mysql(server_->socket_path(), database, test::xxl_schema(xxl_generation));
}

pid_t load_store::process() const {
  if (!server_)
    return 0;
  pid_t process = 0;
  std::ifstream{std::filesystem::path{server_->socket_path()}.parent_path() / "pid"} >> process;
  return process;
}

std::vector<std::int64_t> load_store::successes() const {
  return server_ ? stored_in_mysql(server_->socket_path(), database, prefilled_) : stored_in_sqlite(file_, prefilled_);
}

void load_store::prefill(std::size_t rows, std::size_t jobs) {
  if (server_)
    prefill_mysql(server_->socket_path(), database, rows, jobs);
  else
    prefill_sqlite(file_, rows, jobs);
  prefilled_ = static_cast<std::int64_t>(rows);
}

void load_store::go_away(std::chrono::seconds time) {
  const auto until = now_ms() + time.count() * 1000;
  if (server_) {
    server_->stop();
    wait_until(until);
    return server_->start();
  }
  sqlite3* opened = nullptr;
  const auto code = sqlite3_open_v2(file_.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> db{opened, &sqlite3_close};
  sqlite3_busy_timeout(opened, 10'000);
  if (code != SQLITE_OK || sqlite3_exec(opened, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) != SQLITE_OK)
    throw std::runtime_error(file_.string() + ": " + sqlite3_errmsg(opened));
  wait_until(until); // closing the file releases the lock
}

} // namespace ringmaster::bench
