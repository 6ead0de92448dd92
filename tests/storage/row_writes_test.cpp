// The number of row writes of a firing (firing protocol, F11), counted by the database.

#include "tests/storage/firing_fixture.hpp"
#include "tests/storage/write_counter.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

struct firings_at_once {
  explicit firings_at_once(const test_backend& backend) : f{backend}, counter{*f.db, backend.name == "sqlite"} {}

  void claim(int jobs) {
    auto batch = f.batch();
    for (int id = 1; id <= jobs; ++id)
      firing_fixture::plan(batch, f.add_job(id));
    writes += counter.during([&] { runs = require(f.firings().claim(batch, noon)).runs; });
    REQUIRE(runs.size() == static_cast<std::size_t>(jobs));
  }
  void record(bool triggers, bool results, std::vector<std::int64_t> resolved) {
    auto batch = f.results();
    for (const auto& run : runs) {
      if (triggers)
        batch.triggers.push_back(firing_fixture::answer(run, 200));
      if (results)
        batch.callbacks.push_back(firing_fixture::callback(run, 200, "done"));
    }
    batch.resolved_claims = std::move(resolved);
    writes += counter.during([&] { require(f.firings().record(batch, noon + 1s)); });
  }

  firing_fixture f;
  write_counter counter;
  std::vector<core::claimed_run> runs;
  std::size_t writes = 0;
};

} // namespace

TEST_CASE("a cron firing takes at most four row writes, and two for its batch", "[storage]") {
  firings_at_once f{GENERATE(from_range(backends_under_test()))};
  const int jobs = GENERATE(1, 60);
  f.claim(jobs);
  SECTION("an answer and a result that arrive separately") {
    f.record(true, false, {});
    f.record(false, true, {f.runs.front().claim});
    CHECK(f.writes == 4u * static_cast<unsigned>(jobs) + 2);
  }
  SECTION("both in one batch") {
    f.record(true, true, {f.runs.front().claim});
    CHECK(f.writes == 3u * static_cast<unsigned>(jobs) + 2);
  }
  SECTION("repeated results cost nothing") {
    f.record(true, true, {f.runs.front().claim});
    const auto before = f.writes;
    f.record(true, true, {});
    CHECK(f.writes == before);
  }
  CHECK(f.f.rows("rm_claim") == "0");
}
