#include "core/lanes.hpp"

namespace ringmaster::core {

std::uint8_t lanes::lane_of(job_id job, time_point now) {
  turn_minute(now);
  auto found = slow_sends_.find(number(job));
  return found != slow_sends_.end() && found->second > limits_.slow_count ? slow_lane : fast_lane;
}

void lanes::took(job_id job, std::chrono::microseconds elapsed, time_point now) {
  if (elapsed <= limits_.slow_after)
    return;
  turn_minute(now);
  ++slow_sends_[number(job)];
}

void lanes::turn_minute(time_point now) {
  auto minute = std::chrono::floor<std::chrono::minutes>(now).time_since_epoch().count();
  if (minute == minute_)
    return;
  minute_ = minute;
  slow_sends_.clear();
}

} // namespace ringmaster::core
