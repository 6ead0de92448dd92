#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include <caf/telemetry/gauge.hpp>

#include "core/ids.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Holds readers of logs back until there is more for them. Reads nothing itself: run_admin does, and checks their rights; a
/// reader whose right was taken away learns so when he asks again, half a minute later at most.
///
/// Each run has one poll on its way at most, from the earliest line that one of its readers lacks, however many they are. What a
/// poll finds goes to those who want just these lines; whoever asked from an earlier line on gets a reading of his own, which he
/// shares with his own other requests from the same one alone: rights are looked at with each reading.
class log_follower_state {
public:
  static inline const char* name = "ringmaster.log_follower";

  /// Readers that are held back at the same time, and bytes that are kept for them; who comes then is answered at once.
  static constexpr std::size_t waiting_max = 256;
  static constexpr std::size_t kept_bytes_max = 16 * 1024 * 1024;
  /// From the begin of a run's poll to that of its next one.
  static constexpr std::chrono::seconds poll_every{1};

  /// `limit`: longest wait for run_admin.
  log_follower_state(protocol::log_follower::pointer self, protocol::run_admin runs, std::chrono::milliseconds limit);
  protocol::log_follower::behavior_type make_behavior();

private:
  using time_point = caf::actor_clock::time_point;

  /// One who is held back.
  struct reader {
    caf::typed_response_promise<protocol::run_log> promise;
    protocol::follow_log asked;
    time_point until;
    /// What he gets when there is no more.
    protocol::run_log seen = {};

    [[nodiscard]] std::int32_t from_line() const noexcept { return seen.from_line; }
    /// The first line that he lacks.
    [[nodiscard]] std::int32_t next_line() const noexcept;
  };

  struct followed_run {
    std::vector<reader> readers = {};
    time_point next_poll{};
    bool polling = false;
  };

  caf::result<protocol::run_log> follow(protocol::follow_log&& asked);
  void first(reader&& who, protocol::run_log&& log);
  void stop();
  void tick();

  void poll(core::log_id run, followed_run& followed);
  void polled(core::log_id run, protocol::run_log&& log);
  void poll_failed(core::log_id run, const core::principal& by, const caf::error& why);
  /// For all of these, requests of one user from the same line on. `end`: nothing follows what they get.
  void read_again(std::vector<reader>&& readers, bool end);

  /// Takes who fulfils `ready` from the run.
  template <class Ready>
  std::vector<reader> take(followed_run& from, Ready ready);
  void forget_gone();
  /// The tick for what is next.
  void arm();
  [[nodiscard]] time_point now() const { return self_->clock().now(); }

  protocol::log_follower::pointer self_;
  protocol::run_admin runs_;
  std::chrono::milliseconds limit_;
  /// Those with readers.
  std::map<core::log_id, followed_run> followed_;
  std::size_t waiting_ = 0;
  std::size_t kept_bytes_ = 0;
  time_point armed_ = time_point::max();
  bool stopping_ = false;
  caf::telemetry::int_gauge* shown_;
};

} // namespace ringmaster::actors
