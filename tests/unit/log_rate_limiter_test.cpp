#include "core/limits/log_rate_limiter.hpp"

#include "tests/support/catch.hpp"

using ringmaster::core::log_rate_limiter;
using namespace std::chrono_literals;

TEST_CASE("a limiter admits its lines per second and counts the others", "[unit][log]") {
  const log_rate_limiter::steady begin{1h};
  log_rate_limiter one;
  CHECK(one.admit(begin) == "");
  CHECK_FALSE(one.admit(begin + 999ms));
  CHECK(one.admit(begin + 1s) == " (1 similar messages suppressed)");
  CHECK_FALSE(one.admit(begin + 1s));
  log_rate_limiter three{3};
  for (int line = 0; line < 3; ++line)
    CHECK(three.admit(begin) == "");
  for (int line = 0; line < 10'000; ++line)
    CHECK_FALSE(three.admit(begin + 500ms));
  CHECK(three.admit(begin + 1s) == " (10000 similar messages suppressed)");
  CHECK(three.admit(begin + 1s) == "");
}
