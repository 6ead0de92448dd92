#pragma once

// The server under load as a separate process: start, readiness, resource usage, stop.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ringmaster::bench {

/// Returns the CPU time of a process, all threads, in seconds; 0 for a process that has ended.
[[nodiscard]] double cpu_seconds(pid_t process);

/// Returns the CPU time in seconds, of all cores, that the hypervisor has withheld since the start of this machine.
[[nodiscard]] double stolen_seconds();

/// Resident memory in MB (10^6 bytes): the maximum so far, and now.
struct resident_mb {
  double peak = 0, now = 0;
};
[[nodiscard]] resident_mb resident_memory(pid_t process);

/// Returns an unused loopback port.
[[nodiscard]] std::uint16_t free_port();

/// A server process. It ends with the thread that created it.
class server_process {
public:
  /// Starts `words[0]` with its output in `log`.
  server_process(std::vector<std::string> words, std::filesystem::path log);
  ~server_process();
  server_process(const server_process&) = delete;
  server_process& operator=(const server_process&) = delete;

  /// Waits for the first 200 of /readyz and returns the time since the start of the process. Throws `std::runtime_error` with the
  /// end of its log if the process ends first or the limit passes.
  std::chrono::duration<double, std::milli> wait_until_ready(std::uint16_t port, std::chrono::seconds limit);

  /// Sends SIGTERM, and SIGKILL after the limit. Returns the exit status; unset if the process had to be killed or died of a
  /// signal.
  std::optional<int> stop(std::chrono::seconds limit);

  /// Sends SIGKILL, without a graceful stop.
  void kill_now();

  [[nodiscard]] pid_t process() const { return process_; }
  [[nodiscard]] bool runs();
  [[nodiscard]] std::string end_of_log() const;

private:
  bool ended_within(std::chrono::milliseconds limit);

  std::filesystem::path log_;
  std::chrono::steady_clock::time_point started_;
  pid_t process_ = 0;
  std::optional<int> status_;
};

} // namespace ringmaster::bench
