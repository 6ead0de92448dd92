#include "gateway/transport/io/realtime_priority.hpp"

#include <sched.h>

namespace ringmaster::gateway::http {

namespace {

bool schedule_as(int policy, int priority) noexcept {
  sched_param chosen{};
  chosen.sched_priority = priority;
  // A thread that is started meanwhile, for the look-up of a name, gets ordinary priority.
  return ::sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &chosen) == 0;
}

} // namespace

void realtime_priority::raise() noexcept {
  if (raised_ || refused_)
    return;
  raised_ = schedule_as(SCHED_RR, ::sched_get_priority_min(SCHED_RR));
  refused_ = !raised_;
}

void realtime_priority::lower() noexcept {
  if (raised_)
    raised_ = !schedule_as(SCHED_OTHER, 0);
}

} // namespace ringmaster::gateway::http
