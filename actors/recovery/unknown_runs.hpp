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

/// One run of which nobody knows whether it was delivered, on its way to a decision.
struct unknown_run {
  enum class phase : std::uint8_t {
    /// Until `due`.
    waiting,
    /// Its row is being read.
    looking,
    /// Wants one of the places of those who talk to an executor.
    ready,
    asking,
    permitting,
    sending,
  };
  using steady = caf::actor_clock::time_point;

  /// `plan.spec` is null until the definition was read.
  core::claimed_run run;
  core::job_id job{};
  /// Nobody ever held it in memory: it was not sent, so it is sent, not asked about.
  bool never_sent = false;
  /// This process sent it, and got no answer; else a former life sent it, or did not.
  bool sent = false;
  /// What that sending met instead of an answer, for a person.
  std::string first_error{};
  /// The executor said "repeat" to the first sending: the same answer to the second proves nothing.
  bool repeated = false;
  /// When this life got to know of it: what it was late by then is what its misfire rule is about.
  core::time_point known_at{};
  phase now = phase::waiting;
  /// When the next step is due; while sending, when no answer is expected any more.
  steady due{};
  /// When an executor was asked first, or was silent and would have been.
  std::optional<steady> asked_since{};
  core::milliseconds wait{0};
  /// T7 was granted and no byte has been sent with it yet.
  bool permitted = false;
  /// T7 was asked for and its answer was lost: it may have been granted.
  bool permit_in_doubt = false;
  /// Its executor has said itself that it never had it: what becomes of the second sending is not the first one's doing.
  bool never_came = false;
  /// T7 was refused: somebody sent the run a second time before.
  bool permit_refused = false;
};

/// How many runs talk to executors at once.
struct recovery_places {
  std::size_t all = 0;
  /// Of these, to one executor that answers.
  std::size_t per_address = 0;
  /// To one that has not answered yet, or does not any more: it must not hold up the others.
  std::size_t per_quiet_address = 0;
};

/// The runs of one life that recovery works on: a bounded number talks to executors, some of them to the same one, the others
/// wait for their turn, executor by executor. An executor that does not answer is silent: one run asks it now and then; as soon
/// as it answers anything, whoever waited for that goes on. Pure state of one actor.
class unknown_runs {
public:
  /// An executor is silent after so many failures in a row; one that needed its whole time limit is enough.
  static constexpr std::uint32_t failures_max = 3;

  explicit unknown_runs(recovery_places places) : places_{places} {}

  /// Its first step is due at `run.due`. False when it is known already.
  bool add(unknown_run&& run);
  [[nodiscard]] unknown_run* find(core::log_id id);
  void erase(core::log_id id);
  void clear();
  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }

  /// Every change of phase goes through here, so that places are counted; to `waiting` by one of the next two.
  void move(unknown_run& run, unknown_run::phase to);
  void wait(unknown_run& run, unknown_run::steady until);
  /// Until then, or until its executor answers anything. One of those that wait for a silent executor asks it for all, as soon as
  /// that is worth it again.
  void wait_for_answer(unknown_run& run, unknown_run::steady until);

  /// Waiting runs that are due, earliest first, at most `limit`; they are `looking` afterwards.
  [[nodiscard]] std::vector<core::log_id> take_due(unknown_run::steady now, std::size_t limit);
  /// The next ready run for which a place is free, else null. Executors take turns.
  [[nodiscard]] unknown_run* take_ready();

  /// The executor answered, whatever it said.
  void note_answer(const std::string& address, unknown_run::steady now);
  /// No answer came, for `reason`. `timed_out`: after its whole time limit. An executor that is silent by now is not worth
  /// another question before `quiet_until`.
  void note_failure(const std::string& address, bool timed_out, unknown_run::steady quiet_until, const std::string& reason);
  /// Why this run must not ask its executor now: that is silent, and another run asks for all. Null when it may.
  [[nodiscard]] const std::string* silence(const unknown_run& run, unknown_run::steady now) const;

  /// Runs whose answer to a send is overdue.
  [[nodiscard]] std::vector<core::log_id> overdue_sends(unknown_run::steady now) const;

private:
  /// One executor.
  struct lane {
    std::deque<core::log_id> ready;
    /// Wait for any answer.
    std::set<core::log_id> hushed;
    /// Of a silent executor: the one that asks for all.
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
  /// The address that had its turn last.
  std::string last_turn_;
};

} // namespace ringmaster::actors
