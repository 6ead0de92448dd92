#include "protocol/wire/xxl/reply_codec.hpp"

#include "protocol/wire/json/json_text.hpp"

namespace ringmaster::protocol::wire {

namespace {

void append_or_null(std::string& out, std::optional<std::string_view> text) {
  if (text)
    append_json(out, *text);
  else
    out += "null";
}

} // namespace

std::string encode_reply(std::int32_t code, std::optional<std::string_view> msg, std::optional<std::string_view> payload) {
  std::string out;
  out.reserve(64 + (msg ? msg->size() : 0) + (payload ? 2 * payload->size() : 0));
  out += R"({"code":)";
  append_json(out, std::int64_t{code});
  out += R"(,"msg":)";
  append_or_null(out, msg);
  out += R"(,"content":)";
  append_or_null(out, payload);
  out += R"(,"data":)";
  append_or_null(out, payload);
  out += '}';
  return out;
}

} // namespace ringmaster::protocol::wire
