#include "config/text/key_length.hpp"

#include "config/declared/declared_file.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::config;

namespace {

std::string key_of(std::size_t parts, const std::string& part = "a", const std::string& dot = ".") {
  std::string key = part;
  for (; parts > 1; --parts)
    key += dot + part;
  return key;
}

const auto longest = key_of(key_parts_max);
const auto too_long = key_of(key_parts_max + 1);

/// Returns the error for a text; "read" if it was parsed to its end.
std::string refusal_of_text(const std::string& text) {
  const auto parsed = parse_declared(text, "a.toml", "test");
  return parsed || parsed.error().context.find(": unknown key ") != std::string::npos ? "read" : parsed.error().context;
}

} // namespace

TEST_CASE("key length: a key has eight parts at most, in any position", "[config]") {
  for (const auto& key : {longest, key_of(key_parts_max, "\"a.b\""), key_of(key_parts_max, "'c'", " \t. ")}) {
    CAPTURE(key);
    CHECK(refusal_of_text(key + " = 1\n") == "read");
    CHECK(refusal_of_text("[" + key + "]\n" + key + " = { " + key + " = [1.5, { " + key + " = 2 }] }\n") == "read");
    CHECK(refusal_of_text("[[ " + key + " ]]\n") == "read");
  }
  for (const auto& key : {too_long, key_of(9, "\"\""), key_of(9, "'a\\'", " . "), key_of(9, "\"\\\"\"", "\t."), key_of(50'000)}) {
    CAPTURE(key.substr(0, 100));
    const std::string problem = "a.toml:3: a key has more than 8 parts";
    CHECK(refusal_of_text("\nx = 1\n" + key + " = 1\n") == problem);
    CHECK(refusal_of_text("\n\n[" + key + "]\n") == problem);
    CHECK(refusal_of_text("\n\n[[ " + key + " ]] # so\n") == problem);
    CHECK(refusal_of_text("\n\nx = { y = 1, " + key + " = 1 }\n") == problem);
    CHECK(refusal_of_text("x = [\n{},\n{ " + key + " = 1 }]\n") == problem);
  }
}

TEST_CASE("key length: dots in strings and comments do not count", "[config]") {
  const std::string dots(100, '.');
  for (const std::string& text : {
         "# " + dots + "\nx = 1\n",
         "x = 1 # \"" + dots + "\n# '''\ny = 2\n",
         "x = \"" + dots + "\\\"" + dots + "\\\\\" # \"\n",
         "x = '" + dots + "\\'\n\"" + dots + "\" = ''\n",
         "x = \"\"\"\n" + dots + "\n\"" + dots + "\"\"" + dots + "\\\"\"\"" + dots + "\"\"\"\"\"\ny = 1\n",
         "x = '''\n" + dots + "\n'" + dots + "''" + dots + "\\''''\ny = 1\n",
         "x = [\"\", '', \"\"\"\"\"\", '''''', \"" + dots + "\", # " + dots + "\n 1.5, 1979-05-27T07:32:00.999Z, 2.5,\n" +
           "1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5]\n",
       }) {
    CAPTURE(text);
    CHECK(refusal_of_text(text) == "read");
    // The end of a string or comment is recognised here, too.
    CHECK(refusal_of_text(text + too_long + " = 1").ends_with(": a key has more than 8 parts"));
  }
}

TEST_CASE("key length: a text that is broken anywhere is an error, not a crash", "[config]") {
  for (const std::string start :
       {"", "\"", "'", "\"\"\"", "'''", "x = \"", "x = '", "x = \"\"\"\\", "x = \"\\", "#", "[", "{", "x = [\""})
    for (const std::string& rest : {too_long, "\n" + too_long, std::string{"."}, std::string{}, key_of(50'000) + " = 1"}) {
      CAPTURE(start, rest.substr(0, 100));
      const auto problem = refusal_of_text(start + rest);
      CHECK((problem == "read" || problem.starts_with("a.toml:")));
    }
  for (const char c : {'[', '{', '.', '"', '\'', '\\', 'a'})
    for (const std::string before : {"", "a = "}) {
      CAPTURE(c, before);
      CHECK(refusal_of_text(before + std::string(1'000'000, c)).starts_with("a.toml:1: "));
    }
}

TEST_CASE("key length: the deepest accepted text is harmless", "[config]") {
  const std::string table = longest + " = { ";
  std::string text = "[" + longest + "]\n";
  std::string end;
  for (int i = 0; i < 250; ++i, end += " }")
    text += table;
  CHECK(refusal_of_text(text + end) == "read");
  for (int i = 0; i < 10; ++i, end += " }")
    text += table;
  CHECK(refusal_of_text(text + end).starts_with("a.toml:2: "));
}

TEST_CASE("key length: a file of declared jobs is checked", "[config]") {
  const auto declared = parse_declared("\n" + key_of(50'000) + " = 1\n", "jobs.toml", "test");
  REQUIRE(!declared);
  CHECK(declared.error().code == core::errc::invalid_argument);
  CHECK(declared.error().context == "jobs.toml:2: a key has more than 8 parts");
}
