#pragma once

// Simulation of the product's SQL of shared mode on MySQL, on the tables of a simulation.

#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/shared_schedule.hpp"

namespace ringmaster::simulation {

class played_schedule final : public shared_schedule {
public:
  played_schedule(storage::sqlite::connection& tables, schedule_surroundings seen);

  xxl_table& table() override { return table_; }
  bool is_real() const override { return false; }
  core::mode_state mode() override { return {mode_, wanted_ && *wanted_ != mode_ && seen_.now() < forgotten_at_}; }
  core::result<core::reserve_outcome> reserve(const core::node_incarnation& owner, const core::reserve_window& window) override;
  core::result<core::drop_outcome> drop(const core::node_incarnation& owner,
                                        std::span<const core::dropped_instant> instants, core::time_point now) override;
  core::result<std::size_t> put_back(const core::node_incarnation& owner) override;
  core::result<std::size_t> forget(core::time_point before, std::size_t limit) override;
  bool announce(core::cluster_mode to) override;
  void switch_mode(core::cluster_mode to) override;
  void give_up() override;
  std::vector<core::intent_id> drop_changed(core::claim_batch& batch) override;
  void claimed(const core::claim_outcome&) override {}
  void before_edit() override;
  void after_edit() override;

private:
  struct waiting;

  [[nodiscard]] bool is_current(const core::node_incarnation& life);
  [[nodiscard]] bool is_as_reserved(core::intent_id intent);
  [[nodiscard]] std::vector<xxl_row> due(const core::reserve_window& window);
  void reserve(const xxl_row& row, const core::node_incarnation& owner, const core::reserve_window& window,
               core::reserve_outcome& out);
  void insert(const xxl_row& row, const core::planned_firing& firing, const core::node_incarnation& owner,
              core::reserve_outcome& out);
  std::size_t put_instants_back(const std::string& node);
  std::size_t give_back(const xxl_row& row, const std::vector<waiting>& instants);
  void end_all_incarnations();
  void copy_from_table();
  void pass_taken_instants();
  void copy_to_table();
  void show_strangers();

  storage::sqlite::connection& db_;
  played_table table_;
  core::cluster_mode mode_ = core::cluster_mode::shared;
  std::optional<core::cluster_mode> wanted_;
  /// Time after which an announcement without a switch has no effect.
  core::time_point forgotten_at_{};
  std::vector<xxl_row> before_edit_;
};

} // namespace ringmaster::simulation
