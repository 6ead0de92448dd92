#include "protocol/wire/webhook_body.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/alarm/webhook_template.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/json/json_text.hpp"

namespace ringmaster::protocol::wire {

namespace {

using json = nlohmann::json;

/// WeCom refuses a text of more than 2048 bytes; the other services accept far more than anyone would read.
constexpr std::size_t wecom_bytes_max = 2048;
constexpr std::size_t text_bytes_max = 15'000;
constexpr std::size_t shown_answer_bytes = 200;

std::string dump(const json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string whole_text(const core::alarm_message& message, std::size_t bytes_max) {
  const auto text = core::valid_utf8(message.title + '\n' + message.text);
  return std::string{core::cut_bytes(text, bytes_max)};
}

/// Escapes the three characters that Slack requires: Slack reads `<!channel>` and `<@U…>`.
std::string slack_text(std::string_view text) {
  std::string out;
  for (const char c : text)
    c == '&' ? out.append("&amp;") : c == '<' ? out.append("&lt;") : c == '>' ? out.append("&gt;") : out.append(1, c);
  return out;
}

/// Replaces `<` by its wide form, which looks the same: Feishu reads `<at user_id=…>` and knows no escape.
std::string feishu_text(std::string_view text) {
  std::string out;
  for (const char c : text)
    c == '<' ? out.append("＜") : out.append(1, c);
  return out;
}

std::string generic_body(const core::alarm_message& message) {
  json document = json::object();
  for (const auto& [name, value] : message.fields) {
    const bool number = name == "count" || name == "job_id" || name == "log_id" || name.ends_with("_code") ||
                        name == "retry_left" || name == "item" || name == "item_run";
    if (value.empty())
      document[name] = nullptr;
    else if (number && value.find_first_not_of("-0123456789") == std::string::npos && value.size() < 19)
      document[name] = std::stoll(value);
    else
      document[name] = value;
  }
  return dump(document);
}

std::string feishu_body(const core::alarm_message& message, const std::optional<webhook_signature>& signature) {
  json document{{"msg_type", "text"}, {"content", {{"text", feishu_text(whole_text(message, text_bytes_max))}}}};
  if (signature) {
    document["timestamp"] = signature->timestamp;
    document["sign"] = signature->sign;
  }
  return dump(document);
}

std::string json_inside(std::string_view value) {
  std::string out;
  append_json(out, value);
  return out.substr(1, out.size() - 2);
}

tl::unexpected<core::error> refused(core::errc code, long status, std::string_view body) {
  auto shown = core::valid_utf8(body.substr(0, 4 * shown_answer_bytes));
  shown.resize(core::cut_bytes(shown, shown_answer_bytes).size());
  std::replace_if(shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return core::fail(code, "HTTP " + std::to_string(status) + (shown.empty() ? "" : ": " + shown));
}

/// Returns true for codes of services that mean "not now".
bool is_busy(std::int64_t code) noexcept {
  constexpr std::array<std::int64_t, 8> busy{-1, 130101, 410100, 45009, 45033, 9499, 11232, 11233};
  return std::find(busy.begin(), busy.end(), code) != busy.end();
}

/// Returns the service's own code; nothing when the answer is not from the service.
std::optional<std::int64_t> code_in(webhook_preset preset, std::string_view body) {
  const auto document = json::parse(body, nullptr, false);
  if (!document.is_object())
    return std::nullopt;
  const bool feishu = preset == webhook_preset::feishu;
  for (const char* name : {feishu ? "code" : "errcode", feishu ? "StatusCode" : "errcode"})
    if (const auto found = document.find(name); found != document.end() && found->is_number_integer())
      return found->get<std::int64_t>();
  return std::nullopt;
}

} // namespace

std::optional<webhook_preset> find_webhook_preset(std::string_view name) noexcept {
  using enum webhook_preset;
  constexpr std::array<std::pair<std::string_view, webhook_preset>, 5> names{
    {{"generic", generic}, {"dingtalk", dingtalk}, {"wecom", wecom}, {"feishu", feishu}, {"slack", slack}}};
  for (const auto& [each, preset] : names)
    if (each == name)
      return preset;
  return std::nullopt;
}

std::string webhook_body(webhook_preset preset, const core::alarm_message& message,
                         const std::optional<webhook_signature>& signature) {
  switch (preset) {
  case webhook_preset::dingtalk:
    return dump({{"msgtype", "text"}, {"text", {{"content", whole_text(message, text_bytes_max)}}}});
  case webhook_preset::wecom:
    return dump({{"msgtype", "text"}, {"text", {{"content", whole_text(message, wecom_bytes_max)}}}});
  case webhook_preset::feishu: return feishu_body(message, signature);
  case webhook_preset::slack: return dump({{"text", slack_text(whole_text(message, text_bytes_max))}});
  case webhook_preset::generic: break;
  }
  return generic_body(message);
}

std::string webhook_body(std::string_view body_template, const core::alarm_message& message,
                         const std::optional<webhook_signature>& signature) {
  auto fields = message.fields;
  fields["timestamp"] = signature ? signature->timestamp : std::string{};
  fields["sign"] = signature ? signature->sign : std::string{};
  return core::fill_template(body_template, fields, &json_inside);
}

core::result<void> webhook_verdict(webhook_preset preset, long status, std::string_view body) {
  if (status == 408 || status == 425 || status == 429 || status >= 500)
    return refused(core::errc::unavailable, status, body);
  if (status >= 300 && status < 400)
    return core::fail(core::errc::invalid_argument, "HTTP " + std::to_string(status) + ": redirects are not followed");
  if (status < 200 || status >= 400)
    return refused(core::errc::invalid_argument, status, body);
  if (preset == webhook_preset::generic || preset == webhook_preset::slack)
    return {};
  const auto code = code_in(preset, body);
  if (!code)
    return refused(core::errc::unavailable, status, body);
  if (*code == 0)
    return {};
  return refused(is_busy(*code) ? core::errc::unavailable : core::errc::invalid_argument, status, body);
}

} // namespace ringmaster::protocol::wire
