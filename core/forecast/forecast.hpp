#pragma once

// A forecast: the production planner on a virtual clock, whose firings are counted instead of claimed.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/schedule/schedule_book.hpp"
#include "core/schedule/schedule_rules.hpp"

namespace ringmaster::core {

struct forecast_options {
  time_point from{};
  time_point until{};
  /// True if `from` is the present: an overdue job fires late or by its misfire policy, as it would now. Otherwise jobs are
  /// assumed to have fired as planned up to `from`.
  bool from_now = true;
  milliseconds misfire_after{5000};
  /// Maximum number of listed peaks and firings.
  std::size_t peaks_max = 10;
  std::size_t listed_max = 20;
  /// Maximum number of planner steps, which is some seconds of work. Jobs with the same schedule share a step.
  std::uint64_t steps_max = 10'000'000;
};

/// Maximum length of a forecast, because its hours are stored one by one.
inline constexpr std::chrono::hours forecast_hours_max{24 * 366};

struct forecast_report {
  struct peak {
    /// The second or minute that begins here.
    time_point at;
    std::uint64_t firings = 0;
  };
  struct job_total {
    job_id job{};
    std::uint64_t firings = 0;
    std::optional<time_point> first;
    /// The schedule ends before `until`.
    bool ends = false;
  };
  struct listed {
    time_point at;
    job_id job{};
  };

  /// End of the walk: `until`, or earlier when it took too many steps.
  time_point walked_until{};
  std::uint64_t firings = 0;
  /// Estimate of the instants that were missed before `from` and are dropped by DO_NOTHING.
  std::uint64_t dropped = 0;
  /// The busiest ones, in descending order; among equals the earlier one first.
  std::vector<peak> seconds;
  std::vector<peak> minutes;
  /// Element k: number of seconds with 2^k to 2^(k+1) - 1 firings.
  std::vector<std::uint64_t> seconds_by_firings;
  /// Firings per hour, from the hour of `from` (UTC) on. Hours after the last firing are omitted.
  std::vector<std::uint64_t> hours;
  /// Totals of all scheduled jobs, most firings first.
  std::vector<job_total> jobs;
  /// The first firings.
  std::vector<listed> first_firings;
  /// Number of jobs that are stopped or cannot be planned.
  std::size_t not_scheduled = 0;
  std::vector<schedule_book::bad_schedule> bad;
};

/// Computation of a forecast. Its memory is bounded by the number of jobs and the length of the forecast, not by the number of
/// firings.
class forecast {
public:
  forecast(forecast_options options, zone where);

  void add(scheduled_job job);

  /// Returns the job with this cron from `from` on, running or not. Errors: `invalid_argument` with XXL's text.
  [[nodiscard]] result<scheduled_job> with_cron(const scheduled_job& job, const std::string& cron);

  [[nodiscard]] forecast_report run() &&;

private:
  /// Jobs that always fire together.
  struct crowd {
    std::vector<job_id> jobs;
    std::uint64_t firings = 0;
    std::optional<time_point> first;
    bool ended = false;
  };
  /// Firings in the second or minute of the present step.
  struct slot {
    milliseconds length;
    time_point at{};
    std::uint64_t firings = 0;
  };

  [[nodiscard]] std::optional<time_point> first_of(const scheduled_job& job, const schedule& rule) const;
  void take(const schedule_book::due_entry& due, time_point now);
  void count(time_point at, const crowd& who);
  void count(slot& of, time_point at, std::uint64_t firings, std::vector<forecast_report::peak>& peaks);
  void close(slot& of, std::vector<forecast_report::peak>& peaks);
  void add_totals();

  forecast_options options_;
  schedule_rules rules_;
  schedule_book book_;
  /// Crowds by the id of their first job.
  std::unordered_map<std::int32_t, crowd> crowds_;
  /// First job of the crowd with this rule, misfire policy and first instant.
  std::unordered_map<std::string, job_id> crowd_of_;
  /// Keeps the rules alive that identify crowds.
  std::vector<schedule_rules::rule> held_rules_;
  slot second_{milliseconds{1000}};
  slot minute_{milliseconds{60'000}};
  forecast_report report_;
};

} // namespace ringmaster::core
