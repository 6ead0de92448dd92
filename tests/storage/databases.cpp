#include "tests/storage/databases.hpp"

#include <cstdlib>
#include <stdexcept>

#include "tests/storage/xxl_schemas.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mariadb_server.hpp"

namespace ringmaster::test {

std::unique_ptr<storage::store> test_database::open() {
  auto store = database().open();
  if (!store)
    throw std::runtime_error("open: " + store.error().context);
  return std::move(*store);
}

std::string test_database::value(const std::string& sql) {
  auto rows = query(sql);
  if (rows.size() != 1 || rows[0].size() != 1)
    throw std::runtime_error("not one value: " + sql);
  return rows[0][0];
}

bool no_server_here() {
  const auto reason = mariadb_server::unavailable_reason();
  if (reason)
    skip(*reason);
  return reason.has_value();
}

std::vector<test_backend> all_backends() {
  std::vector<test_backend> out{sqlite_backend(), mysql_backend()};
  for (const int generation : xxl_generations)
    out.push_back(xxl_backend(generation));
  for (const int generation : {7, 8})
    out.push_back(xxl_backend(generation, true));
  return out;
}

std::vector<test_backend> backends_under_test() {
  const char* chosen = std::getenv("RINGMASTER_TEST_BACKENDS");
  const auto wanted = ',' + std::string{chosen ? chosen : "sqlite,mysql"} + ',';
  std::vector<test_backend> available;
  for (auto& backend : all_backends())
    if (wanted.find(',' + backend.name + ',') != wanted.npos && !backend.unavailable_reason())
      available.push_back(std::move(backend));
  return available;
}

storage::store_options test_options() {
  auto shanghai = core::zone::find("Asia/Shanghai");
  if (!shanghai)
    throw std::runtime_error(shanghai.error().context);
  return {*shanghai, *shanghai};
}

std::unique_ptr<test_database> fresh_database(const test_backend& backend) { return fresh_database(backend, test_options()); }

std::unique_ptr<test_database> fresh_database(const test_backend& backend, const storage::store_options& options) {
  UNSCOPED_INFO("database: " << backend.name);
  return backend.fresh(options);
}

} // namespace ringmaster::test
