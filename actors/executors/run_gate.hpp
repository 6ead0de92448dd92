#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "core/run/run.hpp"
#include "protocol/http.hpp"

namespace ringmaster::actors {

/// Last check of the node's deadline before a native link writes a run or a grant, as the transport makes it before it writes a
/// request. An object of its own, so that a test can observe each check at its moment. Any thread.
class run_gate {
public:
  /// `boot` returns CLOCK_BOOTTIME in nanoseconds. Neither is null.
  run_gate(std::shared_ptr<const protocol::send_gate> gate, std::function<std::int64_t()> boot)
    : gate_{std::move(gate)}, boot_{std::move(boot)} {}
  run_gate(const run_gate&) = delete;
  run_gate& operator=(const run_gate&) = delete;
  virtual ~run_gate() = default;

  /// Returns whether the incarnation that claimed the run may write it now.
  [[nodiscard]] virtual bool is_open_for(const core::claimed_run& run) const {
    return gate_->open_at(run.incarnation, boot_());
  }

  /// Returns whether this incarnation may grant item runs, and acknowledge heartbeats of hosts, now.
  [[nodiscard]] virtual bool is_open_in(std::int64_t incarnation) const { return gate_->open_at(incarnation, boot_()); }

private:
  std::shared_ptr<const protocol::send_gate> gate_;
  std::function<std::int64_t()> boot_;
};

} // namespace ringmaster::actors
