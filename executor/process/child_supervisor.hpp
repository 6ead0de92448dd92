#pragma once

// The process between this one and a program that it runs. It is forked from a process with many threads and never executes
// anything else, so all that it calls is safe in a signal handler: no allocation, no lock, no library that keeps state.
//
// It is the subreaper of everything below the program: who loses its parent becomes its child, also who left the process group or
// the session. So it knows when nothing is left, and can end everything. Only processes that it may still wait for are signalled,
// whose numbers nobody else can have got meanwhile.

#include <cstdint>
#include <sys/types.h>

namespace ringmaster::executor {

/// All is made before the fork and read after it.
struct supervision {
  const char* program = nullptr;
  /// As execve has them: the program's name first, null last.
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  /// Null: as the host.
  const char* folder = nullptr;
  /// Descriptors, each above 2: the socket to the host, what becomes stdin, stdout and stderr of the program.
  int control = -1;
  int in = -1;
  int out = -1;
  int err = -1;
  /// Who forked it.
  pid_t host = 0;
  /// From TERM to KILL.
  std::int64_t grace_ms = 0;
  /// 0: as the host.
  std::uint64_t memory_bytes_max = 0;
  std::uint64_t cpu_seconds_max = 0;
  std::uint64_t file_bytes_max = 0;
  std::uint64_t open_files = 0;
};

/// What the supervisor says to the host, each in one packet: `started` right before the program is executed, which may still
/// fail, and one of the others, which is its last.
struct supervisor_report {
  enum class kind : std::int32_t { started, not_started, exited, signalled };
  kind what = kind::not_started;
  /// The program's process, errno, exit code or signal.
  std::int32_t number = 0;
  /// Not 0: processes of the program are left that could not be killed.
  std::int32_t left = 0;
};

/// A packet of the host to its supervisor: stop the program. When the host's end of the socket closes, all is killed at once.
inline constexpr char stop_order = 's';

/// Called in the child of a fork, all signals blocked. Runs the program and exits when nothing of it is left.
[[noreturn]] void supervise(const supervision& what) noexcept;

} // namespace ringmaster::executor
