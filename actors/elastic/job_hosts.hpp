#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/elastic/host_slots.hpp"
#include "core/elastic/host.hpp"
#include "core/elastic/planner.hpp"
#include "core/elastic/stored_rows.hpp"
#include "protocol/elastic_messages.hpp"

namespace ringmaster::actors {

/// Returns whether a host is about to leave, or operators drain it.
[[nodiscard]] bool is_leaving(const protocol::known_hosts& known, core::elastic::host_number host);

/// Hosts as one elastic job sees them: which may run its items, and which have a free slot. Owned by one actor.
class job_hosts {
public:
  /// Condition of a host process for an open run.
  enum class standing : std::uint8_t {
    /// Messages reach it.
    ready,
    /// No link, or heartbeats are missing.
    away,
    silent,
    /// Dead, or left.
    gone,
    /// Not in the list, or a newer process is.
    unknown,
  };
  /// Tells whether a host has an item run of the job.
  using runs_job = std::function<bool(core::elastic::host_number)>;

  /// `slots`: those that all jobs of a node share, which are set with each list; null: the job has the hosts for itself.
  explicit job_hosts(std::shared_ptr<host_slots> slots = nullptr);

  /// The job whose hosts are wanted, and the servers that operators disabled for it.
  void set_job(std::shared_ptr<const core::elastic::elastic_job_row> job, std::vector<std::string> disabled_servers);
  /// Takes a new list. The caller reports grants that the hosts do not know yet by `occupy`.
  void set_view(std::shared_ptr<const protocol::known_hosts> known);
  /// Leaves a process out until the next list, which comes after the news that it is suspect, silent or gone.
  void exclude(const core::elastic::host_process& host) { excluded_.push_back(host); }

  [[nodiscard]] bool has_view() const noexcept { return known_ != nullptr; }
  [[nodiscard]] bool has_several_nodes() const noexcept { return known_ && known_->several_nodes; }
  /// Returns the configured name of a host; empty for one that is not in the list.
  [[nodiscard]] std::string name_of(core::elastic::host_number host) const;
  [[nodiscard]] standing standing_of(const core::elastic::host_process& host) const;
  /// Returns whether operators drain the host.
  [[nodiscard]] bool is_drained(core::elastic::host_number host) const;
  [[nodiscard]] bool is_leaving(core::elastic::host_number host) const;
  /// Returns a number that changes with the hosts that may run the job.
  [[nodiscard]] std::uint64_t fingerprint() const;
  /// Makes a plan with the hosts that may run the job. Errors: those of `make_plan`.
  [[nodiscard]] core::result<core::elastic::item_plan> plan(const core::elastic::strategy_registry& strategies,
                                                            const core::elastic::item_plan* previous,
                                                            core::elastic::host_number last_runner, core::time_point now) const;

  /// Takes a slot of this host; unset if it may not run the job, or has no free slot.
  [[nodiscard]] std::optional<core::elastic::host_process> take(core::elastic::host_number host,
                                                                std::span<const core::elastic::host_process> except);
  /// Takes a slot of the best host by the rule of takeovers.
  [[nodiscard]] std::optional<core::elastic::host_process> take_best(std::span<const core::elastic::host_process> except,
                                                                     const runs_job& runs);

  /// Notes that a process has ended with all of its programs.
  void note_ended_programs(const core::elastic::host_process& host);
  [[nodiscard]] bool have_programs_ended(const core::elastic::host_process& host) const;

  /// Chooses the host of a hook: `preferred` if it may run the job or is about to leave, else the one with the most free slots;
  /// unset: none. A hook takes no slot: the items that wait for it may have all.
  [[nodiscard]] std::optional<core::elastic::host_process> choose_for_hook(
    const std::optional<core::elastic::host_process>& preferred, std::span<const core::elastic::host_process> except);

  void occupy(core::elastic::host_number host) { slots_.add(host, -1); }
  void free(core::elastic::host_number host) { slots_.add(host, 1); }
  /// The host refused a run for lack of a slot.
  void set_full(core::elastic::host_number host) { slots_.take_all(host); }
  /// `wake` is called once a slot is free that `take` or `take_best` has not found: see host_slots::share.
  void set_wake(std::function<void()> wake) { slots_.set_wake(std::move(wake)); }
  /// Waits for a free slot of a host; returns false if slots are not what it lacks.
  [[nodiscard]] bool await(core::elastic::host_number host);
  /// Waits for a free slot of any host that may run the job; returns false if none is full.
  [[nodiscard]] bool await_any(std::span<const core::elastic::host_process> except);
  [[nodiscard]] bool take_wake() { return slots_.take_wake(); }
  /// Leaves the slots that are still free to other jobs that wait.
  void relay_slots() { slots_.relay(); }
  /// The job has no open run: what it has freed counts until the next list.
  void end_with_list() { slots_.end_with_list(); }

private:
  [[nodiscard]] const protocol::host_seat* seat_of(core::elastic::host_number host) const;
  /// Returns whether the host gets grants of this job, apart from free slots.
  [[nodiscard]] bool may_run(const core::elastic::host& host, const protocol::host_seat& seat) const;
  [[nodiscard]] bool is_allowed(const protocol::host_seat& seat) const;
  [[nodiscard]] std::int32_t free_slots_of(const protocol::host_seat& seat) const;
  [[nodiscard]] core::elastic::job_needs needs() const;
  [[nodiscard]] const std::vector<const protocol::host_seat*>& candidates();

  std::shared_ptr<const core::elastic::elastic_job_row> job_;
  std::vector<std::string> disabled_servers_;
  std::shared_ptr<const protocol::known_hosts> known_;
  std::vector<core::elastic::host_process> excluded_;
  /// The last processes that have ended with all of their programs.
  std::vector<core::elastic::host_process> programs_ended_;
  /// Hosts of the list that may run the job, in its order; unset: not asked for since the list or the job changed.
  std::optional<std::vector<const protocol::host_seat*>> candidates_;
  /// Shared by no other job: set with each list.
  bool has_own_slots_;
  host_slots::share slots_;
};

} // namespace ringmaster::actors
