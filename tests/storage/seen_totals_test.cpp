#include "storage/rows/seen_totals.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using storage::seen_totals;
using namespace std::chrono_literals;

TEST_CASE("a total is reused as long as its list has not changed, and not for long", "[storage][totals]") {
  seen_totals totals;
  const seen_totals::clock::time_point start{1h};
  totals.keep("all", 7, 100, start);
  CHECK(totals.find("all", 7, start + seen_totals::lifetime) == 100);
  CHECK_FALSE(totals.find("all", 7, start + seen_totals::lifetime + 1ms));
  CHECK_FALSE(totals.find("all", 8, start));
  CHECK_FALSE(totals.find("some", 7, start));
  totals.keep("all", 8, 101, start);
  CHECK(totals.find("all", 8, start) == 101);
}

TEST_CASE("ever different searches do not fill the memory", "[storage][totals]") {
  seen_totals totals;
  const seen_totals::clock::time_point start{1h};
  for (std::size_t i = 0; i <= seen_totals::searches_max; ++i)
    totals.keep(std::to_string(i), 0, 1, start);
  CHECK_FALSE(totals.find("0", 0, start));
  CHECK(totals.find(std::to_string(seen_totals::searches_max), 0, start) == 1);
}
