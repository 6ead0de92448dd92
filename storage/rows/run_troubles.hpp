#pragma once

// Findings of `doctor` about the newest failed runs.

#include <cstdint>
#include <string>
#include <vector>

#include "storage/open.hpp"

namespace ringmaster::storage {

/// Number of the newest failed runs that are checked.
inline constexpr std::int64_t troubled_runs = 10'000;
/// An executor's answer to a wrong access token, as an SQL pattern.
inline constexpr const char* token_refused_pattern = "%access token%";

/// Troubles among the newest failed runs.
struct run_troubles {
  std::int64_t alarms_given_up = 0;
  std::int64_t newest_given_up = 0;
  /// Addresses of some of the executors that refused the token.
  std::vector<std::string> refusing;
};

[[nodiscard]] inline std::vector<database_finding> findings_of(const run_troubles& found) {
  using level = database_finding::level;
  std::vector<database_finding> out;
  if (found.alarms_given_up > 0)
    out.push_back({level::warning, "alarms",
                   std::to_string(found.alarms_given_up) + " were given up, the last one for run "
                     + std::to_string(found.newest_given_up) + ": the channel refused them, or did not answer for an hour",
                   "send a test message through the channel"});
  if (!found.refusing.empty()) {
    std::string listed;
    for (const auto& address : found.refusing)
      listed += (listed.empty() ? "" : ", ") + address;
    out.push_back({level::warning, "executors",
                   "these refuse the access token of this server: " + listed,
                   "their accessToken must be that of the server, or of their group"});
  }
  return out;
}

} // namespace ringmaster::storage
