// Random histories: every backend, on one connection or several, returns the same answers.

#include "tests/storage/random_history.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;

TEST_CASE("random histories end alike on every backend and number of connections", "[storage]") {
  auto backends = backends_under_test();
  std::uint64_t base = std::random_device{}();
  for (std::uint64_t round = 0; round < 6; ++round) {
    auto seed = base + round;
    CAPTURE(seed);
    auto story = random_history{backends[0], seed, 1}.run(150);
    REQUIRE(story.size() > 150);
    for (const auto& backend : backends)
      for (std::size_t connections : {1u, 2u}) {
        CAPTURE(backend.name, connections);
        auto other = random_history{backend, seed, connections}.run(150);
        for (std::size_t line = 0; line < std::min(story.size(), other.size()); ++line) {
          CAPTURE(line);
          REQUIRE(other[line] == story[line]);
        }
        REQUIRE(other.size() == story.size());
      }
  }
}

TEST_CASE("in a random history every run is decided once", "[storage]") {
  auto backend = GENERATE(from_range(backends_under_test()));
  std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  random_history history{backend, seed, 2};
  history.run(250);
  auto& db = history.database();
  // Each failed run has its row, and no other has; no run is retried that is unknown or did not fail.
  CHECK(db.value("SELECT count(*) FROM rm_failed_run f LEFT JOIN xxl_job_log l ON l.id = f.log_id "
                 "WHERE l.id IS NOT NULL AND (l.handle_code = 200 OR (l.trigger_code IN (0, 200) AND l.handle_code = 0))") ==
        "0");
  CHECK(db.value("SELECT count(*) FROM xxl_job_log l LEFT JOIN rm_failed_run f ON f.log_id = l.id "
                 "WHERE f.log_id IS NULL AND NOT ((l.trigger_code IN (0, 200) AND l.handle_code = 0) OR l.handle_code = 200)") ==
        "0");
  CHECK(db.value("SELECT count(*) FROM (SELECT origin_log_id FROM rm_intent WHERE kind = 'retry' GROUP BY origin_log_id HAVING "
                 "count(*) > 1) d") == "0");
  CHECK(db.value("SELECT count(*) FROM rm_intent n JOIN xxl_job_log l ON l.id = n.origin_log_id WHERE n.kind = 'retry' AND "
                 "l.alarm_status <> 1") == "0");
  CHECK(db.value("SELECT count(*) FROM rm_intent n JOIN xxl_job_log l ON l.id = n.origin_log_id WHERE n.kind = 'child' AND "
                 "l.handle_code <> 200") == "0");
}
