#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/executors/registry_table.hpp"
#include "actors/logger.hpp"
#include "config/settings.hpp"
#include "core/limits/log_rate_limiter.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actor that keeps the live executors in memory. It answers at once and writes later: new addresses, removals and changed group
/// lists as soon as the store is free, renewals every `registry.flush`. It has one store request under way at a time. While the
/// store is away, changes stay queued and routing uses what is known. Nodes agree through the stored rows, which each node reads
/// every `registry.reread`.
class registry_monitor_state {
public:
  static inline const char* name = "ringmaster.registry_monitor";

  registry_monitor_state(protocol::registry_monitor::pointer self, protocol::storage_actor storage,
                         std::vector<protocol::registry_listener> listeners, protocol::wall_clock clock,
                         config::registry_settings settings, logger log);
  protocol::registry_monitor::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;

  static constexpr std::size_t unreachable_max = 100'000;

  void beat(const protocol::registry_beat& beat);
  /// Returns false for a registration that cannot be a row: it would prevent the writing of all others. Logs the first one.
  template <class Registration>
  [[nodiscard]] bool fits(const Registration& registration);
  [[nodiscard]] protocol::claim_verdict judge(const protocol::address_claim& claim) const;
  void refuse(const protocol::registry_beat& registration, const std::string& rival);
  void remove(const protocol::registry_removal& removal);
  [[nodiscard]] caf::result<protocol::executor_list> list(const protocol::executors_query& query) const;
  void subscribe(protocol::registry_subscription&& subscription);
  void look_again();
  /// Takes what the runs of this node find at an address: an executor, or no connection.
  void note(const protocol::executor_update& update);
  void tell_heard();
  void tell(const protocol::executor_update& update);

  /// Sends a tick to this actor after all waiting messages: a burst of registrations makes one view and one write.
  void poke();
  void tick();
  void arm();
  void publish();
  /// Logs once that the stored list of a group is cut.
  void watch_length(std::int32_t id, const core::group& group);
  /// Starts the next read or write, if one is due and none is under way.
  void work();
  void read();
  void have_read(std::uint64_t mark, const core::result<core::registry_state>& stored);
  void write(bool renewals);
  void have_written(bool renewals, const core::result<void>& outcome);
  void settle(bool succeeded, const core::error* error);
  [[nodiscard]] registry_table::moment now() const;

  protocol::registry_monitor::pointer self_;
  protocol::storage_actor storage_;
  std::vector<protocol::registry_listener> listeners_;
  std::vector<protocol::executor_listener> update_listeners_;
  protocol::wall_clock clock_;
  config::registry_settings settings_;
  logger log_;

  registry_table table_;
  bool poked_ = false;
  bool busy_ = false;
  bool failing_ = false;
  bool full_ = false;
  bool misfit_ = false;
  core::log_rate_limiter refusals_;
  core::log_rate_limiter arrivals_;
  /// Groups whose list is longer than its column.
  std::set<std::int32_t> cut_groups_;
  /// Addresses at which the runs of this node find no executor, with the time since then; at most `unreachable_max`.
  std::unordered_map<std::string, core::time_point> unreachable_;
  bool read_due_ = true;
  bool flush_due_ = false;
  steady next_tick_{};
  steady next_read_{};
  steady next_flush_{};
  steady retry_at_{};
};

} // namespace ringmaster::actors
