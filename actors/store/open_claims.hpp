#pragma once

// Claims of a node's present incarnation, from their request to their deletion.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ringmaster::actors {

/// Numbers of the claims of this incarnation that may be in the store. A claim is asked until the store answers, then open while
/// it has unresolved runs, then closing until the store has answered the request to delete it. Invariant: a claim leaves the open
/// ones with its last run. It closes if the store has the results of all its runs; otherwise it is not known here any more, so
/// that a search finds it in the store. Part of the state of storage_actor.
class open_claims {
public:
  void ask(std::int64_t claim) { asked_.insert(claim); }
  /// Records that the store has answered; `refuse` or `open` follows if the claim was refused or has runs.
  void answered(std::int64_t claim) { asked_.erase(claim); }
  /// Records that the store has refused a claim of this incarnation.
  void refuse(std::int64_t claim) { refused_.insert(claim); }
  /// Adds unresolved runs of a claim.
  void open(std::int64_t claim, std::uint32_t runs) { open_[claim].runs += runs; }

  /// Counts one run less for an open claim; `recorded` false: the run is not settled in the store, so the claim must stay there.
  /// Returns true if the claim is to be deleted now.
  [[nodiscard]] bool close_run(std::int64_t claim, bool recorded);
  /// Records that the store has answered the request to delete these claims. A claim that is still there is searched for like
  /// any other.
  void closed(const std::vector<std::int64_t>& claims);

  /// Ends the incarnation. Requests without an answer stay known.
  void end_incarnation();

  [[nodiscard]] bool is_open(std::int64_t claim) const { return open_.contains(claim); }
  /// Returns true if an actor works on the claim: it is asked, open, or closing.
  [[nodiscard]] bool is_known(std::int64_t claim) const;
  [[nodiscard]] bool was_refused(std::int64_t claim) const { return refused_.contains(claim); }
  /// Returns the number of open claims.
  [[nodiscard]] std::size_t size() const noexcept { return open_.size(); }

private:
  struct open_claim {
    /// Number of unresolved runs.
    std::uint32_t runs = 0;
    /// The claim has an unrecorded run that no actor works on.
    bool incomplete = false;
  };

  std::unordered_map<std::int64_t, open_claim> open_;
  /// Claims that are waiting for their answer.
  std::unordered_set<std::int64_t> asked_;
  /// Claims whose answer was that nothing was kept.
  std::unordered_set<std::int64_t> refused_;
  /// Resolved claims, and those whose deletion is under way.
  std::unordered_set<std::int64_t> closing_;
};

} // namespace ringmaster::actors
