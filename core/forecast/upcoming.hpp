#pragma once

// What fires next, in order: the production planner on a virtual clock, cut into pages. For people; nothing is claimed by it.

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "core/editing/job_draft.hpp"
#include "core/schedule/schedule_book.hpp"
#include "core/schedule/schedule_rules.hpp"

namespace ringmaster::core {

/// The longest span, the most jobs and the most firings of one page.
inline constexpr std::chrono::hours upcoming_span_max{24 * 31};
inline constexpr std::size_t upcoming_jobs_max = 10'000;
inline constexpr std::size_t upcoming_rows_max = 500;

/// Firings behind this one, or from its instant on.
struct upcoming_place {
  time_point at{};
  /// Of firings at that instant those of later jobs; 0: all of them.
  job_id job{};
  /// The present, when the first page began with it: an overdue job fires then, if at all. Otherwise (the epoch) jobs are taken
  /// to have fired as planned until the first page.
  time_point present{};
  friend bool operator==(const upcoming_place&, const upcoming_place&) = default;
};

struct upcoming_search {
  /// Without a job: the page begins with it.
  upcoming_place from;
  /// Exclusive.
  time_point until{};
  std::size_t limit = 50;
};

struct upcoming_firing {
  time_point at{};
  job_id job{};
  group_id group{};
};

struct upcoming_page {
  /// In order of their instants, those of one instant in order of their jobs. Late instants of one job are one firing.
  std::vector<upcoming_firing> firings;
  /// Where the next page begins; nothing: there is no more up to `until`.
  std::optional<upcoming_place> next;
  /// The walk ended for want of time, and not because the page was full.
  bool truncated = false;
  /// Jobs whose schedule cannot be planned.
  std::vector<job_id> bad;
};

/// Takes jobs, then makes one page of what they do. Memory goes with the number of the jobs.
class upcoming {
public:
  /// Asked between two instants: false ends the page. Never asked before one is done, so each page comes further.
  using may_go_on = std::function<bool()>;

  upcoming(upcoming_search search, milliseconds misfire_after, zone where);

  /// One that does not run, or does not fire inside the span, counts for nothing.
  void add(const job_record& job);

  [[nodiscard]] upcoming_page page(const may_go_on& go_on) &&;

private:
  /// From which instant on the job is walked along; nothing: it does not fire any more.
  [[nodiscard]] std::optional<time_point> begin_of(const job_ptr& spec, const job_record& job, const schedule& rule) const;
  void take(const schedule_book::due_entry& due, time_point now);
  /// Puts the firings of `at` on the page. False: it is full.
  bool close(time_point at);

  upcoming_search search_;
  milliseconds misfire_after_;
  schedule_rules rules_;
  schedule_book book_;
  /// A rule that nobody holds is compiled anew for the next job.
  std::vector<schedule_rules::rule> held_rules_;
  upcoming_page page_;
  /// At the instant that is being walked through.
  std::vector<upcoming_firing> at_once_;
};

} // namespace ringmaster::core
