#pragma once

// Keeps account of every instant that Ringmaster or a Java admin takes in shared mode, and reports instants that were fired twice
// or not at all. Instants that Java admins lose or double by themselves are counted, and are not violations.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster/cluster_mode.hpp"
#include "core/run/run.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/xxl_table.hpp"

namespace ringmaster::simulation {

/// A change of a row by a Java console.
struct console_save {
  xxl_row as_read;
  core::cluster_mode read_in = core::cluster_mode::shared;
  /// The current row, and the saved one.
  xxl_row before;
  xxl_row after;
};

class shared_checker {
public:
  /// `spread`: maximal distance between the clocks of the planners. `on_time`: nothing disturbs the run, so no firing may be
  /// late.
  struct surroundings {
    std::function<core::time_point()> now;
    std::function<void(const std::string& rule, const std::string& what)> broken;
    core::milliseconds spread{0};
    bool on_time = false;
  };

  explicit shared_checker(surroundings seen) : seen_{std::move(seen)} {}

  // -- Ringmaster
  void intended(const core::intent& made, const std::string& node);
  void reserved(const xxl_row& before, const xxl_row& after, core::time_point now);
  void claimed(const core::claim_batch& batch, const core::claim_outcome& outcome);
  /// Records that the misfire policy dropped the instant.
  void missed(core::intent_id intent, core::time_point now);
  /// Records that the claim dropped the instant (S3); `row` is its job.
  void dropped(core::intent_id intent, const xxl_row& row);
  /// Records that the instant was claimed although its job is not as it was reserved.
  void changed(core::intent_id intent);
  void given_back(const xxl_row& before, const xxl_row& after, const std::vector<core::intent_id>& intents);
  /// Records an edit by Ringmaster; the flag says whether the schedule or the state was changed.
  void edited(const xxl_row& after, bool anew, core::cluster_mode mode);
  /// Next times of the native schedule by job, 0 for none.
  using next_times = std::map<std::int32_t, core::time_point>;
  void taken_over(const std::vector<xxl_row>& rows, const next_times& planned);
  void handed_back(const next_times& planned, const std::vector<xxl_row>& rows);
  void switch_failed() { ++counts_.failed_switches; }

  // -- Java admins
  void java_took(const xxl_row& before, const xxl_row& after, const std::vector<core::time_point>& instants,
                 core::cluster_mode mode);
  void java_fired(core::job_id job, core::time_point at);
  /// Records that the instants between `at` and the present were missed, and are fired once.
  void java_misfired(core::job_id job, core::time_point at);
  /// Records that the instant was in the memory of a process that ended.
  void java_lost(core::job_id job, core::time_point at);
  /// Records that the instant was fired in a pass that was not committed, so that it will be taken again.
  void java_rolled_back(core::job_id job, core::time_point at);
  void java_saved(const console_save& edit, core::cluster_mode mode);

  // -- the end
  void judge_end();

  struct tally {
    std::size_t reserved = 0;
    std::size_t claimed = 0;
    std::size_t given_back = 0;
    std::size_t dropped = 0;
    std::size_t java_fired = 0;
    std::size_t java_lost = 0;
    /// Instants of crons that were late when a Java admin read them and that it ran as one.
    std::size_t java_left_out = 0;
    /// Instants that were fired twice or dropped where §8 permits it.
    std::size_t residuals = 0;
    std::size_t java_misfires = 0;
    std::size_t console_edits = 0;
    /// Edits begun in one mode and saved in another.
    std::size_t edits_across_switches = 0;
    std::size_t switches = 0;
    std::size_t failed_switches = 0;
    void add(const tally& other);
  };
  [[nodiscard]] const tally& counts() const noexcept { return counts_; }

private:
  struct instant_book {
    bool intended = false;
    int runs = 0;
    int java_fired = 0;
    /// Whether a planner has to take the instant again, or pass over it: it was given back, or its claim dropped it because its
    /// job is due at or before it.
    bool owed = false;
  };
  struct span_of_time {
    core::time_point from;
    core::time_point to;
  };
  /// State of a job, as far as it affects its instants.
  struct job_book {
    /// A user's stop is in effect, through Ringmaster or at a Java console.
    bool stopped = false;
    bool stopped_by_us = false;
    /// Time at which a Java admin, its console or the end of the schedule stopped the job and removed its last instant.
    core::time_point wiped_out{};
    /// Set while a console's save shows a next time in native mode, where only the guard keeps Java admins from it: the first
    /// instant that they may take.
    std::optional<core::time_point> shown_from;
    /// Time spans in which an instant may be fired twice.
    std::vector<span_of_time> excused;
  };
  using instant = std::pair<std::int32_t, core::time_point>;

  void check_once(const instant& which);
  void excuse(std::int32_t job, core::time_point from, core::time_point to) { jobs_[job].excused.push_back({from, to}); }
  [[nodiscard]] bool is_excused(const instant& which) const;
  void forget_debts(std::int32_t job, bool intents_too);
  /// Records that the job's next time is hidden again, or is the schedule. Java admins keep their memory.
  void ends_show(std::int32_t job);
  /// Records that a planner went from `from` to `to` and answers for the instants between; no `to`: the schedule has ended.
  void passed_over(std::int32_t job, core::time_point from, std::optional<core::time_point> to);
  void claimed(const core::claimed_run& run);

  surroundings seen_;
  std::map<instant, instant_book> instants_;
  std::map<std::int64_t, instant> intents_;
  std::map<std::int32_t, job_book> jobs_;
  tally counts_;
};

} // namespace ringmaster::simulation
