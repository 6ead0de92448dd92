#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Pool of several connections with one handle: a slow page delays no other, and while one connection waits for the database
/// another one works. A task goes to the worker that was busy last, so unneeded workers open no connection. Owns no worker.
class read_pool_state {
public:
  static inline const char* name = "ringmaster.read_pool";
  /// Tasks that wait for a connection at most; each further one fails with `unavailable`, which HTTP answers as 503.
  static constexpr std::size_t waiting_tasks_max = 1000;

  read_pool_state(protocol::query_worker::pointer self, std::vector<protocol::store_worker> workers);
  protocol::query_worker::behavior_type make_behavior();

private:
  struct waiting_task {
    protocol::store_task task;
    caf::typed_response_promise<void> promise;
  };

  /// Hands out waiting tasks, the oldest first.
  void work();

  protocol::query_worker::pointer self_;
  std::vector<protocol::store_worker> idle_;
  std::deque<waiting_task> waiting_;
};

} // namespace ringmaster::actors
