#include "actors/console/held_edits.hpp"

#include <utility>

namespace ringmaster::actors {

bool held_edits::hold(edit& item, steady now) {
  if (held_.size() >= held_max)
    return false;
  held_.push_back({std::move(item), now + wait_max});
  return true;
}

std::vector<held_edits::edit> held_edits::take(protocol::clock_verdict verdict, steady now) {
  std::vector<edit> taken;
  while (!held_.empty() && (verdict != protocol::clock_verdict::pending || held_.front().until <= now)) {
    taken.push_back(std::move(held_.front().item));
    held_.pop_front();
  }
  return taken;
}

} // namespace ringmaster::actors
