#pragma once

// The stored state of one job as lines of text, for reports of defects (EJ §16.4).

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/elastic/stored_rows.hpp"

namespace ringmaster::core::elastic {

/// Items of a job that a dump has at most.
inline constexpr std::size_t dump_items_max = 10'000;

/// Stored state of one job and of the hosts of its group.
struct elastic_dump {
  /// Without cursors.
  adopted_job state;
  struct cursor_size {
    item_number item{};
    fence_number fence{};
    std::int64_t bytes = 0;
  };
  std::vector<cursor_size> cursors;
  /// Hosts with the app name of the job's group, and those of its items.
  std::vector<host_row> hosts;
  /// IP addresses are replaced.
  bool masked = true;
};

/// One row, or one value.
struct dump_line {
  std::string path;
  std::string value;
  friend bool operator==(const dump_line&, const dump_line&) = default;
};

/// Returns the lines of a dump. Properties, parameters of requests, cursors and results of runs show only their size: they may
/// have secrets. In a masked dump each IP address is `ip1`, `ip2`, … in the order of its first appearance.
[[nodiscard]] std::vector<dump_line> dump_lines(const elastic_dump& of);

} // namespace ringmaster::core::elastic
