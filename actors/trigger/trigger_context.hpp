#pragma once

#include <memory>

#include "actors/executors/link_set.hpp"
#include "actors/logger.hpp"
#include "config/settings.hpp"
#include "core/routing/lanes.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// State of the trigger pool that routing and sending share: the lanes, in which routing takes slots and sending frees them; the
/// executors' links, for probes and for runs; the known executors; the actors around the pool. Owned by trigger_pool_state and
/// used only inside its actor.
struct trigger_context {
  using steady = protocol::wall_clock::steady;

  protocol::trigger_pool::pointer self;
  config::trigger_settings settings;
  protocol::wall_clock clock;
  logger log;
  core::lanes lanes;
  link_set links;
  /// Never null.
  std::shared_ptr<const protocol::registry_view> registry = std::make_shared<protocol::registry_view>();
  /// Null until the pool's first message.
  protocol::trigger_partners partners{};

  [[nodiscard]] steady steady_now() const { return self->clock().now(); }
  [[nodiscard]] core::time_point now() const { return clock.at(steady_now()); }
};

} // namespace ringmaster::actors
