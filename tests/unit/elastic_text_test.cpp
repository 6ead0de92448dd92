// Texts of elastic jobs: Java's hash, item parameters, the context as JSON. Vectors: EJ §22.1, §22.2, §22.6.

#include <limits>
#include <random>

#include "core/elastic/context_json.hpp"
#include "core/elastic/item_params.hpp"
#include "core/elastic/java_hash.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using core::elastic::java_hash;
using core::elastic::parse_item_params;

TEST_CASE("Java's hash of texts", "[elastic]") {
  struct hash_row {
    const char* name;
    std::string text;
    std::int32_t hash;
  };
  const std::vector<hash_row> rows{
      {"HA-1", "", 0},
      {"HA-2", "a", 97},
      {"HA-3", "Aa", 2112},
      {"HA-4", "BB", 2112},
      {"HA-5", "TestJob1", -1082433562},
      {"HA-6", "MySimpleJob", 944937023},
      {"HA-7", "MyDataFlowJob", 1037748025},
      {"HA-8", "polygenelubricants", std::numeric_limits<std::int32_t>::min()},
      {"HA-9", "测试任务", 868571248},
      {"HA-10", "\xF0\x9F\x98\x80job", 1276931962},
      {"HA-11", "job-0001", -1663311855},
      {"HA-12", "order.settle", 490077163},
      {"HA-13", std::string(100'000, 'a'), -72521216},
      {"OD-2", "TestJob2", -1082433561},
      {"OD-4", "jobA", 3267620},
      {"OD-9", "report", -934521548},
      {"OD-10", "settle-daily", 396271383},
      {"OD-11", "j1", 3335},
      {"RR-12", "clean_tmp", -1274258911},
      {"RR-13", "syncUser", 1816769798},
  };
  for (const auto& row : rows) {
    INFO(row.name);
    CHECK(java_hash(row.text) == row.hash);
  }
}

TEST_CASE("Java's hash of a text that is not valid UTF-8 counts U+FFFD", "[elastic]") {
  CHECK(java_hash("\xFF") == 0xFFFD);
  CHECK(java_hash("\xF0\x9F\x98") == java_hash("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"));
  CHECK(java_hash("\xED\xA0\x80") == java_hash("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")); // a surrogate
  CHECK(java_hash(std::string_view{"\0a", 2}) == 97);
}

TEST_CASE("offsets and parity of hashes", "[elastic]") {
  using namespace core::elastic;
  constexpr auto lowest = std::numeric_limits<std::int32_t>::min();
  CHECK(hash_offset(lowest, 3) == 2);
  CHECK(hash_offset(lowest, 4) == 0);
  CHECK(hash_offset(-1082433562, 3) == 1);
  CHECK(hash_offset(7, 0) == 0);
  CHECK(is_even_hash(lowest));
  CHECK_FALSE(is_even_hash(-1082433561));
  CHECK(add_hashes(std::numeric_limits<std::int32_t>::max(), 1) == lowest);
  CHECK(add_hashes(944937023, -807049216) == 137887807);
}

TEST_CASE("item parameters in ElasticJob's form", "[elastic]") {
  using params = core::elastic::item_params;
  const std::vector<std::tuple<const char*, const char*, params>> rows{
      {"PA-1", "0=a,1=b", {{0, "a"}, {1, "b"}}},
      {"PA-2", " 0 = a , 1=b ", {{0, "a"}, {1, "b"}}},
      {"PA-3", "", {}},
      {"PA-4", "0=a,1=b,2=c,3=d", {{0, "a"}, {1, "b"}, {2, "c"}, {3, "d"}}},
      {"PA-11", "0=a,1=b,", {{0, "a"}, {1, "b"}}},
      {"PA-12", "1=b,0=a,1=c", {{0, "a"}, {1, "c"}}},
      {"PA-13", "-1=z,0=a", {{-1, "z"}, {0, "a"}}},
      {"only commas", ",,", {}},
      {"blanks inside a value", "0=a b\t,+1=\x01" "c", {{0, "a b"}, {1, "c"}}},
      {"equals signs at the end", "0=a==", {{0, "a"}}},
  };
  for (const auto& [name, text, expected] : rows) {
    INFO(name);
    const auto parsed = parse_item_params(text);
    REQUIRE(parsed);
    CHECK(*parsed == expected);
  }
  // PA-14
  const auto parsed = parse_item_params("0=a").value();
  CHECK(core::elastic::param_of(parsed, 0) == "a");
  CHECK(core::elastic::param_of(parsed, 1) == std::nullopt);
}

TEST_CASE("wrong item parameters are refused with the part", "[elastic]") {
  const std::string form = "must have the form item=text", key = "has a key that is not an integer";
  const std::vector<std::tuple<const char*, const char*, std::string>> rows{
      {"PA-5", "0=", "part 1 \"0=\" " + form},
      {"PA-6", "0", "part 1 \"0\" " + form},
      {"PA-7", "=a", "part 1 \"=a\" " + key},
      {"PA-8", "x=a", "part 1 \"x=a\" " + key},
      {"PA-9", "0=a=b", "part 1 \"0=a=b\" has a text with an equals sign, which only the form {\"0\":\"a=b\"} can hold"},
      {"PA-9, key", "x=a=b", "part 1 \"x=a=b\" " + key},
      {"PA-10", "0=a,,1=b", "part 2 \"\" " + form},
      {"first part is empty", ",0=a", "part 1 \"\" " + form},
      {"blank", " ", "part 1 \" \" " + form},
      {"out of range", "2147483648=a", "part 1 \"2147483648=a\" " + key},
      {"two signs", "+-1=a", "part 1 \"+-1=a\" " + key},
  };
  for (const auto& [name, text, expected] : rows) {
    INFO(name);
    const auto parsed = parse_item_params(text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == core::errc::invalid_argument);
    CHECK(parsed.error().context == "invalid item parameters: " + expected);
  }
  CHECK(parse_item_params(std::string(core::elastic::item_params_bytes_max + 1, ',')).error().code == core::errc::too_large);
  for (const std::string_view text : {std::string_view{"0=\xFF"}, std::string_view{"0=a\0b", 5}, std::string_view{"\0", 1}})
    CHECK(parse_item_params(text).error().context == "invalid item parameters: not valid UTF-8, or with a NUL character");
}

TEST_CASE("item parameters as an object", "[elastic]") {
  const auto parsed = parse_item_params(R"( {"0" : "a,b=c", "-1":"\u00e9\ud83d\ude00\n\"\\\/", "2":""} )");
  REQUIRE(parsed);
  CHECK(*parsed == core::elastic::item_params{{-1, "é\xF0\x9F\x98\x80\n\"\\/"}, {0, "a,b=c"}, {2, ""}});
  CHECK(parse_item_params("{}")->empty());
  CHECK(parse_item_params(R"({"1":"a","1":"b"})")->at(1) == "b");

  for (const std::string text :
       {"{", "{\"0\"}", "{\"0\":1}", "{\"0\":\"a\"", "{\"0\":\"a\",}", "{\"x\":\"a\"}", "{\"0\":\"a\"}x", "{\"0\":\"a",
        "{0:\"a\"}",
        "{\"0\":\"\\", "{\"0\":\"\\u12\"}", "{\"0\":\"\\ud800\"}", "{\"0\":\"\\udc00\"}", "{\"0\":\"\\ud800\\u0041\"}",
        "{\"0\":\"\\u0000\"}", "{\"0\":\"\\x\"}", "{\"0\":\"\n\"}", "{\"0\":{}}", "{\"0 \":\"a\"}"}) {
    INFO(text);
    const auto refused = parse_item_params(text);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().context.starts_with("invalid item parameters: byte "));
  }
}

TEST_CASE("entered item parameters name each item of the job at most once", "[elastic]") {
  using core::elastic::check_item_params;
  for (const auto* text : {"", "0=a", "2=c,0=a", R"({"0":"a","2":"c"})"})
    CHECK(check_item_params(text, 3));
  const std::vector<std::pair<const char*, std::string>> rows{
      {"0=a,3=d", "the job has no item 3, only items 0 to 2"},
      {"0=a,-1=d", "the job has no item -1, only items 0 to 2"},
      {R"({"7":"d","9":"e"})", "the job has no item 7, only items 0 to 2"},
      {"0=a,00=b", "part 2 \"00=b\" gives an item for the second time"},
      {"0=a,1=b,+1=c", "part 3 \"+1=c\" gives an item for the second time"},
      {R"({"0":"a", "00":"b"})", "byte 11 of the object: gives an item for the second time"},
      {"0=ms=100", "part 1 \"0=ms=100\" has a text with an equals sign, which only the form {\"0\":\"ms=100\"} can hold"},
  };
  for (const auto& [text, expected] : rows) {
    INFO(text);
    const auto refused = check_item_params(text, 3);
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == core::error{core::errc::invalid_argument, "invalid item parameters: " + expected});
  }
  CHECK(check_item_params("1=a", 1).error().context == "invalid item parameters: the job has no item 1, only item 0");
}

TEST_CASE("item parameters survive writing and reading", "[elastic]") {
  using core::elastic::item_params_text;
  CHECK(item_params_text({}).empty());
  CHECK(item_params_text({{1, "b"}, {-1, "z"}}) == "-1=z,1=b");
  CHECK(item_params_text({{0, "a,b"}}) == R"({"0":"a,b"})");
  CHECK(item_params_text({{0, "ms=100"}, {1, "<'&"}}) == R"({"0":"ms=100","1":"<'&"})");
  CHECK(item_params_text({{0, ""}, {1, " x"}}) == R"({"0":"","1":" x"})");
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const std::vector<std::string> pieces{"a", ",", "=", " ", "\"", "\\", "\t", "测", "\xF0\x9F\x98\x80", "\xE2\x80\xA8", "<", "'"};
  for (int round = 0; round < 500; ++round) {
    core::elastic::item_params params;
    for (auto count = random() % 5; count > 0; --count) {
      auto& value = params[static_cast<std::int32_t>(random())];
      for (auto length = random() % 4; length > 0; --length)
        value += pieces[random() % pieces.size()];
    }
    const auto text = item_params_text(params);
    CAPTURE(text);
    const auto parsed = parse_item_params(text);
    REQUIRE(parsed);
    CHECK(*parsed == params);
  }
}

TEST_CASE("the context of an item as JSON", "[elastic]") {
  using core::elastic::context_json;
  // VJ-1, VJ-2
  CHECK(context_json({"J", "J@-@0@-@READY@-@10.0.0.1@-@7", 2, "p=1&q='<x>'", 0, "Beijing"}) ==
        R"({"jobName":"J","taskId":"J@-@0@-@READY@-@10.0.0.1@-@7","shardingTotalCount":2,)"
        R"("jobParameter":"p\u003d1\u0026q\u003d\u0027\u003cx\u003e\u0027","shardingItem":0,"shardingParameter":"Beijing"})");
  CHECK(context_json({"作业", "t", 2, "", 1, std::nullopt}) ==
        R"({"jobName":"作业","taskId":"t","shardingTotalCount":2,"jobParameter":"","shardingItem":1})");
  const std::string_view control{"\"\\\b\f\n\r\t\x01\0\x7F/", 11};
  CHECK(context_json({control, "\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA\xE2\x80", 1, "", 0, ""}) ==
        "{\"jobName\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u0000\x7F/\",\"taskId\":\"\\u2028\\u2029\xE2\x80\xAA\xE2\x80\","
        "\"shardingTotalCount\":1,\"jobParameter\":\"\",\"shardingItem\":0,\"shardingParameter\":\"\"}");
}
