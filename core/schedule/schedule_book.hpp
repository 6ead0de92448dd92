#pragma once

// The planner's memory: the jobs that this node knows, their times and their compiled schedules. Soft state: the store's
// compare-and-set decides.

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/job/job.hpp"
#include "core/schedule/firing_heap.hpp"
#include "core/schedule/schedule.hpp"
#include "core/schedule/schedule_check.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// Jobs and the heap of their next times. Owned by one actor; not thread-safe.
class schedule_book {
public:
  /// A job that is due inside the horizon, with the rule to plan it.
  struct due_entry {
    job_ptr spec;
    time_point next;
    std::shared_ptr<const schedule> rule;
  };

  /// A job that cannot be planned, and the reason.
  struct bad_schedule {
    job_id job{};
    std::string reason;
  };

  explicit schedule_book(zone where) : rules_{std::move(where)} {}

  /// Stores a job as read from the store, replacing the earlier entry. Returns the reason if the job cannot be planned: it is
  /// kept but never due.
  [[nodiscard]] std::optional<bad_schedule> put(scheduled_job&& read);

  /// Forgets a job; unknown ids are ignored.
  void erase(job_id job);

  /// Forgets everything.
  void clear();

  /// Forgets the jobs for whose ids `gone` returns true.
  template <class Predicate>
  void erase_if(Predicate gone) {
    std::erase_if(entries_, [&](const auto& known) { return gone(job_id{known.first}); });
  }

  /// Returns the job; null if it is unknown.
  [[nodiscard]] job_ptr find(job_id job) const;

  /// Returns the revision with which the job was read; unset if it is unknown.
  [[nodiscard]] std::optional<std::int64_t> revision_of(job_id job) const;

  /// Takes one job with next <= `until` out of the heap, earliest first; it is busy until `moved`, `put` or `retry_at`.
  [[nodiscard]] std::optional<due_entry> take_due(time_point until);

  /// Stores the times after this node's own claim; `next` is unset for an exhausted schedule.
  void moved(job_id job, std::optional<time_point> next, time_point last);

  /// Schedules the job to be looked at again at `when`, because it was not claimed.
  void retry_at(job_id job, time_point when);

  /// Returns the earliest time at which a job must be looked at (its next time, or its retry time).
  [[nodiscard]] std::optional<time_point> next_look();

  /// Checks about `limit` jobs from position `from` on and collects those whose times lie implausibly ahead (`check_times`).
  /// Returns the next position; 0 at the end of the round. A job that is stored or erased during a round may be missed in it.
  [[nodiscard]] std::size_t check_some(std::size_t from, std::size_t limit, time_point now, milliseconds tolerance,
                                       std::vector<far_ahead>& found) const;

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  /// Returns the number of items in the heap, including outdated ones that have not reached its front.
  [[nodiscard]] std::size_t looks() const noexcept { return looks_.size(); }

private:
  struct entry {
    scheduled_job read;
    std::shared_ptr<const schedule> rule; // null: cannot be planned
    std::uint64_t version = 0;            // version of the valid heap item; others are stale
    bool waiting = false;                 // a valid heap item exists
  };
  struct look {
    job_id job{};
    std::uint64_t version = 0;
  };

  /// Maximum number of stale heap items in excess of the number of jobs.
  static constexpr std::size_t stale_looks_max = 1024;

  void push(entry& of, time_point when);
  [[nodiscard]] bool is_stale(const look& item) const;
  void drop_stale();

  std::unordered_map<std::int32_t, entry> entries_;
  firing_heap<look> looks_;
  /// The last version given to an entry. Versions never come again: the heap keeps items of erased jobs, which may come back.
  std::uint64_t versions_ = 0;
  schedule_rules rules_;
};

} // namespace ringmaster::core
