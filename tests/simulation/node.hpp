#pragma once

// One node: the real actors in an actor system of their own, on clocks that the world moves, over a store and a network that fail
// as planned.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/editing/manual_edits.hpp"
#include "core/run/run.hpp"
#include "protocol/http.hpp"
#include "storage/store.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/fiber.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/node_reservations.hpp"

namespace ringmaster::simulation {

class world;
class process;
class sim_link;

class sim_node {
public:
  sim_node(world& in, std::string name, milliseconds skew);
  ~sim_node();

  // -- lifecycle of the process
  void start();
  /// Kills the process: it sends nothing from now on. It comes back after `lasts`.
  void crash(milliseconds lasts);
  /// Stops the whole process, while its clocks continue. `frozen`: they do not; `asleep`: only CLOCK_BOOTTIME does.
  void pause(milliseconds lasts, bool frozen = false, bool asleep = false);
  void step_clock(milliseconds by);
  /// Sets the clock ahead by `by` until the next call with 0.
  void jump_clock(milliseconds by);
  /// Stops the node gracefully; it comes back after `lasts`.
  void stop(milliseconds lasts);
  [[nodiscard]] bool is_up() const noexcept { return process_ && !dead_; }
  [[nodiscard]] bool is_paused() const noexcept { return paused_; }
  [[nodiscard]] bool was_frozen() const noexcept { return was_frozen_; }
  /// Returns the number of instants that its process counted as dropped; nothing if there is no process, or a fault kept an
  /// answer of the store from it.
  [[nodiscard]] std::optional<std::int64_t> dropped();
  /// Returns the number of slots that it plans.
  [[nodiscard]] std::size_t slots();
  [[nodiscard]] bool has_lease(std::int64_t incarnation) const;
  /// Returns the reasons why the process ended by itself: defects.
  [[nodiscard]] const std::vector<std::string>& failed() const noexcept { return failed_; }

  // -- its turn
  /// Handles waiting messages; returns false if there were none.
  bool step();
  [[nodiscard]] std::optional<span> next_timer();
  void advance_clock();

  // -- actions
  /// Calls `then` with whether the results are durable; with false, too, if the process ends first.
  void call_back(core::callback result, std::function<void(bool)> then);
  /// Asks its actors for an edit of these jobs, while it is up and running.
  void edit(core::declared_set declared);
  void edit_by_hand(const hand_edit& what, const core::manual_trigger& wanted);
  /// Runs an action in this process at a time: not while it stands still, and not once it is gone.
  void at(span when, std::function<void()> what);
  void post(std::vector<protocol::http_call>&& calls, protocol::http_client::completion done);
  /// Accepts an executor's connection for a native link.
  void dial(const std::shared_ptr<sim_link>& link);
  /// Counts one more request that is sent. Returns its fault; null: none.
  [[nodiscard]] const fault* meet(const std::string& request);
  /// Notes that the gate of native links lets the run pass at this moment.
  void note_passage(const core::claimed_run& run);
  /// Returns the last passage of the run in this process. None: a violation.
  [[nodiscard]] gate_passage passage_of(std::int64_t run);
  /// Records that a run is sent over a native link.
  void note_written(std::int64_t run, const gate_passage& passage);

  // -- store calls
  [[nodiscard]] core::result<std::unique_ptr<storage::store>> open();
  void note_end(const std::string& what) { failed_.push_back(what); }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] world& in() noexcept { return world_; }
  /// Return the civil time that its actors assume, and the time that the machine's clock shows.
  [[nodiscard]] core::time_point civil() const;
  [[nodiscard]] core::time_point system_clock() const;
  [[nodiscard]] std::int64_t boot() const;

private:
  friend class process;
  struct call;

  [[nodiscard]] bool may_start_ahead() const;
  void reap();
  void go_on();
  std::uint64_t keep_aside();
  /// Suspends the running call. Returns whether the process is still there when it resumes.
  bool wait(milliseconds lasts);
  /// Waits for the schedule lock as the database would. Returns false if the lock was not available, or the process is gone.
  bool wait_for_lock(std::string_view method);
  [[nodiscard]] test::store_fault fate_of(std::string_view method, const std::shared_ptr<const fault*>& meets);
  void after_call(std::string_view method, const std::shared_ptr<const fault*>& meets);
  bool stand_still(milliseconds lasts);
  void write(std::shared_ptr<call> one);
  void transmit(const std::shared_ptr<call>& one, const fault* meets);
  void deliver(const std::shared_ptr<call>& one, span when, span answer_takes, bool lost);
  void answer(const std::shared_ptr<call>& one, protocol::http_result&& result);
  void set_wall();
  void forget_calls();

  world& world_;
  std::string name_;
  milliseconds skew_;
  milliseconds jump_{0};
  span frozen_{0};
  span slept_{0};
  bool dead_ = false;
  bool paused_ = false;
  bool was_frozen_ = false;
  /// A store call of this process had a fault.
  bool missed_answer_ = false;
  /// Its process has read jobs.
  bool has_read_jobs_ = false;
  /// Number of the process: callbacks of an older one are dropped.
  int life_ = 0;
  std::size_t store_calls_ = 0;
  std::size_t requests_ = 0;
  struct put_aside {
    fiber* work;
    std::uint64_t ticket;
  };
  std::vector<put_aside> still_;
  std::uint64_t next_ticket_ = 0;
  std::vector<std::function<void()>> backlog_;
  /// Requests without an answer: their senders end with the process.
  std::vector<std::shared_ptr<call>> calls_;
  std::vector<std::weak_ptr<sim_link>> links_;
  /// Last passage of each run through the gate of native links, in this process.
  std::map<std::int64_t, gate_passage> passages_;
  std::vector<std::string> failed_;
  std::vector<std::unique_ptr<node_reservations>> roles_;
  std::unique_ptr<process> process_;
};

} // namespace ringmaster::simulation
