#pragma once

#include <string>

namespace ringmaster::gateway {

/// Appends the `process_*` series of Prometheus's client libraries that Linux provides; leaves out the others.
void append_process_metrics(std::string& out);

} // namespace ringmaster::gateway
