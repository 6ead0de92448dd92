#include "tests/simulation/sim_database.hpp"

#include <memory>

#include "storage/rows/datetime_text.hpp"
#include "storage/sqlite/database.hpp"
#include "tests/simulation/memory_place.hpp"
#include "tests/simulation/played_schedule.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

namespace {

using storage::sqlite::connection;
using storage::sqlite::open_options;

class sqlite_in_memory final : public sim_database {
public:
  explicit sqlite_in_memory(bool shared)
    : shared_{shared}, where_{new_memory_place()}, tables_{test::expect(connection::open(where_))} {
    make_tables(*tables_);
  }

  std::unique_ptr<storage::store> open() override {
    return storage::sqlite::make_store({test::expect(connection::open(where_)), storage::datetime_text{core::zone{}}, {}});
  }
  connection* tables() noexcept override { return tables_.get(); }
  std::unique_ptr<shared_schedule> make_schedule(schedule_surroundings seen) override {
    return shared_ ? std::make_unique<played_schedule>(*tables_, std::move(seen)) : nullptr;
  }

  void copy() override {
    copied_ = test::expect(connection::open(new_memory_place()));
    copy_pages(*tables_, *copied_);
  }
  void restore() override { copy_pages(*copied_, *tables_); }

private:
  bool shared_;
  open_options where_;
  /// The database lives as long as a connection to it.
  std::unique_ptr<connection> tables_;
  std::unique_ptr<connection> copied_;
};

} // namespace

std::unique_ptr<sim_database> make_memory_database(bool shared) { return std::make_unique<sqlite_in_memory>(shared); }

} // namespace ringmaster::simulation
