#pragma once

// Executors that are not let in, by name: a token that is wrong, an app name that no group has, an address outside the networks.

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

/// `wrong_token`, `unknown_app`, `outside_networks`: of metrics and of /api/v1.
inline constexpr std::array<std::string_view, 3> refused_for_names{"wrong_token", "unknown_app", "outside_networks"};

[[nodiscard]] constexpr std::string_view name_of(refused_for why) noexcept {
  return refused_for_names[static_cast<std::size_t>(why)];
}

struct refused_executor {
  refused_for why = refused_for::wrong_token;
  /// As it names itself; empty where it does not.
  std::string app_name;
  /// That it registers; empty in a request that registers nothing.
  std::string address;
  /// Where the request came from.
  std::string remote;
  core::time_point first{};
  core::time_point last{};
  std::uint64_t times = 0;
};

/// Of one gateway. Bounded: of more than `kept_max` the one that was seen longest ago is forgotten.
class refused_executors {
public:
  static constexpr std::size_t kept_max = 200;
  static constexpr std::size_t text_bytes_max = 255;
  /// Between two log lines about the same executor.
  static constexpr std::chrono::minutes line_period{10};
  /// Lines in `line_period`, about whomever: names are for anybody to invent.
  static constexpr std::size_t lines_max = 20;
  /// Who was not heard for so long has been let in since, or is gone.
  static constexpr std::chrono::minutes shown_for{10};

  /// Returns whether a log line about it is due.
  bool note(refused_executor what, core::time_point now);

  /// Those that were seen lately, the last one first.
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
