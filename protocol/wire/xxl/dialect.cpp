#include "protocol/wire/xxl/dialect.hpp"

#include "protocol/wire/json/json_text.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr core::localized went_wrong_here{"系统异常，请查看服务端日志", "系統異常，請查看伺服端日誌",
                                          "Something went wrong here; the server's log tells what"};

std::string quoted(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_json(out, text);
  return out;
}

/// `msg` and `payload` are JSON values.
std::string reply(bool is_success, std::string_view msg, std::string_view payload, speech how) {
  std::string out;
  out.reserve(64 + msg.size() + payload.size());
  out.append(is_success ? R"({"code":200,"msg":)" : R"({"code":500,"msg":)").append(msg);
  if (how.dialect == dialect::xxl2)
    return out.append(R"(,"content":)").append(payload).append("}");
  out.append(R"(,"data":)").append(payload);
  return out.append(is_success ? R"(,"success":true})" : R"(,"success":false})");
}

} // namespace

std::string message_of(const core::error& error, speech how) {
  auto words = words_of(error.why, error.subject, how);
  if (!words.empty())
    return words;
  // What a defect says of itself is for the log, not for strangers.
  if (error.context.empty() || error.code == core::errc::internal)
    return std::string{went_wrong_here.in(how.language)};
  return error.context;
}

std::string success(speech how) { return success_with("null", how); }

std::string success_with(std::string_view json, speech how) {
  return reply(true, how.dialect == dialect::xxl2 ? "null" : R"("Success")", json, how);
}

std::string success_text(std::string_view text, speech how) { return success_with(quoted(text), how); }

std::string success_message(std::string_view text, speech how) { return reply(true, quoted(text), "null", how); }

std::string failure(std::string_view message, speech how) {
  if (message.empty())
    return reply(false, how.dialect == dialect::xxl2 ? "null" : R"("Fail")", "null", how);
  return reply(false, quoted(message), "null", how);
}

std::string page_reply(std::int64_t total, std::string_view rows_json, speech how) {
  std::string out;
  out.reserve(96 + rows_json.size());
  if (how.dialect == dialect::xxl2) {
    append_json(out += R"({"recordsTotal":)", total);
    append_json(out += R"(,"recordsFiltered":)", total);
    return out.append(R"(,"data":)").append(rows_json).append("}");
  }
  // XXL's own answers have these two zeros always.
  out.append(R"({"offset":0,"pagesize":0,"data":)").append(rows_json).append(R"(,"total":)");
  append_json(out, total);
  return success_with(out += '}', how);
}

} // namespace ringmaster::protocol::wire
