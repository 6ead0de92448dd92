#pragma once

// Schedules, and the planning decision of a claim for one job. Pure.

#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "core/cron/cron.hpp"
#include "core/job/job.hpp"
#include "core/result.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// A compiled schedule text: never, a cron expression in a zone, or a fixed rate. Immutable.
class schedule {
public:
  /// Creates a schedule that never fires.
  schedule() = default;

  /// Compiles a schedule. `where` is the zone of a cron; the caller has looked up `options.time_zone` (`schedule_rules`). Errors:
  /// `invalid_argument` with XXL's text for the cron or the number, or with the option that does not fit. A valid text that never
  /// fires is not an error.
  [[nodiscard]] static result<schedule> compile(schedule_type type, std::string_view conf, const zone& where,
                                                const schedule_options& options = {});

  /// Returns the next fire time strictly after `after`. Fixed rate: `after` + n seconds, rounded up to a whole second; with an
  /// interval, a start or a jitter the time lies on a grid from `start_at` (else from the epoch) on. `of` is used only with a
  /// jitter.
  [[nodiscard]] std::optional<time_point> next(time_point after, job_id of = {}) const;

  /// Returns the first instant at or after `from` in the sequence that `next` produces from `instant`.
  [[nodiscard]] std::optional<time_point> at_or_after(time_point instant, time_point from, job_id of = {}) const;

  /// Counts the instants that `next` returns after `after`, up to `until`, in a time that hardly depends on their number.
  [[nodiscard]] std::size_t count(time_point after, time_point until, job_id of = {}) const;

  /// Returns the last instant up to `until`. `instant` is one of the sequence and not after `until`.
  [[nodiscard]] time_point last_up_to(time_point instant, time_point until, job_id of = {}) const;

  /// Returns true if `end_at` has passed.
  [[nodiscard]] bool is_over(time_point t) const noexcept { return end_ && t > *end_; }

  /// Returns the distance of the instants of a fixed rate without jitter, from its second instant on; unset for all others.
  [[nodiscard]] std::optional<milliseconds> even_step() const noexcept;

  /// Returns true if the instants do not depend on the job.
  [[nodiscard]] bool same_for_all() const noexcept { return jitter_.count() == 0; }

private:
  struct grid {
    milliseconds step;
    time_point origin;
  };

  [[nodiscard]] std::optional<time_point> unbounded(time_point after) const;
  [[nodiscard]] std::optional<time_point> nominal(time_point after) const;
  [[nodiscard]] std::optional<time_point> spread(std::optional<time_point> instant, job_id of) const;
  [[nodiscard]] std::size_t count_nominal(time_point after, time_point until) const;
  /// Returns true if the jitter has delayed an instant of up to `t` to after `t`.
  [[nodiscard]] bool puts_off_over(time_point t, job_id of) const;

  std::variant<std::monostate, std::pair<std::shared_ptr<const cron_expression>, zone>, seconds, grid> rule_;
  std::optional<time_point> start_;
  std::optional<time_point> end_;
  milliseconds jitter_{0};
};

/// Next time of a running job that has none: the job is planned at once, as a misfire.
inline constexpr time_point due_since_ever{milliseconds{1}};

/// The planner's data of a job. A claim succeeds only if the store has the same `next`.
struct due_job {
  job_ptr spec;
  time_point next;
};

struct plan_window {
  time_point now;
  /// Firings up to now + horizon are planned (claim_ahead).
  milliseconds horizon{200};
  /// An instant later than this is a misfire (XXL: 5 s).
  milliseconds misfire_after{5000};
  /// Maximum number of firings of one job in one plan.
  std::size_t firings_max = 64;
};

struct planned_firing {
  time_point fire_at;
  /// True if it replaces missed instants (FIRE_ONCE_NOW): `fire_at` is then `now` cut to its millisecond.
  bool misfire = false;
};

/// One job's part of a claim: a log row for each firing, and the step of its schedule from `expected_next` on.
struct job_plan {
  job_id id{};
  time_point expected_next{};
  /// The last instant of this plan; a misfire without a firing takes `expected_next`.
  time_point last{};
  /// Unset: the schedule is exhausted, the job is stopped.
  std::optional<time_point> next;
  std::vector<planned_firing> firings;
  /// Number of instants dropped by the misfire policy DO_NOTHING or because `end_at` has passed, so that each is recorded. 0 for
  /// a job that is `due_since_ever`, which missed no instant.
  std::size_t dropped = 0;
  /// Number of missed instants that the late run of FIRE_ONCE_NOW replaces besides the first one, `expected_next`; otherwise 0.
  std::size_t merged = 0;
  /// The last of the dropped instants; the first one is `expected_next`.
  time_point last_dropped{};
};

/// Plans a job: misfire, late and normal case (XXL admin §3: A, B, C), every firing inside the horizon.
///
/// Misfire (now > next + misfire_after): FIRE_ONCE_NOW plans one firing at now unless that is after `end_at`; DO_NOTHING plans
/// none; the next time is the first one after now. Otherwise every instant from `next` up to now + horizon is planned with its
/// own fire time, so that a late one is visible as late. The next time is always later than every planned instant and than
/// `expected_next`; only the plan of a job that is not due yet is empty and moves nothing.
[[nodiscard]] job_plan plan(const due_job& due, const schedule& rule, const plan_window& window);

} // namespace ringmaster::core
