#pragma once

#include "protocol/actor_interfaces.hpp"

namespace ringmaster::actors {

/// Connections for what people ask for. An edit may wait for XXL's schedule lock, or take seconds: pages and sign-ins do not wait
/// behind it. An apply of many jobs takes longer: edits do not wait behind it.
struct query_workers {
  protocol::query_worker reads;
  protocol::query_worker edits;
  protocol::query_worker applies = {};
};

} // namespace ringmaster::actors
