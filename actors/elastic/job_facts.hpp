#pragma once

// Facts about one elastic job that metrics count. Each is known once its write is stored.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "core/elastic/item_actions.hpp"
#include "core/elastic/run_cause.hpp"
#include "core/time.hpp"
#include "protocol/elastic_link_messages.hpp"

namespace ringmaster::actors {

namespace fact {

/// A fire, or an instant that the misfire rule dropped.
struct fire {
  core::elastic::run_source source = core::elastic::run_source::normal;
  core::time_point due{};
  bool dropped = false;
};
/// The end of a run of an item.
struct run_end {
  core::elastic::run_source source = core::elastic::run_source::normal;
  core::elastic::item_run_end end = core::elastic::item_run_end::finished;
};
/// A run that another host has taken over.
struct takeover {
  /// Proof of the loss; unset: the run moved without one, or an earlier coordinator saw the loss.
  std::optional<core::elastic::loss_proof> proof = std::nullopt;
  /// Time from the decision that the run is lost. Unset: see `proof`.
  std::optional<core::milliseconds> took = std::nullopt;
};
/// A grant that its host has refused.
struct refusal {
  protocol::elastic_refusal why = protocol::elastic_refusal::none;
};
/// A result of a run that is not open any more.
struct gone {};
/// A plan that differs from the one before.
struct plan {};
/// A barrier of once-listeners that was not complete in time.
struct late_barrier {};

} // namespace fact

using job_fact =
  std::variant<fact::fire, fact::run_end, fact::takeover, fact::refusal, fact::gone, fact::plan, fact::late_barrier>;

/// Numbers of a job for the metrics. Hooks are not counted.
struct item_counts {
  /// Their runs are open, or are being granted.
  std::uint32_t open = 0;
  /// They wait for a host.
  std::uint32_t wanted = 0;
  /// 1 for a job whose times lie further ahead than its schedule explains.
  std::uint32_t far_ahead = 0;
  friend bool operator==(const item_counts&, const item_counts&) = default;
};

} // namespace ringmaster::actors
