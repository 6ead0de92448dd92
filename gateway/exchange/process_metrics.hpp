#pragma once

#include <string>

namespace ringmaster::gateway {

/// Appends the `process_*` series of Prometheus' client libraries, as Linux tells them; leaves out what it does not.
void append_process_metrics(std::string& out);

} // namespace ringmaster::gateway
