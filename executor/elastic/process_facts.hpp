#pragma once

// Facts that name this process for the nodes of elastic jobs.

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "executor/files/file.hpp"

namespace ringmaster::executor::elastic {

/// The process among all processes of all machines.
struct process_facts {
  /// Id of the boot of this machine.
  std::string boot;
  std::int64_t pid = 0;
  /// Number of the pid namespace.
  std::int64_t pid_namespace = 0;
  /// Start of the process in clock ticks since the boot.
  std::int64_t start_ticks = 0;
};

/// Reads the facts from /proc. Blocks. Errors: `unavailable` with the file.
[[nodiscard]] core::result<process_facts> read_process_facts();

/// Returns 32 random hexadecimal digits.
[[nodiscard]] std::string draw_process_key();

/// Returns the id of the folder that this process has locked, 32 hexadecimal digits. It is made once and kept in the folder. A
/// copy of the folder gets another id: the file names the lock that it belongs to. Blocks. Errors: `unavailable`.
[[nodiscard]] core::result<std::string> folder_id(const std::string& folder, const file& lock);

} // namespace ringmaster::executor::elastic
