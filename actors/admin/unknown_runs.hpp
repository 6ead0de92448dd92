#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <caf/actor_clock.hpp>

#include "core/run.hpp"
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
  phase now = phase::waiting;
  /// When the next step is due; while sending, when no answer is expected any more.
  steady due{};
  /// When an executor was asked first.
  std::optional<steady> asked_since{};
  core::milliseconds wait{0};
  /// T7 was granted and no byte has been sent with it yet.
  bool permitted = false;
  /// T7 was asked for and its answer was lost: it may have been granted.
  bool permit_in_doubt = false;
  /// T7 was refused: somebody sent the run a second time before.
  bool permit_refused = false;
};

/// The runs of one life that recovery works on: a bounded number talks to executors, some of them to the same one, the others
/// wait for their turn, executor by executor. Pure state of one actor.
class unknown_runs {
public:
  unknown_runs(std::size_t places, std::size_t places_per_address) : places_{places}, places_per_address_{places_per_address} {}

  /// False when it is known already.
  bool add(unknown_run&& run);
  [[nodiscard]] unknown_run* find(core::log_id id);
  void erase(core::log_id id);
  void clear();
  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }

  /// Every change of phase goes through here, so that places are counted.
  void move(unknown_run& run, unknown_run::phase to);

  /// Waiting runs that are due, at most `limit`; they are `looking` afterwards.
  [[nodiscard]] std::vector<core::log_id> take_due(unknown_run::steady now, std::size_t limit);
  /// The next ready run for which a place is free, else null. Executors take turns.
  [[nodiscard]] unknown_run* take_ready();
  /// The executor did not answer: what it could be asked before `until` it need not be asked.
  void mark_silent(const std::string& address, unknown_run::steady until);
  [[nodiscard]] bool is_silent(const std::string& address, unknown_run::steady now) const;
  /// Runs whose answer to a send is overdue.
  [[nodiscard]] std::vector<core::log_id> overdue_sends(unknown_run::steady now) const;

private:
  /// One executor.
  struct lane {
    std::deque<core::log_id> ready;
    std::size_t taken = 0;
    unknown_run::steady silent_until{};
  };
  [[nodiscard]] static bool takes_place(unknown_run::phase phase) noexcept;
  [[nodiscard]] unknown_run* take_ready(lane& from);

  std::size_t places_;
  std::size_t places_per_address_;
  std::size_t taken_ = 0;
  std::map<core::log_id, unknown_run> runs_;
  std::map<std::string, lane> lanes_;
  /// The address that had its turn last.
  std::string last_turn_;
};

} // namespace ringmaster::actors
