#include "core/elastic/item_queue.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace ringmaster::core::elastic {

void item_queue::add(const planned_range& added) {
  ranges_.push_back(added);
  size_ += added.items.last - added.items.first + 1;
}

std::vector<planned_range> item_queue::take(std::int32_t count) {
  std::vector<planned_range> taken;
  count = std::min(count, size_);
  size_ -= count;
  while (count > 0) {
    auto& front = ranges_[next_];
    auto part = front;
    part.items.last = std::min(part.items.last, part.items.first + count - 1);
    count -= part.items.last - part.items.first + 1;
    front.items.first = part.items.last + 1;
    if (front.items.first > front.items.last)
      ++next_;
    taken.push_back(part);
  }
  return taken;
}

std::vector<std::int32_t> lowest_first(const std::vector<std::int32_t>& loads, std::int32_t count) {
  std::vector<std::int32_t> given(loads.size());
  using entry = std::pair<std::int32_t, std::size_t>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> lowest;
  for (std::size_t i = 0; i < loads.size(); ++i)
    lowest.emplace(loads[i], i);
  for (; count > 0 && !lowest.empty(); --count) {
    const auto [load, index] = lowest.top();
    lowest.pop();
    ++given[index];
    lowest.emplace(load + 1, index);
  }
  return given;
}

} // namespace ringmaster::core::elastic
