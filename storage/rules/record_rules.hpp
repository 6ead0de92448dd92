#pragma once

// The pure part of `firing_store::record`: what a trigger result, a callback or both together make of a log row (firing protocol
// §4: T3, T4, T5). A backend may take its own short way where everything succeeds and the guards of one
// statement say so; whatever that leaves over, it reads under its lock, asks `decide` and writes the answer.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/run/run.hpp"
#include "storage/rows/datetime_text.hpp"

namespace ringmaster::storage {

/// What a batch says about one run.
struct run_update {
  core::log_id id{};
  /// Null: nothing. The first of the batch when it has several.
  const core::trigger_result* trigger = nullptr;
  const core::callback* callback = nullptr;
  /// Where that one may be refused for its group or its date: the later ones, which speak for other groups or have other dates.
  std::vector<const core::callback*> others = {};
};

/// One entry a run, ascending by id; later triggers and callbacks of the same id are left out. Points into `batch`.
[[nodiscard]] std::vector<run_update> updates_of(const core::record_batch& batch);

/// Leaves the callbacks of earlier runs with this id out; true: there was one. `triggered`: the text of the row's trigger_time in
/// the database's zone, with which the dates are compared as texts: an hour that a clock change repeats has each text twice.
[[nodiscard]] bool drop_outdated(run_update& update, std::string_view triggered, datetime_text& dates);

/// The columns of a log row that decide.
struct run_row {
  std::int32_t trigger_code = 0;
  std::int32_t handle_code = 0;
  std::int32_t alarm_status = 0;
  std::int32_t retries = 0;
  core::group_id group{};
};

/// The write to make. Columns without a value stay.
struct run_write {
  std::optional<std::int32_t> trigger_code;
  /// Goes behind what trigger_msg holds; the whole is cut to `core::message_units_max` characters.
  std::string_view trigger_message;
  std::optional<std::int32_t> handle_code;
  /// Cut already. Goes with handle_code.
  std::string_view handle_message;
  bool clear_retries = false;
  /// alarm_status 0 -> 1: the retry decision is made with this write.
  bool mark_alarm = false;
  /// One retry intent with one retry less than the row.
  bool retry = false;
  /// One intent a child.
  bool children = false;
  /// A row of rm_failed_run is to be there, or to go away (a result of 200 after a failed trigger).
  bool failed = false;
  bool not_failed = false;
  /// For the outcome.
  bool trigger_stored = false;
  bool callback_stored = false;
  /// There were callbacks, and none of them may speak for the run's group.
  bool callback_foreign = false;

  [[nodiscard]] bool writes_row() const noexcept { return trigger_code || handle_code; }
};

/// How the run ended by this write; nothing: it did not.
[[nodiscard]] std::optional<core::run_end> end_of(const run_write& write) noexcept;

/// `owner_current`: the batch's owner is up in its incarnation; otherwise its failures are dropped.
/// A failed trigger of a run that has a result, or gets one in this batch, is written as 200: the run was delivered.
[[nodiscard]] run_write decide(const run_row& row, const run_update& update, bool owner_current);

} // namespace ringmaster::storage
