#pragma once

// The pure part of `firing_store::record`: the effect of a trigger result, a callback or both together on a log row (firing
// protocol §4: T3, T4, T5). A backend may use its own short path where everything succeeds and the guards of one statement
// confirm it; it reads all other rows under its lock, calls `decide_write` and writes the answer.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/run/run.hpp"

namespace ringmaster::core {

/// The results of one run in a batch.
struct run_update {
  log_id id{};
  /// Null: none. The first one if the batch has several.
  const trigger_result* trigger = nullptr;
  const core::callback* callback = nullptr;
  /// Later callbacks for other groups or with other dates, in case `callback` is refused for its group or date.
  std::vector<const core::callback*> others = {};
};

/// Returns one entry per run, ascending by id; later triggers and callbacks of the same id are left out. Points into `batch`.
[[nodiscard]] std::vector<run_update> updates_of(const record_batch& batch);

/// The columns of a log row on which the decision depends.
struct run_row {
  std::int32_t trigger_code = 0;
  std::int32_t handle_code = 0;
  std::int32_t alarm_status = 0;
  std::int32_t retries = 0;
  group_id group{};
};

/// The write to make. Columns without a value stay unchanged.
struct run_write {
  std::optional<std::int32_t> trigger_code;
  /// Appended to trigger_msg; the whole is cut to `message_units_max` characters.
  std::string_view trigger_message;
  std::optional<std::int32_t> handle_code;
  /// Already cut. Written with handle_code.
  std::string_view handle_message;
  bool clear_retries = false;
  /// alarm_status 0 -> 1: the retry decision is made with this write.
  bool mark_alarm = false;
  /// The remaining retries of the retry intent to write; empty: no retry.
  std::optional<std::int32_t> retry_left;
  /// Whether to write one intent per child.
  bool children = false;
  /// Whether to insert a row of rm_failed_run, or to delete it (a result of 200 after a failed trigger).
  bool failed = false;
  bool not_failed = false;
  /// Part of the outcome.
  bool trigger_stored = false;
  bool callback_stored = false;
  /// There were callbacks, but none of their senders may report for the run's group.
  bool callback_foreign = false;

  [[nodiscard]] bool writes_row() const noexcept { return trigger_code || handle_code; }
};

/// Returns how the run ended by this write; empty if it did not.
[[nodiscard]] std::optional<run_end> end_of(const run_write& write) noexcept;

/// Returns the remaining retries of the run that retries a failed run with `retries` left; empty: no retry follows.
[[nodiscard]] constexpr std::optional<std::int32_t> retries_after_failure(std::int32_t retries) noexcept {
  return retries > 0 ? std::optional{retries - 1} : std::nullopt;
}

/// Decides the write. `owner_current`: the batch's owner is up in its incarnation; otherwise its failures are dropped. A failed
/// trigger of a run that has a result, or gets one in this batch, is written as 200: the run was delivered.
[[nodiscard]] run_write decide_write(const run_row& row, const run_update& update, bool owner_current);

} // namespace ringmaster::core
