#include "actors/store/read_pool.hpp"

#include <algorithm>
#include <utility>

#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

read_pool_state::read_pool_state(protocol::query_worker::pointer self, std::vector<protocol::store_worker> workers)
  : self_{self}, idle_{std::move(workers)} {
  std::reverse(idle_.begin(), idle_.end());
}

protocol::query_worker::behavior_type read_pool_state::make_behavior() {
  return {
    [this](protocol::store_task& task) -> caf::result<void> {
      if (waiting_.size() == waiting_tasks_max)
        return protocol::to_caf({core::errc::unavailable, "too many reads wait for the database"});
      waiting_.push_back({std::move(task), self_->make_response_promise<void>()});
      auto promise = waiting_.back().promise;
      work();
      return promise;
    },
  };
}

void read_pool_state::work() {
  while (!waiting_.empty() && !idle_.empty()) {
    auto worker = std::move(idle_.back());
    idle_.pop_back();
    auto [task, promise] = std::move(waiting_.front());
    waiting_.pop_front();
    // A worker that does not answer within the limit holds up only its own next task.
    const auto done = [this, worker](auto deliver) {
      deliver();
      idle_.push_back(worker);
      work();
    };
    protocol::request(self_, worker, store_patience, std::move(task))
      .then([done, promise = promise]() mutable { done([&] { promise.deliver(); }); },
            [done, promise = promise](const caf::error& reason) mutable { done([&] { promise.deliver(reason); }); });
  }
}

} // namespace ringmaster::actors
