#pragma once

// Addresses that routing leaves out for a while, because nobody listened there.

#include <chrono>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ringmaster::core {

/// An address to which no connection came about is avoided until its executor shows a sign of life (it registers, or answers), or
/// for `hold`, as long as its group has another one. Pure state of one actor.
class address_avoidance {
public:
  using steady = std::chrono::steady_clock::time_point;

  /// Addresses avoided at most; beyond it new ones are used on.
  static constexpr std::size_t addresses_max = 100'000;

  explicit address_avoidance(std::chrono::milliseconds hold) : hold_{hold} {}

  /// No connection came about. True when it was not avoided before; else it is avoided for longer.
  bool refused(const std::string& address, steady now);
  /// A sign of life. True when it was avoided.
  bool heard(const std::string& address);
  /// Those that were avoided for long enough; they are tried again.
  [[nodiscard]] std::vector<std::string> take_over(steady now);

  [[nodiscard]] bool avoids(const std::string& address) const { return until_.contains(address); }
  [[nodiscard]] std::size_t size() const noexcept { return until_.size(); }

  /// Those of `live` that are not avoided, in its order; all of them when that would be none. `room` holds them if they are not
  /// `live` itself: the answer is valid as long as both.
  [[nodiscard]] std::span<const std::string> usable(std::span<const std::string> live, std::vector<std::string>& room) const;
  /// All of `live`, those that are avoided behind the others, else in its order. `room` as above.
  [[nodiscard]] std::span<const std::string> usable_first(std::span<const std::string> live,
                                                          std::vector<std::string>& room) const;

private:
  [[nodiscard]] bool any_avoided(std::span<const std::string> live) const;

  std::chrono::milliseconds hold_;
  std::unordered_map<std::string, steady> until_;
};

} // namespace ringmaster::core
