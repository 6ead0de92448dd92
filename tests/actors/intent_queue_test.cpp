#include "actors/firing/intent_queue.hpp"

#include <vector>

#include "actors/firing/intent_sweep.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

using steady = protocol::wall_clock::steady;

/// A queue on a civil clock that equals the steady one.
struct queue_fixture {
  core::intent made(std::int64_t id, core::trigger_kind kind, core::milliseconds fire_at = 0ms) const {
    core::intent intent;
    intent.id = core::intent_id{id};
    intent.job = core::job_id{static_cast<std::int32_t>(id)};
    intent.kind = kind;
    intent.fire_at = core::time_point{} + fire_at;
    return intent;
  }
  static steady at(core::milliseconds t) { return steady{} + t; }
  static std::vector<std::int64_t> ids(const std::vector<core::intent>& intents) {
    std::vector<std::int64_t> out;
    for (const auto& intent : intents)
      out.push_back(core::number(intent.id));
    return out;
  }

  protocol::wall_clock clock{std::chrono::nanoseconds{0}};
  actors::intent_queue queue{clock, 200ms, 5s};
};

constexpr auto child = core::trigger_kind::parent;
constexpr auto instant = core::trigger_kind::cron;

} // namespace

TEST_CASE_METHOD(queue_fixture, "intent_queue adds an intent once until it is forgotten", "[actors][intent_queue]") {
  CHECK(queue.add({made(1, child)}, at(0ms)));
  CHECK_FALSE(queue.add({made(1, child)}, at(0ms)));
  CHECK(ids(queue.take_ready(10)) == std::vector<std::int64_t>{1});
  CHECK_FALSE(queue.add({made(1, child)}, at(0ms)));
  queue.forget(made(1, child));
  CHECK(queue.add({made(1, child)}, at(0ms)));
}

TEST_CASE_METHOD(queue_fixture, "intent_queue holds a reserved instant until it may be claimed", "[actors][intent_queue]") {
  const auto now = clock.at(at(0ms)) - core::time_point{};
  CHECK(queue.add({made(1, instant, now + 1000ms)}, at(0ms)));
  CHECK(queue.has_reserved());
  CHECK(queue.take_ready(10).empty());
  REQUIRE(queue.next());
  queue.take_due(*queue.next() - 1ms);
  CHECK(queue.take_ready(10).empty());
  queue.take_due(at(800ms));
  CHECK(ids(queue.take_ready(10)) == std::vector<std::int64_t>{1});
}

TEST_CASE_METHOD(queue_fixture, "intent_queue takes from both kinds when more are ready than fit", "[actors][intent_queue]") {
  std::vector<core::intent> all;
  for (std::int64_t id = 1; id <= 6; ++id)
    all.push_back(made(id, id <= 4 ? child : instant));
  queue.add(std::move(all), at(0ms));
  CHECK(ids(queue.take_ready(4)) == std::vector<std::int64_t>{1, 2, 5, 6});
  CHECK(ids(queue.take_ready(4)) == std::vector<std::int64_t>{3, 4});
}

TEST_CASE_METHOD(queue_fixture, "intent_queue does not count the lateness of intents that were put off",
                 "[actors][intent_queue]") {
  const auto now = clock.at(at(0ms)) - core::time_point{};
  queue.add({made(1, instant, now - 300ms), made(2, instant, now - 100ms)}, at(0ms));
  CHECK(queue.reserved_lateness(at(0ms)) == 300ms);
  auto ready = queue.take_ready(1);
  queue.put_off(std::move(ready.front()), at(50ms));
  CHECK(queue.reserved_lateness(at(60ms)) == 160ms);
}

TEST_CASE("intent_sweep reads ahead first and does not return intents that were claimed meanwhile", "[actors][intent_queue]") {
  actors::intent_sweep sweep;
  sweep.restart();
  const auto now = core::time_point{} + 1h;
  REQUIRE(sweep.begin(steady{}));
  CHECK_FALSE(sweep.begin(steady{}));
  const auto ahead = sweep.next_page(now);
  CHECK(ahead.reserved_only);
  CHECK_FALSE(sweep.move(ahead, {}));
  CHECK_FALSE(sweep.reads_ahead());
  const auto search = sweep.next_page(now);
  CHECK_FALSE(search.reserved_only);
  core::intent one;
  one.id = core::intent_id{7};
  one.created_at = now - 10s;
  sweep.claimed(one);
  std::vector<core::intent> page{one};
  CHECK(sweep.move(search, page));
  CHECK_FALSE(sweep.is_at_start());
  sweep.drop_claimed(page);
  CHECK(page.empty());
  sweep.end();
  CHECK(sweep.next() == steady{} + 1s);
}

TEST_CASE("intent_sweep keeps its position when a restart came before the answer", "[actors][intent_queue]") {
  actors::intent_sweep sweep;
  REQUIRE(sweep.begin(steady{}));
  const auto search = sweep.next_page(core::time_point{} + 1h);
  core::intent one;
  one.id = core::intent_id{7};
  one.created_at = core::time_point{} + 1min;
  sweep.restart();
  sweep.move(search, {one});
  CHECK(sweep.reads_ahead());
}
