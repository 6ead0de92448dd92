#include "core/run/execution_state.hpp"

namespace ringmaster::core {

execution_state state_of(std::int32_t trigger_code, std::int32_t handle_code) noexcept {
  if (handle_code == 0) {
    if (trigger_code == 0)
      return execution_state::claimed;
    return trigger_code == success_code ? execution_state::running : execution_state::trigger_failed;
  }
  if (trigger_code == 0)
    return execution_state::result_before_answer;
  return handle_code == success_code ? execution_state::succeeded : execution_state::failed;
}

bool is_terminal(execution_state state) noexcept {
  return state != execution_state::claimed && state != execution_state::running;
}

bool may_follow(execution_state from, execution_state to) noexcept {
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

} // namespace ringmaster::core
