#pragma once

// Who owns the schedule of a database (firing protocol §8, §9).

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
  /// Ringmaster alone plans; its schedule is `rm_schedule`.
  native,
  /// Java admins may plan, too; the schedule is `xxl_job_info`, and whoever plans holds `schedule_lock`.
  shared
};

/// `native`, `shared`.
[[nodiscard]] std::string_view stored_name(cluster_mode) noexcept;

/// Exact; nothing for an unknown one.
[[nodiscard]] std::optional<cluster_mode> find_cluster_mode(std::string_view name) noexcept;

/// Shared mode has no place for options that change when a job fires: Java admins do not know them. Errors: `invalid_argument`
/// that names the options.
[[nodiscard]] result<void> check_shared(const schedule_options& options);

/// `jobs 4, 7, 9 have options that ...`, the first few by their ids.
[[nodiscard]] std::string options_refused(std::span<const job_id> jobs);

/// The mode row of a database.
struct mode_state {
  cluster_mode mode = cluster_mode::native;
  /// Somebody is about to switch: whoever holds `schedule_lock` lets go.
  bool switching = false;
  friend bool operator==(const mode_state&, const mode_state&) = default;
};

/// What a switch did.
struct mode_switch {
  /// False: the database was in this mode already, and nothing changed.
  bool changed = false;
  /// Nodes whose life ended with it; they come back by themselves.
  std::size_t nodes_fenced = 0;
  std::size_t jobs_copied = 0;
  /// Reserved instants that nobody had claimed yet and that are due in `xxl_job_info` again.
  std::size_t instants_put_back = 0;
};

/// What a step of rewriting trigger notes did.
struct note_rewrite {
  /// Where the next step goes on; nothing: this was the last one.
  std::optional<log_id> next;
  std::size_t rewritten = 0;
  /// Rows that were recorded meanwhile.
  std::size_t left = 0;
};

/// How far a reservation looks and how much it takes at once.
struct reserve_window {
  time_point now{};
  /// Java admins take everything due within 5 s; whoever looks further ahead is first.
  milliseconds horizon{6000};
  milliseconds misfire_after{5000};
  /// A job of which a reserved instant still waits so long after its time gets no more: its executor is full or silent.
  milliseconds backlog_after{1000};
  std::size_t jobs_max = 500;
};

/// A job that its own schedule stopped: it never fires again, or cannot be read.
struct stopped_job {
  job_id job{};
  /// Empty: exhausted.
  std::string reason;
};

struct reserve_outcome {
  /// Made by this reservation, in order of their instants.
  std::vector<intent> intents;
  /// Instants that were reserved before: somebody put an old row back.
  std::size_t doubles = 0;
  /// Instants dropped by the misfire policy DO_NOTHING.
  std::size_t dropped = 0;
  std::vector<stopped_job> stopped;
  /// A bound ended it: more is due inside the horizon.
  bool more = false;
};

} // namespace ringmaster::core
