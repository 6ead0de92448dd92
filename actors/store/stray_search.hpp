#pragma once

// Search for claims of this incarnation that no actor works on ([selfrec]).

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "actors/logger.hpp"
#include "actors/store/open_claims.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Compares the claims in the store with the known ones, again and again. A claim may be in the store a moment before its answer
/// arrives here, or a moment longer than its last run is settled. Invariant: a claim is reported only if two searches, the second
/// of which began after the first had ended, found it and it was unknown; and only a few times, at intervals. Part of the state
/// of storage_actor.
class stray_search {
public:
  using steady = caf::actor_clock::time_point;

  explicit stray_search(logger log) : log_{std::move(log)} {}

  /// Begins a search if the next one is due and none is under way; else returns false.
  [[nodiscard]] bool begin(steady t);
  /// Ends the search that is under way, also if the store did not answer.
  void end() noexcept { under_way_ = false; }

  /// Returns the claims to report; `stored`: the open claims of this incarnation that the search found.
  [[nodiscard]] protocol::stray_claims compare(const std::vector<std::int64_t>& stored, const open_claims& claims, steady t);

  void end_incarnation();

private:
  /// Claim that was reported to recovery.
  struct told_stray {
    int times = 0;
    /// Time from which it may be reported again.
    steady next{};
  };

  void tell(std::int64_t claim, bool was_refused, steady t, protocol::stray_claims& strays);

  logger log_;
  bool under_way_ = false;
  steady next_{};
  /// Claims that in the last search only the store knew.
  std::unordered_set<std::int64_t> suspects_;
  std::unordered_map<std::int64_t, told_stray> told_;
};

} // namespace ringmaster::actors
