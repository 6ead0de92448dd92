#include "protocol/wire/executor/callback_codec.hpp"

#include <limits>
#include <optional>
#include <string>

#include "core/text/text.hpp"
#include "protocol/wire/json/json_reader.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr std::string_view no_code_text = "The callback carries no result code.";

std::optional<std::int32_t> read_code(json_reader& in) {
  const auto code = in.integer();
  if (!code || *code < std::numeric_limits<std::int32_t>::min() || *code > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return static_cast<std::int32_t>(*code);
}

/// One element, with a field for each spelling.
struct item {
  std::optional<std::int64_t> run;
  std::int64_t log_time_ms = 0;
  std::optional<std::int32_t> handle_code;
  std::optional<std::string> handle_msg;
  std::optional<std::int32_t> result_code;
  std::optional<std::string> result_msg;
  std::optional<std::string> result_content;

  void read(json_reader& in) {
    in.object([&](std::string_view name) {
      if (name == "logId")
        run = in.integer();
      else if (name == "logDateTim" || name == "logDateTime")
        log_time_ms = in.integer().value_or(0);
      else if (name == "handleCode")
        handle_code = read_code(in);
      else if (name == "handleMsg")
        handle_msg = read_message(in);
      else if (name == "executeResult")
        read_execute_result(in);
    });
  }

  void read_execute_result(json_reader& in) {
    in.object([&](std::string_view name) {
      if (name == "code")
        result_code = read_code(in);
      else if (name == "msg")
        result_msg = read_message(in);
      else if (name == "content" && in.peek() == json_kind::text)
        result_content = in.text();
    });
  }

  /// Keeps a message that is an object or a list as it is written: it is all that is known about the run.
  static std::optional<std::string> read_message(json_reader& in) {
    const json_kind kind = in.peek();
    return kind == json_kind::object || kind == json_kind::array ? core::valid_utf8(in.raw()) : in.text();
  }

  std::string take_message() {
    for (auto* candidate : {&handle_msg, &result_msg, &result_content})
      if (*candidate && !(*candidate)->empty())
        return std::move(**candidate);
    return {};
  }

  core::callback finish() {
    core::callback out;
    out.id = core::log_id{*run};
    out.log_time = core::echoed_log_time(log_time_ms);
    out.message = take_message();
    if (out.message.size() > core::message_units_max)
      out.message.resize(core::cut_utf16(out.message, core::message_units_max).size());
    if (const auto code = handle_code ? handle_code : result_code) {
      out.code = *code;
    } else {
      out.code = 500;
      out.message =
          out.message.empty() ? std::string{no_code_text} : std::string{no_code_text}.append("<br>").append(out.message);
    }
    return out;
  }
};

void read_item(json_reader& in, callback_batch& batch) {
  const json_kind kind = in.peek();
  if (kind == json_kind::null)
    return;
  item one;
  one.read(in);
  if (one.run && *one.run > 0)
    batch.items.push_back(one.finish());
  else
    ++batch.skipped;
}

void read_list(json_reader& in, callback_batch& batch) {
  in.array([&] { read_item(in, batch); });
}

} // namespace

core::result<callback_batch> parse_callbacks(std::string_view body) {
  if (core::is_blank(body))
    return core::fail(core::errc::invalid_argument, std::string{reply_text::body_empty});

  callback_batch batch;
  json_reader in{body};
  bool has_list = true;
  switch (in.peek()) {
  case json_kind::array: read_list(in, batch); break;
  case json_kind::null: in.raw(); break;
  case json_kind::object:
    has_list = false;
    in.object([&](std::string_view name) {
      if (name != "callbackList")
        return;
      has_list = in.peek() == json_kind::array || in.peek() == json_kind::null;
      read_list(in, batch);
    });
    break;
  default: return tl::unexpected(unreadable("the body must be a JSON array or an object with callbackList"));
  }
  if (!in.finish())
    return tl::unexpected(unreadable(in.error()));
  if (!has_list)
    return tl::unexpected(unreadable("callbackList must be a JSON array"));
  return batch;
}

} // namespace ringmaster::protocol::wire
