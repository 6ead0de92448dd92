#pragma once

#include <cstdint>
#include <utility>

#include "actors/store/store_access.hpp"
#include "core/result.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

struct leader_workers {
  /// Writes.
  protocol::storage_actor storage;
  /// Reads, on a connection of its own.
  protocol::query_worker queries;
  /// The database takes writes of several connections at once: then long ones go over that connection, too, and beats, claims and
  /// results never wait for them.
  bool writes_aside = false;
};

/// How a duty about the whole asks the store: in patient tasks, behind claims and results. An answer is dropped when the duty
/// ended or began anew meanwhile. A part of the state of the actor that `Self` points to, used in its messages alone.
template <class Self>
class leader_store {
public:
  leader_store(Self self, leader_workers workers) : self_{self}, workers_{std::move(workers)} {}

  /// The duty begins or ends.
  void change() noexcept { ++epoch_; }
  /// Number of duties that began or ended.
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }

  template <class T, class UseCase, class Then>
  void read(UseCase use_case, Then then) {
    ask<T>(workers_.queries, std::move(use_case), std::move(then));
  }
  /// What is short.
  template <class T, class UseCase, class Then>
  void write(UseCase use_case, Then then) {
    ask<T>(workers_.storage, std::move(use_case), std::move(then));
  }
  /// What may take its time: aside, where that is possible.
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
