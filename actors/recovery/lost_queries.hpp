#pragma once

// Requests of lost_monitor to the store; shared by its files.

#include <utility>

#include "actors/recovery/lost_monitor.hpp"
#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

template <class T, class UseCase, class Then>
void lost_monitor_state::query(UseCase use_case, Then then) {
  ask_store<T>(self_, partners_.queries, std::move(use_case), [this, epoch = epoch_, then](core::result<T>&& answer) mutable {
    if (epoch == epoch_)
      then(std::move(answer));
  });
}

} // namespace ringmaster::actors
