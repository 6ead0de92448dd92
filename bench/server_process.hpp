#pragma once

// The server under load as a process of its own: started, asked whether it is ready, weighed, stopped.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ringmaster::bench {

/// CPU time of a process, all threads, in seconds; 0 for a process that is gone.
[[nodiscard]] double cpu_seconds(pid_t process);

/// CPU time in seconds that the hypervisor kept from this machine since it started, all cores.
[[nodiscard]] double stolen_seconds();

/// Resident memory in MB (10^6 bytes): the most so far, and now.
struct resident_mb {
  double peak = 0, now = 0;
};
[[nodiscard]] resident_mb resident_memory(pid_t process);

/// A loopback port that nobody listens on.
[[nodiscard]] std::uint16_t free_port();

/// Dies with the thread that made it.
class server_process {
public:
  /// Starts `words[0]` with its output in `log`.
  server_process(std::vector<std::string> words, std::filesystem::path log);
  ~server_process();
  server_process(const server_process&) = delete;
  server_process& operator=(const server_process&) = delete;

  /// From the start of the process to the first 200 of /readyz. Throws `std::runtime_error` with the end of its log when the
  /// process ends before or the limit passes.
  std::chrono::duration<double, std::milli> wait_until_ready(std::uint16_t port, std::chrono::seconds limit);

  /// SIGTERM, then SIGKILL after the limit. The exit status, nothing when it had to be killed or died of a signal.
  std::optional<int> stop(std::chrono::seconds limit);

  /// SIGKILL, without a goodbye.
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
