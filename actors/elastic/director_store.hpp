#pragma once

// Questions of elastic_director to the store.

#include <utility>

#include "actors/elastic/elastic_director.hpp"
#include "actors/store/store_access.hpp"
#include "storage/elastic_store.hpp"

namespace ringmaster::actors {

template <class T, class UseCase, class Then>
void elastic_director_state::ask(UseCase use_case, Then then) {
  ask_store<T>(self_, parts_.worker, std::move(use_case),
               [this, generation = generation_, then = std::move(then)](core::result<T>&& found) mutable {
                 if (generation == generation_)
                   then(std::move(found));
               });
}

} // namespace ringmaster::actors
