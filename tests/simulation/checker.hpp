#pragma once

// Checks every commit, every request that is sent and every execution, and reports the invariant of the firing protocol that one
// of them breaks.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/cluster/node.hpp"
#include "core/editing/manual_edits.hpp"
#include "core/run/execution_state.hpp"
#include "core/run/log_row.hpp"
#include "core/run/run.hpp"
#include "core/schedule/schedule.hpp"
#include "storage/store.hpp"
#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

/// The checker's view of the nodes.
struct checked_world {
  std::function<span()> now;
  /// Civil time that all clocks should show.
  std::function<core::time_point()> true_time;
  /// Instants that are due a day later are not waited for.
  core::time_point today;
  storage::store* store = nullptr;
  /// Whether a node with this incarnation could still write a request, by its own clock.
  std::function<bool(const core::node_incarnation&)> gate_open;
  /// Whether a clock of the node stood still in this run.
  std::function<bool(const std::string&)> clock_was_frozen;
  /// Further objects that are not at rest. Null: nothing.
  std::function<std::vector<std::string>()> also_open = nullptr;
};

/// Check of a node's deadline that let a run pass.
struct gate_passage {
  core::node_incarnation life;
  span checked{0};
};

class protocol_checker {
public:
  protocol_checker(const history& what, checked_world seen) : what_{&what}, world_{std::move(seen)} {}

  // -- commits
  /// `revision`: of the declared jobs; `jobs`: existing jobs that the edit changed.
  void edited(std::int64_t revision, const std::vector<core::job_id>& jobs);
  /// Records an edit at a console, in native mode: nodes notice it whenever they read the job again.
  void edited_by_hand(core::job_id job) { by_hand_.insert(core::number(job)); }
  /// Records that the edit was answered, and no run of a former definition was reported as still being sent.
  void acknowledged(std::int64_t revision);
  /// Records a manual edit of one job, on a page or over the API.
  void edited_one(core::job_id job);
  void removed(core::job_id job) { removed_.insert(core::number(job)); }
  [[nodiscard]] int edition(core::job_id job) { return editions_[core::number(job)]; }
  /// Records the answer to an edit that was requested when the job had seen `edits_before` others; no run was still being sent.
  void acknowledged_one(core::job_id job, int edits_before);
  /// Records that a manual run is durable.
  void asked(const core::manual_trigger& wanted, const core::intent& made);
  void entered(const core::node_incarnation& life);
  /// Records the start of a node's process, which counts dropped instants from 0.
  void process_begins(const std::string& node) { dropped_[node] = 0; }
  /// Records the number of instants that the process counted as dropped by misfire rules, at the end of the run.
  void counted(const std::string& node, std::int64_t drops);
  void fenced(const core::node_row& seen);
  void left(const core::node_incarnation& life);
  void claimed(const core::claim_batch& batch, const core::claim_outcome& outcome);
  void recorded(const core::record_batch& batch, const core::record_outcome& outcome);
  /// Records decisions of the fail monitor about failures: their retries.
  void decided(const std::vector<core::intent>& intents);
  void adopted(const core::node_incarnation& owner, const std::vector<core::adopted_run>& runs);
  void permitted(const core::node_incarnation& owner, std::span<const core::resend> runs, const std::vector<bool>& granted);

  // -- requests and executors
  /// Records that a `/run` is sent.
  void written(std::int64_t id, const gate_passage& passage);
  /// Records that a run is sent over a native link.
  void written_to_link(std::int64_t id, const gate_passage& passage);
  /// Records that an executor handles a `/run` that was written at `written`.
  void arrived(std::int64_t id, span written);
  /// Records that the network made a second copy of a request.
  void copied(std::int64_t id) { runs_[id].copied = true; }
  void executed(std::int64_t id);
  void kept_over_link() { ++counts_.native_results; }
  void denied_over_link() { ++counts_.native_denials; }
  void ended(std::int64_t id, std::int32_t code);
  /// Records that an executor said that it is idle and has no log of the run.
  void denied(std::int64_t id, bool another_has_it);
  /// Records that an executor lost the run, which was queued or running.
  void executor_lost(std::int64_t id);
  /// Records that an executor lost its log files.
  void files_lost(const std::set<std::int64_t>& ids);

  /// Adds a violation that another checker found.
  void broken(const std::string& rule, const std::string& what) { fail(rule, what); }
  /// Record `takeover` or `--back`: the schedule is in another table now, and this incarnation has ended, which its process does
  /// not know yet. All nodes read everything again.
  void switched();
  void ended_by_switch(const core::node_incarnation& life);
  void read_schedule();

  /// Records, under a mutant, that a decision about a failure was not written.
  void never_written(std::int64_t intent) { unwritten_.insert(intent); }

  /// Replaces the state by that of `copy`, from which the database was restored. The tally stays.
  void restored(const protocol_checker& copy);

  // -- the end
  /// From now on counts a run that its executor lost as not at rest.
  void await_lost_runs() { awaits_lost_ = true; }
  [[nodiscard]] bool at_rest();
  /// Checks the invariants that hold when all is at rest.
  void judge_end();
  /// Returns the objects that are not at rest yet, as readable text.
  [[nodiscard]] std::vector<std::string> unrest();

  [[nodiscard]] const std::vector<std::string>& violations() const noexcept { return violations_; }
  /// Counts of events: a simulation in which nothing is ever fenced shows little.
  struct tally {
    std::size_t executions = 0;
    std::size_t fences = 0;
    std::size_t permits = 0;
    std::size_t intents = 0;
    std::size_t residuals = 0;
    std::size_t repeated_claims = 0;
    std::size_t edits = 0;
    std::size_t acknowledged = 0;
    /// Manual runs.
    std::size_t asked = 0;
    /// Dropped instants, as processes counted them.
    std::size_t dropped = 0;
    /// Rows of dropped instants.
    std::size_t missed_rows = 0;
    /// Runs that were written to native links, results that became durable over one, and runs that were reported as unknown.
    std::size_t native_runs = 0;
    std::size_t native_results = 0;
    std::size_t native_denials = 0;
    void add(const tally& other);
  };
  [[nodiscard]] const tally& counts() const noexcept { return counts_; }

private:
  using claim_key = std::tuple<std::string, std::int64_t, std::int64_t>;
  struct run_book {
    core::job_ptr spec;
    /// Number of the job's edits that were committed before the claim.
    int edition = 0;
    /// Claim that holds the run, and claim that made it.
    claim_key claim;
    claim_key first_claim;
    /// Nodes whose claims held it.
    std::set<std::string> held_by;
    int writes = 0;
    int permits = 0;
    int executions = 0;
    bool succeeded = false;
    /// Open window of R1 to R3; empty: none.
    std::string residual;
    bool lost_by_executor = false;
    bool copied = false;
    /// Whether the executor lost its record of the run.
    bool forgotten = false;
    std::optional<span> denied;
    std::int32_t trigger_code = 0;
    std::int32_t handle_code = 0;
  };
  using intent_key = std::tuple<core::trigger_kind, std::int32_t, std::int64_t, std::int32_t>;

  [[nodiscard]] static bool failed(std::int32_t code) { return code != 0 && code != core::success_code; }
  [[nodiscard]] static std::string text(std::int64_t value) { return std::to_string(value); }
  [[nodiscard]] static std::string text(const core::node_incarnation& life) { return life.node + '/' + text(life.incarnation); }

  void fail(const std::string& rule, const std::string& what);
  void end_incarnation(const core::node_incarnation& life) { over_.try_emplace({life.node, life.incarnation}, world_.now()); }
  [[nodiscard]] bool may_still_write(const core::node_incarnation& life) const;
  [[nodiscard]] bool is_over(const core::node_incarnation& life) const;
  void check_planned(const core::claim_batch& batch, const core::schedule_move& move, const core::job& spec);
  void check_missed(const core::claim_batch& batch, const core::claim_outcome& outcome);
  void check_definition(const core::claimed_run& run);
  void check_asked(const core::claimed_run& run);
  void check_wait(const core::claimed_run& run);
  void check_lateness(const core::planned_run& run);
  void check_stored(const core::record_batch& batch, const core::record_outcome& outcome);
  void note_intents(const std::vector<core::intent>& intents);
  [[nodiscard]] bool is_current(const core::node_incarnation& life) const;
  void check_move(const core::claim_batch& batch, const core::schedule_move& move);
  void check_run(const core::claimed_run& run, const core::node_incarnation& owner);
  void check_rows(const core::claim_batch& batch);
  void check_dropped(const core::record_batch& batch);
  void check_row(const core::log_row& row);
  void check_failure(const core::log_row& row);
  void check_executions(std::int64_t id, const run_book& run);

  const history* what_;
  checked_world world_;
  std::vector<std::string> violations_;
  /// Current incarnation of each node that is up, and the times at which incarnations ended.
  std::map<std::string, std::int64_t> lives_;
  std::map<std::pair<std::string, std::int64_t>, span> over_;
  /// Incarnations that were ended before their deadline, as a switch does.
  std::set<std::pair<std::string, std::int64_t>> cut_short_;
  std::map<std::int32_t, core::scheduled_job> jobs_;
  std::set<std::int32_t> by_hand_;
  std::map<std::int32_t, core::time_point> next_;
  std::set<std::tuple<std::int32_t, core::time_point, std::int32_t>> instants_;
  std::map<std::int64_t, core::intent> intents_;
  std::map<std::int64_t, span> made_at_;
  std::map<intent_key, std::int64_t> intent_keys_;
  /// Claimed intents, with the shard of a broadcast.
  std::set<std::pair<std::int64_t, std::int32_t>> claimed_intents_;
  std::map<std::int64_t, run_book> runs_;
  std::set<claim_key> claims_;
  core::log_id newest_row_{};
  /// Edits of each job, those of each declaration, and answered ones.
  std::map<std::int32_t, int> editions_;
  std::map<std::int64_t, std::map<std::int32_t, int>> of_revision_;
  std::map<std::int32_t, int> answered_;
  std::set<std::int32_t> removed_;
  bool awaits_lost_ = false;
  /// Instants that claims of a node's process dropped by their misfire rules.
  std::map<std::string, std::int64_t> dropped_;
  /// By job, the instants that the present claim dropped: each gap is a row of the log.
  std::map<std::int32_t, core::missed_instants> gaps_;
  std::map<std::int64_t, core::manual_trigger> asked_;
  std::set<std::int64_t> unwritten_;
  tally counts_;
};

} // namespace ringmaster::simulation
