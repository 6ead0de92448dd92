#pragma once

// Servers: the hosts of one IP address (EJ §16.3).

#include <cstdint>
#include <string>
#include <vector>

#include "core/elastic/elastic_views.hpp"
#include "core/elastic/stored_rows.hpp"

namespace ringmaster::core::elastic {

/// One server.
struct elastic_server {
  std::string ip;
  /// Ids of its hosts, sorted.
  std::vector<std::string> hosts;
  std::int64_t up = 0;
  std::int64_t silent = 0;
  /// Hosts that are dead or left.
  std::int64_t down = 0;
  /// Hosts that operators disabled or drain.
  std::int64_t disabled = 0;
  /// Items that run on its hosts.
  std::int64_t running = 0;
  /// Jobs of the groups of its hosts.
  std::int64_t jobs = 0;
  /// Those of them that get no grants here, because operators disabled the server or all of its hosts for them.
  std::int64_t disabled_jobs = 0;
};

/// A job, and the app name of its group.
struct server_job {
  elastic_job_id id{};
  std::string app_name;
};

/// Returns the servers of these hosts, sorted by IP address as a text. `disabled`: the servers that operators disabled for jobs.
[[nodiscard]] std::vector<elastic_server> servers_of(const std::vector<host_row>& hosts,
                                                     const std::vector<elastic_host_load>& loads,
                                                     const std::vector<server_job>& jobs,
                                                     const std::vector<server_row>& disabled);

} // namespace ringmaster::core::elastic
