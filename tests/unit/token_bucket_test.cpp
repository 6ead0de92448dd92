#include "core/limits/token_bucket.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

int taken(core::token_bucket& bucket, core::token_bucket::time at, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i)
    count += bucket.take(at) ? 1 : 0;
  return count;
}

constexpr core::token_bucket::time start{1000h};

} // namespace

TEST_CASE("token_bucket: allows a burst at once, then the rate", "[token_bucket]") {
  core::token_bucket bucket{100, 200};
  CHECK(taken(bucket, start, 500) == 200);
  CHECK(taken(bucket, start + 9ms, 5) == 0);
  CHECK(taken(bucket, start + 10ms, 5) == 1);
  CHECK(taken(bucket, start + 1s, 500) == 99);
}

TEST_CASE("token_bucket: holds one burst after any idle time", "[token_bucket]") {
  core::token_bucket bucket{100, 200};
  CHECK(taken(bucket, start, 500) == 200);
  CHECK(taken(bucket, start + 10 * 365 * 24h, 500) == 200);
}

TEST_CASE("token_bucket: a clock that is set back neither adds nor removes tokens", "[token_bucket]") {
  core::token_bucket bucket{100, 200};
  CHECK(taken(bucket, start, 150) == 150);
  CHECK(taken(bucket, start - 1h, 100) == 50);
  CHECK(taken(bucket, start - 1h + 1s, 500) == 100);
}

TEST_CASE("token bucket: a charge delays later calls, however large it is", "[core]") {
  core::token_bucket bucket{10, 20};
  core::token_bucket::time now{1h};
  REQUIRE(bucket.take(now));
  bucket.charge(499); // 480 in debt
  CHECK_FALSE(bucket.take(now + 47s));
  CHECK(bucket.take(now + 49s));
}
