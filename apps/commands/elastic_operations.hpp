#pragma once

#include <functional>

#include "apps/commands/commands.hpp"

namespace ringmaster::apps {

/// Adds the commands about runs, hosts and servers of elastic jobs: cancel, host, servers, dump.
void add_elastic_operations(CLI::App& elastic, std::function<int()>& chosen);

} // namespace ringmaster::apps
