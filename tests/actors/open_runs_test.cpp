#include "actors/recovery/open_runs.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::log_id;

namespace {

struct watching {
  using steady = actors::open_runs::steady;
  static constexpr steady start{1h};

  void add(std::int64_t id, const std::string& address = "a") {
    core::open_run run;
    run.id = log_id{id};
    run.address = address;
    runs.add(std::move(run), 0s, start);
  }
  void make_ready(steady now = start) {
    for (auto id : runs.take_due(now, 100'000))
      runs.make_ready(*runs.find(id));
  }
  std::vector<std::int64_t> take_all() {
    std::vector<std::int64_t> taken;
    while (auto* run = runs.take_ready())
      taken.push_back(core::number(run->run.id));
    return taken;
  }

  actors::open_runs runs;
};

} // namespace

TEST_CASE_METHOD(watching, "executors take turns, and none exceeds its places", "[actors]") {
  for (int i = 1; i <= 20; ++i)
    add(i, "a");
  add(101, "b");
  add(102, "b");
  make_ready();
  auto taken = take_all();
  CHECK(taken.size() == actors::open_runs::asks_per_address_max + 2);
  CHECK(std::count(taken.begin(), taken.end(), 101) == 1);
  runs.erase(log_id{taken[0]});
  CHECK(take_all().size() == 1);
}

TEST_CASE_METHOD(watching, "the total number of places is not exceeded", "[actors]") {
  for (int i = 1; i <= 400; ++i)
    add(i, "a" + std::to_string(i));
  make_ready();
  CHECK(take_all().size() == actors::open_runs::asks_max);
  CHECK(take_all().empty());
  runs.wait(*runs.find(log_id{1}), start + 5s);
}

TEST_CASE_METHOD(watching, "a resting run is not watched before its time, unless its executor came back", "[actors]") {
  add(1);
  runs.rest(log_id{1}, start + 5min);
  CHECK(runs.size() == 0);
  add(1);
  CHECK(runs.size() == 0);
  runs.wake("a", start);
  add(1);
  CHECK(runs.size() == 1);
}

TEST_CASE_METHOD(watching, "a waiting run is due at its time, or when its executor came back", "[actors]") {
  add(1, "a");
  add(2, "b");
  for (auto id : runs.take_due(start, 10))
    runs.wait(*runs.find(id), start + 90s);
  CHECK(runs.take_due(start + 89s, 10).empty());
  runs.wake("b", start + 10s);
  CHECK(runs.take_due(start + 10s, 10) == std::vector{log_id{2}});
  CHECK(runs.take_due(start + 90s, 10) == std::vector{log_id{1}});
}

TEST_CASE_METHOD(watching, "the number of watched runs is limited", "[actors]") {
  for (std::size_t i = 1; i <= actors::open_runs::runs_max + 10; ++i)
    add(static_cast<std::int64_t>(i));
  CHECK(runs.full());
  CHECK(runs.size() == actors::open_runs::runs_max);
  runs.erase(log_id{1});
  CHECK_FALSE(runs.full());
  runs.clear();
  CHECK(runs.size() == 0);
  CHECK(take_all().empty());
}
