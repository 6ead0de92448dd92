#include "core/cluster_mode.hpp"

namespace ringmaster::core {

std::string_view stored_name(cluster_mode mode) noexcept { return mode == cluster_mode::shared ? "shared" : "native"; }

std::optional<cluster_mode> find_cluster_mode(std::string_view name) noexcept {
  for (const auto mode : {cluster_mode::native, cluster_mode::shared})
    if (stored_name(mode) == name)
      return mode;
  return std::nullopt;
}

} // namespace ringmaster::core
