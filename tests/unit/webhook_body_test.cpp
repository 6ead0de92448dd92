#include "protocol/wire/webhook_body.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::protocol::wire;

namespace {

core::alarm_message message() {
  return {"title",
          "<at user_id=\"all\"> & <!channel>\n\"quoted\" 任务",
          "<p>",
          {{"title", "a\"b\n"}, {"job_id", "7"}, {"log_id", ""}, {"job", "12"}, {"trigger_code", "-1"}}};
}

nlohmann::json body(webhook_preset preset, const std::optional<webhook_signature>& signature = std::nullopt) {
  return nlohmann::json::parse(webhook_body(preset, message(), signature));
}

} // namespace

TEST_CASE("webhook bodies: each service gets its own form", "[wire]") {
  const auto generic = body(webhook_preset::generic);
  CHECK(generic["job_id"] == 7);
  CHECK(generic["log_id"].is_null());
  CHECK(generic["job"] == "12");
  CHECK(generic["trigger_code"] == -1);
  for (const auto preset : {webhook_preset::dingtalk, webhook_preset::wecom}) {
    const auto sent = body(preset);
    CHECK(sent["msgtype"] == "text");
    CHECK(sent["text"]["content"] == "title\n" + message().text);
  }
  const auto feishu = body(webhook_preset::feishu, webhook_signature{"1", "s"});
  CHECK(feishu["msg_type"] == "text");
  CHECK(feishu["timestamp"] == "1");
  CHECK(feishu["sign"] == "s");
  CHECK(feishu["content"]["text"].get<std::string>().find("<at") == std::string::npos);
  CHECK_FALSE(body(webhook_preset::feishu).contains("sign"));
  CHECK(body(webhook_preset::slack)["text"].get<std::string>().find("&lt;!channel&gt;") != std::string::npos);
}

TEST_CASE("webhook bodies: long texts are cut and invalid ones repaired", "[wire]") {
  auto long_one = message();
  long_one.text = std::string(100'000, 'x') + "\xff";
  const auto cut = nlohmann::json::parse(webhook_body(webhook_preset::wecom, long_one, {}));
  CHECK(cut["text"]["content"].get<std::string>().size() <= 2048);
  long_one.text = "\xff\xfe";
  CHECK(nlohmann::json::parse(webhook_body(webhook_preset::slack, long_one, {}), nullptr, false).is_object());
}

TEST_CASE("webhook templates: values are escaped for JSON strings", "[wire]") {
  const auto filled = webhook_body(R"({"t":"{title}","at":"{timestamp}","sign":"{sign}","n":{job_id}})", message(),
                                   webhook_signature{"17", "c2ln"});
  const auto sent = nlohmann::json::parse(filled);
  CHECK(sent["t"] == "a\"b\n");
  CHECK(sent["at"] == "17");
  CHECK(sent["sign"] == "c2ln");
  CHECK(sent["n"] == 7);
}

TEST_CASE("webhook answers: accepted, retry, refused", "[wire]") {
  using enum webhook_preset;
  const auto code = [](webhook_preset preset, long status, std::string_view answer) {
    auto verdict = webhook_verdict(preset, status, answer);
    return verdict ? core::errc{} : verdict.error().code;
  };
  CHECK(code(generic, 204, "") == core::errc{});
  CHECK(code(slack, 200, "ok") == core::errc{});
  CHECK(code(generic, 500, "") == core::errc::unavailable);
  CHECK(code(generic, 429, "") == core::errc::unavailable);
  CHECK(code(generic, 403, "") == core::errc::invalid_argument);
  CHECK(code(generic, 302, "") == core::errc::invalid_argument);
  CHECK(code(dingtalk, 200, R"({"errcode":0,"errmsg":"ok"})") == core::errc{});
  CHECK(code(dingtalk, 200, R"({"errcode":130101,"errmsg":"send too fast"})") == core::errc::unavailable);
  CHECK(code(dingtalk, 200, R"({"errcode":310000,"errmsg":"sign not match"})") == core::errc::invalid_argument);
  CHECK(code(wecom, 200, R"({"errcode":45009})") == core::errc::unavailable);
  CHECK(code(feishu, 200, R"({"code":19021,"msg":"sign match fail"})") == core::errc::invalid_argument);
  CHECK(code(feishu, 200, R"({"StatusCode":0})") == core::errc{});
  CHECK(code(wecom, 200, "<html>") == core::errc::unavailable);
  CHECK(webhook_verdict(generic, 400, std::string(5000, 'x') + "\n").error().context.size() < 300);
}
