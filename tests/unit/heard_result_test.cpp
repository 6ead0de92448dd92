// Results as the inbox keeps them.

#include "core/elastic/heard_result.hpp"

#include <limits>

#include "core/elastic/store_ops.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test::heard_result_test {

using namespace ringmaster::core::elastic;
using ringmaster::core::from_ms;

namespace {

heard_result sample() {
  return {heard_end::finished,    host_outcome::error,          from_ms(1'700'000'000'123),
          "no stock\nin 3 shops", std::string{"\0\xff 7\n", 5}, 12};
}

} // namespace

TEST_CASE("a result is read as it was written", "[core][elastic]") {
  CHECK(decode_result(encode(sample())) == sample());
  const heard_result plain;
  CHECK(decode_result(encode(plain)) == plain);
  auto empty = sample();
  empty.cursor = "";
  CHECK(decode_result(encode(empty)) == empty);
  auto fenced = sample();
  fenced.end = heard_end::fenced;
  CHECK(decode_result(encode(fenced)) == fenced);
  CHECK_FALSE(is_result_of_body(encode(fenced)));
  auto cut_short = sample();
  cut_short.end = heard_end::cut_short;
  CHECK(decode_result(encode(cut_short)) == cut_short);
  CHECK(is_result_of_body(encode(cut_short)));
  CHECK(is_result_of_body(encode(plain)));
  CHECK(is_result_of_body("no result"));
}

TEST_CASE("a result with hostile values fits the inbox", "[core][elastic]") {
  auto what = sample();
  what.text.clear();
  while (what.text.size() < (std::size_t{64} << 10U))
    what.text += "\xf0\x9f\x98\x80";
  what.text += "\xff";
  what.cursor = std::string(cursor_bytes, 'x');
  what.cursor_number = std::numeric_limits<std::uint64_t>::max();
  what.at = from_ms(std::numeric_limits<std::int64_t>::max());
  const auto bytes = encode(what);
  CHECK(bytes.size() <= outcome_bytes);
  const auto read = decode_result(bytes);
  REQUIRE(read);
  CHECK(read->cursor == what.cursor);
  CHECK(read->text.size() == 4 * run_message_chars);
  CHECK(read->at == from_ms(core::latest_ms));
}

TEST_CASE("bytes that are not a result are refused", "[core][elastic]") {
  for (const char* bytes : {"",
                            "\n",
                            "x",
                            "1 0 0 0 0 0 -1",
                            "1 0 0 0 0 0\n",
                            "1  0 0 0 0 0 -1\n",
                            "2 0 0 0 0 0 -1\n",
                            "1 0 4 0 0 0 -1\n",
                            "1 0 -1 0 0 0 -1\n",
                            "1 0 0 -5 0 0 -1\n",
                            "1 0 0 0 -1 0 -1\n",
                            "1 0 0 0 0 3 -1\nab",
                            "1 0 0 0 0 1 -1\nab",
                            "1 0 0 0 0 1 -2\na",
                            "1 0 0 0 0 1 2\nabcd",
                            "1 0 0 0 0 -1 1\n",
                            "1 0 0 0 0 9223372036854775807 9223372036854775807\n",
                            "1 0 0 99999999999999999999 0 0 -1\n",
                            "1 0 0 253402300800000 0 0 -1\n",
                            "1 0 0 0 0 0 -1 \n",
                            "1 4 0 0 0 0 -1\n",
                            "1 -1 0 0 0 0 -1\n"}) {
    INFO(bytes);
    CHECK_FALSE(decode_result(bytes));
  }
}

} // namespace ringmaster::test::heard_result_test
