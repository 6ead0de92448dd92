#pragma once

// How many rows a list had a moment ago: for who leafs through it or has it open on many screens it is not counted each time.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ringmaster::storage {

/// Of one connection, used by its thread alone.
class seen_totals {
public:
  using clock = std::chrono::steady_clock;

  /// No total is told for longer.
  static constexpr std::chrono::seconds lifetime{5};
  /// Searches that are remembered; behind them all are forgotten.
  static constexpr std::size_t searches_max = 256;

  /// What was kept of this search under the same version.
  [[nodiscard]] std::optional<std::int64_t> find(const std::string& search, std::int64_t version, clock::time_point now) const;

  /// `version`: a number that changes with the list.
  void keep(std::string search, std::int64_t version, std::int64_t total, clock::time_point now);

private:
  struct seen {
    std::int64_t version = 0;
    std::int64_t total = 0;
    clock::time_point at;
  };

  std::map<std::string, seen> seen_;
};

} // namespace ringmaster::storage
