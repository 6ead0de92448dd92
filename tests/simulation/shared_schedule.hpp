#pragma once

// The store's part of shared mode (firing protocol §8): what the product does with SQL on MySQL, on the tables of a simulation.
// Each call is one transaction. Who has the schedule lock, and for how long, is a matter of virtual time.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cluster_mode.hpp"
#include "core/node.hpp"
#include "storage/reservations.hpp"
#include "tests/simulation/shared_checker.hpp"
#include "tests/simulation/xxl_table.hpp"

namespace ringmaster::simulation {

/// Rules of shared mode; a mutant leaves one out.
struct shared_rules {
  /// S1: reservations take the schedule lock.
  bool reserves_under_lock = true;
  /// S2: edits of ours take it.
  bool edits_under_lock = true;
  /// §7.3: an edit keeps the last instant that anybody took.
  bool keeps_last = true;
  /// §7.1: an edit that leaves the schedule alone leaves what is reserved of it.
  bool keeps_reserved = true;
  /// S3: a claim looks at the job of a reserved instant again.
  bool looks_again = true;
  /// S5: a reserved instant that was taken is remembered.
  bool remembers_taken = true;
  /// Giving back stops where somebody else took an instant in between.
  bool gives_back_in_order = true;
  /// What is given back is due again.
  bool gives_back_due = true;
  /// A takeover goes on where the table stands: behind what Java admins have planned.
  bool takes_over_next = true;
  /// Behind a takeover nothing is due in the table, and the lock is held.
  bool closes_table = true;
  /// A `takeover --back` that gives up leaves the times hidden and is not wanted any more.
  bool stays_closed = true;
};

class shared_schedule {
public:
  /// `now`: the database's clock. `ended`: told of each life that a switch ends.
  shared_schedule(storage::sqlite::connection& tables, shared_rules rules, shared_checker& checker,
                  std::function<core::time_point()> now, std::function<void(const core::node_life&)> ended);

  [[nodiscard]] const shared_rules& rules() const noexcept { return rules_; }
  [[nodiscard]] xxl_table& table() noexcept { return table_; }

  // -- the schedule lock: of a node's guard, or of a Java admin's pass
  [[nodiscard]] bool is_locked_for(const std::string& who) const noexcept { return !holder_.empty() && holder_ != who; }
  /// False: somebody else has it.
  bool lock(const std::string& who);
  void unlock(const std::string& who);
  [[nodiscard]] const std::string& lock_holder() const noexcept { return holder_; }

  // -- the roles of a store (`storage::reservation_store`)
  [[nodiscard]] core::mode_state mode() const { return {mode_, wanted_ && *wanted_ != mode_ && now_() < forgotten_at_}; }
  core::result<core::reserve_outcome> reserve(const core::node_life& owner, const core::reserve_window& window);
  core::result<void> drop(const core::node_life& owner, std::span<const core::intent_id> intents, core::time_point now);
  core::result<std::size_t> put_back(const core::node_life& owner);
  std::size_t forget(core::time_point before, std::size_t limit);
  bool hold(const std::string& who);

  // -- `ringmaster takeover`
  /// False: nothing is to be done.
  bool announce(core::cluster_mode to);
  /// Under the lock.
  void switch_mode(core::cluster_mode to);
  /// The lock did not come free.
  void give_up();
  /// The holder's connection is cut.
  void cut_lock() { holder_.clear(); }

  // -- claims and edits, in front of the store's own
  /// S3: takes the runs out of the batch whose instant must not be fired any more; their intents.
  [[nodiscard]] std::vector<core::intent_id> drop_changed(core::claim_batch& batch);
  void before_edit();
  void after_edit();

private:
  struct waiting;

  [[nodiscard]] bool is_current(const core::node_life& life);
  [[nodiscard]] bool is_as_reserved(core::intent_id intent);
  void reserve(const xxl_row& row, const core::node_life& owner, const core::reserve_window& window,
               core::reserve_outcome& out);
  void insert(const xxl_row& row, const core::planned_firing& firing, const core::node_life& owner, core::reserve_outcome& out);
  std::size_t put_instants_back(const std::string& node);
  std::size_t give_back(const xxl_row& row, const std::vector<waiting>& instants);
  void end_all_lives();
  void copy_from_table();
  void copy_to_table();
  void show_strangers();

  storage::sqlite::connection& db_;
  shared_rules rules_;
  shared_checker& checker_;
  std::function<core::time_point()> now_;
  std::function<void(const core::node_life&)> ended_;
  xxl_table table_;
  core::cluster_mode mode_ = core::cluster_mode::shared;
  std::optional<core::cluster_mode> wanted_;
  /// An announcement that nobody acted on means nothing from then on.
  core::time_point forgotten_at_{};
  std::string holder_;
  std::vector<xxl_row> before_edit_;
};

} // namespace ringmaster::simulation
