#pragma once

// Serialisation of the messages of a native link. Included by meta_objects.cpp only: no other file serialises.

#include <type_traits>

#include <caf/all.hpp>

#include "protocol/link_messages.hpp"

namespace ringmaster::protocol {

/// Serialises a field as a number.
template <class Inspector, class Id>
  requires std::is_enum_v<Id>
auto as_number(Inspector& f, caf::string_view name, Id& id) {
  using number = std::underlying_type_t<Id>;
  return f.field(
    name, [&id] { return static_cast<number>(id); },
    [&id](number value) {
      id = static_cast<Id>(value);
      return true;
    });
}

/// Serialises a point in time as milliseconds since the epoch.
template <class Inspector>
auto as_ms(Inspector& f, caf::string_view name, core::time_point& when) {
  return f.field(
    name, [&when] { return core::to_ms(when); },
    [&when](std::int64_t value) {
      when = core::from_ms(value);
      return true;
    });
}

} // namespace ringmaster::protocol

namespace ringmaster::core {

// An unsafe type is not written: the message would be cut short there, and with it the link.
static_assert(!caf::is_allowed_unsafe_message_type_v<trigger_request> && !caf::is_allowed_unsafe_message_type_v<trigger_reply>
              && !caf::is_allowed_unsafe_message_type_v<run_report> && !caf::is_allowed_unsafe_message_type_v<log_lines>);

template <class Inspector>
bool inspect(Inspector& f, trigger_request& x) {
  using protocol::as_ms;
  using protocol::as_number;
  return f.object(x).fields(as_number(f, "job", x.job), as_number(f, "run", x.run), as_ms(f, "log_time", x.log_time),
                            f.field("handler", x.handler), f.field("param", x.param), as_number(f, "block", x.block),
                            f.field("timeout_s", x.timeout_s), f.field("glue_type", x.glue_type),
                            f.field("glue_source", x.glue_source), f.field("glue_updated_ms", x.glue_updated_ms),
                            f.field("shard_index", x.shard_index), f.field("shard_total", x.shard_total));
}

template <class Inspector>
bool inspect(Inspector& f, trigger_reply& x) {
  return f.object(x).fields(f.field("code", x.code), f.field("message", x.message));
}

template <class Inspector>
bool inspect(Inspector& f, run_report& x) {
  return f.object(x).fields(protocol::as_number(f, "run", x.run), protocol::as_ms(f, "log_time", x.log_time),
                            f.field("code", x.code), f.field("message", x.message));
}

template <class Inspector>
bool inspect(Inspector& f, log_bounds& x) {
  return f.object(x).fields(f.field("bytes", x.bytes), f.field("tail", x.tail));
}

template <class Inspector>
bool inspect(Inspector& f, log_size& x) {
  return f.object(x).fields(f.field("lines", x.lines), f.field("bytes", x.bytes), f.field("counted", x.counted));
}

template <class Inspector>
bool inspect(Inspector& f, log_lines& x) {
  return f.object(x).fields(f.field("from_line", x.from_line), f.field("to_line", x.to_line), f.field("text", x.text),
                            f.field("ended", x.ended), f.field("size", x.size));
}

} // namespace ringmaster::core

namespace ringmaster::protocol {

template <class Inspector>
bool inspect(Inspector& f, link_key& x) {
  return f.object(x).fields(f.field("high", x.high), f.field("low", x.low));
}

template <class Inspector>
bool inspect(Inspector& f, link_hello& x) {
  return f.object(x).fields(f.field("version", x.version), f.field("app_name", x.app_name), f.field("address", x.address),
                            f.field("unused", x.unused), f.field("gate", x.gate), f.field("gate_key", x.gate_key));
}

template <class Inspector>
bool inspect(Inspector& f, link_challenge& x) {
  return f.object(x).fields(f.field("nonce", x.nonce), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, link_proof& x) {
  return f.object(x).fields(f.field("nonce", x.nonce), f.field("proof", x.proof));
}

template <class Inspector>
bool inspect(Inspector& f, link_welcome& x) {
  return f.object(x).fields(f.field("gate", x.gate), f.field("gate_key", x.gate_key), f.field("proof", x.proof),
                            f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, link_refusal& x) {
  return f.object(x).fields(f.field("reason", x.reason), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, link_runs& x) {
  return f.object(x).fields(f.field("batch", x.batch), f.field("runs", x.runs), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, link_verdicts& x) {
  return f.object(x).fields(f.field("batch", x.batch), f.field("replies", x.replies), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, link_question& x) {
  return f.object(x).fields(f.field("number", x.number), as_number(f, "topic", x.topic), as_number(f, "job", x.job),
                            as_number(f, "run", x.run), as_ms(f, "log_time", x.log_time), f.field("from_line", x.from_line),
                            f.field("bounds", x.bounds), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, link_answer& x) {
  return f.object(x).fields(f.field("number", x.number), f.field("reply", x.reply), f.field("lines", x.lines),
                            f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, link_reports& x) {
  return f.object(x).fields(f.field("batch", x.batch), f.field("reports", x.reports), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, link_receipt& x) {
  return f.object(x).fields(f.field("batch", x.batch), f.field("kept", x.kept), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, link_goodbye& x) {
  return f.object(x).fields(f.field("key", x.key));
}

} // namespace ringmaster::protocol
