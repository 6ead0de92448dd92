#pragma once

// A node: the real node_actor and all real actors of elastic jobs, over a store that fails as planned. Its processes follow each
// other.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/elastic/elastic_actors.hpp"
#include "actors/elastic/process_watch.hpp"
#include "actors/executors/run_gate.hpp"
#include "protocol/actor_interfaces.hpp"
#include "protocol/wall_clock.hpp"
#include "tests/simulation/elastic/job_history.hpp"
#include "tests/simulation/elastic/sim_process.hpp"
#include "tests/support/faulty_store.hpp"

namespace ringmaster::simulation::elastic {

class node_process final : public sim_process {
public:
  node_process(job_world& in, int number, int generation);
  ~node_process() override;

  void begin();
  void kill() override;
  /// Stops gracefully; calls `then` when that is done.
  void leave(std::function<void()> then);

  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] const protocol::elastic_hosts& hosts() const noexcept { return actors_.hosts; }
  /// Returns whether this incarnation may grant and acknowledge now.
  [[nodiscard]] bool gate_is_open(std::int64_t incarnation) const;
  void lost_wire(int host);

  // -- store calls
  /// Begins a call. Returns its fate; the process may be stopped, or killed, meanwhile.
  [[nodiscard]] test::store_fault before_call(std::string_view method, const fault** meets);
  void after_call(const fault* meets);

  /// The ends of hosts' processes on this machine.
  [[nodiscard]] std::vector<core::elastic::host_process> take_ends();
  bool watch(const core::elastic::host_process& process, const core::elastic::host_facts& facts);
  void forget(const core::elastic::host_process& process);

private:
  void forget_actors() override;
  [[nodiscard]] protocol::store_worker spawn_worker();
  [[nodiscard]] core::result<std::unique_ptr<storage::store>> open();

  int number_;
  protocol::wall_clock wall_{std::chrono::nanoseconds{0}};
  std::shared_ptr<protocol::send_gate> gate_ = std::make_shared<protocol::send_gate>();
  actors::elastic_actors actors_;
  protocol::node_actor node_;
  /// Watched processes with their keys.
  std::vector<std::pair<core::elastic::host_process, std::string>> watched_;
  std::vector<core::elastic::host_process> ended_;
};

} // namespace ringmaster::simulation::elastic
