#pragma once

// Addresses that routing leaves out for a while, because no executor was listening there.

#include <chrono>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ringmaster::core {

/// Addresses to avoid. An address is avoided after a failed connection until its executor sends a heartbeat (it registers or
/// answers), or for `hold`, as long as its group has another one. Pure state of one actor.
class address_avoidance {
public:
  using steady = std::chrono::steady_clock::time_point;

  /// Maximum number of avoided addresses; beyond it new ones are still used.
  static constexpr std::size_t addresses_max = 100'000;

  explicit address_avoidance(std::chrono::milliseconds hold) : hold_{hold} {}

  /// Avoids the address after a failed connection. Returns true if it was not avoided before; otherwise it is avoided for longer.
  bool refused(const std::string& address, steady now);
  /// Takes a heartbeat from the address. Returns true if it was avoided.
  bool heard(const std::string& address);
  /// Returns the addresses whose time has ended; they are tried again.
  [[nodiscard]] std::vector<std::string> take_over(steady now);

  [[nodiscard]] bool avoids(const std::string& address) const { return until_.contains(address); }
  [[nodiscard]] std::size_t size() const noexcept { return until_.size(); }

  /// Returns the addresses of `live` that are not avoided, in its order; all of them if every one is avoided. The result refers
  /// to `live` or to `room` and is valid as long as both.
  [[nodiscard]] std::span<const std::string> usable(std::span<const std::string> live, std::vector<std::string>& room) const;
  /// Returns all of `live` in its order, with the avoided addresses last. `room` as above.
  [[nodiscard]] std::span<const std::string> usable_first(std::span<const std::string> live,
                                                          std::vector<std::string>& room) const;

private:
  [[nodiscard]] bool any_avoided(std::span<const std::string> live) const;

  std::chrono::milliseconds hold_;
  std::unordered_map<std::string, steady> until_;
};

} // namespace ringmaster::core
