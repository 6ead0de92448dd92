// Histories of the other tests on MariaDB: the store's SQL in place of SQLite's and of the simulated part of shared mode.

#include <cstdlib>

#include "tests/simulation/report.hpp"
#include "tests/simulation/shared_history.hpp"
#include "tests/simulation/side_by_side.hpp"
#include "tests/storage/databases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::simulation;

namespace {

/// Removes features that only a database in memory supports.
history on_mariadb(history what) {
  what.restored.reset();
  return what;
}

void check_seeds(const std::string& test, std::uint64_t count, history (*make)(std::uint64_t)) {
  if (test::no_server_here())
    return;
  static_cast<void>(test::mariadb_server::shared()); // by this thread, because the server ends with it
  auto first = from_environment("RINGMASTER_SIMULATION_FIRST", 1);
  count = from_environment("RINGMASTER_SIMULATION_MARIADB_SEEDS", count);
  if (std::getenv("RINGMASTER_SEED") != nullptr) {
    first = from_environment("RINGMASTER_SEED", 1);
    count = 1;
  }
  const auto all = simulate_many(
    count, [first, make](auto i) { return on_mariadb(make(first + i)); }, 10, nullptr, make_maria_database);
  for (const auto& one : all.broken) {
    const auto seed = first + one.number;
    report(one.what, one.found, "RINGMASTER_SEED=" + std::to_string(seed) + " simulation_tests \"" + test + "*\"");
    FAIL_CHECK("seed " << seed << ": " << one.found.violations.front());
  }
  if (count < 20)
    return;
  CHECK(all.counts.executions > count);
  CHECK((all.shared_counts.reserved == 0 || all.shared_counts.reserved > 5 * count));
  CHECK((all.shared_counts.reserved == 0 || all.shared_counts.switches > 0));
}

} // namespace

TEST_CASE("on MariaDB random histories keep every invariant", "[simulation][mariadb]") {
  check_seeds("on MariaDB random", 20, random_history);
}

TEST_CASE("on MariaDB nothing is fired twice or lost alongside Java admins", "[simulation][mariadb][shared]") {
  check_seeds("on MariaDB nothing", 20, shared_history);
}
