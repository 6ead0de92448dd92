#pragma once

// Claims of a node's present incarnation, from their request to their deletion.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actors/logger.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Claims of this incarnation that may be in the store, by number, each in one state; and the search for claims that no actor
/// works on ([selfrec]). Part of the state of storage_actor.
///
/// Invariant: a claim is asked until the store answers, then open while it has unresolved runs, then closing until the store has
/// answered the request to delete it. It closes only if the store has the results of all its runs. Any other claim is left: a
/// search may find it in the store, a moment before its answer arrives here, or a moment longer than its last run is settled. So
/// it is reported only if two searches in a row found it, the second of which began after the first had ended; and only a few
/// times, at intervals. A left claim that a search does not find any more is forgotten.
class claim_table {
public:
  using steady = caf::actor_clock::time_point;

  explicit claim_table(logger log) : log_{std::move(log)} {}

  /// Adds a claim that is requested from the store.
  void ask(std::int64_t claim) { claims_.try_emplace(claim); }
  /// Adds unresolved runs of a claim: those that the store has kept, or those that recovery works on.
  void open(std::int64_t claim, std::uint32_t runs);
  /// Records that the store has refused a claim of this incarnation.
  void refuse(std::int64_t claim);
  /// Forgets a requested claim: the store kept no run of it, or the incarnation that requested it has ended.
  void forget(std::int64_t claim);

  /// Counts one run less for an open claim; `recorded` false: the run is not settled in the store, so the claim must stay there.
  /// Returns true if the claim is to be deleted now.
  [[nodiscard]] bool close_run(std::int64_t claim, bool recorded);
  /// Records that the store has answered the request to delete these claims. A claim that is still there is searched for like
  /// any other.
  void closed(const std::vector<std::int64_t>& claims);

  /// Ends the incarnation. Requests without an answer stay known.
  void end_incarnation();

  [[nodiscard]] bool is_open(std::int64_t claim) const;
  [[nodiscard]] std::size_t open_claims() const noexcept { return open_; }
  /// Returns the number of claims in any state.
  [[nodiscard]] std::size_t size() const noexcept { return claims_.size(); }

  /// Begins a search if the next one is due and none is under way; else returns false.
  [[nodiscard]] bool begin_search(steady t);
  /// Ends the search that is under way, also if the store did not answer.
  void end_search() noexcept { searching_ = false; }
  /// Returns the claims to report; `stored`: the claims of this incarnation that the search found. Walks only these and the
  /// claims that were left.
  [[nodiscard]] protocol::stray_claims find_strays(const std::vector<std::int64_t>& stored, steady t);

  /// Returns whether claims that were left may still be in the store.
  [[nodiscard]] bool has_left() const noexcept { return !left_.empty(); }

private:
  enum class state : std::uint8_t {
    asked,
    open,
    /// Open, with a run that is not settled in the store: the claim will be left.
    incomplete,
    closing,
    left,
    /// Left, and the last search found it.
    suspect,
  };

  struct entry {
    state now = state::asked;
    /// Number of unresolved runs; 0 unless the claim is open.
    std::uint32_t runs = 0;
    /// The answer to the request was a refusal.
    bool refused = false;
    /// Number of times that the claim was reported, and the time from which it may be reported again.
    int reports = 0;
    steady next_report{};
    /// Number of the last search that found the left claim, or that began before the claim was left.
    std::uint64_t seen_in = 0;
  };
  using entries = std::unordered_map<std::int64_t, entry>;

  [[nodiscard]] static bool is_open(const entry& claim) noexcept;
  [[nodiscard]] static bool is_left(const entry& claim) noexcept;
  /// Changes the state of a claim. Keeps the number of open claims.
  void move(entry& claim, state next) noexcept;
  void leave(entries::iterator claim);
  /// Remembers a left claim until a search does not find it.
  void remember(std::int64_t claim, entry& left);
  void forget_gone();
  void report(std::int64_t claim, entry& of, steady t, protocol::stray_claims& strays);

  logger log_;
  entries claims_;
  std::size_t open_ = 0;
  /// All left claims, and claims that were left and are open again.
  std::unordered_set<std::int64_t> left_;
  bool searching_ = false;
  /// Number of searches that have begun.
  std::uint64_t searches_ = 0;
  steady next_search_{};
};

} // namespace ringmaster::actors
