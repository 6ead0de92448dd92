#pragma once

// Leases of the item runs of this process, shared by the actors, the bodies and the fence timer.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/elastic/elastic_ids.hpp"
#include "core/time.hpp"
#include "executor/elastic/boot_clock.hpp"
#include "executor/elastic/cursor_saves.hpp"
#include "executor/elastic/shared_moment.hpp"
#include "executor/sdk/elastic/item_context.hpp"

namespace ringmaster::executor::elastic {

/// Right of one item run. Any thread.
class item_control final : public item_right {
public:
  /// `lease_from`: shared with the board.
  item_control(core::elastic::item_run_id run, core::milliseconds lease,
               std::shared_ptr<const std::atomic<std::int64_t>> lease_from, boot_clock now)
    : run_{run}, lease_{lease}, lease_from_{std::move(lease_from)}, now_{std::move(now)} {}

  [[nodiscard]] core::elastic::item_run_id run() const noexcept { return run_; }
  /// Returns the end of the lease, as far as it is extended now.
  [[nodiscard]] boot_time lease_end() const noexcept {
    return boot_time{lease_from_->load(std::memory_order_acquire)} + lease_;
  }
  [[nodiscard]] bool still_mine() const noexcept override {
    // In this order: a reader that sees a later extension sees the end before it, too.
    return now_() < lease_end() && !over_.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool drain_requested() const noexcept override { return draining_.load(std::memory_order_acquire); }
  [[nodiscard]] std::stop_token stop_token() const noexcept override { return stop_.get_token(); }
  [[nodiscard]] std::stop_token kill_token() const noexcept override { return kill_.get_token(); }

  [[nodiscard]] item_lease lease() const noexcept override { return {lease_from_, lease_}; }
  void report_program(std::int64_t supervisor) const override {
    if (on_program_)
      on_program_(supervisor);
  }
  /// Sets the receiver of `report_program`; before the body begins.
  void on_program(std::function<void(std::int64_t)> take) { on_program_ = std::move(take); }

  void yield() const noexcept override { yielded_.store(true, std::memory_order_release); }
  [[nodiscard]] bool has_yielded() const noexcept { return yielded_.load(std::memory_order_acquire); }

  void save_cursor(std::string value, std::function<void(core::result<void>)> done) const override;
  [[nodiscard]] cursor_saves& saves() const noexcept { return saves_; }

  /// Ends the right for good, and the saves of cursors. Does not request the stop.
  void end();
  [[nodiscard]] bool is_over() const noexcept { return over_.load(std::memory_order_acquire); }
  void request_drain() noexcept { draining_.store(true, std::memory_order_release); }
  /// Calls the stop callbacks of the body, which may block.
  void request_stop() noexcept { stop_.request_stop(); }
  /// As `request_stop`. A program is killed, also if it has been asked to stop before.
  void request_kill() noexcept {
    kill_.request_stop();
    stop_.request_stop();
  }

private:
  const core::elastic::item_run_id run_;
  const core::milliseconds lease_;
  const std::shared_ptr<const std::atomic<std::int64_t>> lease_from_;
  const boot_clock now_;
  std::atomic<bool> over_{false};
  std::atomic<bool> draining_{false};
  mutable std::atomic<bool> yielded_{false};
  mutable cursor_saves saves_;
  std::stop_source stop_;
  std::stop_source kill_;
  std::function<void(std::int64_t)> on_program_;
};
using item_control_ptr = std::shared_ptr<item_control>;

/// Controls of all runs with a lease. A lease lasts from the moment of the last heartbeat that the keeper has acknowledged for as
/// long as the grant of the run says. A lease that was over never comes back. Any thread.
class fence_board {
public:
  explicit fence_board(boot_clock now) : now_{std::move(now)} {}

  /// Extends all leases that are not over. An earlier moment has no effect.
  void extend(boot_time from);
  /// Opens the control of an admitted run; returns the existing one if there is one.
  item_control_ptr open(core::elastic::item_run_id run, core::milliseconds lease);
  /// Returns null for an unknown run.
  [[nodiscard]] item_control_ptr find(core::elastic::item_run_id run) const;
  /// Forgets a run, which saves no cursor any more. Its body keeps the control.
  void close(core::elastic::item_run_id run);
  /// Ends the right of a run before its lease is over. Returns the control; null for an unknown run.
  item_control_ptr end(core::elastic::item_run_id run);

  /// Takes the news that a cursor of a run is stored. Unknown runs have no effect.
  void take_stored_cursor(core::elastic::item_run_id run, std::uint64_t number);
  /// Ends waits for cursors whose time limit is over.
  void pass_save_time();
  /// Ends all waits for cursors, because nothing of this process reaches a node any more.
  void end_saves();

  /// Ends the leases that are over, and returns their controls. The caller requests the stops.
  [[nodiscard]] std::vector<item_control_ptr> end_due();
  /// Returns the earliest end of a lease; unset: there is none. An earlier end that comes later is announced by `wake`.
  [[nodiscard]] std::optional<boot_time> next_end();
  /// Sets a function that is called when an end comes before that which `next_end` has returned. It must not call the board.
  void set_wake(std::function<void()> wake);

private:
  /// Ends the leases that are over, and adds their controls.
  void end_over(std::vector<item_control_ptr>& into);
  [[nodiscard]] std::vector<item_control_ptr> controls() const;

  const boot_clock now_;
  const std::shared_ptr<std::atomic<std::int64_t>> lease_from_ = make_shared_moment();
  mutable std::mutex guard_;
  std::map<core::elastic::item_run_id, item_control_ptr> runs_;
  /// Ended by `extend`; `end_due` returns them.
  std::vector<item_control_ptr> late_;
  std::optional<boot_time> announced_;
  std::function<void()> wake_;
};

} // namespace ringmaster::executor::elastic
