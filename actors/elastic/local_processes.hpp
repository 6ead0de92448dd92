#pragma once

#include <cstdint>
#include <string>
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

  /// Reads the boot id and the pid namespace of this process. Where they are unknown, nothing is watched.
  local_processes();
  local_processes(const local_processes&) = delete;
  local_processes& operator=(const local_processes&) = delete;
  ~local_processes() override;

  bool watch(const core::elastic::host_process& process, const core::elastic::host_facts& facts) override;
  void forget(const core::elastic::host_process& process) override;
  [[nodiscard]] std::vector<core::elastic::host_process> ended() override;

private:
  struct watched {
    core::elastic::host_process process;
    int pidfd = -1;
  };

  /// Stops watching the oldest processes of a host, to make room for another one.
  void make_room(core::elastic::host_number host);

  std::string boot_;
  /// Inode of the namespace; 0: unknown.
  std::int64_t pid_namespace_ = 0;
  /// Oldest first.
  std::vector<watched> watched_;
  /// Processes that had ended when they were to be watched.
  std::vector<core::elastic::host_process> ended_before_;
};

} // namespace ringmaster::actors
