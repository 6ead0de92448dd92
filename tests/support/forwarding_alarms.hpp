#pragma once

// Alarms that are forwarded to another store: the base of stores that watch or change a few calls.

#include <span>
#include <vector>

#include "storage/alarm_store.hpp"

namespace ringmaster::test {

/// Does not own the store behind it, and shares its thread rule.
class forwarding_alarms : public storage::alarm_store {
public:
  explicit forwarding_alarms(storage::alarm_store& inner) : inner_alarms_{inner} {}

  core::result<std::vector<core::pending_alarm>> take(const core::node_incarnation& owner, bool again, core::time_point now,
                                                      std::size_t limit) override {
    return inner_alarms_.take(owner, again, now, limit);
  }
  core::result<void> finish(const core::node_incarnation& owner, std::span<const core::alarm_end> ends) override {
    return inner_alarms_.finish(owner, ends);
  }
  core::result<core::failure_sweep> sweep(core::time_point now, bool follow_open, std::size_t limit) override {
    return inner_alarms_.sweep(now, follow_open, limit);
  }
  core::result<std::size_t> find_recoveries(core::time_point now, std::size_t limit) override {
    return inner_alarms_.find_recoveries(now, limit);
  }

private:
  storage::alarm_store& inner_alarms_;
};

} // namespace ringmaster::test
