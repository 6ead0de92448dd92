#include "bench/load_store.hpp"

#include <fstream>

#include "bench/stored_results.hpp"

namespace ringmaster::bench {

namespace {

constexpr const char* database = "ringmaster_bench";

} // namespace

load_store::load_store(store_kind kind, const std::filesystem::path& folder) : file_{folder / "ringmaster.db"} {
  if (kind == store_kind::sqlite) {
    url_ = "sqlite:" + file_.string();
    return;
  }
  test::mariadb_server::options sizes;
  sizes.buffer_pool_mb = 1024;
  sizes.redo_log_mb = 1024;
  sizes.file_per_table = true;
  server_ = std::make_unique<test::mariadb_server>(sizes);
  url_ = server_->url(database);
}

pid_t load_store::process() const {
  if (!server_)
    return 0;
  pid_t process = 0;
  std::ifstream{std::filesystem::path{server_->socket_path()}.parent_path() / "pid"} >> process;
  return process;
}

std::vector<std::int64_t> load_store::successes() const {
  return server_ ? stored_in_mysql(server_->socket_path(), database) : stored_in_sqlite(file_);
}

} // namespace ringmaster::bench
