#pragma once

// Shared mode as in MySQL's store, with an account of the changes of each call in the tables.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "storage/reservations.hpp"
#include "tests/simulation/shared_schedule.hpp"
#include "tests/storage/databases.hpp"

namespace ringmaster::simulation {

/// `xxl_job_info` of a database of the conformance suite.
class real_table final : public xxl_table {
public:
  explicit real_table(test::test_database& of) : db_{of} {}

  std::vector<xxl_row> rows() override;
  std::optional<xxl_row> row(core::job_id job) override;
  void write(const xxl_row& row, xxl_columns which) override;

private:
  [[nodiscard]] std::vector<xxl_row> read(const std::string& condition);

  test::test_database& db_;
};

class real_schedule final : public shared_schedule {
public:
  real_schedule(test::test_database& of, schedule_surroundings seen);

  xxl_table& table() override { return table_; }
  bool is_real() const override { return true; }
  core::mode_state mode() override;
  core::result<core::reserve_outcome> reserve(const core::node_incarnation& owner, const core::reserve_window& window) override;
  core::result<core::drop_outcome> drop(const core::node_incarnation& owner,
                                        std::span<const core::dropped_instant> instants, core::time_point now) override;
  core::result<std::size_t> put_back(const core::node_incarnation& owner) override;
  core::result<std::size_t> forget(core::time_point before, std::size_t limit) override;
  bool announce(core::cluster_mode to) override;
  void switch_mode(core::cluster_mode to) override;
  void give_up() override;
  std::vector<core::intent_id> drop_changed(core::claim_batch&) override { return {}; }
  void claimed(const core::claim_outcome& outcome) override;
  void before_edit() override { before_edit_ = table_.rows(); }
  void after_edit() override;

private:
  struct instant {
    core::job_id job{};
    core::time_point at{};
    core::trigger_kind kind = core::trigger_kind::cron;
  };
  using instants = std::map<std::int64_t, instant>;

  [[nodiscard]] instants waiting();
  [[nodiscard]] shared_checker::next_times planned();
  [[nodiscard]] std::vector<core::node_incarnation> lives();
  /// Records that instants of `before` that no longer wait were given back, each job's with one row.
  void note_given_back(const instants& before, const std::vector<xxl_row>& rows);
  storage::reservation_store& role() { return *store_->reservations(); }

  test::test_database& db_;
  real_table table_;
  std::unique_ptr<storage::store> store_;
  std::map<std::int64_t, core::job_id> job_of_;
  std::vector<xxl_row> before_edit_;
  /// Time at which the last announcement expires: the server's clock is not the run's.
  core::time_point forgotten_at_{};
};

} // namespace ringmaster::simulation
