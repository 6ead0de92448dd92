#pragma once

// A world of actors on one thread whose time stands still until a test moves it. No test of an actor sleeps.

#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include "core/time.hpp"
#include "protocol/caf.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::test {

using namespace std::chrono_literals;

/// Fixture. Actors run only inside `run`, `advance` and `ask`; messages are handled in the order in which they were sent, so one
/// test is one interleaving. Handles given to `track` are ended with the fixture, which otherwise would wait for their timers.
class virtual_time {
public:
  /// Civil time at the start of each test: 2026-03-02 12:00:00 UTC, a Monday.
  static constexpr core::time_point start = core::from_ms(1'772'452'800'000);

  virtual_time() {
    time().current_time += 1h; // zero is special to CAF
    step_civil(std::chrono::nanoseconds{start.time_since_epoch()} - now().time_since_epoch());
  }
  virtual_time(const virtual_time&) = delete;
  virtual_time& operator=(const virtual_time&) = delete;
  ~virtual_time() { end_all(); }

  caf::actor_system& system() noexcept { return system_; }

  [[nodiscard]] caf::actor_clock::time_point now() { return time().now(); }
  [[nodiscard]] core::time_point civil() { return wall_.at(now()); }
  [[nodiscard]] protocol::wall_clock clock() const { return wall_; }
  /// CLOCK_BOOTTIME of this world in nanoseconds.
  [[nodiscard]] std::int64_t boot_now() { return std::chrono::nanoseconds{now().time_since_epoch() + slept_}.count(); }
  [[nodiscard]] std::function<std::int64_t()> boot() {
    return [this] { return boot_now(); };
  }
  /// Sets the civil clock, forward or back.
  void step_civil(std::chrono::nanoseconds by) {
    civil_offset_ += by;
    wall_.set_offset(civil_offset_);
  }
  /// Puts the machine to sleep: CLOCK_BOOTTIME continues, every other clock stands still.
  void sleep_machine(std::chrono::nanoseconds duration) { slept_ += duration; }

  /// Returns the number of timers that fire within this time.
  [[nodiscard]] std::size_t timers_within(std::chrono::nanoseconds duration) {
    const auto& timers = time().schedule;
    return static_cast<std::size_t>(std::distance(timers.begin(), timers.upper_bound(now() + duration)));
  }

  /// Handles all waiting messages, and those that they cause.
  std::size_t run() {
    std::size_t handled = 0;
    while (coordinator_.try_run_once())
      ++handled;
    return handled;
  }

  /// Advances time from timer to timer, so that each fires at its own moment.
  void advance(std::chrono::nanoseconds duration) {
    run();
    for (auto end = now() + duration;;) {
      const auto& timers = time().schedule;
      auto next = timers.empty() || timers.begin()->first > end ? end : timers.begin()->first;
      time().advance_time(std::max(next - now(), caf::timespan{0}));
      run();
      if (now() >= end && (timers.empty() || timers.begin()->first > end))
        return;
    }
  }

  /// Sends a request and returns its answer, which must come without time passing; otherwise an error.
  template <class Reply, class Handle, class... Ts>
  caf::expected<Reply> ask(const Handle& actor, Ts&&... xs) {
    auto reply = later<Reply>(actor, std::forward<Ts>(xs)...);
    run();
    return *reply ? std::move(**reply) : caf::expected<Reply>{caf::error{caf::sec::request_timeout}};
  }

  /// Sends a request whose answer has no value. Returns its error, or no error on success.
  template <class Handle, class... Ts>
  caf::error ask_done(const Handle& actor, Ts&&... xs) {
    auto reply = later<caf::unit_t>(actor, std::forward<Ts>(xs)...);
    run();
    return !*reply ? caf::error{caf::sec::request_timeout} : **reply ? caf::error{} : std::move((*reply)->error());
  }

  /// Sends a request whose answer may take its time: empty until it is there.
  template <class Reply, class Handle, class... Ts>
  std::shared_ptr<std::optional<caf::expected<Reply>>> later(const Handle& actor, Ts&&... xs) {
    auto reply = std::make_shared<std::optional<caf::expected<Reply>>>();
    auto ask = [actor, reply, message = std::make_tuple(std::forward<Ts>(xs)...)](caf::event_based_actor* self) mutable {
      auto request = [&](auto&&... parts) { return protocol::request(self, actor, 24h, std::move(parts)...); };
      auto pending = std::apply(request, std::move(message));
      auto failed = [reply](caf::error& error) { reply->emplace(std::move(error)); };
      if constexpr (std::is_same_v<Reply, caf::unit_t>)
        std::move(pending).then([reply] { reply->emplace(caf::unit); }, failed);
      else
        std::move(pending).then([reply](Reply& value) { reply->emplace(std::move(value)); }, failed);
    };
    track(caf::actor{system_.spawn(std::move(ask))});
    return reply;
  }

  template <class Handle, class... Ts>
  void tell(const Handle& actor, Ts&&... xs) {
    protocol::anon_send(actor, std::forward<Ts>(xs)...);
  }

  template <class Handle>
  Handle track(Handle actor) {
    tracked_.push_back(caf::actor_cast<caf::strong_actor_ptr>(actor));
    return actor;
  }

  /// Spawns `State` behind `Interface` and tracks it.
  template <class State, class Interface, class... Ts>
  Interface spawn(Ts&&... xs) {
    return track(Interface{system_.spawn<protocol::with_state<State, Interface>>(std::forward<Ts>(xs)...)});
  }

  /// Returns a logger without output.
  static std::shared_ptr<spdlog::logger> silent_log() {
    return std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
  }

  void end_all() {
    for (const auto& actor : tracked_)
      caf::anon_send_exit(caf::actor_cast<caf::actor>(actor), caf::exit_reason::kill);
    run();
    tracked_.clear();
    time().schedule.clear();
    run();
  }

private:
  struct testing_config : caf::actor_system_config {
    testing_config() { set("caf.scheduler.policy", "testing"); }
  };

  caf::detail::test_actor_clock& time() { return coordinator_.clock(); }

  testing_config config_;
  caf::actor_system system_{config_};
  caf::scheduler::test_coordinator& coordinator_ = dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  protocol::wall_clock wall_{0ns};
  std::chrono::nanoseconds civil_offset_{0};
  std::chrono::nanoseconds slept_{0};
  std::vector<caf::strong_actor_ptr> tracked_;
};

} // namespace ringmaster::test
