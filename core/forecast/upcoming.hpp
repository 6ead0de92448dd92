#pragma once

// The next firings in order: the production planner on a virtual clock, cut into pages. Only for display; nothing is claimed.

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "core/editing/job_draft.hpp"
#include "core/schedule/schedule_book.hpp"
#include "core/schedule/schedule_rules.hpp"

namespace ringmaster::core {

/// Limits of one page: span, jobs and firings.
inline constexpr std::chrono::hours upcoming_span_max{24 * 31};
inline constexpr std::size_t upcoming_jobs_max = 10'000;
inline constexpr std::size_t upcoming_rows_max = 500;

/// Most firings of a first page that begins at the present and needs only the jobs that are due first, and the number of these
/// jobs.
inline constexpr std::size_t first_firings_max = 50;
inline constexpr std::size_t first_jobs_read = 200;

/// Position in the list: firings after this one, or from its instant on.
struct upcoming_place {
  time_point at{};
  /// At that instant, only firings of jobs with a higher id; 0: all of them.
  job_id job{};
  /// The present, if the first page began with it: an overdue job fires then, if at all. Otherwise (the epoch) jobs are assumed
  /// to have fired as planned until the first page.
  time_point present{};
  friend bool operator==(const upcoming_place&, const upcoming_place&) = default;
};

struct upcoming_search {
  /// Without a job, the page begins at this instant.
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
  /// Ordered by instant, then by job. Late instants of one job are one firing.
  std::vector<upcoming_firing> firings;
  /// Start of the next page; unset if there are no more firings up to `until`.
  std::optional<upcoming_place> next;
  /// The time limit ended the walk before the page was full.
  bool truncated = false;
  /// Jobs whose schedule cannot be planned.
  std::vector<job_id> bad;
};

/// A page builder: takes jobs, then makes one page of their firings. Its memory grows with the number of jobs.
class upcoming {
public:
  /// Callback between two instants: false ends the page. It is called only after the first instant, so that each page makes
  /// progress.
  using may_go_on = std::function<bool()>;

  upcoming(upcoming_search search, milliseconds misfire_after, zone where);

  /// Returns true if the jobs that are due first decide the page: it begins at the present and is short.
  [[nodiscard]] static bool needs_first_jobs_only(const upcoming_search& search) noexcept;

  /// Returns whether the page may end after `last`. Otherwise jobs that are due after it may be overdue, too: all overdue jobs
  /// fire at the begin of the page, in the order of their ids.
  [[nodiscard]] bool can_end_after(const job_record& last) const noexcept { return last.next > search_.from.at; }

  /// Ends the page where jobs that were not added may fire: all of them are due after `last`, by next time and then by id.
  /// Precondition: `can_end_after(last)`.
  void end_after(const job_record& last) { last_known_ = upcoming_place{last.next, last.id, search_.from.present}; }

  /// Adds a job. A job that does not run, or does not fire inside the span, is ignored.
  void add(const job_record& job);

  [[nodiscard]] upcoming_page page(const may_go_on& go_on) &&;

private:
  /// Returns the instant from which the job is walked; unset if it does not fire any more.
  [[nodiscard]] std::optional<time_point> begin_of(const job_ptr& spec, const job_record& job, const schedule& rule) const;
  void take(const schedule_book::due_entry& due, time_point now);
  /// Puts the firings of `at` on the page. Returns false if it is full.
  bool close(time_point at);
  /// Walks until the page is full or the span ends.
  void fill(const may_go_on& go_on);
  /// Removes the firings that others may precede.
  void cut_unknown();

  upcoming_search search_;
  milliseconds misfire_after_;
  schedule_rules rules_;
  schedule_book book_;
  /// Keeps rules alive; otherwise each job would compile its rule again.
  std::vector<schedule_rules::rule> held_rules_;
  upcoming_page page_;
  /// Unset: all jobs were added.
  std::optional<upcoming_place> last_known_;
  /// Firings at the present instant of the walk.
  std::vector<upcoming_firing> at_once_;
};

} // namespace ringmaster::core
