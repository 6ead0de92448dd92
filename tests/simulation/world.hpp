#pragma once

// Nodes, executors, a network and a store in one thread, whose time moves from event to event.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/editing/job_draft.hpp"
#include "core/time.hpp"
#include "storage/store.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/events.hpp"
#include "tests/simulation/fiber.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/java_admin.hpp"
#include "tests/simulation/mutant.hpp"
#include "tests/simulation/shared_schedule.hpp"
#include "tests/simulation/sim_database.hpp"

namespace ringmaster::simulation {

class sim_node;
class sim_executor;

class world {
public:
  /// `rule_off`: a rule of the protocol that this run leaves out; null: none.
  world(history what, const mutant* rule_off, bool tracing, const database_maker& make = make_memory_database);
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  /// Runs until all is at rest after the last fault, or a violation is found. Returns the violations.
  std::vector<std::string> run();

  // -- time
  [[nodiscard]] span now() const noexcept { return now_; }
  [[nodiscard]] core::time_point true_time() const;
  void at(span when, std::function<void()> what) { events_.at(when, std::move(what)); }
  void after(span wait, std::function<void()> what) { events_.at(now_ + wait, std::move(what)); }
  void run_until(span end);

  // -- faults
  /// Returns the fault for this call, once.
  [[nodiscard]] const fault* strike(site where, const std::string& node, std::size_t index);
  [[nodiscard]] bool store_is_down(const std::string& node) const;
  [[nodiscard]] bool is_cut_off(const std::string& node) const;
  std::uint64_t random(std::uint64_t below) { return random_() % below; }

  // -- participants
  [[nodiscard]] const history& what() const noexcept { return what_; }
  [[nodiscard]] const mutant* rule_off() const noexcept { return rule_off_; }
  [[nodiscard]] protocol_checker& checker() noexcept { return checker_; }
  /// Returns the addresses of its executors.
  [[nodiscard]] std::vector<std::string> addresses() const;
  [[nodiscard]] const shared_checker& shared_books() const noexcept { return shared_checker_; }
  [[nodiscard]] fiber_pool& fibers() noexcept { return fibers_; }
  [[nodiscard]] std::vector<std::unique_ptr<sim_node>>& nodes() noexcept { return nodes_; }
  [[nodiscard]] sim_node* node(const std::string& name);
  /// Returns one of the processes behind that address.
  [[nodiscard]] sim_executor* executor(const std::string& origin);
  [[nodiscard]] bool knows_elsewhere(const sim_executor& but, std::int64_t id) const;
  /// Returns the number of times that the database was restored from a copy.
  [[nodiscard]] int epoch() const noexcept { return epoch_; }
  [[nodiscard]] int epoch_at(span when) const { return what_.restored && when >= what_.restored->at ? 1 : 0; }
  /// Returns the draft of a manual edit that changes the job's parameter; nothing if the job is gone.
  [[nodiscard]] std::optional<core::job_draft> changed_draft(core::job_id job);
  /// Returns whether another transaction holds the job's rows.
  [[nodiscard]] bool is_locked(core::job_id job) const;
  /// Opens one more connection to the database, as a node with all rules or with one rule less has it.
  [[nodiscard]] std::unique_ptr<storage::store> open();
  /// Returns the database itself.
  [[nodiscard]] storage::store& look() noexcept { return *store_; }
  /// Returns the shared schedule; null if Ringmaster alone plans on the database.
  [[nodiscard]] shared_schedule* shared() noexcept { return shared_.get(); }
  /// Drops decisions about failures, under the mutant that makes them in a transaction of its own.
  void lose_decisions();

  // -- results
  [[nodiscard]] bool tracing() const noexcept { return tracing_; }
  void say(const std::string& line);
  [[nodiscard]] const std::vector<std::string>& trace() const noexcept { return trace_; }
  /// A store call or request that a node made, with its time.
  struct await_point {
    site where;
    std::string node;
    std::size_t index;
    span at;
    std::string name;
  };
  std::vector<await_point> points;

private:
  [[nodiscard]] bool is_going_on(effect what, const std::string& node) const;
  void settle();
  void judge_slots();
  void apply(const edit& what);
  void apply(const hand_edit& what);
  [[nodiscard]] core::manual_trigger request_of(const hand_edit& what);
  [[nodiscard]] std::vector<core::declared_group> groups();
  void begin_features();
  void add_plain_job(const core::declared_job& what);
  void register_executors();
  void restore(const restored_copy& what);
  void begin_shared();
  void schedule_java();
  void try_switch(core::cluster_mode to, span since);
  [[nodiscard]] std::vector<std::string> due_in_table();
  void schedule_faults();
  void strike_now(const fault& one);

  history what_;
  const mutant* rule_off_;
  bool tracing_;
  std::mt19937_64 random_;
  span now_{0};
  event_queue events_;
  fiber_pool fibers_;
  std::unique_ptr<sim_database> database_;
  std::unique_ptr<storage::store> store_;
  std::unique_ptr<storage::store> editor_;
  std::unique_ptr<storage::store> mutated_;
  mutant_tools mutant_tools_;
  std::vector<std::string> trace_;
  std::vector<bool> struck_;
  /// End of the last fault of a call, which may come late.
  span last_strike_{0};
  std::int64_t revision_ = 0;
  int epoch_ = 0;
  std::int64_t next_token_ = 1;
  protocol_checker checker_;
  shared_checker shared_checker_;
  std::unique_ptr<shared_schedule> shared_;
  std::vector<std::unique_ptr<java_admin>> java_;
  std::vector<std::unique_ptr<sim_executor>> executors_;
  std::vector<std::unique_ptr<sim_node>> nodes_;
  std::unique_ptr<protocol_checker> books_copied_;
};

/// Makes one run. The trace is filled when a violation was found (the run is made again for it).
struct outcome {
  std::vector<std::string> violations;
  std::vector<std::string> trace;
  std::vector<world::await_point> points;
  protocol_checker::tally counts;
  shared_checker::tally shared_counts;
};
/// `explains`: whether the run is made again for its trace.
[[nodiscard]] outcome simulate(const history& what, const mutant* rule_off = nullptr, bool explains = true,
                               const database_maker& make = make_memory_database);

} // namespace ringmaster::simulation
