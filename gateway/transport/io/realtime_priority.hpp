#pragma once

// Realtime priority of an io thread while many runs leave together.

namespace ringmaster::gateway::http {

/// Realtime priority of the calling thread while it is raised: it runs before all ordinary threads of the machine, as SCHED_RR at
/// the lowest priority. Does nothing where the kernel does not permit that (no CAP_SYS_NICE, no RLIMIT_RTPRIO). Belongs to one
/// thread.
class realtime_priority {
public:
  void raise() noexcept;
  void lower() noexcept;

private:
  bool raised_ = false;
  bool refused_ = false;
};

} // namespace ringmaster::gateway::http
