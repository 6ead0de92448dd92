#pragma once

// The store's part of shared mode (firing protocol §8), simulated (`played_schedule.hpp`) or MySQL's own (`real_schedule.hpp`).
// Each call is one transaction. The holder of the schedule lock, and the duration, follow virtual time.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster/cluster_mode.hpp"
#include "core/cluster/node.hpp"
#include "storage/reservations.hpp"
#include "tests/simulation/shared_checker.hpp"
#include "tests/simulation/xxl_table.hpp"

namespace ringmaster::simulation {

/// Rules of shared mode; a mutant leaves one out.
struct shared_rules {
  /// S1: reservations take the schedule lock.
  bool reserves_under_lock = true;
  /// S2: edits by Ringmaster take it.
  bool edits_under_lock = true;
  /// §7.3: an edit keeps the last instant that was taken.
  bool keeps_last = true;
  /// §7.1: an edit that does not change the schedule keeps its reserved instants.
  bool keeps_reserved = true;
  /// S3: a claim checks the job of a reserved instant again.
  bool looks_again = true;
  /// S5: a reserved instant that was taken is remembered.
  bool remembers_taken = true;
  /// Giving back stops before an instant that another planner took.
  bool gives_back_in_order = true;
  /// An instant that is given back is due again.
  bool gives_back_due = true;
  /// A takeover continues from the table: after the instants that Java admins have planned.
  bool takes_over_next = true;
  /// After a takeover nothing is due in the table, and the lock is held.
  bool closes_table = true;
  /// A `takeover --back` that gives up leaves the times hidden and withdraws its announcement.
  bool stays_closed = true;
};

/// Environment of a schedule, and its listeners.
struct schedule_surroundings {
  shared_rules rules;
  shared_checker& checker;
  /// The database's clock.
  std::function<core::time_point()> now;
  /// Called with each incarnation that a switch ends.
  std::function<void(const core::node_incarnation&)> ended;
};

class shared_schedule {
public:
  explicit shared_schedule(schedule_surroundings seen) : seen_{std::move(seen)} {}
  virtual ~shared_schedule() = default;

  [[nodiscard]] const shared_rules& rules() const noexcept { return seen_.rules; }
  [[nodiscard]] virtual xxl_table& table() = 0;
  /// Returns whether the database does all of it itself: its own claim checks reserved instants, and users see its own times.
  [[nodiscard]] virtual bool is_real() const = 0;

  // -- the schedule lock: of a node's guard, or of a Java admin's pass
  [[nodiscard]] bool is_locked_for(const std::string& who) const noexcept { return !holder_.empty() && holder_ != who; }
  /// Returns false if it has another holder.
  bool lock(const std::string& who);
  void unlock(const std::string& who);
  [[nodiscard]] const std::string& lock_holder() const noexcept { return holder_; }
  /// Cuts the holder's connection.
  void cut_lock() { holder_.clear(); }

  // -- the roles of a store (`storage::reservation_store`)
  [[nodiscard]] virtual core::mode_state mode() = 0;
  virtual core::result<core::reserve_outcome> reserve(const core::node_incarnation& owner,
                                                      const core::reserve_window& window) = 0;
  virtual core::result<core::drop_outcome> drop(const core::node_incarnation& owner,
                                                std::span<const core::dropped_instant> instants, core::time_point now) = 0;
  virtual core::result<std::size_t> put_back(const core::node_incarnation& owner) = 0;
  virtual core::result<std::size_t> forget(core::time_point before, std::size_t limit) = 0;
  bool hold(const std::string& who);

  // -- `ringmaster takeover`
  /// Announces a switch; returns false if there is nothing to do.
  virtual bool announce(core::cluster_mode to) = 0;
  /// Switches the mode, under the lock.
  virtual void switch_mode(core::cluster_mode to) = 0;
  /// Withdraws the announcement, because the lock was not released.
  virtual void give_up() = 0;

  // -- claims and edits, before and after the store's own
  /// Does S3 where the store does not: removes runs from the batch whose instant must not be fired any more, and returns their
  /// intents.
  [[nodiscard]] virtual std::vector<core::intent_id> drop_changed(core::claim_batch& batch) = 0;
  virtual void claimed(const core::claim_outcome& outcome) = 0;
  virtual void before_edit() = 0;
  virtual void after_edit() = 0;

protected:
  schedule_surroundings seen_;

private:
  std::string holder_;
};

} // namespace ringmaster::simulation
