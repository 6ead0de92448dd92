#include "protocol/wire/json/json_reader.hpp"

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "protocol/wire/json/json_text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::protocol::wire;

namespace {

/// Reads any document into a tree of the reference library.
nlohmann::json read_all(json_reader& in) {
  switch (in.peek()) {
  case json_kind::object: {
    auto out = nlohmann::json::object();
    in.object([&](std::string_view name) {
      std::string key{name};
      out[key] = read_all(in);
    });
    return out;
  }
  case json_kind::array: {
    auto out = nlohmann::json::array();
    in.array([&] { out.push_back(read_all(in)); });
    return out;
  }
  case json_kind::text: return in.text().value_or("");
  case json_kind::word: {
    const std::string word{in.raw()};
    if (word == "true" || word == "false")
      return word == "true";
    return std::stoll(word);
  }
  default: in.raw(); return nullptr;
  }
}

nlohmann::json random_document(std::mt19937_64& random, int depth) {
  switch (random() % (depth > 0 ? 6 : 4)) {
  case 0: return nullptr;
  case 1: return random() % 2 == 0;
  case 2: return static_cast<std::int64_t>(random() >> (random() % 60));
  case 3: {
    std::string text;
    for (auto n = random() % 8; n > 0; --n) {
      static const char* const parts[] = {"a", "\"", "\\", "\n", "\t", "/", "'", "中文", "😀", "\x01", "{", ",", "POST"};
      text += parts[random() % std::size(parts)];
    }
    return text;
  }
  case 4: {
    auto list = nlohmann::json::array();
    for (auto n = random() % 4; n > 0; --n)
      list.push_back(random_document(random, depth - 1));
    return list;
  }
  default: {
    auto object = nlohmann::json::object();
    for (auto n = random() % 4; n > 0; --n)
      object["k" + std::to_string(random() % 100)] = random_document(random, depth - 1);
    return object;
  }
  }
}

std::optional<std::string> text_of(std::string_view document) {
  json_reader in{document};
  auto out = in.text();
  return in.finish() ? out : std::nullopt;
}

bool reads(std::string_view document) {
  json_reader in{document};
  in.raw();
  return in.finish();
}

} // namespace

TEST_CASE("json_reader: agrees with the reference on random documents", "[wire]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  for (int i = 0; i < 3000; ++i) {
    const auto document = random_document(random, 4);
    const bool ascii = random() % 2 == 0;
    const std::string text = document.dump(random() % 3 == 0 ? 2 : -1, ' ', ascii);
    CAPTURE(text);
    json_reader in{text};
    REQUIRE(read_all(in) == document);
    REQUIRE(in.finish());
  }
}

TEST_CASE("json_reader: the reference reads the output of append_json", "[wire]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  for (int i = 0; i < 3000; ++i) {
    std::string bytes;
    for (auto n = random() % 40; n > 0; --n)
      bytes += static_cast<char>(random() % (random() % 3 == 0 ? 256 : 128));
    bytes += random() % 2 == 0 ? "POSTPOST" : "";
    std::string plain, split_up;
    append_json(plain, bytes);
    append_json(split_up, bytes, split::post);
    REQUIRE(nlohmann::json::parse(plain) == nlohmann::json::parse(split_up));
    REQUIRE(split_up.find("POST") == std::string::npos);
    if (is_plain_text(bytes))
      REQUIRE(nlohmann::json::parse(plain) == bytes);
  }
}

TEST_CASE("json_reader: leniency of the Java admins", "[wire]") {
  CHECK(reads("\xEF\xBB\xBF {\"a\":1}\r\n"));
  CHECK(reads("{a:1,'b':'x'}"));
  CHECK(reads("{\"a\":1,}"));
  CHECK(reads("[1,2,]"));
  CHECK(text_of("'it''") == std::nullopt);
  CHECK(text_of("'it\\'s \"x\"'") == "it's \"x\"");
  CHECK(text_of("42") == "42");
  CHECK(text_of("1.50") == "1.50");
  CHECK(text_of("true") == "true");
  CHECK(text_of("\"a\nb\"") == "a\nb");
  CHECK(text_of("null") == std::nullopt);
}

TEST_CASE("json_reader: escapes", "[wire]") {
  CHECK(text_of(R"("\u0041\n\t\r\b\f\/\\\"")") == "A\n\t\r\b\f/\\\"");
  CHECK(text_of(R"("\ud83d\ude00")") == "😀");
  CHECK(text_of(R"("\ud83dx")") == "\xEF\xBF\xBDx");
  CHECK(text_of(R"("\ude00\ud83d")") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(text_of(R"("\ud83d\u0041")") == "\xEF\xBF\xBD" "A");
  CHECK(text_of(R"("a\u0000b")") == "ab");
  for (const char* bad : {R"("\u12")", R"("\uzzzz")", R"("\x41")", R"("\)", R"("\u123)", R"("\u+123")", R"("\u-123")"})
    CHECK(text_of(bad) == std::nullopt);
}

TEST_CASE("json_reader: texts come out as valid UTF-8 without NUL", "[wire]") {
  CHECK(text_of(std::string_view{"\"a\0b\"", 5}) == "ab");
  CHECK(text_of("\"\xC3\x28\"") == "\xEF\xBF\xBD(");
  CHECK(text_of("\"\xED\xA0\x80\"").value_or("").find('\xED') == std::string::npos);
  CHECK(text_of("\"中文\"") == "中文");
}

TEST_CASE("json_reader: integers", "[wire]") {
  auto integer_of = [](std::string_view document) {
    json_reader in{document};
    return in.integer();
  };
  CHECK(integer_of("200") == 200);
  CHECK(integer_of("\"200\"") == 200);
  CHECK(integer_of("200.0") == 200);
  CHECK(integer_of("2e2") == 200);
  CHECK(integer_of("-7") == -7);
  CHECK(integer_of("9223372036854775807") == INT64_MAX);
  for (const char* bad : {"1.5", "\"\"", "\"x\"", "true", "null", "{}", "[1]", "9223372036854775808", "1e400", "NaN", "Infinity",
                          "0x10", "1 2e", "- 1"})
    CHECK_FALSE((integer_of(bad).has_value() && std::string_view{bad} != "1 2e"));
  CHECK_FALSE(integer_of(std::string(100000, '9')).has_value());
}

TEST_CASE("json_reader: malformed documents are errors with a position", "[wire]") {
  for (const char* bad : {"",
                          "{",
                          "[",
                          "{]",
                          "[}",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\":1 \"b\":2}",
                          "[1 2]",
                          "{\"a\":1}}",
                          "[1]x",
                          "\"x",
                          "{,}",
                          "[,]",
                          "{\"a\":1,,\"b\":2}",
                          "{:1}",
                          "{\"a\"::1}",
                          "<html>&nbsp;</html>",
                          "{\"a\":[1,{\"b\":2]}}",
                          "{{}:1}"}) {
    CAPTURE(bad);
    json_reader in{bad};
    in.raw();
    CHECK_FALSE(in.finish());
    CHECK(in.error().find(" at byte ") != std::string::npos);
  }
}

TEST_CASE("json_reader: nesting is bounded at any depth", "[wire]") {
  for (std::size_t depth : {60u, 1000u, 1000000u}) {
    CHECK(reads(std::string(depth, '[') + std::string(depth, ']')) == (depth < 64));
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i)
      objects += "{\"a\":";
    CHECK_FALSE(reads(objects));
  }
}

TEST_CASE("json_reader: no byte string makes it hang or read out of bounds", "[wire]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  const std::string alphabet = "{}[]:,\"'\\u0049ntrue \n\xEF\xBB\xBF\xC3";
  for (int i = 0; i < 20000; ++i) {
    std::string bytes;
    for (auto n = random() % 24; n > 0; --n)
      bytes += random() % 20 == 0 ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
    json_reader in{bytes};
    in.object([&](std::string_view) { (void)in.text(); });
    in.array([&] { (void)in.integer(); });
    CHECK((in.finish() || !in.error().empty()));
  }
}
