#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/access/user.hpp"
#include "protocol/admin_messages.hpp"

namespace ringmaster::actors {

/// Owners of sessions or API keys that the store found, by the digest of the token. Invariant: an owner is used for a second at
/// most and never after an end in this process, not even if the store had been asked before that end; the number of entries is
/// limited. An entry whose time is over stays known, so that its next request is not delayed. Part of the state of user_admin.
class known_identities {
public:
  using steady = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::milliseconds kept_for{1000};
  static constexpr std::size_t kept_max = 10'000;

  struct entry {
    protocol::identified found;
    /// Time after which the store is asked again.
    steady until{};
    /// 0: a session.
    core::api_key_id key{};
  };

  /// Returns the number of ends, to be passed to `keep` with an answer of the store.
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  /// Returns null for an unknown digest.
  [[nodiscard]] const entry* find(const std::string& digest) const {
    const auto found = entries_.find(digest);
    return found == entries_.end() ? nullptr : &found->second;
  }

  /// Makes a digest known whose owner the store has not been asked for.
  void note(const std::string& digest) { entries_[digest] = {}; }
  /// Keeps an answer of the store that is valid for `rest`, if nothing ended since it was asked at `epoch`.
  void keep(const std::string& digest, entry&& found, std::chrono::milliseconds rest, std::uint64_t epoch, steady t) {
    if (epoch != epoch_)
      return;
    if (entries_.size() >= kept_max)
      std::erase_if(entries_, [t](const auto& each) { return each.second.until <= t; });
    if (entries_.size() >= kept_max)
      entries_.clear();
    found.until = t + std::min(kept_for, rest);
    entries_[digest] = std::move(found);
  }
  /// Forgets a digest. Returns false if it was unknown.
  bool erase(const std::string& digest) { return entries_.erase(digest) > 0; }

  /// Ends the entries for which `is_over(entry)` is true: they become unknown.
  template <class Predicate>
  void end_if(Predicate is_over) {
    ++epoch_;
    std::erase_if(entries_, [&](const auto& each) { return is_over(each.second); });
  }
  void end(const std::string& digest) {
    ++epoch_;
    entries_.erase(digest);
  }
  /// Ends the entries whose digest begins with `prefix`.
  void end_with_prefix(std::string_view prefix) {
    ++epoch_;
    std::erase_if(entries_, [prefix](const auto& each) { return each.first.starts_with(prefix); });
  }
  /// Has the store asked again for the entries for which `is_over(entry)` is true; they stay known.
  template <class Predicate>
  void expire_if(Predicate is_over) {
    ++epoch_;
    for (auto& [digest, each] : entries_)
      if (is_over(each))
        each.until = {};
  }

private:
  std::unordered_map<std::string, entry> entries_;
  std::uint64_t epoch_ = 0;
};

} // namespace ringmaster::actors
