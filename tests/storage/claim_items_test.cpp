#include "storage/rows/claim_items.hpp"

#include <limits>
#include <random>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using storage::claim_item;
using storage::pack;
using storage::unpack;

namespace {

claim_item random_item(std::mt19937_64& random) {
  claim_item item;
  item.id = core::log_id{static_cast<std::int64_t>(random() >> (random() % 64))};
  item.job = core::job_id{static_cast<std::int32_t>(random() & 0x7fffffff)};
  item.fire_at = core::from_ms(static_cast<std::int64_t>(random() >> (random() % 64)));
  if (random() % 3 == 0)
    item.part = {static_cast<std::int32_t>(random() % 5), static_cast<std::int32_t>(random() & 0x7fffffff), random() % 2 == 0};
  item.attempt = static_cast<std::int32_t>(random() % 3);
  item.position = static_cast<std::uint32_t>(random());
  return item;
}

} // namespace

TEST_CASE("unpacking a packed claim returns the same items", "[storage]") {
  std::vector<claim_item> items;
  items.push_back({core::log_id{1001}, core::job_id{7}, core::from_ms(1'700'000'000'123), {}, 0, 0});
  items.push_back({core::log_id{1002}, core::job_id{7}, core::from_ms(1'700'000'000'123), {2, 3, true}, 1, 4});
  items.push_back(
    {core::log_id{900}, core::job_id{std::numeric_limits<std::int32_t>::max()}, core::from_ms(-5), {0, 1, true}, 0, 2});
  auto back = unpack(core::log_id{1001}, pack(core::log_id{1001}, items));
  REQUIRE(back);
  CHECK(*back == items);
}

TEST_CASE("an ordinary claim takes few bytes per run", "[storage]") {
  std::vector<claim_item> items;
  for (int i = 0; i < 500; ++i)
    items.push_back({core::log_id{5'000'000 + i},
                     core::job_id{10'000 + i},
                     core::from_ms(1'700'000'000'000 + i % 200),
                     {},
                     0,
                     static_cast<std::uint32_t>(i)});
  CHECK(pack(core::log_id{5'000'000}, items).size() < 500 * 9);
}

TEST_CASE("random claims survive packing", "[storage]") {
  auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  for (int round = 0; round < 200; ++round) {
    std::vector<claim_item> items(random() % 20);
    for (auto& item : items)
      item = random_item(random);
    auto first = core::log_id{static_cast<std::int64_t>(random())};
    auto back = unpack(first, pack(first, items));
    REQUIRE(back);
    REQUIRE(*back == items);
  }
}

TEST_CASE("damaged claims are refused without harm", "[storage]") {
  auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  std::vector<claim_item> items(3);
  for (auto& item : items)
    item = random_item(random);
  auto whole = pack(core::log_id{1}, items);
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_FALSE(unpack(core::log_id{1}, std::string_view{whole}.substr(0, length)));
  CHECK_FALSE(unpack(core::log_id{1}, whole + '\0'));
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = whole;
    for (auto changes = random() % 4 + 1; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    // Checks only that it neither crashes nor requests much memory: many of these are valid.
    if (auto read = unpack(core::log_id{1}, bytes))
      CHECK(read->size() <= bytes.size());
  }
}

TEST_CASE("a claim in a newer format is reported as such", "[storage]") {
  auto read = unpack(core::log_id{1}, std::string_view{"\x02whatever"});
  REQUIRE_FALSE(read);
  CHECK(read.error().code == core::errc::unsupported);
}

TEST_CASE("a claim with more items than its bytes allow is refused", "[storage]") {
  auto read = unpack(core::log_id{1}, std::string_view{"\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10});
  REQUIRE_FALSE(read);
  CHECK(read.error().code == core::errc::internal);
}
