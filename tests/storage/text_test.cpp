// Texts as stored in columns: dates, shards.

#include "storage/rows/claim_values.hpp"
#include "storage/rows/datetime_text.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

TEST_CASE("instants are converted to the text of their second and back", "[storage]") {
  storage::datetime_text dates{test_options().database_zone};
  CHECK(dates.of(noon) == "2024-03-01 12:00:00");
  CHECK(dates.of(noon + 999ms) == "2024-03-01 12:00:00");
  CHECK(dates.of(noon + 1s) == "2024-03-01 12:00:01");
  CHECK(dates.of(noon - 1ms) == "2024-03-01 11:59:59");
  CHECK(dates.read("2024-03-01 12:00:00") == noon);
  CHECK(dates.read("2024-03-01 12:00:00") == noon);
  CHECK(dates.read("2024-03-01 12:00:01") == noon + 1s);
}

TEST_CASE("a text that is not a date is empty, also when read twice", "[storage]") {
  storage::datetime_text dates{test_options().database_zone};
  for (const char* text : {"", "0000-00-00 00:00:00", "yesterday", "2024-03-01", "2024-13-01 00:00:00"}) {
    CAPTURE(text);
    CHECK_FALSE(dates.read(text));
    CHECK_FALSE(dates.read(text));
    CHECK(dates.read("2024-03-01 12:00:00") == noon);
  }
}

TEST_CASE("shards are read and written as XXL's text", "[storage]") {
  CHECK(storage::sharding_text({}) == std::nullopt);
  CHECK(storage::sharding_text({0, 1, true}) == "0/1");
  CHECK(storage::read_sharding("2/5") == core::shard{2, 5, true});
  CHECK(storage::read_sharding("0/1") == core::shard{0, 1, true});
  for (const char* text : {"", "/", "1", "1/", "/1", "a/b", "1/2/3", "1/2 ", " 1/2", "99999999999/1"}) {
    CAPTURE(text);
    CHECK(storage::read_sharding(text) == core::shard{});
  }
}
