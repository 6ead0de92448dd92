#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "core/text.hpp"
#include "core/unknown_verdict.hpp"
#include "protocol/wire/executor_codec.hpp"
#include "protocol/wire/json_reader.hpp"
#include "protocol/wire/texts.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr std::size_t excerpt_units = 300;

std::int32_t narrow(std::int64_t value) noexcept {
  using limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, limits::min(), limits::max()));
}

std::string excerpt(std::string_view body) {
  std::string text = core::valid_utf8(body.substr(0, 4 * excerpt_units));
  text.resize(core::cut_utf16(text, excerpt_units).size());
  return text;
}

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
    in.object([&](std::string_view name) {
      if (name == "fromLineNum")
        chunk->from_line = narrow(in.integer().value_or(asked_line));
      else if (name == "toLineNum")
        chunk->to_line = narrow(in.integer().value_or(0));
      else if (name == "logContent")
        chunk->content = in.text().value_or(std::string{});
      else if (name == "isEnd" || name == "end")
        chunk->end |= in.truth();
    });
  }
};

/// The fields that any executor puts at the top of a reply. Texts are empty when missing, null or no text.
struct envelope {
  std::optional<std::int64_t> code;
  std::string msg;
  payload content;
  payload data;

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

/// One Go client answers a failed run with the array of its callback: the first element's words are the reason.
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

/// What the body says; a body that says nothing usable gives no code and our own words.
envelope read_envelope(std::string_view body, std::int32_t asked_line) {
  envelope out;
  if (core::is_blank(body)) {
    out.msg = "The executor's reply is empty.";
    return out;
  }
  json_reader in{body};
  if (in.peek() == json_kind::array)
    out.msg = text_of_array(in);
  else
    out.read(in, asked_line);
  if (in.finish() && (out.code || !out.msg.empty()))
    return out;
  out = envelope{};
  out.msg = "The executor's reply cannot be read: " + excerpt(body);
  return out;
}

/// A Java executor of 3.5 quotes the whole target, with the prefix that its address may have.
/// The same words as ours to executors (XXL wire §1.5, §3), or Node's.
bool is_about_token(std::string_view msg) noexcept {
  return msg == reply_text::token_wrong || msg == reply_text::token_or_app_empty || msg == reply_text::token_or_app_invalid
         || msg == executor_text::node_token_wrong;
}

/// Whoever reads on behind `to_line` misses the next line when it says too much: Node and two Go clients count one line more than
/// they send, Python's names the line that it was asked for when there is none, or the end of what it would have sent at most.
void correct_last_line(log_chunk& chunk, std::int32_t asked_line) {
  const std::string_view content = chunk.content;
  if (core::trimmed(content) == core::python_log_missing) {
    chunk.to_line = 0;
    return;
  }
  const auto ends = std::count(content.begin(), content.end(), '\n');
  const bool has_open_line = !content.empty() && !content.ends_with('\n');
  const auto last = std::max<std::int64_t>(asked_line, 1) - 1 + ends + (has_open_line ? 1 : 0);
  if (content.empty() || chunk.end || chunk.to_line == last + 1)
    chunk.to_line = narrow(std::min<std::int64_t>(chunk.to_line, last));
}

bool knows_no_run(std::string_view msg) noexcept {
  return msg.starts_with("invalid request, uri-mapping(/") && msg.ends_with("/run) not found.");
}

executor_reply to_reply(unsigned status, envelope read, core::log_id sent) {
  executor_reply reply;
  const std::int64_t code = read.code.value_or(0);
  const bool in_range = code != 0 && code == narrow(code);
  reply.code = in_range && (status == 200 || code != 200) ? narrow(code) : 500;
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
    reply.wants_trigger_path = knows_no_run(reply.msg);
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

executor_reply parse_reply(unsigned status, std::string_view body, core::log_id sent) {
  return to_reply(status, read_envelope(body, 0), sent);
}

core::result<log_chunk> parse_log_reply(unsigned status, std::string_view body, std::int32_t asked_line) {
  envelope read = read_envelope(body, asked_line);
  for (auto* candidate : {&read.content.chunk, &read.data.chunk}) {
    if (!*candidate)
      continue;
    correct_last_line(**candidate, asked_line);
    return std::move(**candidate);
  }
  executor_reply reply = to_reply(status, std::move(read), core::log_id{});
  if (reply.code != 200)
    return core::fail(core::errc::unavailable, std::move(reply.msg));
  return log_chunk{.from_line = asked_line, .to_line = 0, .content = {}, .end = false};
}

} // namespace ringmaster::protocol::wire
