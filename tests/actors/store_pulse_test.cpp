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
      return {[this](const protocol::store_pulse_news& news) { heard.push_back(news); }};
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
  std::vector<protocol::store_pulse_news> heard;
};

} // namespace

TEST_CASE_METHOD(pulsing, "a pulse asks the store once in each period of an incarnation", "[actors]") {
  const auto pulse = start_pulse(*this, storage.actor, listener, life);
  advance(10s);
  CHECK(heard.size() >= 20);
  CHECK(heard.size() <= 21);
  CHECK(counter.of("find_work") == static_cast<int>(heard.size()));
  CHECK(heard.back().seen == core::pending_work{});
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

TEST_CASE_METHOD(pulsing, "a pulse without an answer tells nothing", "[actors]") {
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

TEST_CASE_METHOD(pulsing, "an answer to an earlier incarnation is not told", "[actors]") {
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
