// row_sweeper: the times of its work, and its amount at a time.

#include "actors/maintenance/row_sweeper.hpp"

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

struct sweeping_rows : virtual_time {
  sweeping_rows() {
    store.after = [this](std::string_view method) {
      sweeps += method == "fail_abandoned" ? 1 : 0;
      steps += method == "forget_taken_intents" ? 1 : 0;
    };
  }
  void live(bool leads = true) {
    tell(actor, protocol::incarnation_change{core::node_incarnation{"a", 1}});
    tell(actor, protocol::slot_change{core::slot_set{}.set(leads ? 0 : 1)});
  }

  memory_database database;
  faulty_store store{database.open()};
  storage_double storage{*this, store};
  query_worker_double queries{*this, store};
  std::size_t sweeps = 0;
  std::size_t steps = 0;
  protocol::row_sweeper actor = spawn<actors::row_sweeper_state, protocol::row_sweeper>(
    actors::leader_workers{storage.actor, queries.actor, true}, clock(), silent_log());
};

} // namespace

TEST_CASE_METHOD(sweeping_rows, "rows are swept by the leader, apart from heartbeats and claims", "[actors]") {
  advance(5s);
  CHECK(sweeps + steps == 0);
  live(false);
  advance(5s);
  CHECK(sweeps + steps == 0);
  live();
  advance(5s);
  CHECK(sweeps == 1);
  CHECK(steps >= 4);
  CHECK(*queries.tasks == sweeps + steps);
  tell(actor, protocol::incarnation_change{});
  const auto before = *queries.tasks;
  advance(5min);
  CHECK(*queries.tasks == before);
}

TEST_CASE_METHOD(sweeping_rows, "the sweep runs every second while there is more, otherwise every minute", "[actors]") {
  live();
  store.sweep_has_more = true;
  advance(70s);
  CHECK(sweeps >= 60);
  store.sweep_has_more = false;
  advance(2s);
  sweeps = 0;
  advance(120s);
  CHECK(sweeps == 2);
}

TEST_CASE_METHOD(sweeping_rows, "a backlog of taken intents is removed at ten thousand a second", "[actors]") {
  std::size_t left = 100'000;
  store.taken_intents = &left;
  live();
  advance(10s);
  CHECK(left == 0);
  const auto before = steps;
  advance(10s);
  CHECK(steps - before <= 11);
}
