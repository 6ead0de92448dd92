#include "actors/node/store_pulse.hpp"

#include "actors/pulse_gate.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/memory_database.hpp"
#include "tests/support/pulse.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

struct pulsing : virtual_time {
  pulsing() {
    life = expect(look->cluster().enter("a", "a:8080"));
    listener = track(system().spawn([this]() -> protocol::pulse_listener::behavior_type {
      return {[this](const protocol::pending_work_update& update) { heard.push_back(update); }};
    }));
  }
  ~pulsing() { end_all(); }

  memory_database database;
  std::unique_ptr<storage::store> look = database.open();
  faulty_store store{database.open()};
  call_counter counter{store};
  storage_double storage{*this, store};
  core::node_incarnation life;
  protocol::pulse_listener listener;
  std::vector<protocol::pending_work_update> heard;
};

} // namespace

TEST_CASE_METHOD(pulsing, "a pulse asks the store once in each period of an incarnation", "[actors]") {
  const auto pulse = start_pulse(*this, storage.actor, listener, life);
  advance(10s);
  CHECK(heard.size() >= 20);
  CHECK(heard.size() <= 21);
  CHECK(counter.of("find_work") == static_cast<int>(heard.size()));
  CHECK(heard.back().found == core::pending_work{});
  CHECK(heard.back().period == 500ms);

  tell(pulse, protocol::incarnation_change{std::nullopt});
  run();
  heard.clear();
  advance(10s);
  CHECK(heard.empty());

  tell(pulse, protocol::incarnation_change{life});
  run();
  CHECK(heard.size() == 1);
}

TEST_CASE_METHOD(pulsing, "a pulse without an answer sends no update", "[actors]") {
  const auto pulse = start_pulse(*this, storage.actor, listener, life);
  advance(5s);
  store.go_away();
  heard.clear();
  advance(1min);
  CHECK(heard.empty());
  store.come_back();
  advance(1s);
  CHECK(heard.size() >= 1);
}

TEST_CASE_METHOD(pulsing, "an answer to a question of an earlier incarnation is dropped", "[actors]") {
  const auto pulse = start_pulse(*this, storage.actor, listener, life);
  heard.clear();
  tell(pulse, protocol::incarnation_change{life});
  tell(pulse, protocol::incarnation_change{std::nullopt});
  advance(2s);
  CHECK(heard.empty());
}

TEST_CASE("a gate is quiet for two periods after a pulse without work", "[actors]") {
  actors::pulse_gate gate;
  const actors::pulse_gate::steady t{1h};
  CHECK_FALSE(gate.is_quiet(t));
  gate.take(false, 500ms, t);
  CHECK(gate.is_quiet(t + 999ms));
  CHECK_FALSE(gate.is_quiet(t + 1s));
  gate.take(true, 500ms, t + 500ms);
  CHECK_FALSE(gate.is_quiet(t + 501ms));
  gate.take(false, 500ms, t + 1s);
  gate.reset();
  CHECK_FALSE(gate.is_quiet(t + 1s));
}

TEST_CASE("a gate lets a poll through every thirty seconds", "[actors]") {
  actors::pulse_gate gate;
  int polls = 0;
  for (actors::pulse_gate::steady t{1h}; t < actors::pulse_gate::steady{1h + 5min}; t += 500ms) {
    gate.take(false, 500ms, t);
    polls += gate.skips(t) ? 0 : 1;
  }
  CHECK(polls == 10);
}
