#pragma once

// Bounded map of limits by client.

#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>

namespace ringmaster::core {

/// Map that forgets the entry used longest ago when it is full, so that no number of clients fills the memory. Entries that were
/// used once go first, and half of the room is for those used again: keys that occur once remove no other. Each use takes
/// constant time. Used by one thread at a time.
template <class Key, class Value>
class recent_map {
public:
  /// `most`: maximum number of entries, 1 or more.
  explicit recent_map(std::size_t most) : most_{most} {}
  recent_map(const recent_map&) = delete;
  recent_map& operator=(const recent_map&) = delete;
  recent_map(recent_map&&) noexcept = default;
  recent_map& operator=(recent_map&&) noexcept = default;
  ~recent_map() = default;

  /// Returns the value of a key, at first a copy of `first`. Valid until the next use.
  Value& use(Key key, const Value& first) {
    if (const auto found = entries_.find(key); found != entries_.end()) {
      remember(found->second);
      return found->second.value;
    }
    if (entries_.size() >= most_)
      forget_oldest();
    order place(1); // made before the entry, which must have one
    const auto added = entries_.try_emplace(std::move(key), entry{first, place.begin()}).first;
    place.front() = &added->first;
    once_.splice(once_.end(), place);
    return added->second.value;
  }

  /// Returns the value of a key, or null. Does not count as a use.
  [[nodiscard]] const Value* find(const Key& key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second.value;
  }

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
  /// Keys, the one used longest ago first.
  using order = std::list<const Key*>;
  struct entry {
    Value value;
    typename order::iterator place;
    bool was_used_again = false;
  };

  void remember(entry& used) {
    again_.splice(again_.end(), used.was_used_again ? again_ : once_, used.place);
    used.was_used_again = true;
    if (again_.size() <= most_ / 2)
      return;
    // New keys need room to be used again, too.
    entries_.find(*again_.front())->second.was_used_again = false;
    once_.splice(once_.end(), again_, again_.begin());
  }

  void forget_oldest() {
    entries_.erase(entries_.find(*once_.front()));
    once_.pop_front();
  }

  std::size_t most_;
  std::unordered_map<Key, entry> entries_;
  order once_;
  order again_;
};

} // namespace ringmaster::core
