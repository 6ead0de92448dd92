#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/logger.hpp"
#include "core/limits/log_rate_limiter.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Actor that stores callbacks from executors. Remembers the job of each run that was sent, so that a result needs no look-up. It
/// may forget at any time, because the store looks up what is missing. A caller is answered only when its results are durable.
///
/// Results with a group's token whose runs are not remembered are first looked up by a reader: those of unknown, foreign and
/// finished runs never reach the writer. Each group has one look-up at a time.
class completion_actor_state {
public:
  static inline const char* name = "ringmaster.completion_actor";

  /// Maximum of runs remembered; beyond it the oldest are forgotten.
  static constexpr std::size_t runs_max = 200'000;
  /// Maximum of callback requests that wait for the store; beyond it a request is answered `too_large` and the executor sends it
  /// again.
  static constexpr std::size_t waiting_max = 1'000;
  /// Share of one group's token: requests, and their results that go to the store.
  static constexpr std::size_t group_waiting_max = waiting_max / 4;
  static constexpr std::size_t group_results_max = 50'000;
  /// Results of one request that go to the store at once. A longer request goes in parts and is answered when all are durable.
  static constexpr std::size_t part_max = 2'000;
  /// Maximum of runs that are being killed, and the time for which each counts as such: the executor's answer takes seconds.
  static constexpr std::size_t endings_max = 10'000;
  static constexpr std::chrono::seconds ending_time{60};

  /// `limit`: longest wait for the store; shorter than the reply time of the gateway.
  completion_actor_state(protocol::completion_actor::pointer self, protocol::storage_actor storage, protocol::query_worker reads,
                         std::chrono::milliseconds limit, logger log);
  protocol::completion_actor::behavior_type make_behavior();

private:
  struct sent_job {
    core::job_ptr spec;
    core::time_point fire_at{};
  };
  struct ending {
    std::string message;
    caf::actor_clock::time_point until;
  };

  void remember(const protocol::sent_runs& sent);
  void mark(protocol::ending_run&& told);
  void drop_endings(caf::actor_clock::time_point now);
  /// Turns a success that was caused by killing the run into a failure.
  void judge(core::callback& result);
  caf::result<protocol::callbacks_stored> complete(protocol::callback_batch&& batch);
  void drop_outdated(std::vector<core::callback>& items);
  void drop_foreign(std::vector<core::callback>& items);
  /// One request on its way to the store.
  struct storing;
  using storing_ptr = std::shared_ptr<storing>;
  using run_groups = std::vector<std::pair<core::log_id, core::group_id>>;
  void look_up(const storing_ptr& work);
  void look_up_part(const storing_ptr& work);
  void looked_up(const storing_ptr& work);
  /// Returns the number of results whose runs are unknown or have a result.
  [[nodiscard]] std::size_t drop_unknown(storing& work) const;
  [[nodiscard]] bool has_room(std::int32_t group, std::size_t results) const;
  void store_part(const std::shared_ptr<storing>& work);
  void end(const std::shared_ptr<storing>& work);
  void fail(const std::shared_ptr<storing>& work, const core::error& why);
  void forget(const std::vector<core::log_id>& runs);

  protocol::completion_actor::pointer self_;
  protocol::storage_actor storage_;
  protocol::query_worker reads_;
  std::chrono::milliseconds limit_;
  logger log_;
  /// Runs without a result, the oldest first.
  std::map<core::log_id, sent_job> jobs_;
  /// Runs that users are killing through this node.
  std::unordered_map<core::log_id, ending> endings_;
  /// The killed runs ordered by the end of their time, including removed ones.
  std::deque<std::pair<core::log_id, caf::actor_clock::time_point>> ending_order_;
  std::size_t waiting_ = 0;
  struct share {
    std::size_t requests = 0;
    std::size_t results = 0;
  };
  /// Requests that came with a group's token, by the first group of its app name.
  std::unordered_map<std::int32_t, share> waiting_of_;
  /// Requests to be looked up, by group; the first one is under way.
  std::unordered_map<std::int32_t, std::deque<storing_ptr>> look_ups_;
  core::log_rate_limiter dropped_;
};

} // namespace ringmaster::actors
