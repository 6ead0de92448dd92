#pragma once

// Hosts that may run items of a job (EJ §7.6, §16.1).

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic/host.hpp"
#include "core/elastic/plan.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// Demands of a job on its hosts. The texts belong to the caller.
struct job_needs {
  /// Name of the handler; empty: every host can run the job.
  std::string_view handler = {};
  /// Each-node and once-listeners that a host must all know, separated by commas; empty: no demand.
  std::string_view listeners = {};
  std::string_view once_listeners = {};
  /// Labels that a host must all have, separated by commas; empty: no demand.
  std::string_view label = {};
  /// Maximum difference between the clocks of a host and of this node. Unset: not checked. A host whose difference is not yet
  /// known does not satisfy a limit.
  std::optional<milliseconds> clock_difference_max = {};
  /// Servers that operators disabled for this job: ids or IP addresses of hosts, compared as a whole.
  std::span<const std::string> disabled_servers = {};
};

/// Returns `none` if the host may run items of the job, otherwise the first reason that speaks against it, in the order of
/// `gap_reason`.
[[nodiscard]] gap_reason reason_against(const host& which, const job_needs& needs) noexcept;

/// Hosts of a job, the list "L" of its strategy.
struct candidates {
  /// In the order of the job; valid as long as the list of hosts.
  std::vector<const host*> hosts;
  /// Their positions in that order, ascending.
  std::vector<std::size_t> positions;
  /// Without hosts, the reason against the host that failed the latest check; otherwise `none`.
  gap_reason reason = gap_reason::no_host;
};

/// Returns the hosts that may run items of the job.
[[nodiscard]] candidates find_candidates(const host_list& hosts, host_order order, const job_needs& needs);

} // namespace ringmaster::core::elastic
