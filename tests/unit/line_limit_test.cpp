#include "core/limits/line_limit.hpp"

#include "tests/support/catch.hpp"

using ringmaster::core::line_limit;
using namespace std::chrono_literals;

TEST_CASE("a limit lets its lines of a second through and counts the others", "[unit][log]") {
  const line_limit::steady begin{1h};
  line_limit one;
  CHECK(one.admit(begin) == "");
  CHECK_FALSE(one.admit(begin + 999ms));
  CHECK(one.admit(begin + 1s) == " (1 like it before were left out)");
  CHECK_FALSE(one.admit(begin + 1s));
  line_limit three{3};
  for (int line = 0; line < 3; ++line)
    CHECK(three.admit(begin) == "");
  for (int line = 0; line < 10'000; ++line)
    CHECK_FALSE(three.admit(begin + 500ms));
  CHECK(three.admit(begin + 1s) == " (10000 like it before were left out)");
  CHECK(three.admit(begin + 1s) == "");
}
