#include "core/schedule/schedule_check.hpp"

#include "core/zone/zone.hpp"

namespace ringmaster::core {

std::string describe(const far_ahead& times) {
  const auto text = [](time_point t) { return zone{}.format(t) + " UTC"; };
  return "its " + (times.next ? "next time " + text(*times.next) : "last instant " + text(times.last)) +
         " lies further ahead than its schedule explains, so it does not fire: was a clock wrong? "
         "`ringmaster repair schedules` recomputes it from now";
}

} // namespace ringmaster::core
