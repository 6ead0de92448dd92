#pragma once

// Runs a program and ends it completely, with everything that it started, even processes that left its process group or session,
// and even when this process is killed. A supervisor (child_supervisor.hpp), a fork of this process, stands between the two.
// Nothing else of this process changes: no signal handler, no other children, no state.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::executor {

/// Texts must not contain NUL; otherwise the program is not started.
struct child_command {
  /// A path; PATH is not searched.
  std::string program;
  /// Arguments after the program name.
  std::vector<std::string> arguments;
  /// The complete environment, as `NAME=value`.
  std::vector<std::string> environment;
  /// Working directory; empty: that of this process.
  std::string folder = {};
};

/// The right of a program to run, which others extend. Ends the program even while this process is stopped, with SIGSTOP for
/// example: its supervisor looks at the lease by itself.
struct child_lease {
  /// Start of the lease by CLOCK_BOOTTIME, in nanoseconds, in memory that forks share. Must outlive the run. Null: no lease.
  const std::atomic<std::int64_t>* from = nullptr;
  std::chrono::nanoseconds length{0};
};

/// Decisions and notifications of the caller of `run_child`.
struct child_control {
  /// The program is killed, without TERM, as soon as its lease is over.
  child_lease lease = {};
  /// Decides at a stop: true kills the program at once, without TERM. Called on the thread of the stop. Empty: never.
  std::function<bool()> must_kill = {};
  /// Kills the program at once, without TERM, also after a stop.
  std::stop_token kill = {};
  /// Gets the process id of the supervisor, which ends after the program and everything that it started. Empty: not called.
  std::function<void(std::int64_t)> on_start = {};
};

/// 0 means no limit, except for `kill_grace`.
struct child_limits {
  /// Data of each process of the program (RLIMIT_DATA).
  std::uint64_t memory_bytes_max = 0;
  /// Processor time of each process.
  std::uint64_t cpu_seconds_max = 0;
  /// Size of a file that it writes.
  std::uint64_t file_bytes_max = 0;
  /// Further output is read and dropped; a marker replaces it.
  std::uint64_t output_bytes_max = 0;
  /// Time from TERM to KILL at a stop; 0: KILL at once.
  std::chrono::milliseconds kill_grace{1000};
  /// Soft limit of open files (RLIMIT_NOFILE).
  std::uint64_t open_files = 0;
};

enum class output_stream : std::uint8_t { out, err };

/// Receives bytes as they arrive, at most 64 KiB per call, on the thread of `run_child`.
using output_sink = std::function<void(output_stream, std::string_view)>;

struct child_end {
  /// `lost`: the supervisor was killed, and the program with it; processes that had left its group may still exist.
  enum class how : std::uint8_t { exited, signalled, not_started, lost };
  how what = how::lost;
  /// Exit code, signal or errno.
  int number = 0;
  /// Bytes beyond the limit.
  std::uint64_t dropped_bytes = 0;
  /// Some of its processes could not be killed: they belong to another user (sudo), or hang in the kernel.
  bool left = false;
};

/// Blocks until the program and everything that it started have ended. Its stdin is /dev/null. It has its own session, default
/// signals, no inherited descriptors, and a umask that lets only the owner write. Its background processes have 200 ms to end
/// after it, then get TERM, then KILL. A stop works even while the sink blocks. If the sink throws, everything is killed and the
/// exception propagates.
[[nodiscard]] child_end run_child(const child_command& command, const child_limits& limits, const std::stop_token& stop,
                                  const output_sink& sink, const child_control& control = {});

} // namespace ringmaster::executor
