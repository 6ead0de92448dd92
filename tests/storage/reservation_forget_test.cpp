// Reserved and taken instants are forgotten in time order (firing protocol, S5), without reading all other taken intents.

#include "tests/storage/reservation_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

struct forgetting : reservation_fixture {
  using reservation_fixture::reservation_fixture;

  void add_taken(const std::string& kind, core::time_point at, int count) {
    std::string values;
    for (int i = 0; i < count; ++i) {
      values += values.empty() ? "" : ",";
      values += "('" + kind + "', 1, " + (kind == "cron" ? ms(at) : "0") + ", " + std::to_string(++origin_) + ", 0, 0, 0, 1, "
                + ms(at) + ")";
    }
    db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, state, created_ms)"
             " VALUES " + values);
  }

  std::size_t forget(core::time_point before, std::size_t limit = 100) {
    return require(reservations().forget(before, limit));
  }

  std::int64_t rows_read() {
    return std::stoll(
      db->value("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'HANDLER_READ_NEXT'"));
  }

private:
  int origin_ = 0;
};

} // namespace

TEST_CASE("instants to forget are found without reading all taken children", "[storage]") {
  forgetting f{GENERATE(from_range(shared_backends()))};
  for (int second = 0; second < 10; ++second)
    f.add_taken("parent", noon + std::chrono::seconds{second}, 200);
  f.add_taken("cron", noon + 5s, 3);
  CHECK(f.forget(noon + 9s) == 3);
  f.add_taken("cron", noon + 10s, 3);
  const auto before = f.rows_read();
  CHECK(f.forget(noon + 10s) == 3);
  CHECK(f.rows_read() - before < 500); // the last second's children, not those of all ten
  CHECK(f.rows("rm_intent", "kind = 'parent'") == "2000");
}

TEST_CASE("more instants of one millisecond than a call forgets are forgotten by the next calls", "[storage]") {
  forgetting f{GENERATE(from_range(shared_backends()))};
  f.add_taken("cron", noon, 25);
  f.add_taken("misfire", noon, 5);
  f.add_taken("cron", noon + 1s, 7);
  CHECK(f.forget(noon + 1s, 10) == 10);
  CHECK(f.forget(noon + 1s, 10) == 10);
  CHECK(f.forget(noon + 2s, 10) == 10);
  CHECK(f.forget(noon + 2s, 10) == 7);
  CHECK(f.forget(noon + 3s, 10) == 0);
  CHECK(f.rows("rm_intent") == "0");
}

TEST_CASE("after the clock is set back instants are still forgotten", "[storage]") {
  forgetting f{GENERATE(from_range(shared_backends()))};
  CHECK(f.forget(noon + 1h) == 0);
  f.add_taken("cron", noon, 2);
  f.add_taken("cron", noon + 2s, 1);
  CHECK(f.forget(noon + 1s) == 2);
  CHECK(f.forget(noon + 2s) == 1);
}

TEST_CASE("an instant that was taken very late is left to the sweep", "[storage]") {
  forgetting f{GENERATE(from_range(shared_backends()))};
  CHECK(f.forget(noon + 20s) == 0);
  f.add_taken("cron", noon, 1);
  CHECK(f.forget(noon + 21s) == 0);
  require(f.store->maintenance().forget_taken_intents(noon + 10s, 100));
  CHECK(f.rows("rm_intent") == "0");
}
