#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <caf/actor_clock.hpp>

#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::actors {

/// Run whose delivery is unknown, on its way to a decision.
struct unknown_run {
  enum class phase : std::uint8_t {
    /// Until `due`.
    waiting,
    /// Its row is being read.
    looking,
    /// Waits for a place among the runs whose executors are asked.
    ready,
    asking,
    permitting,
    sending,
  };
  using steady = caf::actor_clock::time_point;

  /// `plan.spec` is null until the definition was read.
  core::claimed_run run;
  core::job_id job{};
  /// No process ever held the run in memory: it was not sent, so it is sent, not asked about.
  bool never_sent = false;
  /// This process sent the run and got no answer; otherwise an earlier incarnation sent it, or did not.
  bool sent = false;
  /// Error of that sending, for users.
  std::string first_error{};
  /// The executor answered "repeat" to the first sending: the same answer to the second proves nothing.
  bool repeated = false;
  /// Time at which this incarnation learnt of the run: the misfire policy applies to its lateness by then.
  core::time_point known_at{};
  phase now = phase::waiting;
  /// Time of the next step; while sending, the time after which no answer is expected.
  steady due{};
  /// Time at which an executor was first asked, or would have been asked if it had not been silent.
  std::optional<steady> asked_since{};
  core::milliseconds wait{0};
  /// T7 was granted and no byte has been sent with it yet.
  bool permitted = false;
  /// T7 was requested and its answer was lost: it may have been granted.
  bool permit_in_doubt = false;
  /// Its executor itself said that it never had the run: the outcome of the second sending is not caused by the first.
  bool never_came = false;
  /// T7 was refused: the run was sent a second time before.
  bool permit_refused = false;
};

/// Limits of runs whose executors are asked at once.
struct recovery_places {
  std::size_t all = 0;
  /// Limit for one executor that answers.
  std::size_t per_address = 0;
  /// Limit for one that has not answered yet, or no longer answers: it must not delay the others.
  std::size_t per_quiet_address = 0;
};

/// Runs of one incarnation that recovery works on. A limited number is being asked about, a part of it at one executor; the
/// others wait for their turn, executor by executor. An executor that does not answer is silent: one run asks it now and then,
/// and as soon as it answers anything, the runs that waited for it go on. Pure state of one actor.
class unknown_runs {
public:
  /// Failures in a row after which an executor is silent; one that reached its time limit is enough.
  static constexpr std::uint32_t failures_max = 3;

  explicit unknown_runs(recovery_places places) : places_{places} {}

  /// Adds a run, whose first step is due at `run.due`. Returns false if it is known already.
  bool add(unknown_run&& run);
  [[nodiscard]] unknown_run* find(core::log_id id);
  void erase(core::log_id id);
  void clear();
  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }

  /// Changes the phase and counts places; a change to `waiting` is made by one of the next two functions.
  void move(unknown_run& run, unknown_run::phase to);
  void wait(unknown_run& run, unknown_run::steady until);
  /// Waits until `until`, or until the executor answers anything. One of the runs that wait for a silent executor asks it for all
  /// of them, as soon as another attempt is due.
  void wait_for_answer(unknown_run& run, unknown_run::steady until);

  /// Returns the waiting runs that are due, earliest first, at most `limit`; they are `looking` afterwards.
  [[nodiscard]] std::vector<core::log_id> take_due(unknown_run::steady now, std::size_t limit);
  /// Returns the next ready run for which a place is free, else null. Executors take turns.
  [[nodiscard]] unknown_run* take_ready();

  /// Records an answer of the executor, of any content.
  void note_answer(const std::string& address, unknown_run::steady now);
  /// Records a missing answer, for `reason`. `timed_out`: the time limit was reached. An executor that is silent by now is not
  /// asked before `quiet_until`.
  void note_failure(const std::string& address, bool timed_out, unknown_run::steady quiet_until, const std::string& reason);
  /// Returns the reason why this run must not ask its executor now: the executor is silent, and another run asks for all. Null if
  /// it may ask.
  [[nodiscard]] const std::string* silence(const unknown_run& run, unknown_run::steady now) const;

  /// Returns the runs whose answer to a send is overdue.
  [[nodiscard]] std::vector<core::log_id> overdue_sends(unknown_run::steady now) const;

private:
  /// Runs of one executor.
  struct lane {
    std::deque<core::log_id> ready;
    /// Runs that wait for any answer.
    std::set<core::log_id> hushed;
    /// For a silent executor: the run that asks for all.
    std::optional<core::log_id> scout;
    std::size_t taken = 0;
    std::uint32_t failures = 0;
    bool answers = false;
    bool silent = false;
    unknown_run::steady quiet_until{};
    std::string reason;
  };
  [[nodiscard]] static bool takes_place(unknown_run::phase phase) noexcept;
  [[nodiscard]] unknown_run* take_ready(lane& from);
  void stop_waiting(unknown_run& run);
  void replace_scout(lane& of);

  recovery_places places_;
  std::size_t taken_ = 0;
  std::map<core::log_id, unknown_run> runs_;
  std::set<std::pair<unknown_run::steady, core::log_id>> waiting_;
  std::map<std::string, lane> lanes_;
  /// Address that had its turn last.
  std::string last_turn_;
};

} // namespace ringmaster::actors
