#pragma once

// Fixture for node_actor: nodes with scripted surroundings that share a database.

#include <memory>
#include <string>
#include <utility>

#include "actors/node/node_actor.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::test {

/// One node with its surroundings; several share a world and a database.
struct cluster_node {
  cluster_node(virtual_time& the_world, memory_database& database, std::string name, bool start = true)
    : world{the_world}, id{std::move(name)}, store{database.open()} {
    if (start)
      enter();
  }
  void enter() {
    actor = world.spawn<actors::node_actor_state, protocol::node_actor>(
      actors::node_links{storage.actor, schedule.actor, {lives.actor, other_incarnations.actor}},
      actors::node_identity{id, id + ":8080", process}, config::cluster_settings{}, gate,
      actors::node_clocks{world.clock(), world.boot(), false}, virtual_time::silent_log());
  }
  [[nodiscard]] core::node_row row() {
    for (auto& row : expect(store.inner().cluster().nodes()))
      if (row.id == id)
        return row;
    return {};
  }
  [[nodiscard]] bool is_open(std::int64_t incarnation) { return gate->open_at(incarnation, world.boot_now()); }
  /// Returns true if the gate is open for the newest incarnation; it must never be open for an older one.
  [[nodiscard]] bool is_open() {
    auto newest = row().incarnation;
    for (auto former = newest - 1; former > 0; --former)
      CHECK_FALSE(is_open(former));
    return is_open(newest);
  }
  [[nodiscard]] protocol::node_status status() { return *world.ask<protocol::node_status>(actor, protocol::status_query{}); }
  [[nodiscard]] core::slot_set slots() const {
    const auto& told = schedule.record->slots;
    return told.empty() ? core::slot_set{} : told.back();
  }

  virtual_time& world;
  std::string id;
  std::string process = "process of " + id;
  faulty_store store;
  storage_double storage{world, store};
  schedule_double schedule{world};
  incarnation_double lives{world};
  incarnation_double other_incarnations{world};
  std::shared_ptr<protocol::send_gate> gate = std::make_shared<protocol::send_gate>();
  protocol::node_actor actor;
};

struct cluster : virtual_time {
  memory_database database;
};

} // namespace ringmaster::test
