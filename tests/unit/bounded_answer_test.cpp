// Answers of which only a part is kept.

#include "protocol/curl/bounded_answer.hpp"

#include <string>

#include "tests/support/catch.hpp"

using ringmaster::protocol::bounded_answer;

TEST_CASE("an answer up to the limit is kept whole", "[unit]") {
  bounded_answer answer{5, 5};
  CHECK(answer.take("abc"));
  CHECK(answer.take({}));
  CHECK(answer.take("de"));
  CHECK(answer.kept() == "abcde");
  CHECK_FALSE(answer.is_cut());
  CHECK_FALSE(answer.is_too_long());
}

TEST_CASE("bytes beyond the kept part are dropped and counted", "[unit]") {
  bounded_answer answer{4, 8};
  CHECK(answer.take("abcdef"));
  CHECK(answer.kept() == "abcd");
  CHECK(answer.is_cut());
  CHECK(answer.take("gh"));
  CHECK_FALSE(answer.take("i"));
  CHECK(answer.is_too_long());
  CHECK(answer.kept() == "abcd");
}

TEST_CASE("an answer without a limit is read to its end", "[unit]") {
  bounded_answer answer{2};
  for (int i = 0; i < 1000; ++i)
    REQUIRE(answer.take("abcdef"));
  CHECK(answer.is_cut());
  CHECK(answer.release() == "ab");
}

TEST_CASE("an answer that is released after a failure takes no memory and keeps its verdict", "[unit]") {
  bounded_answer answer{1000, 1000};
  CHECK_FALSE(answer.take(std::string(1001, 'x')));
  CHECK(answer.release().size() == 1000);
  CHECK(answer.kept().empty());
  CHECK(answer.kept().capacity() < 1000);
  CHECK(answer.is_too_long());
}
