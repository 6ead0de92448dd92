#include "protocol/wire/xxl/dialect.hpp"

#include "protocol/wire/json/json_text.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr core::localized went_wrong_here{"系统异常，请查看服务端日志", "系統異常，請查看伺服端日誌",
                                          "Internal error; see the server's log"};

std::string quoted(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_json(out, text);
  return out;
}

/// `msg` and `payload` are JSON values.
std::string reply(bool is_success, std::string_view msg, std::string_view payload, reply_style style) {
  std::string out;
  out.reserve(64 + msg.size() + payload.size());
  out.append(is_success ? R"({"code":200,"msg":)" : R"({"code":500,"msg":)").append(msg);
  if (style.dialect == dialect::xxl2)
    return out.append(R"(,"content":)").append(payload).append("}");
  out.append(R"(,"data":)").append(payload);
  return out.append(is_success ? R"(,"success":true})" : R"(,"success":false})");
}

} // namespace

std::string message_of(const core::error& error, reply_style style) {
  auto words = words_of(error.why, error.subject, style);
  if (!words.empty())
    return words;
  // The text of a defect belongs in the log, not in an answer to a client.
  if (error.context.empty() || error.code == core::errc::internal)
    return std::string{went_wrong_here.in(style.language)};
  return error.context;
}

std::string success(reply_style style) { return success_with("null", style); }

std::string success_with(std::string_view json, reply_style style) {
  return reply(true, style.dialect == dialect::xxl2 ? "null" : R"("Success")", json, style);
}

std::string success_text(std::string_view text, reply_style style) { return success_with(quoted(text), style); }

std::string success_message(std::string_view text, reply_style style) { return reply(true, quoted(text), "null", style); }

std::string failure(std::string_view message, reply_style style) {
  if (message.empty())
    return reply(false, style.dialect == dialect::xxl2 ? "null" : R"("Fail")", "null", style);
  return reply(false, quoted(message), "null", style);
}

std::string page_reply(std::int64_t total, std::string_view rows_json, reply_style style) {
  std::string out;
  out.reserve(96 + rows_json.size());
  if (style.dialect == dialect::xxl2) {
    append_json(out += R"({"recordsTotal":)", total);
    append_json(out += R"(,"recordsFiltered":)", total);
    return out.append(R"(,"data":)").append(rows_json).append("}");
  }
  // XXL's own answers always have these two zeros.
  out.append(R"({"offset":0,"pagesize":0,"data":)").append(rows_json).append(R"(,"total":)");
  append_json(out, total);
  return success_with(out += '}', style);
}

} // namespace ringmaster::protocol::wire
