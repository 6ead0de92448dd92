#pragma once

// Counts of firings by time, for maps and collisions: what fires when, before and after a change of one schedule. Only for
// display; nothing is claimed.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/editing/job_draft.hpp"
#include "core/schedule/schedule_rules.hpp"

namespace ringmaster::core {

/// Limits of one count: span, buckets, listed seconds and jobs, and work. A step is an instant of jobs with the same times.
inline constexpr std::chrono::hours counts_span_max{24 * 31};
inline constexpr milliseconds counts_bucket_unit{60'000};
inline constexpr std::size_t counts_buckets_max = 5000;
inline constexpr std::size_t counts_top_max = 50;
inline constexpr std::uint64_t counts_steps_max = 10'000'000;

struct counts_search {
  time_point from{};
  /// Exclusive.
  time_point until{};
  /// A multiple of `counts_bucket_unit`.
  milliseconds bucket{3'600'000};
  /// Number of listed seconds and jobs.
  std::size_t top = 20;
  /// True if `from` is the present: an overdue job fires then, if at all. Otherwise jobs are assumed to have fired as planned.
  bool from_now = false;
  std::uint64_t steps_max = counts_steps_max;
};

/// A schedule that one job would have.
struct changed_schedule {
  /// 0: a new job.
  job_id job{};
  schedule_type type = schedule_type::none;
  std::string conf;
  schedule_options timing;
};

/// A second in which jobs fire.
struct busy_second {
  time_point at{};
  std::uint64_t firings = 0;
  std::uint64_t jobs = 0;
  /// The first of these jobs, by id; the changed job, if it is new, is 0.
  std::vector<job_id> some;
};

/// Maximum number of jobs that a busy second lists.
inline constexpr std::size_t busy_jobs_max = 8;

struct counted_firings {
  std::uint64_t firings = 0;
  /// Firings by bucket, from `buckets_from` on.
  std::vector<std::uint64_t> counts;
  /// The seconds in which most jobs fire; among equals those with more firings, then the earlier ones.
  std::vector<busy_second> top;
  /// As `top`, of the seconds in which the changed job fires.
  std::vector<busy_second> own;
  /// The jobs with most firings.
  std::vector<std::pair<job_id, std::uint64_t>> jobs;
};

struct counts_report {
  /// Begin of the first bucket: `from`, cut to a multiple of the bucket since the epoch.
  time_point buckets_from{};
  /// End of the walk: `until`, or earlier after too much work. Counts of later times are incomplete.
  time_point walked_until{};
  /// Jobs whose schedule cannot be planned.
  std::vector<job_id> bad;
  /// With a changed schedule: as it is, and as it would be. Otherwise only as it is.
  counted_firings before;
  std::optional<counted_firings> after;
};

/// A count in the making: takes jobs, then walks in slices. Its memory grows with jobs and buckets, not with firings. Jobs with
/// the same times are walked once, and fixed rates below a second by arithmetic. Used by one thread at a time.
class firing_counts {
public:
  /// Callback during the walk: false ends the slice.
  using may_go_on = std::function<bool()>;

  firing_counts(counts_search search, milliseconds misfire_after, zone where);

  /// Also counts as if one job had another schedule and ran. Called before `add`. `stored`: the job; null for a new one. Errors:
  /// those of `schedule_rules::of`.
  [[nodiscard]] result<void> change(const changed_schedule& changed, const job_record* stored);

  /// Adds a job. A job that does not run is ignored, and so is one that was added before.
  void add(const job_record& job);

  /// Walks on, to the end or until `go_on` returns false. Returns true at the end.
  [[nodiscard]] bool walk(const may_go_on& go_on);

  /// Ends the walk where it is; nothing if it has ended.
  void cut();

  /// Called once, at the end of the walk.
  [[nodiscard]] counts_report report() &&;

private:
  static constexpr std::size_t slots = 60;
  /// Sides of a count, as bits.
  enum side : std::uint8_t { is_before = 1, is_after = 2 };

  /// Jobs that always fire together.
  struct crowd {
    schedule_rules::rule rule;
    std::optional<milliseconds> step;
    time_point first{};
    time_point next{};
    std::uint64_t firings = 0;
    std::uint8_t sides = 0;
    bool own = false;
    std::vector<job_id> jobs;
  };
  /// Counts of one side; its seconds are those of the present minute.
  struct tally {
    counted_firings counted;
    std::array<std::uint64_t, slots> firings{};
    std::array<std::uint64_t, slots> jobs{};
    std::array<bool, slots> own{};
  };
  struct late_firing {
    job_id job{};
    std::uint8_t sides = 0;
    bool own = false;
  };
  using look = std::pair<time_point, std::size_t>;

  /// Returns the first instant of the walk. `late`: set if the job fires at the present for earlier instants.
  [[nodiscard]] std::optional<time_point> begin_of(const job_ptr& spec, const job_record& job, const schedule& rule,
                                                   bool& late) const;
  void put(const schedule_rules::rule& rule, job_id job, std::optional<time_point> next, std::uint8_t sides, bool own);
  /// Walks one crowd to the end of the present minute, and puts it back if it fires later.
  void walk_minute(std::size_t index);
  /// Returns the number of instants of a fixed rate from `at` to before `until`, a second later at most, and the one after them.
  [[nodiscard]] static std::pair<std::uint64_t, std::optional<time_point>> even_part(const crowd& who, time_point at,
                                                                                     time_point until);
  void count(std::uint8_t sides, bool own, time_point at, std::uint64_t firings, std::uint64_t jobs);
  void begin_minute(time_point at);
  void close_minute();
  void close(tally& of);
  void rank(std::vector<busy_second>& list, const busy_second& candidate) const;
  /// Names the jobs of the next busy second. Returns false when all have their names.
  [[nodiscard]] bool name_next();
  void name(busy_second& second, std::uint8_t sides) const;
  void list_jobs(counted_firings& of, std::uint8_t sides) const;
  [[nodiscard]] std::uint8_t all_sides() const noexcept { return changing_ ? is_before | is_after : is_before; }

  counts_search search_;
  milliseconds misfire_after_;
  schedule_rules rules_;
  bool changing_ = false;
  job_id changed_{};
  std::set<job_id> known_;
  std::vector<crowd> crowds_;
  /// Crowds by their rule and first instant.
  std::map<std::pair<const schedule*, time_point>, std::size_t> crowd_of_;
  std::vector<late_firing> late_;
  std::priority_queue<look, std::vector<look>, std::greater<>> looks_;
  std::array<tally, 2> tallies_;
  time_point minute_{};
  std::uint64_t steps_ = 0;
  bool started_ = false;
  bool walked_ = false;
  std::size_t named_ = 0;
  counts_report report_;
};

} // namespace ringmaster::core
