// Runs on MariaDB: SQL, where other runs use SQLite or a simulation.

#include <stdexcept>

#include "tests/simulation/real_schedule.hpp"
#include "tests/simulation/sim_database.hpp"
#include "tests/storage/databases.hpp"

namespace ringmaster::simulation {

namespace {

class maria_database final : public sim_database {
public:
  explicit maria_database(bool shared) : shared_{shared} {
    if (shared)
      db_->exec("UPDATE rm_mode SET mode = 'shared'");
  }

  std::unique_ptr<storage::store> open() override { return db_->open(); }
  std::unique_ptr<shared_schedule> make_schedule(schedule_surroundings seen) override {
    return shared_ ? std::make_unique<real_schedule>(*db_, std::move(seen)) : nullptr;
  }
  void copy() override { throw std::logic_error{"a run on MariaDB is not restored from a copy"}; }
  void restore() override { copy(); }

private:
  bool shared_;
  std::unique_ptr<test::test_database> db_ = test::mysql_backend().fresh(storage::store_options{});
};

} // namespace

std::unique_ptr<sim_database> make_maria_database(bool shared) { return std::make_unique<maria_database>(shared); }

} // namespace ringmaster::simulation
