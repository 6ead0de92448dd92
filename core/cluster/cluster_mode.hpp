#pragma once

// Ownership of a database's schedule (firing protocol §8, §9).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/schedule_options.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"

namespace ringmaster::core {

enum class cluster_mode : std::uint8_t {
  /// Only Ringmaster plans; its schedule is `rm_schedule`.
  native,
  /// Java admins may plan, too. The schedule is `xxl_job_info`, and the planner holds `schedule_lock`.
  shared
};

/// `native`, `shared`.
[[nodiscard]] std::string_view stored_name(cluster_mode) noexcept;

/// Finds a mode by its exact name; unset if it is unknown.
[[nodiscard]] std::optional<cluster_mode> find_cluster_mode(std::string_view name) noexcept;

/// Refuses, in shared mode, options that change when a job fires: Java admins do not know them. Errors: `invalid_argument` that
/// names the options.
[[nodiscard]] result<void> check_shared(const schedule_options& options);

/// Returns `jobs 4, 7, 9 have options that ...`, with the ids of the first few jobs.
[[nodiscard]] std::string options_refused(std::span<const job_id> jobs);

/// The mode row of a database.
struct mode_state {
  cluster_mode mode = cluster_mode::native;
  /// A switch is about to begin: the holder of `schedule_lock` releases it.
  bool switching = false;
  friend bool operator==(const mode_state&, const mode_state&) = default;
};

/// Outcome of a mode switch.
struct mode_switch {
  /// False if the database was in this mode already and nothing changed.
  bool changed = false;
  /// Number of nodes whose incarnation the switch ended; they re-enter by themselves.
  std::size_t nodes_fenced = 0;
  std::size_t jobs_copied = 0;
  /// Reserved instants that were not claimed yet and are due in `xxl_job_info` again.
  std::size_t instants_put_back = 0;
};

/// Outcome of one step that rewrites trigger notes.
struct note_rewrite {
  /// Start of the next step; unset after the last one.
  std::optional<log_id> next;
  std::size_t rewritten = 0;
  /// Rows whose result was recorded meanwhile.
  std::size_t left = 0;
};

/// Horizon of a reservation, and its limits.
struct reserve_window {
  time_point now{};
  /// Java admins take everything due within 5 s; a larger horizon is ahead of them.
  milliseconds horizon{6000};
  milliseconds misfire_after{5000};
  /// A job whose reserved instant still waits this long after its time is not reserved further: its executor is full or silent.
  milliseconds backlog_after{1000};
  std::size_t jobs_max = 500;
};

/// A job that was stopped by its own schedule: it never fires again, or cannot be read.
struct stopped_job {
  job_id job{};
  /// Empty if the schedule is exhausted.
  std::string reason;
};

struct reserve_outcome {
  /// Created by this reservation, in order of their instants.
  std::vector<intent> intents;
  /// Instants that had been reserved before, because an old row was restored.
  std::size_t doubles = 0;
  /// Instants dropped by the misfire policy DO_NOTHING.
  std::size_t dropped = 0;
  /// Missed instants that the misfires among `intents` replace, besides one for each misfire.
  std::size_t merged = 0;
  std::vector<stopped_job> stopped;
  /// A limit ended the reservation: more is due inside the horizon.
  bool more = false;
};

} // namespace ringmaster::core
