#pragma once

// A queue of events, in the order of their times and, within one time, of their insertion.

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

class event_queue {
public:
  void at(span when, std::function<void()> what) { queue_.push({when, next_++, std::move(what)}); }
  [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
  [[nodiscard]] span next() const { return queue_.top().when; }
  std::function<void()> take() {
    auto what = std::move(const_cast<event&>(queue_.top()).what);
    queue_.pop();
    return what;
  }

private:
  struct event {
    span when;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const event& other) const { return std::pair{other.when, other.order} < std::pair{when, order}; }
  };
  std::priority_queue<event> queue_;
  std::uint64_t next_ = 0;
};

} // namespace ringmaster::simulation
