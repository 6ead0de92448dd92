#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>

#include <caf/actor_system_config.hpp>

#include "actors/link/tls_ports.hpp"

namespace ringmaster::actors {

/// The CAF configuration of every Ringmaster process. CAF's defaults starve actors, spin and read files; these do not.
class system_config : public caf::actor_system_config {
public:
  explicit system_config(bool links) {
    set("caf.scheduler.policy", "sharing");
    set("caf.scheduler.max-threads", std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 8));
    set("caf.scheduler.max-throughput", std::size_t{100});
    if (links)
      prepare_links(*this);
  }
};

} // namespace ringmaster::actors
