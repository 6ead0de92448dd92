#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "actors/elastic/process_watch.hpp"

namespace ringmaster::actors {

/// Processes of this machine and this pid namespace, each watched through a pidfd. Owns these.
class local_processes final : public process_watch {
public:
  /// Maximum number of watched processes; others have no proof.
  static constexpr std::size_t watched_max = 2048;
  /// Maximum number of these of one host: the last ones. A host that enters again and again leaves room for others.
  static constexpr std::size_t watched_of_host = 8;

  /// Maximum number of watched programs of all processes; beyond it the leases of their runs decide.
  static constexpr std::size_t programs_max = 4096;

  /// Reads the boot id and the pid namespace of this process. Where they are unknown, nothing is watched.
  local_processes();
  local_processes(const local_processes&) = delete;
  local_processes& operator=(const local_processes&) = delete;
  ~local_processes() override;

  bool watch(const core::elastic::host_process& process, const core::elastic::host_facts& facts) override;
  void watch_program(const core::elastic::host_process& process, core::elastic::item_run_id run, std::int64_t pid) override;
  void forget_program(const core::elastic::host_process& process, core::elastic::item_run_id run) override;
  [[nodiscard]] bool programs_ended(const core::elastic::host_process& process) override;
  [[nodiscard]] bool has_programs(const core::elastic::host_process& process) const override;
  void forget_programs(const core::elastic::host_process& process) override;
  void forget(const core::elastic::host_process& process) override;
  [[nodiscard]] std::vector<core::elastic::host_process> ended() override;

private:
  struct watched {
    core::elastic::host_process process;
    int pidfd = -1;
  };

  /// A host process with programs.
  struct family {
    core::elastic::host_process process;
    /// Handle of the process itself.
    int pidfd = -1;
    /// Supervisors, by run.
    std::vector<std::pair<core::elastic::item_run_id, int>> programs;
    /// A program could not be watched.
    bool is_incomplete = false;
  };
  [[nodiscard]] std::vector<family>::iterator family_of(const core::elastic::host_process& process);

  /// Stops watching the oldest processes of a host, to make room for another one.
  void make_room(core::elastic::host_number host);

  std::string boot_;
  /// Inode of the namespace; 0: unknown.
  std::int64_t pid_namespace_ = 0;
  /// Oldest first.
  std::vector<watched> watched_;
  /// Processes that had ended when they were to be watched.
  std::vector<core::elastic::host_process> ended_before_;
  std::vector<family> families_;
};

} // namespace ringmaster::actors
