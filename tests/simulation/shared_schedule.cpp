#include "tests/simulation/shared_schedule.hpp"

namespace ringmaster::simulation {

bool shared_schedule::lock(const std::string& who) {
  if (is_locked_for(who))
    return false;
  holder_ = who;
  return true;
}

void shared_schedule::unlock(const std::string& who) {
  if (holder_ == who)
    holder_.clear();
}

bool shared_schedule::hold(const std::string& who) {
  if (!rules().closes_table)
    return true;
  if (const auto now = mode(); now.mode != core::cluster_mode::native || now.switching) {
    unlock(who);
    return false;
  }
  return lock(who);
}

} // namespace ringmaster::simulation
