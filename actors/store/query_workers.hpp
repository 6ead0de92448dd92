#pragma once

#include "protocol/actor_interfaces.hpp"

namespace ringmaster::actors {

/// Connections for requests of users. An edit may wait for XXL's schedule lock or take seconds, so pages and sign-ins use another
/// connection. An apply of many jobs takes longer, so edits do not wait for it either.
struct query_workers {
  protocol::query_worker reads;
  protocol::query_worker edits;
  protocol::query_worker applies = {};
};

} // namespace ringmaster::actors
