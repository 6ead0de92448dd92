#pragma once

// A log row with its trigger note. Reading a note costs a copy of its message, so a reader of several facts reads it once.

#include <optional>

#include "core/run/log_row.hpp"
#include "core/run/trigger_note.hpp"

namespace ringmaster::core {

/// A log row and its decoded trigger note. Refers to the row, which must outlive it and stay unchanged.
struct noted_run {
  explicit noted_run(const log_row& of) : row{of}, note{decode_trigger_note(of.trigger_msg)} {}
  explicit noted_run(log_row&&) = delete;

  const log_row& row;
  /// Unset: Ringmaster did not write the trigger message.
  std::optional<trigger_note> note;
};

/// Returns the dropped instants of the row, as `missed_in`; unset for a run.
[[nodiscard]] inline std::optional<missed_instants> missed_in(const noted_run& run) {
  return run.note && run.note->kind == trigger_kind::missed ? run.note->missed : std::nullopt;
}

} // namespace ringmaster::core
