#pragma once

// Cache of the lengths of lists: turning pages, or the same list open on many screens, does not count the rows each time.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ringmaster::storage {

/// Belongs to one connection and is used by its thread only.
class seen_totals {
public:
  using clock = std::chrono::steady_clock;

  /// Maximum age of a returned total.
  static constexpr std::chrono::seconds lifetime{5};
  /// Maximum number of remembered searches; beyond it all are forgotten.
  static constexpr std::size_t searches_max = 256;

  /// Returns the total that was stored for this search under the same version.
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
