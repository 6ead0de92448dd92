#pragma once

// The right of way of an io thread for the moments in which many runs leave together.

namespace ringmaster::gateway::http {

/// Lets the calling thread go before all ordinary threads of the machine, for as long as it is raised: SCHED_RR at its lowest
/// priority. Where the kernel does not permit that (no CAP_SYS_NICE, no RLIMIT_RTPRIO) it does nothing. Belongs to one thread.
class realtime_priority {
public:
  void raise() noexcept;
  void lower() noexcept;

private:
  bool raised_ = false;
  bool refused_ = false;
};

} // namespace ringmaster::gateway::http
