#include "actors/store/store_worker.hpp"

#include <exception>
#include <utility>

#include "protocol/error.hpp"

namespace ringmaster::actors {

store_worker_state::store_worker_state(protocol::store_worker::pointer, store_opener open) : open_{std::move(open)} {}

protocol::store_worker::behavior_type store_worker_state::make_behavior() {
  return {
    [this](const protocol::store_task& task) { return run(task); },
  };
}

caf::result<void> store_worker_state::run(const protocol::store_task& task) {
  try {
    task.run(connect());
    return caf::unit;
  } catch (const std::exception& thrown) {
    return protocol::to_caf({core::errc::internal, std::string{"the store threw: "} + thrown.what()});
  }
}

core::result<storage::store*> store_worker_state::connect() {
  if (!store_) {
    auto opened = open_();
    if (!opened)
      return tl::unexpected<core::error>{opened.error()};
    store_ = std::move(*opened);
  }
  return store_.get();
}

} // namespace ringmaster::actors
