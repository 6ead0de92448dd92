#pragma once

// Refused executors by name: a wrong token, an app name that no group has, an address outside the allowed networks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/time.hpp"

namespace ringmaster::gateway {

enum class refused_for : std::uint8_t { wrong_token, unknown_app, outside_networks };

/// Names of `refused_for` in metrics and in /api/v1.
inline constexpr std::array<std::string_view, 3> refused_for_names{"wrong_token", "unknown_app", "outside_networks"};

[[nodiscard]] constexpr std::string_view name_of(refused_for why) noexcept {
  return refused_for_names[static_cast<std::size_t>(why)];
}

struct refused_executor {
  refused_for why = refused_for::wrong_token;
  /// App name that the executor sent; empty without one.
  std::string app_name;
  /// Address that the executor registers; empty in a request that registers nothing.
  std::string address;
  /// Source address of the request.
  std::string remote;
  core::time_point first{};
  core::time_point last{};
  std::uint64_t times = 0;
};

/// Refused executors of one gateway. Bounded: beyond `kept_max` the executor that was seen longest ago is forgotten.
class refused_executors {
public:
  static constexpr std::size_t kept_max = 200;
  static constexpr std::size_t text_bytes_max = 255;
  /// Minimum time between two log lines about the same executor.
  static constexpr std::chrono::minutes line_period{10};
  /// Maximum number of lines in `line_period` for all executors together, because clients can invent names.
  static constexpr std::size_t lines_max = 20;
  /// Time after which an executor that was not seen again is no longer listed: it has been admitted since, or is gone.
  static constexpr std::chrono::minutes shown_for{10};

  /// Records a refused executor. Returns true when a log line about it is due.
  bool note(refused_executor what, core::time_point now);

  /// Returns the executors that were seen within `shown_for`, the last one first.
  [[nodiscard]] std::vector<refused_executor> lately(core::time_point now) const;

private:
  using key = std::tuple<refused_for, std::string, std::string, std::string>;
  struct entry {
    refused_executor what;
    core::time_point told{};
  };

  void make_room();
  [[nodiscard]] bool may_tell(core::time_point now);

  std::map<key, entry> known_;
  core::time_point period_begun_{};
  std::size_t lines_ = 0;
};

} // namespace ringmaster::gateway
