#include "core/run/log_search.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace ringmaster;

namespace {

/// Returns the matches as `line:column+length`, and after a bar the first line that was not searched.
std::string found_in(std::string_view text, core::log_search asked, std::int32_t first_line = 1) {
  core::line_search search{std::move(asked)};
  const auto next = search.search(text, first_line);
  std::string out;
  for (const auto& match : search.matches())
    out += std::to_string(match.line) + ':' + std::to_string(match.column) + '+' + std::to_string(match.length) + ' ';
  return out + '|' + std::to_string(next);
}

std::string text_of_match(std::string_view text, const std::string& wanted) {
  core::line_search search{{.wanted = wanted}};
  search.search(text, 1);
  REQUIRE(search.matches().size() == 1);
  return search.matches().front().text;
}

} // namespace

TEST_CASE("log search: each line counts once, whatever its case", "[core][log]") {
  constexpr std::string_view text = "an Error\nnothing\nerror error\nERROR";
  CHECK(found_in(text, {.wanted = "error"}) == "1:4+5 3:1+5 4:1+5 |5");
  CHECK(found_in(text, {.wanted = "Error", .match_case = true}) == "1:4+5 |5");
  CHECK(found_in(text, {.wanted = "absent"}) == "|5");
  CHECK(found_in("a\nb\n", {.wanted = "b"}, 10) == "11:1+1 |12");
  CHECK(found_in("a\nb\n", {.wanted = "c"}, 10) == "|12");
  CHECK(found_in("", {.wanted = "c"}) == "|1");
  CHECK(found_in("\n\n\n", {.wanted = "c"}) == "|4");
}

TEST_CASE("log search: it stops after enough matches and says where it goes on", "[core][log]") {
  CHECK(found_in("x\nx\nx\n", {.wanted = "x", .limit = 2}) == "1:1+1 2:1+1 |3");
  CHECK(found_in("x\nx", {.wanted = "x", .limit = 2}) == "1:1+1 2:1+1 |3");
}

TEST_CASE("log search: columns count UTF-16 units", "[core][log]") {
  CHECK(found_in("\xc3\xa9\xf0\x9f\x98\x80" "x\n", {.wanted = "x"}) == "1:4+1 |2");
  CHECK(found_in("a\xf0\x9f\x98\x80\n", {.wanted = "\xf0\x9f\x98\x80"}) == "1:2+2 |2");
}

TEST_CASE("log search: a match shows its line, of a long line the part around it", "[core][log]") {
  CHECK(text_of_match("one two\r\n", "two") == "one two");
  const auto begin = std::string(400, 'a') + "here" + std::string(400, 'b');
  CHECK(text_of_match(begin, "here") == std::string(400, 'a') + "here" + std::string(96, 'b'));
  const auto later = std::string(1000, 'a') + "here" + std::string(1000, 'b');
  CHECK(text_of_match(later, "here") == std::string(100, 'a') + "here" + std::string(396, 'b'));
}
