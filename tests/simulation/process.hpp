#pragma once

// Actors of one incarnation of a node's process.

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "actors/node/supervisor.hpp"
#include "protocol/wall_clock.hpp"
#include "tests/simulation/native.hpp"
#include "tests/simulation/node.hpp"

namespace ringmaster::simulation {

/// Returns jobs to the queue of the coordinator, as its own threads would.
class ready_queue : public caf::execution_unit {
public:
  explicit ready_queue(caf::scheduler::test_coordinator& of) : caf::execution_unit{&of.system()}, of_{of} {}
  void exec_later(caf::resumable* job) override { of_.jobs.push_back(job); }

private:
  caf::scheduler::test_coordinator& of_;
};

class process {
public:
  process(sim_node& of, span clock_starts);
  ~process();

  /// Spawns the actors.
  void begin();
  /// Handles one message of one actor; returns false if none is ready.
  bool run_one();
  [[nodiscard]] bool is_ready() const { return !coordinator_.jobs.empty(); }
  [[nodiscard]] caf::detail::test_actor_clock& time() { return coordinator_.clock(); }
  [[nodiscard]] protocol::wall_clock& wall() noexcept { return wall_; }
  [[nodiscard]] const protocol::send_gate& gate() const noexcept { return *gate_; }
  void call_back(core::callback result, std::function<void(bool)> then);
  void edit(core::declared_set declared);
  void edit_by_hand(const hand_edit& what, const core::manual_trigger& wanted);
  /// Asks for a graceful stop; calls `then` when it is done.
  void stop(std::function<void()> then);
  void dial(sim_link& link) { link.greet(system_, door_); }
  void end();
  /// Returns its metric of instants dropped by misfire rules.
  [[nodiscard]] std::int64_t dropped();
  /// Returns its metric of slots.
  [[nodiscard]] std::size_t slots();
  /// Returns true once the node has read its machine's civil clock.
  [[nodiscard]] bool has_read_clock() const noexcept { return has_read_clock_; }

  /// Value of the transport's clock at the start of every process: zero is special to CAF.
  static constexpr span clock_base = std::chrono::hours{1};

private:
  struct testing_config : caf::actor_system_config {
    testing_config() { set("caf.scheduler.policy", "testing"); }
  };
  [[nodiscard]] actors::node_parts parts();
  core::time_point read_clock();
  /// Asks for an edit of one job; its answer is compared with the runs that are sent after it.
  template <class Command>
  void ask_for_edit(core::job_id job, Command command);

  sim_node& node_;
  testing_config config_;
  caf::actor_system system_{config_};
  caf::scheduler::test_coordinator& coordinator_ = dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  ready_queue unit_{coordinator_};
  protocol::wall_clock wall_{std::chrono::nanoseconds{0}};
  std::shared_ptr<protocol::send_gate> gate_ = std::make_shared<protocol::send_gate>();
  protocol::supervisor supervisor_;
  protocol::completion_actor completion_;
  protocol::job_admin jobs_;
  /// Ports of native links.
  protocol::link_door door_;
  std::map<std::uint64_t, caf::actor> callers_;
  std::uint64_t next_caller_ = 0;
  bool has_read_clock_ = false;
};

} // namespace ringmaster::simulation
