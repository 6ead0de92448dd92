#include "core/routing/address_avoidance.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

using addresses = std::vector<std::string>;
constexpr core::address_avoidance::steady first_failure{1h};
const addresses three{"a", "b", "c"};

addresses list(std::span<const std::string> some) { return {some.begin(), some.end()}; }

struct avoiding {
  core::address_avoidance avoidance{30s};
  addresses room;
  addresses usable(const addresses& live) { return list(avoidance.usable(live, room)); }
  addresses usable_first(const addresses& live) { return list(avoidance.usable_first(live, room)); }
};

} // namespace

TEST_CASE_METHOD(avoiding, "an address that refused is avoided while its group has another one", "[unit]") {
  CHECK(usable(three) == three);
  CHECK(avoidance.refused("b", first_failure));
  CHECK_FALSE(avoidance.refused("b", first_failure));
  CHECK(usable(three) == addresses{"a", "c"});
  CHECK(usable_first(three) == addresses{"a", "c", "b"});
  CHECK(usable({"b"}) == addresses{"b"});
  CHECK(usable({}).empty());
  CHECK(usable({"x"}) == addresses{"x"});
  avoidance.refused("a", first_failure);
  avoidance.refused("c", first_failure);
  CHECK(usable(three) == three);
  CHECK(usable_first(three) == three);
}

TEST_CASE_METHOD(avoiding, "a heartbeat, or the end of the hold, makes an address usable again", "[unit]") {
  avoidance.refused("a", first_failure);
  avoidance.refused("b", first_failure);
  CHECK(avoidance.heard("a"));
  CHECK_FALSE(avoidance.heard("a"));
  CHECK(usable(three) == addresses{"a", "c"});
  CHECK(avoidance.take_over(first_failure + 30s - 1ms).empty());
  // Refused again: avoided for longer.
  CHECK_FALSE(avoidance.refused("b", first_failure + 20s));
  CHECK(avoidance.take_over(first_failure + 30s).empty());
  CHECK(avoidance.take_over(first_failure + 50s) == addresses{"b"});
  CHECK(usable(three) == three);
  CHECK(avoidance.size() == 0);
}

TEST_CASE_METHOD(avoiding, "the number of avoided addresses is bounded", "[unit]") {
  for (std::size_t i = 0; i < core::address_avoidance::addresses_max; ++i)
    avoidance.refused(std::to_string(i), first_failure);
  CHECK_FALSE(avoidance.refused("a", first_failure));
  CHECK(usable(three) == three);
}
