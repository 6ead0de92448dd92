#pragma once

// The planner's memory: which jobs this node knows, when each must be looked at, and their compiled schedules. Soft state: the
// store's compare-and-set decides.

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

  /// Why a job cannot be planned.
  struct bad_schedule {
    job_id job{};
    std::string reason;
  };

  explicit schedule_book(zone where) : rules_{std::move(where)} {}

  /// Takes a job as the store has it; replaces what was known. Returns why it cannot be planned, if so: such a job is kept, but
  /// never due.
  [[nodiscard]] std::optional<bad_schedule> put(scheduled_job&& read);

  /// Forgets a job; unknown ones are ignored.
  void erase(job_id job);

  /// Forgets everything.
  void clear();

  /// Forgets the jobs for whose ids `gone` says so.
  template <class Predicate>
  void erase_if(Predicate gone) {
    std::erase_if(entries_, [&](const auto& known) { return gone(job_id{known.first}); });
  }

  /// Null when unknown.
  [[nodiscard]] job_ptr find(job_id job) const;

  /// Of the edit that the job was read with; nothing when it is unknown.
  [[nodiscard]] std::optional<std::int64_t> revision_of(job_id job) const;

  /// Takes one job with next <= `until` out of the heap, earliest first; it is busy until `moved`, `put` or `retry_at`.
  [[nodiscard]] std::optional<due_entry> take_due(time_point until);

  /// The schedule was moved by our own claim; nothing: exhausted.
  void moved(job_id job, std::optional<time_point> next, time_point last);

  /// Not claimed: look at it again at `when`.
  void retry_at(job_id job, time_point when);

  /// The earliest time at which a job must be looked at (its next time, or its retry time).
  [[nodiscard]] std::optional<time_point> next_look();

  /// Looks at about `limit` jobs from the place `from` on and collects those whose times lie implausibly ahead
  /// (`check_times`). Returns where to go on; 0: that was the end of the round. A job that is put or erased during a round may be
  /// missed in it.
  [[nodiscard]] std::size_t check_some(std::size_t from, std::size_t limit, time_point now, milliseconds tolerance,
                                       std::vector<far_ahead>& found) const;

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  /// Items in the heap, with those that are out of date and have not come to its front.
  [[nodiscard]] std::size_t looks() const noexcept { return looks_.size(); }

private:
  struct entry {
    scheduled_job read;
    std::shared_ptr<const schedule> rule; // null: cannot be planned
    std::uint32_t version = 0;            // of the valid heap item; others are stale
    bool waiting = false;                 // a valid heap item exists
  };
  struct look {
    job_id job{};
    std::uint32_t version = 0;
  };

  /// Beyond as many as there are jobs.
  static constexpr std::size_t stale_looks_max = 1024;

  void push(entry& of, time_point when);
  [[nodiscard]] bool is_stale(const look& item) const;
  void drop_stale();

  std::unordered_map<std::int32_t, entry> entries_;
  firing_heap<look> looks_;
  schedule_rules rules_;
};

} // namespace ringmaster::core
