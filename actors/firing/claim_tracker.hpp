#pragma once

// Claims of the planner that the store has not answered yet.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/run/run.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Changes that a claim under way makes, to be undone or done when its answer arrives.
struct pending_claim {
  /// Generation of the definitions that it was planned with.
  std::int64_t generation = 0;
  std::vector<core::schedule_move> moves = {};
  /// Definition with which each move was planned.
  std::vector<core::job_ptr> specs = {};
  /// Number of instants that each move drops by its job's misfire policy.
  std::vector<std::size_t> dropped = {};
  /// Number of missed instants that the late run of each move replaces besides one.
  std::vector<std::size_t> merged = {};
  std::vector<core::intent> intents = {};
  protocol::slot_release slots = {};

  /// Returns true if a move drops or replaces instants.
  [[nodiscard]] bool misses_any() const noexcept;
};

/// Numbers claims and keeps them until they are answered. Limits the jobs of a claim: the limit falls when the store refuses a
/// claim, until the refused job is alone, and rises with each success. Part of the state of schedule_actor.
class claim_tracker {
public:
  static constexpr auto unlimited = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t size() const noexcept { return claims_.size(); }
  [[nodiscard]] bool empty() const noexcept { return claims_.empty(); }

  [[nodiscard]] std::int64_t next_sequence() noexcept { return next_sequence_++; }
  void add(std::int64_t sequence, pending_claim&& claim) { claims_.emplace(sequence, std::move(claim)); }

  /// Removes and returns an answered claim of the present incarnation.
  [[nodiscard]] std::optional<pending_claim> take(std::int64_t sequence);
  /// Removes and returns an answered claim of an earlier incarnation; only those that drop or replace instants are
  /// kept.
  [[nodiscard]] std::optional<pending_claim> take_former(std::int64_t sequence);

  /// Ends the incarnation: its claims may still succeed. Returns the lane slots that they held.
  [[nodiscard]] protocol::slot_release end_incarnation();

  [[nodiscard]] std::size_t jobs_max() const noexcept { return jobs_max_; }
  /// Lowers the limit after a claim of `jobs` jobs and intents was refused.
  void lower(std::size_t jobs) noexcept { jobs_max_ = jobs / 2 > 0 ? jobs / 2 : 1; }
  /// Raises the limit after a success; at `rows_max` it ends.
  void raise(std::size_t rows_max) noexcept;

private:
  std::int64_t next_sequence_ = 1;
  std::unordered_map<std::int64_t, pending_claim> claims_;
  std::unordered_map<std::int64_t, pending_claim> former_;
  std::size_t jobs_max_ = unlimited;
};

} // namespace ringmaster::actors
