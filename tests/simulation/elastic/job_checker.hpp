#pragma once

// Compares all commits and bodies of a run with the invariants I1 to I10 of elastic jobs, by true time.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/elastic/elastic_definition.hpp"
#include "core/time.hpp"
#include "protocol/elastic_link_messages.hpp"
#include "storage/sqlite/driver/connection.hpp"
#include "tests/simulation/history.hpp"

namespace ringmaster::simulation::elastic {

class job_world;
class host_process;
struct sim_body;

/// Counts of what happened, to see that the intended effects of the faults occurred.
struct job_tally {
  std::size_t runs = 0;
  std::size_t bodies = 0;
  std::size_t finished = 0;
  std::size_t lost = 0;
  std::size_t takeovers = 0;
  std::size_t compensations = 0;
  std::size_t fires = 0;
  std::size_t dropped = 0;
  std::size_t kept_results = 0;
  /// Bodies that went on after their lease.
  std::size_t fenced = 0;
  std::size_t stops = 0;
  std::size_t prompt_fires = 0;
  void add(const job_tally& other);
};

class job_checker {
public:
  job_checker(job_world& world, storage::sqlite::connection& tables) : world_{world}, tables_{tables} {}

  // -- what happens
  /// Sees the rows after a commit.
  void look();
  /// A node is about to write, at this moment of its clock.
  void writing(core::time_point now) noexcept { written_at_ = now; }
  void began(const host_process& in, const sim_body& body);
  /// The body acts outside, if it has the right to.
  void worked(const host_process& in, const sim_body& body);
  void stopped(const host_process& in, const sim_body& body);
  /// A process of a host has ended, and its bodies with it.
  void ended(const host_process& process);
  /// A host got the receipt of this event.
  void kept(const protocol::elastic_event& event);
  /// Operators have changed these columns.
  void set_status(std::int64_t job, core::elastic::job_status status) { status_[job] = status; }
  void set_disabled(std::int64_t job, std::int64_t item, bool disabled);
  void edited(std::int64_t job) { edited_[job] = true; }

  // -- results
  void broken(const std::string& found);
  /// Returns what is not at rest: each item must run again after `since`.
  [[nodiscard]] std::vector<std::string> unrest(span since);
  [[nodiscard]] const std::vector<std::string>& violations() const noexcept { return violations_; }
  [[nodiscard]] const job_tally& counts() const noexcept { return counts_; }

private:
  using item_key = std::pair<std::int64_t, std::int64_t>;
  using fire_key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  struct run_row {
    std::int64_t id = 0;
    item_key item;
    std::int64_t source = 0;
    std::int64_t fire_ms = 0;
    std::int64_t fire_source = 0;
    std::int64_t request = 0;
    std::int64_t fence = 0;
    std::int64_t state = 0;
    span granted{0};
    /// Its body began, and has not returned.
    const host_process* runs_in = nullptr;
    span began{0};
    bool is_over = false;
    /// Its host got the receipt of its result.
    bool has_receipt = false;
  };
  struct item_row {
    std::int64_t fence = 0;
    std::int64_t state = 0;
    std::int64_t run = 0;
    std::int64_t host = 0;
    bool missed = false;
    std::int64_t flags = 0;
  };

  void look_at_runs();
  void look_at_items();
  /// Tells the trace which items wait or have missed a fire since the last look.
  void say_waits(const std::map<item_key, item_row>& found);
  void look_at_fires();
  void look_at_schedules();
  void granted(run_row& run);
  void closed(run_row& run, std::int64_t state);
  void fired(std::int64_t job, std::int64_t at_ms, std::int64_t source, std::int64_t plan_version, std::int64_t dropped_items);
  void check_plan(std::int64_t job, std::int64_t version);
  [[nodiscard]] bool is_unassigned(std::int64_t job, std::int64_t version, std::int64_t item) const;
  /// Returns whether the result waits for the node of the job's slot (E14).
  [[nodiscard]] bool is_in_inbox(const protocol::elastic_event& event);
  [[nodiscard]] bool is_known_exception(const sim_body& body, std::int64_t run) const;
  [[nodiscard]] std::string words(const run_row& run) const;

  job_world& world_;
  storage::sqlite::connection& tables_;
  std::vector<std::string> violations_;
  job_tally counts_;
  core::time_point written_at_{};
  std::map<std::int64_t, run_row> runs_;
  /// Lowest run that was open at the last look.
  std::int64_t first_open_ = 1;
  std::map<item_key, std::int64_t> open_;
  std::map<item_key, item_row> items_;
  /// Items before the last look.
  std::map<item_key, item_row> items_before_;
  std::map<item_key, span> last_grant_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::vector<std::int64_t>> of_fire_;
  std::set<fire_key> fires_;
  /// Last planned instant of each job.
  std::map<std::int64_t, std::int64_t> last_instant_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> plans_;
  std::map<std::int64_t, core::elastic::job_status> status_;
  std::set<item_key> disabled_;
  std::map<std::int64_t, bool> edited_;
  std::map<std::int64_t, std::int64_t> schedule_last_;
};

} // namespace ringmaster::simulation::elastic
