#include "protocol/wire/xxl/admin_codec.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/text/text.hpp"
#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/json/json_reader.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr unsigned http_ok = 200;

void append_result(json_object& item, std::string_view code_name, std::string_view message_name, const core::run_report& report) {
  item.number(code_name, report.code);
  if (report.message)
    item.text(message_name, *report.message);
}

void append_report(std::string& out, const core::run_report& report, admin_family family) {
  json_object item{out};
  item.number("logId", core::number(report.run));
  item.number(family == admin_family::array ? "logDateTim" : "logDateTime", core::to_ms(report.log_time));
  append_result(item, "handleCode", "handleMsg", report);
  if (family == admin_family::app_named)
    return;
  std::string result;
  {
    json_object object{result};
    append_result(object, "code", "msg", report);
  }
  item.raw("executeResult", result);
}

/// Content of the body; without values when it cannot be read.
struct reply_body {
  std::optional<std::int64_t> code;
  std::string message;
};

std::optional<reply_body> read_reply(std::string_view body) {
  reply_body out;
  json_reader in{body};
  if (in.peek() != json_kind::object)
    return std::nullopt;
  in.object([&](std::string_view name) {
    if (name == "code")
      out.code = in.integer();
    else if (name == "msg")
      out.message = in.text().value_or(std::string{});
  });
  return in.finish() ? std::optional{std::move(out)} : std::nullopt;
}

std::int32_t code_of(const reply_body& body) noexcept {
  using limits = std::numeric_limits<std::int32_t>;
  const auto code = body.code.value_or(0);
  return code >= limits::min() && code <= limits::max() ? static_cast<std::int32_t>(code) : 0;
}

std::string unreadable_text(std::string_view body) {
  return core::is_blank(body) ? "The admin's reply is empty." : "The admin's reply cannot be read: " + excerpt_of(body);
}

} // namespace

std::string encode_registry(std::string_view app_name, std::string_view address) {
  std::string out;
  out.reserve(app_name.size() + address.size() + 72);
  {
    json_object object{out};
    object.text("registryGroup", "EXECUTOR");
    object.text("registryKey", app_name);
    object.text("registryValue", address);
  }
  return out;
}

std::string encode_reports(std::span<const core::run_report> reports, admin_family family) {
  const auto list = json_array(
      reports, [family](std::string& out, const core::run_report& report) { append_report(out, report, family); });
  return family == admin_family::array ? list : "{\"callbackList\":" + list + "}";
}

admin_reply parse_admin_reply(unsigned status, std::string_view body) {
  admin_reply reply;
  auto read = read_reply(body);
  if (read) {
    reply.code = code_of(*read);
    reply.message = std::move(read->message);
    reply.message.resize(core::cut_utf16(reply.message, core::message_units_max).size());
  }
  if (status != http_ok) {
    reply.code = reply.code == 0 || reply.code == 200 ? 500 : reply.code;
    reply.message = "HTTP status " + std::to_string(status) + (reply.message.empty() ? "" : ": " + reply.message);
  } else if (!read) {
    reply.message = unreadable_text(body);
  } else if (reply.code == 0 && reply.message.empty()) {
    reply.message = "The admin's reply carries no code.";
  }
  reply.wants_app_name = !reply.accepted() && reply.message.find(reply_text::app_name_mark) != std::string::npos;
  return reply;
}

std::string printed(const admin_reply& reply) {
  return "ReturnT [code=" + std::to_string(reply.code) + ", msg=" + (reply.message.empty() ? "null" : reply.message)
         + ", content=null]";
}

} // namespace ringmaster::protocol::wire
