#include "protocol/wire/xxl/reply_codec.hpp"

#include <nlohmann/json.hpp>

#include "protocol/wire/xxl/texts.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::protocol::wire;

TEST_CASE("reply_codec: one shape for every family", "[wire]") {
  CHECK(encode_reply(200) == plain_success);
  CHECK(encode_reply(500, reply_text::token_wrong) ==
        R"({"code":500,"msg":"The access token is wrong.","content":null,"data":null})");
  CHECK(encode_reply(200, std::nullopt, "17") == R"({"code":200,"msg":null,"content":"17","data":"17"})");
}

TEST_CASE("reply_codec: an external text stays inside its string", "[wire]") {
  const auto read = nlohmann::json::parse(encode_reply(500, mapping_not_found("a\"},{\xFF\n")));
  CHECK(read.size() == 4);
  CHECK(read["code"] == 500);
}

TEST_CASE("texts: exact texts that clients match", "[wire]") {
  CHECK(mapping_not_found("nothing") == "invalid request, uri-mapping(nothing) not found.");
  CHECK(reply_text::method_not_supported == "invalid request, HttpMethod not support.");
}
