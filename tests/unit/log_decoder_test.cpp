// The incremental reader of answers to `/log`, compared with the one that reads whole answers.

#include "protocol/wire/executor/log_decoder.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "protocol/wire/json/json_text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::string_literals;
using protocol::wire::log_chunk;
using protocol::wire::log_decoder;

namespace {

struct decoded {
  core::result<log_chunk> answer;
  std::string text;
};

/// Decodes `body` in pieces of the sizes that `next_size` returns.
template <class NextSize>
decoded decode(std::string_view body, NextSize next_size, unsigned status = 200, std::int32_t asked = 1) {
  log_decoder decoder{asked};
  std::string text;
  while (!body.empty()) {
    const auto piece = body.substr(0, std::max<std::size_t>(next_size(), 1));
    const auto before = text.size();
    decoder.feed(piece, text);
    CHECK(text.size() - before <= 3 * (piece.size() + 300));
    body.remove_prefix(piece.size());
  }
  return {decoder.finish(status), text};
}

/// Checks that a decoding has the result of `parse_log_reply`.
void check_same(const decoded& got, std::string_view body, unsigned status = 200, std::int32_t asked = 1) {
  const auto wanted = protocol::wire::parse_log_reply(status, body, asked);
  REQUIRE(got.answer.has_value() == wanted.has_value());
  if (!wanted)
    return;
  CHECK(got.text == wanted->content);
  CHECK(got.answer->from_line == wanted->from_line);
  CHECK(got.answer->to_line == wanted->to_line);
  CHECK(got.answer->end == wanted->end);
  CHECK(got.answer->size == wanted->size);
  CHECK(got.answer->content.empty());
}

/// Decodes at every split into two pieces, and byte by byte.
void check_all_splits(std::string_view body, unsigned status = 200, std::int32_t asked = 1) {
  CAPTURE(body);
  for (std::size_t at = 0; at <= body.size(); ++at) {
    bool first = true;
    check_same(decode(body, [&] { return std::exchange(first, false) ? at : body.size(); }, status, asked), body, status, asked);
  }
  check_same(decode(body, [] { return std::size_t{1}; }, status, asked), body, status, asked);
}

const std::vector<std::string> answers{
  R"({"code":200,"msg":null,"content":{"fromLineNum":1,"toLineNum":2,"logContent":"one\ntwo\n","isEnd":false}})",
  R"({"code":200,"msg":"Success","data":{"logContent":"one\r\ntwo\r\n","isEnd":true,"toLineNum":2,"fromLineNum":1},"ok":true})",
  "\xEF\xBB\xBF {'code':200,content:{logContent:'it\\'s',toLineNum:'1',end:'true',},}  \n",
  R"({"code":200,"content":{"logContent":"\u00e9\u20ac\ud83d\ude00\u0000\"\\\/\b\f\t","toLineNum":1}})",
  R"({"code":200,"content":{"logContent":"\ud83d","toLineNum":1}})",
  R"({"code":200,"content":{"logContent":"\ud83dx\ude00\ud83d\ud83d\ude00","toLineNum":1}})",
  R"({"code":200,"content":{"logContent":"\ud83d\n","toLineNum":1}})",
  "{\"code\":200,\"content\":{\"logContent\":\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\",\"toLineNum\":1}}",
  "{\"code\":200,\"content\":{\"logContent\":\"\xc3 \xe2\x82 \xf0\x9f\x98 \x80\xff\xc0\xaf\xed\xa0\x80\xe2\x82\","
  "\"toLineNum\":1}}",
  "{\"code\":200,\"content\":{\"logContent\":\"raw\nline\x01\",\"toLineNum\":2}}",
  R"({"code":200,"content":{"logContent":null,"toLineNum":4,"isEnd":false}})",
  R"({"code":200,"content":{"logContent":12,"toLineNum":1}})",
  R"({"code":200,"content":{"logContent":{"a":["x"]},"toLineNum":1}})",
  R"({"code":200,"content":{"toLineNum":99999999999999999999,"fromLineNum":-5,"logContent":"x"}})",
  R"({"code":200,"content":{"toLineNum":2.0,"logContent":"x","fromLineNum":"1e1"}})",
  R"({"code":200,"content":{"toLineNum":[1],"isEnd":{"true":true},"logContent":"x"}})",
  R"({"code":200,"content":{"toLineNum":3,"logContent":"a\nb\n"}})",
  R"({"code":200,"content":{"toLineNum":7,"logContent":"No such logid logs.\n","isEnd":true}})",
  R"({"code":500,"msg":"readLog fail","content":{"toLineNum":0,"logContent":"readLog fail, logFile not exists","isEnd":true}})",
  R"({"code":200,"data":null,"content":null,"msg":"Success"})",
  R"({"code":200})",
  R"({"msg":"why"})",
  R"({"content":{"toLineNum":1,"logContent":"neither a code nor a message"}})",
  R"({"code":500,"msg":"The access token is wrong."})",
  R"({"code":200,"content":[{"logContent":"x"}],"data":{"toLineNum":1,"logContent":"y"}})",
  R"({"code":200,"content":{"a":{"logContent":"no"},"logContent":"yes","toLineNum":1}})",
  R"({"log\u0043ontent":"no","code":200,"content":{"log\u0043ontent":"yes","toLineNum":1}})",
  R"([{"handleCode":500,"handleMsg":"failed"}])",
  "", "  ", "null", "<html>502</html>", "{", R"({"code":200,"content":{"logContent":"unterminated)",
  R"({"code":200,"content":{"logContent":"x","toLineNum":1})", R"({"code":200,"content":{"logContent":"\x","toLineNum":1}})",
  R"({"code":200,"content":{"logContent":"\u12","toLineNum":1}})", R"({"code":200,"content":{"logContent":"x" "toLineNum":1}})",
  R"({"code":200,"content":{"logContent":"x","toLineNum":1}} and more)", R"({"code":200,,"content":{}})", R"({"code" 200})",
  R"({null:1,"code":200})", R"({"code":200,"content":{"logContent":"x"],"toLineNum":1}})",
};

} // namespace

TEST_CASE("log decoder: every split of an answer has the result of the whole answer", "[wire][log]") {
  for (const auto& body : answers)
    check_all_splits(body);
  check_all_splits(answers.front(), 200, 7);
  check_all_splits(answers.front(), 500);
  for (const unsigned status : {408U, 502U, 504U})
    check_all_splits(answers.front(), status);
}

TEST_CASE("log decoder: random texts and pieces have the result of the whole answer", "[wire][log]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>{0, most}(random); };
  const std::vector<std::string> bits{"a",    "\n",   "\"",   "\\",   "\xc3\xa9", "\xf0\x9f\x98\x80",
                                      "\xe2", "\x80", "\xff", "\0"s, "<b>",      "\t"};
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int left = up_to(60); left > 0; --left)
      text += bits[static_cast<std::size_t>(up_to(static_cast<int>(bits.size()) - 1))];
    std::string quoted;
    protocol::wire::append_json(quoted, text);
    std::vector<std::string> members{"\"toLineNum\":" + std::to_string(up_to(20)), "\"fromLineNum\":1",
                                     "\"logContent\":" + quoted,
                                     "\"isEnd\":" + std::string{up_to(1) ? "true" : "false"}, "\"more\":{\"x\":[1,{}]}"};
    std::shuffle(members.begin(), members.end(), random);
    std::string body = R"({"code":200,"content":{)";
    for (const auto& member : members)
      body += member + (member == members.back() ? "}}" : ",");
    CAPTURE(body);
    check_same(decode(body, [&] { return static_cast<std::size_t>(up_to(30)); }), body);
    // A damaged answer: nothing is said about it but that it ends, and that its text is valid.
    body[static_cast<std::size_t>(up_to(static_cast<int>(body.size()) - 1))] = static_cast<char>(up_to(255));
    const auto damaged = decode(body, [&] { return static_cast<std::size_t>(up_to(30)); });
    std::string again;
    protocol::wire::append_json(again, damaged.text);
    std::string plain;
    CHECK(protocol::wire::unescape_json(plain, std::string_view{again}.substr(1, again.size() - 2)));
    CHECK(plain == damaged.text);
  }
}

TEST_CASE("log decoder: of two texts the first one counts, wherever it is", "[wire][log]") {
  const auto text_of = [](const std::string& body) {
    const auto got = decode(body, [] { return std::size_t{5}; });
    REQUIRE(got.answer);
    return got.text + '|' + std::to_string(got.answer->to_line);
  };
  // Our own executors answer the same object under both names.
  CHECK(text_of(R"({"code":200,"content":{"logContent":"a\n","toLineNum":1},"data":{"logContent":"a\n","toLineNum":1}})") ==
        "a\n|1");
  CHECK(text_of(R"({"code":200,"data":{"logContent":"d","toLineNum":1},"content":{"logContent":"c","toLineNum":5}})") == "d|1");
  CHECK(text_of(R"({"code":200,"data":{"logContent":"","toLineNum":1},"content":{"logContent":"c","toLineNum":1}})") == "c|1");
  CHECK(text_of(R"({"code":200,"content":{"logContent":"a","logContent":"b","toLineNum":1}})") == "a|1");
  // The size of a log needs both numbers.
  const auto size_of = [](const std::string& members) {
    const auto got = decode(R"({"code":200,"content":{"logContent":"a\n","toLineNum":9)" + members + "}}",
                            [] { return std::size_t{5}; });
    REQUIRE(got.answer);
    return got.answer->size;
  };
  CHECK(size_of(R"(,"totalLines":9,"fileSize":5000000000)") == core::log_size{9, 5'000'000'000});
  CHECK_FALSE(size_of(R"(,"totalLines":9)"));
  CHECK_FALSE(size_of(R"(,"totalLines":9,"fileSize":-1)"));
  CHECK_FALSE(size_of(R"(,"totalLines":"x","fileSize":1)"));
  // Without a text the object under `content` counts.
  CHECK(text_of(R"({"code":200,"data":{"toLineNum":-2},"content":{"toLineNum":-3}})") == "|-3");
}

TEST_CASE("log decoder: nesting and length without end are bounded", "[wire][log]") {
  const auto nested = R"({"code":200,"x":)" + std::string(100'000, '[');
  const auto deep = decode(nested, [] { return std::size_t{1000}; });
  REQUIRE_FALSE(deep.answer);
  CHECK(deep.answer.error().context.find("nested too deeply") != std::string::npos);
  const auto name = R"({")" + std::string(100'000, 'n') + R"(":1,"code":)" + std::string(100'000, '1') +
                    R"(,"msg":"ok","content":{"logContent":"x","toLineNum":)" + std::string(100'000, '9') + "}}";
  const auto long_name = decode(name, [] { return std::size_t{1000}; });
  REQUIRE(long_name.answer);
  CHECK(long_name.text == "x");
  CHECK(long_name.answer->to_line == 0);
}

TEST_CASE("log decoder: the text of an answer that breaks off is passed on", "[wire][log]") {
  const auto got = decode(R"({"code":200,"content":{"logContent":"one\ntw)", [] { return std::size_t{3}; });
  REQUIRE_FALSE(got.answer);
  CHECK(got.answer.error().code == core::errc::unavailable);
  CHECK(got.text == "one\ntw");
}
