#include "actors/firing/claim_tracker.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using actors::claim_tracker;
using actors::pending_claim;

TEST_CASE("claim_tracker returns a claim once", "[actors][claim_tracker]") {
  claim_tracker claims;
  const auto sequence = claims.next_sequence();
  claims.add(sequence, pending_claim{.generation = 3});
  CHECK(claims.size() == 1);
  const auto taken = claims.take(sequence);
  REQUIRE(taken);
  CHECK(taken->generation == 3);
  CHECK(claims.empty());
  CHECK_FALSE(claims.take(sequence));
  CHECK(claims.next_sequence() == sequence + 1);
}

TEST_CASE("claim_tracker keeps only claims that miss instants after the end of an incarnation", "[actors][claim_tracker]") {
  claim_tracker claims;
  claims.add(1, pending_claim{.dropped = {0, 0}});
  claims.add(2, pending_claim{.dropped = {0, 2}});
  claims.add(3, pending_claim{.dropped = {0, 0}, .merged = {4, 0}});
  (void) claims.end_incarnation();
  CHECK(claims.empty());
  CHECK_FALSE(claims.take(2));
  CHECK_FALSE(claims.take_former(1));
  REQUIRE(claims.take_former(2));
  CHECK_FALSE(claims.take_former(2));
  CHECK(claims.take_former(3));
}

TEST_CASE("claim_tracker lowers the limit of jobs to one and raises it after successes", "[actors][claim_tracker]") {
  claim_tracker claims;
  CHECK(claims.jobs_max() == claim_tracker::unlimited);
  claims.lower(5);
  CHECK(claims.jobs_max() == 2);
  claims.lower(2);
  claims.lower(1);
  CHECK(claims.jobs_max() == 1);
  claims.raise(4);
  claims.raise(4);
  CHECK(claims.jobs_max() == 4);
  claims.raise(4);
  CHECK(claims.jobs_max() == claim_tracker::unlimited);
}
