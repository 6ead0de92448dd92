#include "core/elastic/process_stat.hpp"

#include "tests/support/catch.hpp"

namespace ringmaster::test::process_stat_test {

using core::elastic::start_ticks_in;

TEST_CASE("the start of a process is field 22 after any name of a program", "[unit][elastic]") {
  CHECK(start_ticks_in("7 (a) b 1) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 4096 10") == 98765);
  CHECK_FALSE(start_ticks_in(""));
  CHECK_FALSE(start_ticks_in("7 (sh) S 1 7 7"));
  CHECK_FALSE(start_ticks_in("7 sh S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765"));
}

} // namespace ringmaster::test::process_stat_test
