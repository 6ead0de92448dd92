// reservation_actor and schedule_guard: the times of their requests to the store, and their reactions to its answers.

#include "actors/firing/reservation_actor.hpp"
#include "actors/node/schedule_guard.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"
#include "tests/support/reservation_double.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

struct beside_java : virtual_time {
  beside_java() { store.shared = &java; }

  core::node_incarnation enter(const std::string& node) { return expect(look->cluster().enter(node, node)); }

  void live(core::cluster_mode mode) {
    life = enter("a");
    java.state.mode = mode;
    gate->open_until(life.incarnation, boot_now() + std::chrono::nanoseconds{1h}.count());
    tell(listener, protocol::incarnation_change{life, mode});
    run();
  }
  void die() {
    tell(listener, protocol::incarnation_change{});
    run();
  }

  memory_database database;
  std::unique_ptr<storage::store> look = database.open();
  faulty_store store{database.open()};
  reservation_double java;
  std::shared_ptr<protocol::send_gate> gate = std::make_shared<protocol::send_gate>();
  query_worker_double worker{*this, store};
  core::node_incarnation life;
  protocol::incarnation_listener listener;
};

struct reserving : beside_java {
  reserving() {
    actor = spawn<actors::reservation_actor_state, protocol::reservation_actor>(
      actors::reservation_partners{worker.actor, schedule.actor}, config::schedule_settings{}, gate, clock(), boot(),
      silent_log());
    listener = caf::actor_cast<protocol::incarnation_listener>(actor);
    run();
  }

  void queue(std::vector<std::int64_t> ids, bool more) {
    core::reserve_outcome outcome;
    for (auto id : ids) {
      core::intent intent;
      intent.id = core::intent_id{id};
      intent.kind = core::trigger_kind::cron;
      outcome.intents.push_back(intent);
    }
    outcome.more = more;
    java.outcomes.push_back(std::move(outcome));
  }

  schedule_double schedule{*this};
  protocol::reservation_actor actor;
};

struct guarding : beside_java {
  guarding() {
    actor = spawn<actors::schedule_guard_state, protocol::schedule_guard>(worker.actor, silent_log());
    listener = caf::actor_cast<protocol::incarnation_listener>(actor);
    run();
  }

  void lead(bool leads) {
    tell(actor, protocol::slot_change{core::slot_set{}.set(leads ? 0 : 1)});
    run();
  }

  protocol::schedule_guard actor;
};

} // namespace

TEST_CASE_METHOD(reserving, "nothing is reserved without an incarnation in shared mode", "[actors]") {
  advance(2s);
  CHECK(java.windows.empty());
  live(core::cluster_mode::native);
  advance(2s);
  CHECK(java.windows.empty());
  live(core::cluster_mode::shared);
  advance(1ms);
  CHECK(java.windows.size() == 1);
  die();
  advance(2s);
  CHECK(java.windows.size() == 1);
}

TEST_CASE_METHOD(reserving, "reserves twice a second, six seconds ahead, for its incarnation", "[actors]") {
  live(core::cluster_mode::shared);
  const auto begin = civil();
  advance(1999ms);
  REQUIRE(java.windows.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(java.windows[i].now == begin + i * 500ms);
    CHECK(java.windows[i].horizon == 6s);
    CHECK(java.owners[i] == life);
  }
}

TEST_CASE_METHOD(reserving, "continues at once after a limit was reached, and hands over what it has", "[actors]") {
  queue({1, 2}, true);
  queue({3}, true);
  queue({4}, false);
  live(core::cluster_mode::shared);
  run();
  CHECK(java.windows.size() == 3);
  REQUIRE(schedule.record->intents.size() == 4);
  CHECK(schedule.record->intents[3].id == core::intent_id{4});
}

TEST_CASE_METHOD(reserving, "nothing is reserved while claims are late, and little for a while after", "[actors]") {
  live(core::cluster_mode::shared);
  advance(700ms);
  const auto before = java.windows.size();
  schedule.record->late = 1001ms;
  advance(3s);
  CHECK(java.windows.size() == before);
  CHECK_FALSE(java.forgotten_before.empty()); // keys of reserved instants are still removed
  schedule.record->late = 300ms;
  advance(3s);
  REQUIRE(java.windows.size() >= before + 5);
  for (auto i = before; i < java.windows.size(); ++i)
    CHECK(java.windows[i].horizon == 1s);
  advance(8s);
  CHECK(java.windows.back().horizon == 6s);
}

TEST_CASE_METHOD(reserving, "a stop while claims are late puts reserved instants back", "[actors]") {
  schedule.record->late = 5s;
  live(core::cluster_mode::shared);
  advance(3s);
  tell(actor, protocol::stop_request{});
  run();
  CHECK(java.put_back_for == std::vector{life});
}

TEST_CASE_METHOD(reserving, "reserves nothing after the node's deadline", "[actors]") {
  live(core::cluster_mode::shared);
  gate->close();
  const auto asked = java.windows.size();
  advance(3s);
  CHECK(java.windows.size() == asked);
}

TEST_CASE_METHOD(reserving, "a Java admin that keeps the lock only delays reservations", "[actors]") {
  java.trouble = core::error{core::errc::unavailable, "lock wait"};
  live(core::cluster_mode::shared);
  advance(1s);
  CHECK(schedule.record->intents.empty());
  java.trouble.reset();
  queue({1}, false);
  advance(500ms);
  CHECK(schedule.record->intents.size() == 1);
}

TEST_CASE_METHOD(reserving, "keys of reserved instants are forgotten ten seconds after their time, in steps", "[actors]") {
  java.old = 12'000;
  live(core::cluster_mode::shared);
  advance(3s);
  CHECK(java.old == 0);
  for (auto before : java.forgotten_before)
    CHECK(before <= civil() - 10s);
  CHECK(java.windows.size() >= 6); // reservations go on in between
}

TEST_CASE_METHOD(reserving, "a graceful stop puts reserved instants back, and reserves no more", "[actors]") {
  live(core::cluster_mode::shared);
  advance(100ms);
  tell(actor, protocol::stop_request{});
  run();
  CHECK(java.put_back_for == std::vector{life});
  const auto asked = java.windows.size();
  advance(3s);
  CHECK(java.windows.size() == asked);
}

TEST_CASE_METHOD(guarding, "the leader holds the lock in native mode", "[actors]") {
  live(core::cluster_mode::native);
  CHECK_FALSE(java.held);
  lead(true);
  CHECK(java.held);
  advance(2s);
  CHECK(java.holds >= 4); // checks again, so that it notices a takeover
  java.state.switching = true;
  advance(1s);
  CHECK_FALSE(java.held);
  live(core::cluster_mode::shared);
  lead(true);
  java.held = false;
  const auto holds = java.holds;
  advance(2s);
  CHECK(java.holds == holds);
}

TEST_CASE_METHOD(guarding, "the guard moves with slot 0", "[actors]") {
  live(core::cluster_mode::native);
  lead(true);
  REQUIRE(java.held);
  lead(false);
  CHECK_FALSE(java.held);
  const auto tasks = *worker.tasks;
  advance(2s);
  CHECK(*worker.tasks == tasks); // others ask the store for nothing
  lead(true);
  CHECK(java.held);
  live(core::cluster_mode::native); // another incarnation: its slots follow
  CHECK_FALSE(java.held);
  lead(true);
  CHECK(java.held);
  die();
  CHECK_FALSE(java.held);
}

TEST_CASE_METHOD(guarding, "the guard takes the lock again that it lost between two changes of slots", "[actors]") {
  live(core::cluster_mode::native);
  lead(true);
  tell(actor, protocol::slot_change{core::slot_set{}.set(1)});
  tell(actor, protocol::slot_change{core::slot_set{}.set(0)});
  run();
  CHECK(java.held);
  advance(1s);
  CHECK(java.held);
}

TEST_CASE_METHOD(guarding, "a lock held by another process is requested again", "[actors]") {
  java.trouble = core::error{core::errc::unavailable, "lock wait"};
  live(core::cluster_mode::native);
  lead(true);
  advance(2s);
  CHECK_FALSE(java.held);
  java.trouble.reset();
  advance(1s);
  CHECK(java.held);
}
