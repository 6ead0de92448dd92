#include "protocol/wire/executor/trigger_codec.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/text/text.hpp"
#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/json/json_reader.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::protocol::wire {

namespace {

core::error request_error(std::string_view reason) {
  return {core::errc::invalid_argument, std::string{executor_text::request_error}.append(1, ' ').append(reason)};
}

/// Reads the members of a body's object and keeps the first error in one of them.
class body_reader {
public:
  explicit body_reader(std::string_view body) : body_{body}, in_{body} {}

  /// `on_member(name)` reads the member's value, or leaves it.
  template <class OnMember>
  core::result<void> read(OnMember on_member) {
    if (core::is_blank(body_))
      return tl::unexpected(request_error("the body is empty"));
    if (in_.peek() != json_kind::object)
      return tl::unexpected(request_error("the body must be a JSON object"));
    in_.object([&](std::string_view name) { on_member(name); });
    if (!in_.finish())
      return tl::unexpected(request_error(in_.error()));
    if (!wrong_.empty())
      return tl::unexpected(request_error(wrong_));
    return {};
  }

  /// Null leaves `out` unchanged. `name` must outlive the value: it is not the reader's own text.
  template <class Number>
  void number(std::string_view name, Number& out) {
    const json_kind kind = in_.peek();
    const auto found = in_.integer();
    if (found && *found >= std::numeric_limits<Number>::min() && *found <= std::numeric_limits<Number>::max())
      out = static_cast<Number>(*found);
    else if (found || kind != json_kind::null)
      complain(name, " must be a whole number in its range");
  }

  void number(std::string_view name, std::optional<std::int64_t>& out) {
    const bool is_there = in_.peek() != json_kind::null;
    std::int64_t value = 0;
    number(name, value);
    if (is_there)
      out = value;
  }

  void text(std::string_view name, std::optional<std::string>& out) {
    const json_kind kind = in_.peek();
    if (kind == json_kind::object || kind == json_kind::array)
      complain(name, " must be a string");
    else
      out = in_.text();
  }

private:
  void complain(std::string_view name, std::string_view what) {
    if (wrong_.empty())
      wrong_.append(name).append(what);
  }

  std::string_view body_;
  json_reader in_;
  std::string wrong_;
};

/// Fields of a trigger that need conversion.
struct trigger_fields {
  std::int32_t job = 0;
  std::int64_t run = 0;
  std::int64_t log_time_ms = 0;
  std::optional<std::string> block = {};
};

void read_member(body_reader& in, std::string_view name, core::trigger_request& out, trigger_fields& rest) {
  if (name == "jobId")
    in.number("jobId", rest.job);
  else if (name == "executorHandler")
    in.text("executorHandler", out.handler);
  else if (name == "executorParams")
    in.text("executorParams", out.param);
  else if (name == "executorBlockStrategy")
    in.text("executorBlockStrategy", rest.block);
  else if (name == "executorTimeout")
    in.number("executorTimeout", out.timeout_s);
  else if (name == "logId")
    in.number("logId", rest.run);
  else if (name == "logDateTime")
    in.number("logDateTime", rest.log_time_ms);
  else if (name == "glueType")
    in.text("glueType", out.glue_type);
  else if (name == "glueSource")
    in.text("glueSource", out.glue_source);
  else if (name == "glueUpdatetime")
    in.number("glueUpdatetime", out.glue_updated_ms);
  else if (name == "broadcastIndex")
    in.number("broadcastIndex", out.shard_index);
  else if (name == "broadcastTotal")
    in.number("broadcastTotal", out.shard_total);
}

core::log_bounds bounds_of(std::optional<std::int64_t> bytes, std::optional<std::int64_t> tail) {
  constexpr std::int64_t bytes_min = 256, bytes_max = 1024 * 1024, tail_max = 5000;
  core::log_bounds bounds{static_cast<std::int32_t>(std::clamp(bytes.value_or(bytes_max), bytes_min, bytes_max))};
  if (tail)
    bounds.tail = static_cast<std::int32_t>(std::clamp<std::int64_t>(*tail, 1, tail_max));
  return bounds;
}

std::string lines_object(const core::log_lines& lines) {
  std::string out;
  out.reserve(lines.text.size() + lines.text.size() / 16 + 96);
  {
    json_object object{out};
    object.number("fromLineNum", lines.from_line);
    object.number("toLineNum", lines.to_line);
    object.text("logContent", lines.text);
    object.boolean("isEnd", lines.ended);
    if (lines.size) {
      object.number("totalLines", lines.size->lines);
      object.number("fileSize", lines.size->bytes);
      if (!lines.size->counted)
        object.boolean("isCounted", false);
    }
  }
  return out;
}

} // namespace

core::result<core::trigger_request> parse_trigger(std::string_view body) {
  core::trigger_request request;
  trigger_fields rest;
  body_reader in{body};
  if (auto read = in.read([&](std::string_view name) { read_member(in, name, request, rest); }); !read)
    return tl::unexpected(std::move(read.error()));
  request.job = core::job_id{rest.job};
  request.run = core::log_id{rest.run};
  request.log_time = core::from_ms(rest.log_time_ms);
  if (rest.block)
    request.block = core::find_block_strategy(*rest.block).value_or(core::block_strategy::serial_execution);
  // Handlers divide by these numbers and count with them.
  request.shard_index = std::max(request.shard_index, 0);
  request.shard_total = std::max(request.shard_total, 1);
  return request;
}

core::result<core::job_id> parse_job_question(std::string_view body) {
  std::int32_t job = 0;
  body_reader in{body};
  auto read = in.read([&](std::string_view name) {
    if (name == "jobId")
      in.number("jobId", job);
  });
  if (!read)
    return tl::unexpected(std::move(read.error()));
  return core::job_id{job};
}

core::result<kill_question> parse_kill_question(std::string_view body) {
  std::int32_t job = 0;
  std::int64_t run = 0;
  body_reader in{body};
  auto read = in.read([&](std::string_view name) {
    if (name == "jobId")
      in.number("jobId", job);
    else if (name == "logId")
      in.number("logId", run);
  });
  if (!read)
    return tl::unexpected(std::move(read.error()));
  return kill_question{core::job_id{job}, core::log_id{run}};
}

core::result<log_question> parse_log_question(std::string_view body) {
  log_question question;
  std::int64_t run = 0, log_time_ms = 0;
  std::optional<std::int64_t> bytes, tail;
  body_reader in{body};
  auto read = in.read([&](std::string_view name) {
    if (name == "logDateTim" || name == "logDateTime")
      in.number("logDateTim", log_time_ms);
    else if (name == "logId")
      in.number("logId", run);
    else if (name == "fromLineNum")
      in.number("fromLineNum", question.from_line);
    else if (name == "maxBytes")
      in.number("maxBytes", bytes);
    else if (name == "tail")
      in.number("tail", tail);
  });
  if (!read)
    return tl::unexpected(std::move(read.error()));
  question.run = core::log_id{run};
  question.log_time = core::from_ms(log_time_ms);
  if (bytes || tail)
    question.bounds = bounds_of(bytes, tail);
  return question;
}

std::string encode_trigger_reply(const core::trigger_reply& reply) {
  std::string out;
  out.reserve(reply.message.size() + 32);
  {
    json_object object{out};
    object.number("code", reply.code);
    if (!reply.message.empty())
      object.text("msg", reply.message);
  }
  return out;
}

std::string encode_log_lines(const core::log_lines& lines) {
  const std::string payload = lines_object(lines);
  std::string out;
  out.reserve(2 * payload.size() + 48);
  {
    json_object object{out};
    object.number("code", 200);
    object.raw("content", payload);
    object.raw("data", payload);
  }
  return out;
}

} // namespace ringmaster::protocol::wire
