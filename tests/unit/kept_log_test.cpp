#include "core/run/kept_log.hpp"

#include <string>

#include "core/text/text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using core::cut_log;
using core::pieces_of;

TEST_CASE("kept log: a long log is cut after a line, with a note within the limit", "[core][keep]") {
  const std::string lines = "first\nsecond\nthird\n";
  CHECK(cut_log(lines, lines.size()) == lines);
  const std::string note = "[log truncated: only the first 100 bytes are kept]\n";
  std::string many;
  while (many.size() < 200)
    many += "line\n";
  const auto cut = cut_log(many, 100);
  CHECK(cut.size() <= 100);
  CHECK(cut.ends_with("line\n" + note));
  CHECK(cut.size() + 6 > 100);
  // One line that is longer than the limit is kept in part, as valid text.
  std::string wide;
  while (wide.size() < 200)
    wide += "\u5b8c";
  const auto part = cut_log(wide, 100);
  CHECK(part.size() <= 100);
  CHECK(part.ends_with('\n' + note));
  CHECK(core::valid_utf8(part) == part);
  CHECK(core::valid_utf8(cut_log(std::string(200, 'x'), 10)).size() < 60);
}

TEST_CASE("kept log: pieces end with a character and join to the text", "[core][keep]") {
  CHECK(pieces_of("", 10).empty());
  const std::string text = "x\u5b8c\u5b8cyz\U0001F600.";
  for (std::size_t max = 4; max < 20; ++max) {
    std::string again;
    for (const auto piece : pieces_of(text, max)) {
      CHECK(piece.size() <= max);
      CHECK(core::valid_utf8(piece) == piece);
      again += piece;
    }
    CHECK(again == text);
  }
}
