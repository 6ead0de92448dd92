#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include <caf/actor_clock.hpp>
#include <caf/node_id.hpp>

namespace ringmaster::actors {

/// Executor processes whose link was replaced by that of another process with the same address, for example after a copy of a
/// data folder. Each of the two would replace the other's link in turn; so the older one stays out while the newer one is linked.
/// Pure.
class replaced_processes {
public:
  using steady = caf::actor_clock::time_point;

  /// The older process stays out for so long after the newer one has lost its link: time to connect again.
  static constexpr std::chrono::seconds kept_after_loss{10};
  /// Processes that are remembered for one address.
  static constexpr std::size_t processes_max = 8;

  /// Takes a process whose link, which was up, another process has replaced.
  void add(const std::string& address, const caf::node_id& older);
  /// Returns true if the process has to stay out.
  [[nodiscard]] bool keeps_out(const std::string& address, const caf::node_id& process, steady now) const;
  /// The address has a link.
  void note_link(const std::string& address);
  /// The address has lost its link. `goodbye`: its process ends, so others may have the address at once.
  void note_loss(const std::string& address, bool goodbye, steady now);
  /// Forgets what has expired.
  void sweep(steady now);

private:
  struct entry {
    /// Oldest first.
    std::deque<caf::node_id> processes;
    /// Unset: the address has a link.
    std::optional<steady> until;
  };
  std::unordered_map<std::string, entry> by_address_;
};

} // namespace ringmaster::actors
