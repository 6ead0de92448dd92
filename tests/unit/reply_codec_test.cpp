#include "protocol/wire/reply_codec.hpp"

#include <nlohmann/json.hpp>

#include "protocol/wire/texts.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::protocol::wire;

TEST_CASE("reply_codec: one shape for every family", "[wire]") {
  CHECK(encode_reply(200) == plain_success);
  CHECK(encode_reply(500, reply_text::token_wrong) ==
        R"({"code":500,"msg":"The access token is wrong.","content":null,"data":null})");
  CHECK(encode_reply(200, std::nullopt, "17") == R"({"code":200,"msg":null,"content":"17","data":"17"})");
}

TEST_CASE("reply_codec: a text from outside stays inside its string", "[wire]") {
  const auto read = nlohmann::json::parse(encode_reply(500, mapping_not_found("a\"},{\xFF\n")));
  CHECK(read.size() == 4);
  CHECK(read["code"] == 500);
}

TEST_CASE("texts: what clients match, to the letter", "[wire]") {
  CHECK(mapping_not_found("nothing") == "invalid request, uri-mapping(nothing) not found.");
  CHECK(reply_text::method_not_supported == "invalid request, HttpMethod not support.");
  CHECK(executor_text::discard_later == "block strategy effect\xEF\xBC\x9A" "Discard Later");
}

TEST_CASE("texts: keys and rows are in the same order", "[wire]") {
  // One from each part of the table: a row that slipped shows in all that follow.
  CHECK(text(text_key::address_empty, language::zh_cn) == "调度失败：执行器地址为空");
  CHECK(text(text_key::address_empty, language::zh_tc) == "調度失敗：執行器地址為空");
  CHECK(text(text_key::address_empty, language::en) == "Trigger Fail：registry address is empty");
  CHECK(text(text_key::idle_check, language::en) == "Idle check");
  CHECK(text(text_key::kind_misfire, language::en) == "Misfire compensation trigger");
  CHECK(text(text_key::route_sharding_broadcast, language::en) == "Sharding Broadcast");
  CHECK(text(text_key::block_cover_early, language::en) == "Cover Early");
  CHECK(text(text_key::misfire_fire_once_now, language::en) == "Fire once now");
  CHECK(text(text_key::schedule_type_no_start, language::en) == "The current schedule type disables startup");
  CHECK(text(text_key::group_last, language::en) == "Refuses to delete, the system retains at least one executor");
  CHECK(text(text_key::child_forbidden, language::en) == "Permission limit");
  CHECK(text(text_key::operate_fail, language::en) == "operate fail");
  for (int key = 0; key <= static_cast<int>(text_key::operate_fail); ++key)
    for (auto in : {language::zh_cn, language::zh_tc, language::en})
      CHECK_FALSE(text(static_cast<text_key>(key), in).empty());
}

TEST_CASE("texts: names of languages", "[wire]") {
  CHECK(find_language("zh_CN") == language::zh_cn);
  CHECK(find_language("zh_TC") == language::zh_tc);
  CHECK(find_language("en") == language::en);
  CHECK_FALSE(find_language("fr").has_value());
}
