#pragma once

// Tasks: one action with many jobs or runs, which a user begins and watches.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/access/principal.hpp"
#include "core/result.hpp"

namespace ringmaster::core {

/// A task of one node.
enum class task_id : std::int64_t {};

enum class task_action : std::uint8_t {
  // jobs
  start,
  stop,
  trigger,
  remove,
  // runs
  kill,
  rerun
};

/// Returns true for an action with runs.
[[nodiscard]] constexpr bool works_on_runs(task_action action) noexcept { return action >= task_action::kill; }

/// Returns the permission that the action needs for each object.
[[nodiscard]] constexpr group_right right_for(task_action action) noexcept {
  return action == task_action::remove ? group_right::editor : group_right::operate;
}

/// Returns the name of the action in the API, e.g. `delete`.
[[nodiscard]] constexpr std::string_view to_string(task_action action) noexcept {
  switch (action) {
  case task_action::start: return "start";
  case task_action::stop: return "stop";
  case task_action::trigger: return "trigger";
  case task_action::remove: return "delete";
  case task_action::kill: return "kill";
  case task_action::rerun: return "rerun";
  }
  return {};
}

enum class task_state : std::uint8_t {
  running,
  done,
  /// Ended by a user before its end.
  aborted
};

[[nodiscard]] constexpr std::string_view to_string(task_state state) noexcept {
  switch (state) {
  case task_state::running: return "running";
  case task_state::done: return "done";
  case task_state::aborted: return "aborted";
  }
  return {};
}

/// Maximum number of objects of one task.
inline constexpr std::size_t task_objects_max = 100'000;

/// An object with which the action failed.
struct task_problem {
  /// Id of the job or run.
  std::int64_t object = 0;
  error why;
};

struct task_progress {
  task_id id{};
  task_action action{};
  task_state state = task_state::running;
  std::size_t total = 0;
  /// Objects with which the action succeeded.
  std::size_t done = 0;
  /// Objects with which it failed.
  std::size_t failed = 0;
  /// The first failures.
  std::vector<task_problem> problems = {};
};

/// Maximum number of failures that a task remembers with their reasons.
inline constexpr std::size_t task_problems_max = 100;

} // namespace ringmaster::core
