#include "tests/support/catch.hpp"

#include <memory>
#include <vector>

#include "gateway/transport/io/deadlines.hpp"

using namespace std::chrono_literals;
using ringmaster::gateway::http::deadline;
using ringmaster::gateway::http::deadlines;

namespace {

/// The one timer, driven manually.
struct manual_timer {
  deadline::clock::time_point set = deadline::never;
  int times_set = 0;
  deadlines list{[this](deadline::clock::time_point when) {
    set = when;
    ++times_set;
  }};
  deadline::clock::time_point start = deadline::clock::now();

  void fire() {
    auto now = set;
    set = deadline::never;
    list.sweep(now);
  }
};

struct limit final : deadline {
  explicit limit(manual_timer& timer) : deadline(timer.list) {}
  void expired() override {
    ++times;
    if (on_expired)
      on_expired();
  }
  int times = 0;
  std::function<void()> on_expired;
};

} // namespace

TEST_CASE("moving a limit later costs no timer, and it still fires once", "[gateway]") {
  manual_timer timer;
  limit one{timer};
  one.expire_at(timer.start + 1s);
  CHECK(timer.set == timer.start + 1s);
  for (int i = 2; i < 100; ++i)
    one.expire_at(timer.start + i * 1s);
  CHECK(timer.times_set == 1);
  timer.fire();
  CHECK(one.times == 0);
  CHECK(timer.set == timer.start + 99s);
  timer.fire();
  CHECK(one.times == 1);
  CHECK(timer.set == deadline::never);
}

TEST_CASE("an earlier limit resets the timer", "[gateway]") {
  manual_timer timer;
  limit late{timer}, early{timer};
  late.expire_at(timer.start + 10s);
  early.expire_at(timer.start + 2s);
  CHECK(timer.set == timer.start + 2s);
  timer.fire();
  CHECK(early.times == 1);
  CHECK(late.times == 0);
  late.expire_never();
  timer.fire();
  CHECK(late.times == 0);
  CHECK(timer.set == deadline::never);
}

TEST_CASE("limits close together share a sweep", "[gateway]") {
  manual_timer timer;
  std::vector<std::unique_ptr<limit>> many;
  for (int i = 0; i < 1000; ++i) {
    many.push_back(std::make_unique<limit>(timer));
    many.back()->expire_at(timer.start + 1s + i * 10us);
  }
  int sweeps = 0;
  while (timer.set != deadline::never) {
    timer.fire();
    ++sweeps;
  }
  CHECK(sweeps <= 4);
  for (const auto& item : many)
    CHECK(item->times == 1);
}

TEST_CASE("an expiring limit may destroy and make others", "[gateway]") {
  manual_timer timer;
  auto a = std::make_unique<limit>(timer), b = std::make_unique<limit>(timer), c = std::make_unique<limit>(timer);
  std::unique_ptr<limit> fresh;
  a->expire_at(timer.start);
  b->expire_at(timer.start);
  c->expire_at(timer.start);
  // Whichever expires first removes the other two.
  auto last = std::vector<limit*>{a.get(), b.get(), c.get()};
  int fired = 0;
  auto remove_others = [&](std::unique_ptr<limit>* keep) {
    ++fired;
    for (auto* item : {&a, &b, &c})
      if (item != keep)
        item->reset();
    fresh = std::make_unique<limit>(timer);
    fresh->expire_at(timer.start + 1s);
  };
  a->on_expired = [&] { remove_others(&a); };
  b->on_expired = [&] { remove_others(&b); };
  c->on_expired = [&] { remove_others(&c); };
  timer.fire();
  CHECK(fired == 1);
  timer.fire();
  CHECK(fresh->times == 1);
}

TEST_CASE("an expiring limit may move others that are due", "[gateway]") {
  manual_timer timer;
  limit one{timer}, two{timer};
  one.expire_at(timer.start);
  two.expire_at(timer.start);
  bool later = GENERATE(true, false);
  auto move = [&](limit& other) { later ? other.expire_at(timer.start + 1s) : other.expire_never(); };
  one.on_expired = [&] { move(two); };
  two.on_expired = [&] { move(one); };
  timer.fire();
  CHECK(one.times + two.times == 1);
  one.on_expired = two.on_expired = nullptr;
  CHECK((timer.set != deadline::never) == later);
  if (later)
    timer.fire();
  CHECK(one.times + two.times == (later ? 2 : 1));
}
