#pragma once

// Nodes, hosts, the network between them and a store in one thread, whose time moves from event to event.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/logger.hpp"
#include "storage/store.hpp"
#include "tests/simulation/elastic/job_checker.hpp"
#include "tests/simulation/elastic/job_history.hpp"
#include "tests/simulation/elastic/mutant.hpp"
#include "tests/simulation/elastic/rule_breaker.hpp"
#include "tests/simulation/elastic/sim_wire.hpp"
#include "tests/simulation/events.hpp"
#include "tests/simulation/fiber.hpp"

namespace ringmaster::simulation::elastic {

class sim_process;

class job_world {
public:
  job_world(job_history what, const mutant& rule_off, bool tracing);
  ~job_world();
  job_world(const job_world&) = delete;
  job_world& operator=(const job_world&) = delete;

  /// Runs until all is at rest after the last fault, or a violation is found. Returns the violations.
  std::vector<std::string> run();

  // -- time
  [[nodiscard]] span now() const noexcept { return now_; }
  [[nodiscard]] core::time_point true_time() const;
  [[nodiscard]] core::time_point begun_at() const;
  void at(span when, std::function<void()> what) { events_.at(std::max(when, now_), std::move(what)); }
  void after(span wait, std::function<void()> what) { at(now_ + wait, std::move(what)); }
  std::uint64_t random(std::uint64_t below) { return random_() % below; }
  [[nodiscard]] fiber_pool& fibers() noexcept { return fibers_; }

  // -- input
  [[nodiscard]] const job_history& what() const noexcept { return what_; }
  [[nodiscard]] const mutant& rule_off() const noexcept { return rule_off_; }
  [[nodiscard]] rule_breaker& mutate() noexcept { return breaker_; }
  [[nodiscard]] job_checker& checker() noexcept { return checker_; }
  [[nodiscard]] std::int64_t period_ms(std::int64_t job) const;
  [[nodiscard]] bool has_timeout(std::int64_t job) const;
  [[nodiscard]] std::int64_t capacity_of(int host) const { return what_.capacities.at(static_cast<std::size_t>(host)); }

  // -- the network and the machines
  [[nodiscard]] bool is_blocked(int host, int node, bool to_node) const;
  /// Connects a process of a host to a node; null if no process of the node is there.
  [[nodiscard]] std::shared_ptr<sim_wire> connect(host_process& host, int node);
  void end_wires_of(const sim_process* process);
  [[nodiscard]] std::string machine_of_host(int host) const;
  [[nodiscard]] std::string machine_of_node(int node) const;
  /// Draws the key of a process, 32 hexadecimal digits.
  [[nodiscard]] std::string draw_key(const std::shared_ptr<sim_process>& process);
  /// Returns the end of the process with this key; unset: it is alive.
  [[nodiscard]] std::optional<span> end_of_process(const std::string& key) const;
  [[nodiscard]] int host_of_process(const std::string& key) const;
  /// Returns all processes of hosts that are alive.
  [[nodiscard]] std::vector<std::shared_ptr<host_process>> host_processes() const;

  // -- the store
  [[nodiscard]] std::unique_ptr<storage::store> open();
  [[nodiscard]] bool store_is_away(int node) const;
  /// Returns the fault for this call of a node, once.
  [[nodiscard]] const fault* strike(int node, std::string_view method);
  void restart_node(int node, milliseconds lasts);

  // -- for mutants
  [[nodiscard]] std::int64_t next_number() noexcept { return ++next_number_; }
  /// Returns the highest epoch of the slot that was sent to a host.
  [[nodiscard]] std::int64_t newest_epoch(std::uint32_t slot, std::int64_t epoch);
  /// Keeps grants for an ended process of a host for the next one.
  void keep_grants(int host, const protocol::elastic_grants& late) { late_grants_[host].push_back(late); }
  [[nodiscard]] std::vector<protocol::elastic_grants> take_grants(int host) { return std::exchange(late_grants_[host], {}); }

  // -- judgement
  /// Returns whether, since this moment and for a while before, nothing happened to the host, and nothing to all nodes but one
  /// and to the links to them.
  [[nodiscard]] bool is_undisturbed(const host_process& host, span since) const;
  /// Returns whether all faults and edits are over for a while.
  [[nodiscard]] bool is_quiet() const;
  /// Returns whether a process of the host with this address runs.
  [[nodiscard]] bool is_host_well(const std::string& address) const;

  // -- results
  void say(const std::string& line);
  [[nodiscard]] bool is_tracing() const noexcept { return tracing_; }
  [[nodiscard]] const std::vector<std::string>& trace() const noexcept { return trace_; }
  [[nodiscard]] actors::logger log_of(const std::string& name);

private:
  struct seat {
    std::shared_ptr<host_process> process;
    std::shared_ptr<host_process> second;
    int generation = 0;
    span well_since{0};
  };
  struct node_seat {
    std::shared_ptr<node_process> process;
    int generation = 0;
  };
  struct known_key {
    std::weak_ptr<sim_process> process;
    int host = 0;
    std::optional<span> end = {};
  };

  void settle();
  void run_until(span end);
  void reap();
  template <class Process>
  void put_down(std::shared_ptr<Process>& process);
  void add_jobs();
  void strike_now(const fault& one);
  void disturb(const fault& one);
  void disturb_links_of(int node, milliseconds lasts);
  void apply(const job_edit& what);
  void start_node(int node);
  void start_host(int host);
  void restart_host(int host, milliseconds lasts);
  void start_second(int host, milliseconds lasts);
  void drain_host(int host, milliseconds lasts);
  void leave_node(int node, milliseconds lasts);
  [[nodiscard]] std::string folder_of(int host, int which) const;
  [[nodiscard]] bool is_going_on(const fault& one) const { return now_ >= one.at && now_ < one.at + one.lasts; }
  [[nodiscard]] bool is_for(const fault& one, int host, int node) const;

  job_history what_;
  mutant rule_off_;
  bool tracing_;
  std::mt19937_64 random_;
  span now_{0};
  event_queue events_;
  fiber_pool fibers_;
  storage::sqlite::open_options place_;
  std::unique_ptr<storage::sqlite::connection> tables_;
  std::unique_ptr<storage::store> editor_;
  rule_breaker breaker_;
  job_checker checker_;
  std::vector<core::elastic::elastic_job_id> jobs_;
  std::vector<bool> struck_;
  /// End of the last fault or edit, with that of the calls that met one.
  span disturbed_until_{0};
  std::vector<node_seat> nodes_;
  std::vector<seat> hosts_;
  /// By host and node.
  std::map<std::pair<int, int>, span> links_well_since_;
  std::vector<std::shared_ptr<sim_process>> dying_;
  std::vector<std::shared_ptr<sim_wire>> wires_;
  std::map<std::string, known_key> keys_;
  std::map<std::uint32_t, std::int64_t> epochs_;
  std::map<int, std::vector<protocol::elastic_grants>> late_grants_;
  std::uint64_t last_wire_ = 0;
  std::uint64_t last_key_ = 0;
  std::int64_t last_request_ = 0;
  std::int64_t next_number_ = 1'000'000;
  std::vector<std::string> trace_;
};

struct job_outcome {
  std::vector<std::string> violations;
  std::vector<std::string> trace;
  job_tally counts;
};

/// Makes one run. The trace is filled when a violation was found and `explains` is set: the run is made again for it.
[[nodiscard]] job_outcome simulate(const job_history& what, const mutant& rule_off = {}, bool explains = true);

} // namespace ringmaster::simulation::elastic
