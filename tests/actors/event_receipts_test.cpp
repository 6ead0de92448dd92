#include "actors/elastic/event_receipts.hpp"

#include <chrono>

#include "tests/support/catch.hpp"

namespace ringmaster::test::event_receipts_test {

using namespace std::chrono_literals;

TEST_CASE("a receipt follows once all events have an outcome", "[actors][elastic]") {
  actors::event_receipts receipts;
  const protocol::elastic_steady now{1h};
  REQUIRE(receipts.begin(1, 5, 3, now));
  CHECK_FALSE(receipts.begin(1, 5, 3, now));
  CHECK_FALSE(receipts.add({{}, 1, 5, 2, true}));
  CHECK_FALSE(receipts.add({{}, 2, 5, 1, true}));
  const auto receipt = receipts.add({{}, 1, 5, 1, true});
  REQUIRE(receipt);
  CHECK(receipt->what.batch == 5);
  CHECK(receipt->what.stored);
  CHECK_FALSE(receipts.add({{}, 1, 5, 1, true}));
  REQUIRE(receipts.begin(1, 6, 2, now));
  CHECK_FALSE(receipts.add({{}, 1, 6, 1, false}));
  CHECK_FALSE(receipts.add({{}, 1, 6, 1, true})->what.stored);
  // The receipt holds in the life of all outcomes.
  REQUIRE(receipts.begin(1, 8, 3, now));
  CHECK_FALSE(receipts.add({{}, 1, 8, 1, true, 4}));
  CHECK_FALSE(receipts.add({{}, 1, 8, 1, true, 3}));
  CHECK(receipts.add({{}, 1, 8, 1, true})->life == 3);
  REQUIRE(receipts.begin(1, 7, 2, now));
  REQUIRE(receipts.begin(2, 7, 2, now));
  receipts.forget(2);
  CHECK(receipts.give_up(now + 4s).empty());
  const auto late = receipts.give_up(now + 5s);
  REQUIRE(late.size() == 1);
  CHECK_FALSE(late[0].what.stored);
}

} // namespace ringmaster::test::event_receipts_test
