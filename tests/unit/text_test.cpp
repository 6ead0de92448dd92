// Functions that cut and clean text and parse numbers.

#include <limits>
#include <random>
#include <string>

#include "core/access/access_token.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text.hpp"
#include "tests/support/catch.hpp"

using namespace std::string_literals;
using ringmaster::core::count_characters;
using ringmaster::core::cut_bytes;
using ringmaster::core::cut_characters;
using ringmaster::core::cut_utf16;
using ringmaster::core::fits;
using ringmaster::core::is_blank;
using ringmaster::core::parse_int32;
using ringmaster::core::valid_utf8;

namespace {

const std::string replacement = "\xEF\xBF\xBD";

} // namespace

TEST_CASE("a text on one line has no control characters but tabs", "[unit][text]") {
  using ringmaster::core::one_line;
  CHECK(one_line("caf\xC3\xA9\tok") == "caf\xC3\xA9\tok");
  CHECK(one_line("a\nb\r\x1B[31m\x7F"s) == "a\\nb\\x0d\\x1b[31m\\x7f");
  CHECK(one_line("next\xC2\x85line\xC2\xA0") == "next\\x85line\xC2\xA0");
  CHECK(one_line("\xC2"s + "A\xC2") == "\xC2"s + "A\xC2");
  CHECK(one_line("\0"s) == "\\x00");
}

TEST_CASE("a common token is the current one, and the former one while it is accepted", "[unit][text]") {
  using namespace ringmaster::core;
  const common_tokens lasting{"new", "old", std::nullopt};
  CHECK(is_common_token(lasting, "new", from_ms(5)));
  CHECK(is_common_token(lasting, "old", from_ms(5)));
  CHECK_FALSE(is_common_token(lasting, "ol", from_ms(5)));
  CHECK_FALSE(is_common_token(lasting, "", from_ms(5)));
  const common_tokens until{"new", "old", from_ms(5)};
  CHECK(is_common_token(until, "old", from_ms(4)));
  CHECK_FALSE(is_common_token(until, "old", from_ms(5)));
  const common_tokens alone{"new"};
  CHECK_FALSE(is_common_token(alone, "", from_ms(5)));
}

TEST_CASE("the last lines of a text", "[unit][text]") {
  using ringmaster::core::last_lines;
  CHECK(last_lines("", 3, 100).empty());
  CHECK(last_lines("\n\r\n", 3, 100).empty());
  CHECK(last_lines("a", 3, 100) == "a");
  CHECK(last_lines("a\nb\nc\n", 0, 100).empty());
  CHECK(last_lines("a\nb\nc\n", 1, 100) == "c");
  CHECK(last_lines("a\r\nb\r\nc\r\n", 2, 100) == "b\r\nc");
  CHECK(last_lines("a\nb\nc", 3, 100) == "a\nb\nc");
  CHECK(last_lines("a\n\nc", 2, 100) == "\nc");
  CHECK(last_lines("\na", 5, 100) == "\na");
  CHECK(last_lines("abcdef\nghi", 2, 5) == "f\nghi");
}

TEST_CASE("text is cut by UTF-16 units at a character", "[unit][text]") {
  CHECK(cut_utf16("", 0).empty());
  CHECK(cut_utf16("abc", 0).empty());
  CHECK(cut_utf16("abc", 2) == "ab");
  CHECK(cut_utf16("abc", 3) == "abc");
  CHECK(cut_utf16("任务触发", 3) == "任务触");
  CHECK(cut_utf16("任务触发", 4) == "任务触发");
  CHECK(cut_utf16("éa", 1) == "é");
}

TEST_CASE("a surrogate pair is two units and never split", "[unit][text]") {
  CHECK(cut_utf16("a😀b", 1) == "a");
  CHECK(cut_utf16("a😀b", 2) == "a");
  CHECK(cut_utf16("a😀b", 3) == "a😀");
  CHECK(cut_utf16("😀😀😀", 5) == "😀😀");
}

TEST_CASE("cutting invalid text terminates, too", "[unit][text]") {
  const std::string broken = "\xF0\x9F\x98" + std::string(100, '\xff');
  CHECK(cut_utf16(broken, 10).size() == 10);
  CHECK(cut_utf16("\xE4\xBB", 1).size() == 1);
}

TEST_CASE("every invalid byte becomes one replacement character, and NUL is removed", "[unit][text]") {
  CHECK(valid_utf8("plain 任务 😀") == "plain 任务 😀");
  CHECK(valid_utf8("a\0b"s) == "ab");
  CHECK(valid_utf8("\xff") == replacement);
  CHECK(valid_utf8("a\x80z") == "a" + replacement + "z");
  // Overlong, surrogates, beyond Unicode, truncated.
  CHECK(valid_utf8("\xC0\xAF") == replacement + replacement);
  CHECK(valid_utf8("\xE0\x80\xAF") == replacement + replacement + replacement);
  CHECK(valid_utf8("\xED\xA0\x80") == replacement + replacement + replacement);
  CHECK(valid_utf8("\xF4\x90\x80\x80") == replacement + replacement + replacement + replacement);
  CHECK(valid_utf8("\xF0\x8F\xBF\xBF") == replacement + replacement + replacement + replacement);
  CHECK(valid_utf8("\xF5\x80\x80\x80") == replacement + replacement + replacement + replacement);
  CHECK(valid_utf8("x\xE4\xBB") == "x" + replacement + replacement);
  CHECK(valid_utf8("\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF") == "\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF");
}

TEST_CASE("cleaned text is valid and stays valid when cut anywhere", "[unit][text]") {
  constexpr std::uint64_t seed = 11;
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    for (int i = 0; i < 60; ++i)
      bytes += static_cast<char>(random());
    const auto clean = valid_utf8(bytes);
    REQUIRE(valid_utf8(clean) == clean);
    for (std::size_t units = 0; units < 70; ++units) {
      const std::string cut{cut_utf16(clean, units)};
      REQUIRE(valid_utf8(cut) == cut);
    }
  }
}

TEST_CASE("characters are counted, not bytes; all characters up to U+0020 are blank", "[unit][text]") {
  CHECK(count_characters("") == 0);
  CHECK(count_characters("a任😀\xCC\x81") == 4);
  CHECK(is_blank(""));
  CHECK(is_blank(" \t\r\n\0"s));
  CHECK_FALSE(is_blank(" x "));
  CHECK_FALSE(is_blank("　"));
}

TEST_CASE("text is measured in characters and cut at one", "[unit][text]") {
  CHECK(fits("aé日😀", 4));
  CHECK_FALSE(fits("aé日😀", 3));
  CHECK(cut_characters("aé日😀", 3) == "aé日");
  CHECK(cut_characters("aé日😀", 4) == "aé日😀");
  CHECK(cut_characters("aé日😀", 0).empty());
  CHECK(cut_bytes("aé日😀", 10) == "aé日😀");
  CHECK(cut_bytes("aé日😀", 9) == "aé日");
  CHECK(cut_bytes("aé日😀", 5) == "aé");
  CHECK(cut_bytes("😀", 3).empty());
}

TEST_CASE("numbers are parsed whole or not at all", "[unit][text]") {
  CHECK(parse_int32("0") == 0);
  CHECK(parse_int32("+5") == 5);
  CHECK(parse_int32("-5") == -5);
  CHECK(parse_int32("007") == 7);
  CHECK(parse_int32("2147483647") == std::numeric_limits<std::int32_t>::max());
  CHECK(parse_int32("-2147483648") == std::numeric_limits<std::int32_t>::min());
  for (auto text : {"", "+", "-", "+-5", "--5", "++5", " 5", "5 ", "5x", "0x5", "1.0", "2147483648", "-2147483649"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_int32(text));
  }
}
