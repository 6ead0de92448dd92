#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/logger.hpp"
#include "actors/store/marks_keeper.hpp"
#include "config/settings.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"
#include "protocol/elastic_interfaces.hpp"
#include "protocol/messages.hpp"
#include "protocol/notifier.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actors of elastic jobs on a node. Null handles: the node has none.
struct elastic_actors {
  protocol::elastic_hosts hosts;
  protocol::elastic_writer writer;
  protocol::elastic_director director;
  protocol::error_notifier errors;
};

/// Parts of the node that the actors of elastic jobs use.
struct elastic_surroundings {
  /// Name of this node.
  std::string node;
  /// Workers of the writer, of the director, and of elastic_hosts: a director that reads many jobs must not delay the reading of
  /// hosts, without which this node extends no lease. On SQLite all are the one that storage_actor also uses.
  protocol::store_worker write_worker;
  protocol::store_worker worker;
  protocol::store_worker hosts_worker;
  /// Zone of schedules whose jobs name none.
  core::zone schedule_zone;
  core::milliseconds edit_poll{500};
  protocol::wall_clock clock;
  logger log;
  /// Keeps the marks of run ids of elastic jobs. Null: no marks are kept.
  std::shared_ptr<marks_keeper> marks = nullptr;
  /// Sends the messages of error handlers. Null: none are sent.
  std::shared_ptr<protocol::notifier> notifier = nullptr;
  config::elastic_settings settings = {};
};

/// Spawns the actors, and makes them known to each other.
using elastic_spawner = std::function<elastic_actors(caf::actor_system&, const elastic_surroundings&)>;

} // namespace ringmaster::actors
