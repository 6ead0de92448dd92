#pragma once

// One process of a node or of a host: actors in an actor system of their own, on a clock that the world moves, which may be
// stopped and killed.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "core/time.hpp"
#include "protocol/caf.hpp"
#include "tests/simulation/fiber.hpp"
#include "tests/simulation/history.hpp"

namespace ringmaster::simulation::elastic {

class job_world;

/// Returns jobs to the queue of the coordinator, as its own threads would.
class returning_unit final : public caf::execution_unit {
public:
  explicit returning_unit(caf::scheduler::test_coordinator& of) : caf::execution_unit{&of.system()}, of_{of} {}
  void exec_later(caf::resumable* job) override { of_.jobs.push_back(job); }

private:
  caf::scheduler::test_coordinator& of_;
};

class sim_process : public std::enable_shared_from_this<sim_process> {
public:
  /// `drift`: of its clocks, in parts per million.
  sim_process(job_world& in, std::string name, std::int64_t drift);
  sim_process(const sim_process&) = delete;
  sim_process& operator=(const sim_process&) = delete;
  virtual ~sim_process();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] job_world& in() const noexcept { return world_; }

  // -- its clocks
  /// Return the time of its clocks, also while it is stopped.
  [[nodiscard]] span boot() const;
  [[nodiscard]] span boot_at(span true_time) const;
  /// Returns the earliest true time at which its clocks show this time.
  [[nodiscard]] span true_time_of(span boot) const;
  [[nodiscard]] core::time_point civil() const;

  // -- faults
  [[nodiscard]] bool is_alive() const noexcept { return !dead_; }
  [[nodiscard]] bool is_running() const noexcept { return !dead_ && !stopped_; }
  /// Returns the moment of its end; only if it is not alive.
  [[nodiscard]] span ended_at() const noexcept { return ended_at_; }
  virtual void kill();
  void stop_for(milliseconds lasts);
  /// Ends its actors, once it has been killed. Not inside of a fiber.
  void reap();

  // -- its turn
  /// Handles waiting messages; returns false if there were none. Not inside of a fiber.
  bool step();
  [[nodiscard]] std::optional<span> next_timer();
  void advance_clock();
  /// Runs `what` in this process at a true time: not while it is stopped, and not once it has ended.
  void at(span when, std::function<void()> what);
  void after(span wait, std::function<void()> what);

  [[nodiscard]] caf::actor_system& system() noexcept { return system_; }
  [[nodiscard]] caf::actor_clock::time_point steady() { return coordinator_.clock().now(); }
  template <class Handle>
  Handle track(Handle actor) {
    tracked_.push_back(caf::actor_cast<caf::strong_actor_ptr>(actor));
    return actor;
  }

protected:
  /// Suspend the running handler. Return whether the process is alive when it resumes.
  bool wait(milliseconds lasts);
  bool stand_still(milliseconds lasts);
  /// Drops the handles of its actors.
  virtual void forget_actors() {}

private:
  struct testing_config : caf::actor_system_config {
    testing_config() { set("caf.scheduler.policy", "testing"); }
  };
  struct put_aside {
    fiber* work;
    std::uint64_t ticket;
  };
  bool run_one();
  void go_on();
  std::uint64_t keep_aside();

  job_world& world_;
  std::string name_;
  std::int64_t drift_;
  bool dead_ = false;
  bool stopped_ = false;
  bool reaped_ = false;
  span ended_at_{0};
  std::vector<put_aside> aside_;
  std::uint64_t next_ticket_ = 0;
  std::vector<std::function<void()>> backlog_;
  testing_config config_;
  caf::actor_system system_{config_};
  caf::scheduler::test_coordinator& coordinator_ = dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  returning_unit unit_{coordinator_};
  std::vector<caf::strong_actor_ptr> tracked_;
};

} // namespace ringmaster::simulation::elastic
