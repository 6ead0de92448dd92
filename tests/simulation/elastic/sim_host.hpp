#pragma once

// A host: the real elastic_host with simulated bodies, fence timer and links. Its processes follow each other.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/executor/bodies.hpp"
#include "executor/elastic/elastic_host.hpp"
#include "executor/elastic/item_bodies.hpp"
#include "protocol/elastic_messages.hpp"
#include "tests/simulation/elastic/sim_process.hpp"
#include "tests/simulation/elastic/sim_wire.hpp"

namespace ringmaster::simulation::elastic {

/// One body that runs.
struct sim_body {
  executor::elastic::item_work work;
  std::function<void(core::run_outcome&&)> done;
  span began{0};
  span ends{0};
  bool throws = false;
  bool ignores_stop = false;
  /// A stop was requested; the body ends soon.
  bool stops = false;
};

class host_process final : public sim_process {
public:
  /// `folder`: 32 hexadecimal digits.
  host_process(job_world& in, int number, int generation, std::string folder);
  ~host_process() override;

  void begin();
  void kill() override;
  void drain(std::function<void()> then);
  void jump_wall(milliseconds by) { wall_jump_ = by; }

  // -- links
  void link_up(std::uint64_t link, const std::shared_ptr<sim_wire>& wire);
  void link_down(std::uint64_t link);
  void hear(std::uint64_t link, sim_wire::to_host what);

  // -- bodies
  bool start(executor::elastic::item_work work, std::function<void(core::run_outcome&&)> done);
  /// Runs `work` on a thread of its own.
  void start_thread(std::function<void()> work);
  [[nodiscard]] const std::map<std::int64_t, sim_body>& bodies() const noexcept { return bodies_; }

  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] const std::string& address() const noexcept { return address_; }
  [[nodiscard]] bool is_draining() const noexcept { return draining_; }
  /// Returns its process as nodes know it, by its last welcome.
  [[nodiscard]] core::elastic::host_process process_seen() const noexcept { return seen_; }

private:
  void forget_actors() override;
  void dial(int node);
  void go_on(std::int64_t run);
  void end_body(std::int64_t run, core::run_outcome&& outcome);
  void enforce_leases();
  void arm_fence(span when);

  int number_;
  std::string address_;
  std::string folder_;
  std::int64_t pid_;
  bool draining_ = false;
  milliseconds wall_jump_{0};
  /// Number of the latest alarm of the fence timer; earlier ones are void.
  std::uint64_t alarm_ = 0;
  core::elastic::host_process seen_;
  std::shared_ptr<executor::elastic::fence_board> board_;
  protocol::elastic_host actor_;
  std::map<int, std::weak_ptr<sim_wire>> wires_;
  std::map<std::int64_t, sim_body> bodies_;
};

} // namespace ringmaster::simulation::elastic
