#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/run/unknown_verdict.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/executor/executor_codec.hpp"
#include "protocol/wire/executor/log_lines.hpp"
#include "protocol/wire/json/json_reader.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::protocol::wire {

namespace {

/// `content` or `data`: text for most requests, an object for `/log`.
struct payload {
  std::string text;
  std::optional<log_chunk> chunk;

  void read(json_reader& in, std::int32_t asked_line) {
    if (in.peek() != json_kind::object) {
      text = in.text().value_or(std::string{});
      return;
    }
    chunk.emplace();
    chunk->from_line = asked_line;
    std::optional<std::int64_t> lines, bytes;
    bool counted = true;
    in.object([&](std::string_view name) {
      if (name == "fromLineNum")
        chunk->from_line = narrow_line(in.integer().value_or(asked_line));
      else if (name == "toLineNum")
        chunk->to_line = narrow_line(in.integer().value_or(0));
      else if (name == "logContent")
        chunk->content = in.text().value_or(std::string{});
      else if (name == "isEnd" || name == "end")
        chunk->end |= in.boolean();
      else if (name == "totalLines")
        lines = in.integer();
      else if (name == "fileSize")
        bytes = in.integer();
      else if (name == "isCounted")
        counted = in.boolean();
    });
    chunk->size = log_size_of(lines, bytes);
    if (chunk->size)
      chunk->size->counted = counted;
  }
};

/// Fields that any executor puts at the top of a reply. Texts are empty when missing, null or not a text.
struct envelope {
  std::optional<std::int64_t> code;
  std::string msg;
  payload content;
  payload data;
  /// The body is an array with the reason of a failure instead.
  bool is_failed_callback = false;

  void read(json_reader& in, std::int32_t asked_line) {
    in.object([&](std::string_view name) {
      if (name == "code")
        code = in.integer();
      else if (name == "msg")
        msg = in.text().value_or(std::string{});
      else if (name == "content")
        content.read(in, asked_line);
      else if (name == "data")
        data.read(in, asked_line);
    });
  }
};

/// Returns the reason of a failed run that one Go client answers as the array of its callback: the text of the first element.
std::string text_of_array(json_reader& in) {
  std::string found;
  bool first = true;
  in.array([&] {
    if (!std::exchange(first, false))
      return;
    std::string from_result;
    in.object([&](std::string_view name) {
      if (name == "handleMsg")
        found = in.text().value_or(std::string{});
      else if (name == "executeResult")
        in.object([&](std::string_view inner) {
          if (inner == "msg")
            from_result = in.text().value_or(std::string{});
        });
    });
    if (found.empty())
      found = std::move(from_result);
  });
  return found;
}

/// Reads the body; an unusable body gives no code and a text of ours.
envelope read_envelope(std::string_view body, std::int32_t asked_line) {
  envelope out;
  if (core::is_blank(body)) {
    out.msg = "The executor's reply is empty.";
    return out;
  }
  json_reader in{body};
  if (in.peek() == json_kind::array) {
    out.msg = text_of_array(in);
    out.is_failed_callback = !out.msg.empty();
  } else {
    out.read(in, asked_line);
  }
  if (in.finish() && (out.code || !out.msg.empty()))
    return out;
  out = envelope{};
  out.msg = "The executor's reply cannot be read: " + excerpt_of(body);
  return out;
}

/// Returns true for the texts by which Ringmaster refuses a token (XXL wire §1.5, §3), or Node's.
bool is_about_token(std::string_view msg) noexcept {
  return msg == reply_text::token_wrong || msg == reply_text::token_or_app_empty || msg == reply_text::token_or_app_invalid
         || msg == executor_text::node_token_wrong;
}

/// Returns true for the answer to an unknown path. `path` begins with a slash. A Java executor of 3.5 quotes the whole target,
/// with the prefix that its address may have.
bool knows_no(std::string_view path, std::string_view msg) noexcept {
  constexpr std::string_view begin = "invalid request, uri-mapping(";
  constexpr std::string_view end = ") not found.";
  if (!msg.starts_with(begin) || !msg.ends_with(end) || msg.size() < begin.size() + end.size())
    return false;
  return msg.substr(begin.size(), msg.size() - begin.size() - end.size()).ends_with(path);
}

/// Returns true for statuses that a server gives before it passes a request on: the request is malformed, too large, not allowed,
/// too frequent, or sent to the wrong place. Not among them: 408, 409, 424 and all 5xx except 501 and 505, which may come after
/// the executor has received the request.
constexpr bool is_refusal(unsigned status) noexcept {
  constexpr std::array refusals{301U, 302U, 307U, 308U, 400U, 401U, 402U, 403U, 404U, 405U, 406U, 407U, 410U, 411U, 412U, 413U,
                                414U, 415U, 416U, 417U, 421U, 422U, 423U, 425U, 426U, 428U, 429U, 431U, 451U, 501U, 505U};
  return std::find(refusals.begin(), refusals.end(), status) != refusals.end();
}

/// A code of 200 with another HTTP status contradicts itself.
reply_origin origin_of(unsigned status, const envelope& read) noexcept {
  const bool has_code = read.code.value_or(0) != 0 && *read.code == narrow_line(*read.code);
  const bool is_own = has_code ? status == 200 || *read.code != 200 : read.is_failed_callback && status == 200;
  if (is_own && !is_gateway_status(status))
    return reply_origin::executor;
  return is_refusal(status) ? reply_origin::refused : reply_origin::unknown;
}

executor_reply to_reply(unsigned status, envelope read, core::log_id sent) {
  executor_reply reply;
  reply.origin = origin_of(status, read);
  const std::int64_t code = read.code.value_or(0);
  const bool in_range = code != 0 && code == narrow_line(code);
  reply.code = in_range && (status == 200 || code != 200) ? narrow_line(code) : 500;
  reply.msg = std::move(read.msg);
  if (reply.msg.empty() && reply.code != 200)
    reply.msg = std::move(read.content.text.empty() ? read.data.text : read.content.text);
  if (status != 200 && (!read.code || reply.msg.empty()))
    reply.msg = "HTTP status " + std::to_string(status) + (reply.msg.empty() ? "" : ": " + reply.msg);
  if (reply.code == 200)
    reply.payload = std::move(read.content.text.empty() ? read.data.text : read.content.text);
  for (auto* text : {&reply.msg, &reply.payload})
    if (text->size() > core::message_units_max)
      text->resize(core::cut_utf16(*text, core::message_units_max).size());
  if (reply.code != 200) {
    reply.repeated_log_id = is_repeat_of(reply.msg, sent);
    reply.wants_trigger_path = knows_no("/run", reply.msg);
    reply.wants_run_path = knows_no("/trigger", reply.msg);
    reply.refuses_token = is_about_token(reply.msg);
  }
  return reply;
}

} // namespace

bool is_repeat_of(std::string_view msg, core::log_id sent) noexcept {
  constexpr std::string_view label = "logId:";
  if (msg.substr(0, executor_text::repeat_prefix.size()) != executor_text::repeat_prefix)
    return false;
  const auto at = msg.rfind(label);
  if (at == std::string_view::npos)
    return false;
  std::string_view digits = msg.substr(at + label.size());
  while (!digits.empty() && digits.front() == ' ')
    digits.remove_prefix(1);
  std::int64_t found = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), found);
  return found > 0 && found == core::number(sent);
}

std::string unexpected_repeat(std::string_view said) {
  return "the executor says that it has a run with this log id already, but this run was sent once: " + std::string{said};
}

executor_reply parse_reply(unsigned status, std::string_view body, core::log_id sent) {
  return to_reply(status, read_envelope(body, 0), sent);
}

core::result<log_chunk> parse_log_reply(unsigned status, std::string_view body, std::int32_t asked_line) {
  envelope read = read_envelope(body, asked_line);
  if (is_gateway_status(status))
    return core::fail(core::errc::unavailable, std::move(to_reply(status, std::move(read), core::log_id{}).msg));
  for (auto* candidate : {&read.content.chunk, &read.data.chunk}) {
    if (!*candidate)
      continue;
    auto& chunk = **candidate;
    log_text_facts text;
    text.add(chunk.content);
    if (!chunk.size)
      chunk.to_line = last_line_of(chunk.to_line, chunk.end, text, asked_line);
    return std::move(chunk);
  }
  executor_reply reply = to_reply(status, std::move(read), core::log_id{});
  if (reply.code != 200)
    return core::fail(core::errc::unavailable, std::move(reply.msg));
  return log_chunk{.from_line = asked_line, .to_line = 0, .content = {}, .end = false};
}

} // namespace ringmaster::protocol::wire
