#include "core/text/text_width.hpp"

#include <random>

#include "core/text/text.hpp"
#include "tests/support/catch.hpp"

using ringmaster::core::columns_of;
using ringmaster::core::count_characters;
using ringmaster::core::valid_utf8;

TEST_CASE("text width: columns of characters on a terminal", "[core]") {
  CHECK(columns_of("") == 0);
  CHECK(columns_of("plain, \xC3\xBC \xE2\x80\xA6") == 10);
  CHECK(columns_of("每日结算") == 8);
  CHECK(columns_of("한국어 カナ") == 11);
  CHECK(columns_of("ｶﾅ") == 2); // halfwidth
  CHECK(columns_of("Ｆ！￦") == 6); // fullwidth
  CHECK(columns_of("🚀") == 2);
  CHECK(columns_of("👩\xE2\x80\x8D💻") == 4); // a joiner has no width
  CHECK(columns_of("\U00020000\U0002FA1D") == 4);
  CHECK(columns_of("e\xCC\x81\xE2\x80\x8B\xEF\xBB\xBF\xEF\xB8\x8F") == 1); // accent, zero width space, mark, selector
  CHECK(columns_of("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB") == 2);               // one syllable of three letters
  CHECK(columns_of("\xC2\xAD") == 1);                                            // soft hyphen
  CHECK(columns_of("∀ж") == 2); // ambiguous width: one column
}

TEST_CASE("text width: the ends of ranges", "[core]") {
  CHECK(columns_of("\u02FF\u0300\u036F\u0370") == 2);
  CHECK(columns_of("\u10FF\u1100\u115F\u1160\u11FF\u1200") == 6);
  CHECK(columns_of("\u4DBF\u4E00\u9FFF\uA000\uA4C6\uA4D0") == 11);
  CHECK(columns_of("\U0010FFFF") == 1);
}

TEST_CASE("text width: any bytes are accepted", "[core]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 8, ' ');
    for (auto& c : text)
      c = static_cast<char>(random());
    CHECK(columns_of(text) <= 2 * text.size());
    CHECK(columns_of(valid_utf8(text)) <= 2 * count_characters(valid_utf8(text)));
  }
  CHECK(columns_of("\xFF\xE4\xBD a") == 5);
}

TEST_CASE("a text is cut at its beginning between characters", "[unit]") {
  using ringmaster::core::end_columns;
  CHECK(end_columns("pay-worker/settle", 7) == "/settle");
  CHECK(end_columns("settle", 6) == "settle");
  CHECK(end_columns("settle", 0).empty());
  CHECK(end_columns("\xE7\xBB\x93\xE7\xAE\x97", 3) == "\xE7\xAE\x97");
  CHECK(end_columns("ae\xCC\x81", 1) == "e\xCC\x81");
  CHECK(end_columns("e\xCC\x81x", 1) == "x");
}
