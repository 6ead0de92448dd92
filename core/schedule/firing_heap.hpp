#pragma once

// A binary heap of items that wait for their time, so that an actor needs one timer instead of one per job.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/time.hpp"

namespace ringmaster::core {

/// Min-heap by due time, civil or of another clock. Items with equal times leave in the order in which they were added. Owned by
/// one actor; not thread-safe.
template <class T, class Time = time_point>
class firing_heap {
public:
  void push(Time due, T item) {
    entries_.push_back(entry{due, sequence_++, std::move(item)});
    std::push_heap(entries_.begin(), entries_.end(), later);
  }

  /// Returns the earliest due time; unset if the heap is empty.
  [[nodiscard]] std::optional<Time> next() const {
    return entries_.empty() ? std::nullopt : std::optional{entries_.front().due};
  }

  /// Removes and returns the items due at or before `now`, earliest first, at most `limit`.
  [[nodiscard]] std::vector<T> take_due(Time now, std::size_t limit = static_cast<std::size_t>(-1)) {
    std::vector<T> due;
    while (!entries_.empty() && entries_.front().due <= now && due.size() < limit) {
      std::pop_heap(entries_.begin(), entries_.end(), later);
      due.push_back(std::move(entries_.back().item));
      entries_.pop_back();
    }
    return due;
  }

  /// Removes items from the front as long as `stale(item)`.
  template <class Predicate>
  void pop_while(Predicate stale) {
    while (!entries_.empty() && stale(std::as_const(entries_.front().item))) {
      std::pop_heap(entries_.begin(), entries_.end(), later);
      entries_.pop_back();
    }
  }

  /// Removes all items for which `stale(item)` is true, in linear time.
  template <class Predicate>
  void erase_if(Predicate stale) {
    std::erase_if(entries_, [&](const entry& one) { return stale(one.item); });
    std::make_heap(entries_.begin(), entries_.end(), later);
  }

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  /// Removes all items and frees the memory.
  void clear() {
    entries_.clear();
    entries_.shrink_to_fit();
  }

private:
  struct entry {
    Time due;
    std::uint64_t sequence;
    T item;
  };

  static bool later(const entry& a, const entry& b) noexcept {
    return a.due != b.due ? a.due > b.due : a.sequence > b.sequence;
  }

  std::vector<entry> entries_;
  std::uint64_t sequence_ = 0;
};

} // namespace ringmaster::core
