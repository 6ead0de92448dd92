#pragma once

// The only way to use a store: a closure runs on a worker's thread, and its result comes back to the calling actor.

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/error.hpp"
#include "protocol/messages.hpp"
#include "storage/store.hpp"

namespace ringmaster::actors {

/// Longer than any statement limit with its retries: a worker that is silent for this long hangs.
inline constexpr std::chrono::seconds store_patience{60};

/// Returns true for a failure after which it is unknown whether the transaction was committed.
[[nodiscard]] inline bool in_doubt(core::errc code) noexcept {
  return code == core::errc::timeout || code == core::errc::unavailable;
}

/// Asks `worker` (a query_worker, or storage_actor for control transactions) to run `use_case(storage::store&) ->
/// core::result<T>` and calls `then(core::result<T>)` in the calling actor. Never throws; a store that cannot be opened gives an
/// `unavailable` result. `turn` says when storage_actor runs it. After a `timeout` it is unknown whether the use case ran: use
/// cases are idempotent or guarded. A use case that has not begun by then never runs. One that has not begun within
/// `begins_within` never runs, either: its `timeout` comes when the worker has got to it, and so is free.
template <class T, class Self, class Worker, class UseCase, class Then>
void ask_store(Self* self, const Worker& worker, UseCase use_case, Then then, std::chrono::milliseconds limit = store_patience,
               protocol::store_turn turn = protocol::store_turn::usual,
               std::chrono::milliseconds begins_within = std::chrono::milliseconds::max()) {
  auto answer = std::make_shared<std::optional<core::result<T>>>();
  const auto& clock = self->clock();
  const auto expires = clock.now() + std::min(limit, begins_within);
  protocol::store_task task{[use_case = std::move(use_case), answer, &clock,
                             expires](core::result<storage::store*> store) mutable {
    if (clock.now() >= expires)
      answer->emplace(core::fail(core::errc::timeout, "the store worker was busy for too long"));
    else if (store)
      answer->emplace(use_case(**store));
    else
      answer->emplace(tl::unexpected<core::error>{std::move(store.error())});
  }, turn};
  protocol::request(self, worker, limit, std::move(task))
    .then(
      [answer, then]() mutable {
        if (*answer)
          then(std::move(**answer));
        else
          then(core::result<T>{core::fail(core::errc::internal, "the store worker lost a task")});
      },
      [then](const caf::error& reason) mutable {
        then(core::result<T>{tl::unexpected<core::error>{protocol::to_core(reason)}});
      });
}

/// Answers the waiting caller with the outcome of a use case.
template <class T>
void deliver(caf::typed_response_promise<T>& answer, core::result<T>&& outcome) {
  if (!outcome)
    answer.deliver(protocol::to_caf(outcome.error()));
  else if constexpr (std::is_void_v<T>)
    answer.deliver();
  else
    answer.deliver(std::move(*outcome));
}

} // namespace ringmaster::actors
