#include "core/run/log_piece.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "core/text/text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;

namespace {

/// Returns `from-to:content`, with `+` when more lines follow and `!` when the last one was cut.
std::string piece_text(std::string_view text, std::int32_t from_line, const core::piece_limits& limits, std::int32_t first = 1) {
  const auto piece = core::piece_of(text, first, from_line, limits);
  return std::to_string(piece.from_line) + '-' + std::to_string(piece.to_line) + ':' + std::string{piece.content} +
         (piece.more ? "+" : "") + (piece.cut ? "!" : "");
}

} // namespace

TEST_CASE("log piece: lines are counted, with or without a final line end", "[core][log]") {
  CHECK(core::count_lines("") == 0);
  CHECK(core::count_lines("a") == 1);
  CHECK(core::count_lines("a\n") == 1);
  CHECK(core::count_lines("\n\n") == 2);
  CHECK(core::count_lines("a\nb") == 2);
}

TEST_CASE("log piece: a piece ends after a whole line", "[core][log]") {
  constexpr std::string_view text = "one\ntwo\nthree\nfour";
  CHECK(piece_text(text, 1, {}) == "1-4:one\ntwo\nthree\nfour");
  CHECK(piece_text(text, 2, {.lines = 2}) == "2-3:two\nthree\n+");
  CHECK(piece_text(text, 3, {.lines = 2}) == "3-4:three\nfour");
  CHECK(piece_text(text, 1, {.bytes = 8}) == "1-2:one\ntwo\n+");
  CHECK(piece_text(text, 1, {.bytes = 13}) == "1-2:one\ntwo\n+");
  CHECK(piece_text(text, 1, {.bytes = 14}) == "1-3:one\ntwo\nthree\n+");
  CHECK(piece_text(text, -7, {.lines = 1}) == "1-1:one\n+");
}

TEST_CASE("log piece: after the end there is the number of the last line", "[core][log]") {
  CHECK(piece_text("a\nb\n", 3, {}) == "3-2:");
  CHECK(piece_text("a\nb", 9, {}) == "9-2:");
  CHECK(piece_text("a\nb", std::numeric_limits<std::int32_t>::max(), {}) == "2147483647-2:");
  CHECK(piece_text("", 1, {}) == "1-0:");
  CHECK(piece_text("", 1, {.tail = 5}) == "1-0:");
}

TEST_CASE("log piece: a line longer than the limit is cut after a character", "[core][log]") {
  const std::string text = "wide \xe2\x82\xac line\nnext\n";
  CHECK(piece_text(text, 1, {.bytes = 6}) == "1-1:wide +!");
  CHECK(piece_text(text, 1, {.bytes = 8}) == "1-1:wide \xe2\x82\xac+!");
  CHECK(piece_text(text, 2, {.bytes = 2}) == "2-2:ne!");
  // A long line after short ones begins the next piece.
  CHECK(piece_text("a\n" + text, 1, {.bytes = 6}) == "1-1:a\n+");
}

TEST_CASE("log piece: the tail is the end of the text, within all limits", "[core][log]") {
  constexpr std::string_view text = "one\ntwo\nthree\nfour\n";
  CHECK(piece_text(text, 1, {.tail = 2}) == "3-4:three\nfour\n");
  CHECK(piece_text(text, 1, {.tail = 99}) == "1-4:one\ntwo\nthree\nfour\n");
  CHECK(piece_text(text, 1, {.lines = 1, .tail = 3}) == "4-4:four\n");
  CHECK(piece_text(text, 1, {.bytes = 11, .tail = 3}) == "3-4:three\nfour\n");
  CHECK(piece_text(text, 1, {.bytes = 10, .tail = 3}) == "4-4:four\n");
  CHECK(piece_text(text, 1, {.bytes = 2, .tail = 3}) == "4-4:fo!");
  CHECK(piece_text("a\nb", 1, {.tail = 1}) == "2-2:b");
  CHECK(piece_text("\n\n\n", 1, {.tail = 2}) == "2-3:\n\n");
}

TEST_CASE("log piece: a text may begin at any line", "[core][log]") {
  CHECK(piece_text("x\ny\n", 1, {}, 10) == "10-11:x\ny\n");
  CHECK(piece_text("x\ny\n", 11, {}, 10) == "11-11:y\n");
  CHECK(piece_text("x\ny\n", 12, {}, 10) == "12-11:");
  CHECK(piece_text("x\ny\n", 1, {.tail = 1}, 10) == "11-11:y\n");
}

TEST_CASE("log piece: line numbers end at the largest and the smallest number", "[core][log]") {
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  CHECK(piece_text("x\ny\n", most, {}, most) == "2147483647-2147483647:x\ny\n");
  CHECK(piece_text("x\ny\n", 1, {.tail = 1}, most) == "2147483647-2147483647:y\n");
  CHECK(piece_text("", most, {.tail = 1}, most) == "2147483647-2147483646:");
  CHECK(core::piece_of("", least, least, {}).to_line == least);
  CHECK(core::piece_of("", least, 1, {.tail = 1}).to_line == least);
}
