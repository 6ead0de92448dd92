#pragma once

// Nodes of the cluster, and the forecast of firings, in /api/v1.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster/cluster_mode.hpp"
#include "core/cluster/node.hpp"
#include "core/forecast/upcoming.hpp"
#include "core/result.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::protocol::wire {

struct api_cluster {
  const std::vector<core::seen_node>& nodes;
  core::cluster_mode mode = core::cluster_mode::native;
  std::chrono::milliseconds dead_after{0};
  /// Version of the node that answers.
  std::string_view version = {};
  /// True for administrators, who may see the addresses of nodes.
  bool with_addresses = false;
};
/// Returns a JSON object.
[[nodiscard]] std::string api_nodes(const api_cluster& cluster);

/// Parameters of a request for a forecast.
struct api_forecast_request {
  std::optional<core::group_id> group;
  std::optional<core::job_id> job;
  core::upcoming_search search;
};
/// Reads `from_ms` (default: now, and never before), `to_ms` (default: a day later), `job`, `group`, `limit` and `cursor`.
/// Errors: `invalid_argument`.
[[nodiscard]] core::result<api_forecast_request> api_forecast_of(const form& sent, core::time_point now);
[[nodiscard]] std::string api_forecast(const core::upcoming_page& page, const core::upcoming_search& search);

} // namespace ringmaster::protocol::wire
