#include "core/job/alarm_conditions.hpp"

namespace ringmaster::core {

std::string_view stored_name(alarm_conditions requested) noexcept {
  if (requested.failed)
    return requested.missed ? "failed,missed" : "failed";
  return requested.missed ? "missed" : "none";
}

alarm_conditions find_alarm_conditions(std::string_view text) noexcept {
  for (const alarm_conditions requested :
       {alarm_conditions{true, false}, alarm_conditions{false, true}, alarm_conditions{false, false}})
    if (stored_name(requested) == text)
      return requested;
  return {};
}

} // namespace ringmaster::core
