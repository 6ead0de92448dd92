#include "actors/recovery/lost_walk.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::log_id;

namespace {

struct walking {
  static constexpr actors::lost_walk::steady start{1h};

  walking() { walk.restart(start); }

  /// Begins a walk to run 100.
  void begin(actors::lost_walk::steady t = start) {
    REQUIRE(walk.begin(t));
    walk.begun({log_id{0}, log_id{100}}, t);
  }
  /// Reads the next section up to `through`, with the given open runs.
  void read(std::int64_t through, std::vector<std::int64_t> open = {}) {
    REQUIRE(walk.next(start));
    core::open_page page{{}, log_id{through}};
    for (auto id : open) {
      core::open_run run;
      run.id = log_id{id};
      page.runs.push_back(std::move(run));
    }
    walk.walked(page);
  }
  [[nodiscard]] std::int64_t position(actors::lost_walk::steady t = start) {
    const auto section = walk.next(t);
    return section ? core::number(section->after) : -1;
  }

  actors::lost_walk walk;
};

} // namespace

TEST_CASE_METHOD(walking, "a walk makes one read at a time", "[actors]") {
  REQUIRE(walk.begin(start));
  CHECK_FALSE(walk.begin(start));
  CHECK(position() == -1);
  walk.begun({log_id{0}, log_id{100}}, start);
  CHECK(position() == 0);
  CHECK(position() == -1);
  CHECK_FALSE(walk.begin(start));
}

TEST_CASE_METHOD(walking, "a walk begins after the runs that the one before found to be closed", "[actors]") {
  begin();
  read(50, {30, 40});
  read(100, {60});
  CHECK(position() == -1);
  CHECK_FALSE(walk.begin(start + 59s));
  begin(start + 60s);
  CHECK(position() == 29);
}

TEST_CASE_METHOD(walking, "a walk that found no open run is the mark of the next one", "[actors]") {
  begin();
  read(100);
  CHECK(position() == -1);
  begin(start + 60s);
  CHECK(position(start + 60s) == -1);
}

TEST_CASE_METHOD(walking, "the pause after a walk grows with its length", "[actors]") {
  begin();
  read(100);
  CHECK(position(start + 10s) == -1);
  CHECK_FALSE(walk.begin(start + 209s));
  CHECK(walk.begin(start + 210s));
}

TEST_CASE_METHOD(walking, "a walk that failed begins again and keeps the mark", "[actors]") {
  begin();
  read(100, {60});
  CHECK(position() == -1);
  walk.hurry(start);
  begin();
  read(80);
  walk.failed(start + 5s);
  CHECK_FALSE(walk.begin(start + 4s));
  begin(start + 5s);
  CHECK(position() == 59);
}

TEST_CASE_METHOD(walking, "a restart forgets the mark and the read under way", "[actors]") {
  begin();
  read(100);
  CHECK(position() == -1);
  walk.hurry(start);
  REQUIRE(walk.begin(start));
  walk.restart(start + 1s);
  CHECK_FALSE(walk.begin(start));
  begin(start + 1s);
  CHECK(position() == 0);
}
