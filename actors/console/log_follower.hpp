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

/// Actor that holds the requests of log readers until the log grows. It reads nothing itself: run_admin reads and checks
/// permissions. A reader whose permission was taken away learns it with the next request, after half a minute at most.
///
/// Each run has at most one poll under way, from the earliest line that one of its readers lacks, for any number of readers. The
/// result of a poll goes to the readers that want exactly these lines. A reader that asked from an earlier line gets a separate
/// reading, shared only with the same user's requests from the same line, because each reading checks permissions.
class log_follower_state {
public:
  static inline const char* name = "ringmaster.log_follower";

  /// Limits of held requests and of the bytes kept for them; beyond them a request is answered at once.
  static constexpr std::size_t waiting_max = 256;
  static constexpr std::size_t kept_bytes_max = 16 * 1024 * 1024;
  /// Time from the start of a run's poll to the start of its next one.
  static constexpr std::chrono::seconds poll_every{1};

  /// `limit`: longest wait for run_admin.
  log_follower_state(protocol::log_follower::pointer self, protocol::run_admin runs, std::chrono::milliseconds limit);
  protocol::log_follower::behavior_type make_behavior();

private:
  using time_point = caf::actor_clock::time_point;

  /// Reader whose request is held.
  struct reader {
    caf::typed_response_promise<core::run_log> promise;
    protocol::follow_log asked;
    time_point until;
    /// Answer if the log does not grow in time.
    core::run_log seen = {};

    [[nodiscard]] std::int32_t from_line() const noexcept { return seen.from_line; }
    /// Returns the first line that the reader lacks.
    [[nodiscard]] std::int32_t next_line() const noexcept;
  };

  struct followed_run {
    std::vector<reader> readers = {};
    time_point next_poll{};
    bool polling = false;
  };

  caf::result<core::run_log> follow(protocol::follow_log&& asked);
  void first(reader&& who, core::run_log&& log);
  void stop();
  void tick();

  void poll(core::log_id run, followed_run& followed);
  void polled(core::log_id run, core::run_log&& log);
  void poll_failed(core::log_id run, const core::principal& by, const caf::error& why);
  /// Reads again for `readers`, requests of one user from the same line. `end`: the log does not continue after this reading.
  void read_again(std::vector<reader>&& readers, bool end);

  /// Removes the readers that fulfil `ready` from the run and returns them.
  template <class Ready>
  std::vector<reader> take(followed_run& from, Ready ready);
  void forget_gone();
  /// Arms the tick for the next event.
  void arm();
  [[nodiscard]] time_point now() const { return self_->clock().now(); }

  protocol::log_follower::pointer self_;
  protocol::run_admin runs_;
  std::chrono::milliseconds limit_;
  /// Runs with readers.
  std::map<core::log_id, followed_run> followed_;
  std::size_t waiting_ = 0;
  std::size_t kept_bytes_ = 0;
  time_point armed_ = time_point::max();
  bool stopping_ = false;
  caf::telemetry::int_gauge* shown_;
};

} // namespace ringmaster::actors
