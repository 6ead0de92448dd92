// Ranks of matches, and ranges of ids by their first digits.

#include "core/editing/object_search.hpp"

#include <limits>
#include <string>

#include "tests/support/catch.hpp"

using namespace ringmaster;

namespace {

std::string ranges_of(std::string_view digits, std::int64_t max) {
  std::string out;
  for (const auto& [first, last] : core::ids_beginning_with(digits, max))
    out += (out.empty() ? "" : " ") + std::to_string(first) + '-' + std::to_string(last);
  return out;
}

} // namespace

TEST_CASE("ids are found by their first digits", "[search]") {
  CHECK(ranges_of("12", 5000) == "12-12 120-129 1200-1299");
  CHECK(ranges_of("9", 1000) == "9-9 90-99 900-999");
  CHECK(ranges_of("5", 5) == "5-5");
  CHECK(ranges_of("6", 5).empty());
  CHECK(ranges_of("42", 425) == "42-42 420-425");
  for (const auto* text : {"", "0", "07", "-1", "+1", "1x", " 1", "1.5", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK(ranges_of(text, 1000).empty());
  }
}

TEST_CASE("the ranges end at the largest id without overflow", "[search]") {
  constexpr auto max = std::numeric_limits<std::int64_t>::max();
  CHECK(core::ids_beginning_with("9", max).back() == std::pair<std::int64_t, std::int64_t>{9'000'000'000'000'000'000, max});
  CHECK(core::ids_beginning_with("1", max).size() == 19);
  CHECK(core::ids_beginning_with("9223372036854775807", max).size() == 1);
  CHECK(ranges_of("2147483647", std::numeric_limits<std::int32_t>::max()) == "2147483647-2147483647");
}

TEST_CASE("equal texts rank before beginnings, and beginnings before parts", "[search]") {
  CHECK(core::match_rank("settle", "Settle") == 0);
  CHECK(core::match_rank("settle", "SETTLE daily") == 1);
  CHECK(core::match_rank("settle", "daily settle") == 2);
  CHECK(core::match_rank("settle", "set") == 2);
}
