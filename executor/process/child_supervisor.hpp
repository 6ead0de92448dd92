#pragma once

// The process between this one and a program that it runs. It is forked from a multithreaded process and never executes another
// program, so all its functions are safe in a signal handler: no allocation, no lock, no library with state.
//
// It is the subreaper of everything below the program: orphaned processes become its children, also those that left the process
// group or the session. So it knows when nothing is left, and can end everything. It signals only processes that it may still
// wait for, because their ids cannot have been reused.

#include <sys/types.h>
#include <atomic>
#include <cstdint>

namespace ringmaster::executor {

/// Prepared before the fork and read after it.
struct supervision {
  const char* program = nullptr;
  /// In the form of execve: the program's name first, null last.
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  /// Null: that of the host.
  const char* folder = nullptr;
  /// Descriptors above 2: the socket to the host, and the future stdin, stdout and stderr of the program.
  int control = -1;
  int in = -1;
  int out = -1;
  int err = -1;
  /// Process id of the host.
  pid_t host = 0;
  /// Time from TERM to KILL.
  std::int64_t grace_ms = 0;
  /// 0: that of the host.
  std::uint64_t memory_bytes_max = 0;
  std::uint64_t cpu_seconds_max = 0;
  std::uint64_t file_bytes_max = 0;
  std::uint64_t open_files = 0;
  /// Start of the program's lease by CLOCK_BOOTTIME, in memory that is shared with the host, and its length, in nanoseconds.
  /// Null: no lease.
  const std::atomic<std::int64_t>* lease_from = nullptr;
  std::int64_t lease_ns = 0;
};

/// Reports of the supervisor to the host, one packet each: `started` right before the program is executed, which may still fail,
/// then one of the others as the last.
struct supervisor_report {
  enum class kind : std::int32_t { started, not_started, exited, signalled };
  kind what = kind::not_started;
  /// The program's process id, errno, exit code or signal.
  std::int32_t number = 0;
  /// Not 0: some processes of the program could not be killed.
  std::int32_t left = 0;
};

/// Packets from the host to its supervisor: stop the program; kill it and everything that it started. When the host's end of the
/// socket closes, everything is killed at once.
inline constexpr char stop_order = 's';
inline constexpr char kill_order = 'k';

/// Called in the child of a fork with all signals blocked. Runs the program and exits when none of its processes is left.
[[noreturn]] void supervise(const supervision& what) noexcept;

} // namespace ringmaster::executor
