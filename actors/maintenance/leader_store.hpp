#pragma once

#include <cstdint>
#include <utility>

#include "actors/store/store_access.hpp"
#include "core/result.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

struct leader_workers {
  /// Worker for writes; null for a task that only reads.
  protocol::storage_actor storage;
  /// Worker for reads, with its own connection.
  protocol::query_worker queries;
  /// The database benefits from writes on several connections at once. Then long writes also use the connection for reads, and
  /// heartbeats, claims and results never wait for them.
  bool writes_aside = false;
};

/// Access to the store for tasks of the leader: patient requests, after claims and results. Drops an answer if the task ended or
/// began again meanwhile. Part of the state of the actor that `Self` points to; used only in its messages.
template <class Self>
class leader_store {
public:
  leader_store(Self self, leader_workers workers) : self_{self}, workers_{std::move(workers)} {}

  /// Called when the leader's task begins or ends.
  void change() noexcept { ++epoch_; }
  /// Returns the number of times that the task began or ended.
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }

  template <class T, class UseCase, class Then>
  void read(UseCase use_case, Then then) {
    ask<T>(workers_.queries, std::move(use_case), std::move(then));
  }
  /// Runs a short write.
  template <class T, class UseCase, class Then>
  void write(UseCase use_case, Then then) {
    ask<T>(workers_.storage, std::move(use_case), std::move(then));
  }
  /// Runs a long write, on the other connection if possible.
  template <class T, class UseCase, class Then>
  void write_much(UseCase use_case, Then then) {
    if (workers_.writes_aside)
      read<T>(std::move(use_case), std::move(then));
    else
      write<T>(std::move(use_case), std::move(then));
  }

private:
  template <class T, class Worker, class UseCase, class Then>
  void ask(const Worker& worker, UseCase use_case, Then then) {
    ask_store<T>(
      self_, worker, std::move(use_case),
      [this, epoch = epoch_, then](core::result<T>&& answer) mutable {
        if (epoch == epoch_)
          then(std::move(answer));
      },
      store_patience, protocol::store_turn::patient);
  }

  Self self_;
  leader_workers workers_;
  std::uint64_t epoch_ = 0;
};

} // namespace ringmaster::actors
