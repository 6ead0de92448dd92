#pragma once

// Past and future of one job on one axis: its runs, its planned instants, and the edits in between. Pure.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/forecast/schedule_history.hpp"
#include "core/run/log_row.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// Maximum length of a timeline.
inline constexpr std::chrono::hours timeline_span_max{24 * 31};
/// Maximum number of runs, of past and of future instants.
inline constexpr std::size_t timeline_rows_max = 500;
/// Maximum number of audit rows that are read for the history of a schedule, without those of manual runs. With one more they are
/// a page.
inline constexpr std::size_t timeline_edits_max = 999;

struct timeline_search {
  job_id job{};
  time_point from{};
  /// Inclusive.
  time_point until{};
  std::size_t limit = timeline_rows_max;
};

enum class instant_outcome : std::uint8_t {
  /// A run was made for it.
  fired,
  /// A later run replaces it (FIRE_ONCE_NOW).
  late,
  /// The misfire policy dropped it.
  dropped,
  /// Its run was discarded because an earlier one was still running.
  overlap,
  /// The job was stopped.
  stopped,
  future,
  /// The log has no row of it: the row was removed, or was never written.
  unknown
};
[[nodiscard]] std::string_view to_string(instant_outcome outcome) noexcept;

struct timeline_instant {
  time_point at{};
  /// Its run, or the row of dropped instants.
  std::optional<log_id> run = {};
  instant_outcome outcome = instant_outcome::unknown;
};

struct timeline_edit {
  time_point at{};
  std::string by;
  audit_action action = audit_action::update;
  /// Names of the changed fields.
  std::vector<std::string> fields = {};
};

/// Facts from the store.
struct timeline_facts {
  job_record job;
  /// Runs with trigger times in the span and rows of dropped instants, newest first.
  std::vector<log_row> runs = {};
  /// There are older ones in the span.
  bool more_runs = false;
  /// Changes of the job, newest first; all from `edits_from` on.
  std::vector<audit_row> edits = {};
  time_point edits_from{};
};

struct job_timeline {
  /// Newest first.
  std::vector<log_row> runs = {};
  /// Ascending.
  std::vector<timeline_instant> instants = {};
  std::vector<timeline_edit> edits = {};
  /// Instants without a run are listed from here on: before, the schedule is not known, or a limit ended the list.
  time_point known_from{};
  /// A limit cut runs or instants off: the oldest ones before now, the latest ones after now.
  bool truncated = false;
};

/// `where`: the zone of schedules that name none.
[[nodiscard]] job_timeline timeline_of(const timeline_search& search, timeline_facts&& facts, const zone& where, time_point now);

} // namespace ringmaster::core
