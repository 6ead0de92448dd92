#include <random>
#include <string>
#include <vector>

#include "core/elastic/command_line.hpp"
#include "core/elastic/elastic_definition.hpp"
#include "core/elastic/json_text.hpp"
#include "core/elastic/prop_fields.hpp"
#include "core/elastic/props.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster {

using core::elastic::check_props;
using core::elastic::job_props;
using core::elastic::parse_props;
using core::elastic::props_text;

namespace {

std::string props_refusal(std::string_view type, const job_props& props) {
  const auto checked = check_props(type, props);
  return checked ? std::string{} : checked.error().context;
}

job_props script_props(std::string line) { return {{"script.command.line", std::move(line)}}; }
job_props http_props(std::string name, std::string value) {
  job_props out{{"http.uri", "http://h/"}};
  out[std::move(name)] = std::move(value);
  return out;
}

} // namespace

TEST_CASE("properties have one canonical text", "[elastic]") {
  CHECK(props_text({}).empty());
  CHECK(parse_props("")->empty());
  const job_props props{{"b", "x=1 \"y\" é\n"}, {"a", ""}};
  CHECK(props_text(props) == R"({"a":"","b":"x=1 \"y\" é\n"})");
  CHECK(*parse_props(props_text(props)) == props);
  CHECK(*parse_props(R"( { "b" : "x\u003d1 \"y\" \u00e9\n" , "a" : "" } )") == props);
  CHECK(parse_props("{}")->empty());
}

TEST_CASE("a text that is not an object of texts is refused with the position", "[elastic]") {
  CHECK(parse_props("a=b").error().context == "invalid properties: byte 1 of the object: expected {");
  CHECK(parse_props(R"({"a":1})").error().context ==
        "invalid properties: byte 6 of the object: expected a text in quotation marks");
  CHECK(parse_props(R"({"a":"1","a":"2"})").error().context ==
        "invalid properties: byte 10 of the object: the name is given twice");
  for (const std::string text :
       {"{", "{}}", "[]", R"({"a":"b",})", R"({"a":{"b":"c"}})", "{\"a\":\"\xFF\"}", R"({"a":"\u0000"})"}) {
    INFO(text);
    CHECK_FALSE(parse_props(text));
  }
}

TEST_CASE("properties are checked by name, type and value", "[elastic]") {
  CHECK(props_refusal("simple", {}).empty());
  CHECK(props_refusal("custom", {}).empty());
  CHECK(props_refusal("simple", {{"a", "b"}}) == "a: unknown property");
  CHECK(props_refusal("simple", {{std::string(200, '\xFF'), ""}}).ends_with(": unknown property"));
  CHECK(props_refusal("script", {}) == "script.command.line: missing; a job of type script needs it");
  CHECK(props_refusal("http", {}) == "http.uri: missing; a job of type http needs it");
  CHECK(props_refusal("http", script_props("/a")) == "script.command.line: only jobs of type script have this property");
  CHECK(props_refusal("script", script_props("/a 'b c'")).empty());
  CHECK(props_refusal("script", script_props("")) == "script.command.line: must not be empty");
  CHECK(props_refusal("script", script_props("  ")) == "script.command.line: the command line has no program");
  CHECK(props_refusal("script", script_props("/a 'b")) ==
        "script.command.line: the quote at byte 4 of the command line does not end");
  CHECK(props_refusal("script", script_props(std::string(32769, 'a'))) == "script.command.line: longer than 32768 bytes");
  CHECK(props_refusal("script", script_props(std::string{"a\0b", 3})) == "script.command.line: not a text in UTF-8");
  CHECK(props_refusal("script", script_props("\xFF")) == "script.command.line: not a text in UTF-8");

  const std::string number = "http.read.timeout.milliseconds", expected = ": expected a whole number from 1 to 86400000";
  for (const std::string value : {"0", "-1", "", "1.5", "3s", "86400001", "99999999999999999999"})
    CHECK(props_refusal("http", http_props(number, value)) == number + expected);
  CHECK(props_refusal("http", http_props(number, "86400000")).empty());
  CHECK(props_refusal("http", http_props("http.fail.on.status", "no")) == "http.fail.on.status: expected true or false");
  CHECK(props_refusal("http", http_props("http.method", "GET /")) == "http.method: expected letters only");
  CHECK(props_refusal("http", http_props("http.method", "")) == "http.method: must not be empty");
  CHECK(props_refusal("http", http_props("http.content.type", "a\r\nHost: b")) ==
        "http.content.type: must not contain control characters");
  CHECK(props_refusal("http", http_props("http.data", "")).empty());
  for (const std::string uri : {"ftp://h/", "h/", "http://", "http://u:p@h/", "http://h/a b", "http://h/\r\nX: y", "http://h/é"})
    CHECK(props_refusal("http", http_props("http.uri", uri)) ==
          "http.uri: expected an http:// or https:// address without an account");
}

TEST_CASE("a property that is not set has the default of its field", "[elastic]") {
  const job_props none;
  CHECK(core::elastic::prop_text(none, "http.method") == "GET");
  CHECK(core::elastic::prop_number(none, "http.connect.timeout.milliseconds") == 3000);
  CHECK(core::elastic::prop_number(none, "http.read.timeout.milliseconds") == 5000);
  CHECK(core::elastic::prop_flag(none, "http.fail.on.status"));
  CHECK_FALSE(core::elastic::prop_flag({{"http.fail.on.status", "false"}}, "http.fail.on.status"));
  CHECK(core::elastic::prop_flag({{"http.fail.on.status", "?"}}, "http.fail.on.status"));
  CHECK(core::elastic::prop_number({{"http.read.timeout.milliseconds", "x"}}, "http.read.timeout.milliseconds") == 5000);
  CHECK(core::elastic::prop_text(none, "unknown").empty());
  // Defaults are valid themselves.
  for (const auto& field : core::elastic::prop_fields)
    if (!field.otherwise.empty()) {
      INFO(field.name);
      job_props props;
      if (!field.job_type.empty())
        props = http_props("http.method", "GET");
      props[std::string{field.name}] = field.otherwise;
      CHECK(props_refusal(field.job_type, props).empty());
    }
}

TEST_CASE("JSON for a header has only printable ASCII", "[elastic]") {
  using core::elastic::ascii_json;
  CHECK(ascii_json(R"({"a":"b \u003d"})") == R"({"a":"b \u003d"})");
  CHECK(ascii_json("\"é测\xF0\x9F\x98\x80\x7F\"") == R"("\u00e9\u6d4b\ud83d\ude00\u007f")");
  CHECK(ascii_json("").empty());
}

TEST_CASE("a command line is split by quotes alone", "[elastic]") {
  using core::elastic::split_command_line;
  using words = std::vector<std::string>;
  CHECK(*split_command_line("/a") == words{"/a"});
  CHECK(*split_command_line(" /a\t-x \n y ") == words{"/a", "-x", "y"});
  CHECK(*split_command_line(R"(/a 'b "c"' "d 'e'" f"g h"'i' '' "")") == words{"/a", "b \"c\"", "d 'e'", "fg hi", "", ""});
  CHECK(*split_command_line(R"('/a b' $HOME * \ ; | `x` ~)") == words{"/a b", "$HOME", "*", "\\", ";", "|", "`x`", "~"});
  for (const std::string text : {"", " ", "''", "'' a", "'a", "a \"", "a '\""}) {
    INFO(text);
    CHECK_FALSE(split_command_line(text));
  }
  CHECK_FALSE(split_command_line(std::string_view{"a\0b", 3}));
}

TEST_CASE("a command line that is written splits into the same words", "[elastic]") {
  const std::vector<std::string> pieces{"a", " ", "'", "\"", "\\", "\t", "\n", "é", "$x"};
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> words{"/p"};
    for (auto left = random() % 5; left > 0; --left) {
      words.emplace_back();
      for (auto length = random() % 6; length > 0; --length)
        words.back() += pieces[random() % pieces.size()];
    }
    const auto line = core::elastic::command_line(words);
    CAPTURE(line);
    CHECK(*core::elastic::split_command_line(line) == words);
  }
}

} // namespace ringmaster
