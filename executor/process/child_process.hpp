#pragma once

// Runs a program and ends it whole: with everything that it started, also what left its process group or session, also when this
// process is killed. Between the two stands a supervisor (child_supervisor.hpp), a fork of this process; nothing else of this
// process is touched: no signal handler, no child of others, no state.

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::executor {

/// Texts without NUL; else the program is not started.
struct child_command {
  /// A path; PATH is not looked at.
  std::string program;
  /// Behind its name.
  std::vector<std::string> arguments;
  /// `NAME=value`, the whole of it.
  std::vector<std::string> environment;
  /// Working directory. Empty: that of this process.
  std::string folder = {};
};

/// 0: no limit, but for `kill_grace`.
struct child_limits {
  /// Data of each process of the program (RLIMIT_DATA).
  std::uint64_t memory_bytes_max = 0;
  /// Processor time of each.
  std::uint64_t cpu_seconds_max = 0;
  /// Of a file that it writes.
  std::uint64_t file_bytes_max = 0;
  /// What is beyond it is read and dropped; a marker stands for it.
  std::uint64_t output_bytes_max = 0;
  /// A stop sends TERM, and after this time KILL; 0: KILL at once.
  std::chrono::milliseconds kill_grace{1000};
  /// Soft limit of open files (RLIMIT_NOFILE).
  std::uint64_t open_files = 0;
};

enum class output_stream : std::uint8_t { out, err };

/// Gets bytes as they come, at most 64 KiB a call, on the thread of `run_child`.
using output_sink = std::function<void(output_stream, std::string_view)>;

struct child_end {
  /// `lost`: who watched over it was killed, and it with him; what had left its process group may still be there.
  enum class how : std::uint8_t { exited, signalled, not_started, lost };
  how what = how::lost;
  /// Exit code, signal or errno.
  int number = 0;
  /// Bytes beyond the limit.
  std::uint64_t dropped_bytes = 0;
  /// Processes of it are left that could not be killed: of another user (sudo), or stuck in the kernel.
  bool left = false;
};

/// Blocks until the program and all that it started are gone. Its stdin is /dev/null; it is in a session of its own, with signals
/// as usual, no descriptor of ours, and a umask that lets only the owner write. What it leaves in the background has 200 ms to
/// end after it, then TERM, then KILL. A stop acts while the sink blocks, too. If the sink throws, all is killed and the
/// exception goes on.
[[nodiscard]] child_end run_child(const child_command& command, const child_limits& limits, const std::stop_token& stop,
                                  const output_sink& sink);

} // namespace ringmaster::executor
