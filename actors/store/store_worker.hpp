#pragma once

#include <functional>
#include <memory>

#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "storage/store.hpp"

namespace ringmaster::actors {

/// Opens one more connection to the configured database.
using store_opener = std::function<core::result<std::unique_ptr<storage::store>>()>;

/// Actor that runs closures on one store connection, which it opens at the first task and again after a failure to open. Spawned
/// detached in production, because a store blocks; inline in tests. Owns the connection. The only place where an exception of a
/// driver can surface, and where it is caught.
class store_worker_state {
public:
  static inline const char* name = "ringmaster.store_worker";

  store_worker_state(protocol::store_worker::pointer self, store_opener open);
  protocol::store_worker::behavior_type make_behavior();

private:
  caf::result<void> run(const protocol::store_task& task);
  core::result<storage::store*> connect();

  store_opener open_;
  std::unique_ptr<storage::store> store_;
};

} // namespace ringmaster::actors
