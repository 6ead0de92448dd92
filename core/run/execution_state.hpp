#pragma once

// The states of a run and their transitions: the table of `docs/execution_states.md` as a pure type.

#include <cstdint>

namespace ringmaster::core {

/// `trigger_code` of a run that its executor accepted, `handle_code` of one that succeeded.
inline constexpr std::int32_t success_code = 200;
/// Code of a run that Ringmaster recorded as failed; executors have their own codes, too.
inline constexpr std::int32_t failure_code = 500;

/// State of a run, derived from `trigger_code` and `handle_code` of its log row alone.
enum class execution_state : std::uint8_t {
  /// (0, 0): claimed, or being sent; an open claim names its owner.
  claimed,
  /// (0, result): the callback arrived before the answer to `/run` was recorded.
  result_before_answer,
  /// (200, 0): the executor accepted it.
  running,
  /// (200 or 0 → 200, 200).
  succeeded,
  /// (any, a result other than 200).
  failed,
  /// (neither 0 nor 200, 0): it never ran, or that is unknown ("delivery unknown").
  trigger_failed,
};

[[nodiscard]] inline execution_state state_of(std::int32_t trigger_code, std::int32_t handle_code) noexcept {
  if (handle_code == 0) {
    if (trigger_code == 0)
      return execution_state::claimed;
    return trigger_code == success_code ? execution_state::running : execution_state::trigger_failed;
  }
  if (trigger_code == 0)
    return execution_state::result_before_answer;
  return handle_code == success_code ? execution_state::succeeded : execution_state::failed;
}

/// Returns true for a terminal state: the row has a result, or the trigger failed. (A late callback on a trigger failure still
/// counts: firing protocol §3; that transition is legal.)
[[nodiscard]] inline bool is_terminal(execution_state state) noexcept {
  return state != execution_state::claimed && state != execution_state::running;
}

/// Returns true if one write may take a row from `from` to `to`. A state may not follow itself.
[[nodiscard]] inline bool may_follow(execution_state from, execution_state to) noexcept {
  using enum execution_state;
  const bool to_result = to == succeeded || to == failed;
  switch (from) {
  // The callback before the answer, the answer, the failed request, or answer and callback in one write.
  case claimed: return to != claimed;
  // Only a callback changes the row further; the first result is final.
  case result_before_answer:
  case running:
  case trigger_failed: return to_result;
  case succeeded:
  case failed: return false;
  }
  return false;
}

/// Returns the code under which a callback's code is stored: a code of 0 or below becomes 500.
[[nodiscard]] constexpr std::int32_t stored_handle_code(std::int32_t code) noexcept { return code <= 0 ? failure_code : code; }

} // namespace ringmaster::core
