#pragma once

// Parser of executors' replies. Not a standard parser, because it has to accept replies that those refuse (XXL wire §2.6): header
// lines that end in a bare LF, `HTTP/1.1 200 200 OK`, no reason phrase, a body without length on a connection that is closed
// after it. Has no socket.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

/// Parser of one reply. Whatever the peer sends, it holds at most the limits below.
class reply_reader {
public:
  enum class state : std::uint8_t { reading, complete, broken };
  /// Limit for status line, header lines, trailers and interim replies together.
  static constexpr std::size_t head_bytes_max = 64 * 1024;
  /// Beginning of a body that is kept although a sink takes the body.
  static constexpr std::size_t sunk_bytes_kept = 16 * 1024;

  /// Forgets everything; the next byte begins a reply. `sink` takes the body and lives until the reply has ended; null: the body
  /// is kept.
  void reset(std::size_t body_bytes_max, protocol::http_body_sink* sink = nullptr);

  /// Reads from the front of `bytes` and removes the bytes that it read; leaves bytes after a complete reply.
  state feed(std::string_view& bytes);
  /// Handles the peer's close: completes a reply without length, breaks any other.
  state end();

  [[nodiscard]] unsigned status() const noexcept { return status_; }
  /// Returns the body, or its beginning if a sink took it.
  [[nodiscard]] std::string take_body() noexcept { return std::move(body_); }
  /// Returns true when another request may follow on the connection after this complete reply.
  [[nodiscard]] bool keeps_alive() const noexcept { return framed_ && keep_alive_; }
  /// Returns the time for which the peer keeps an idle connection; very long when it announced none.
  [[nodiscard]] std::chrono::seconds keeps_for() const noexcept { return keeps_for_; }
  /// Returns the reason why the reply is broken, for operators.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  /// Returns true when the reply is broken because its body is too long.
  [[nodiscard]] bool too_large() const noexcept { return too_large_; }

private:
  enum class part : std::uint8_t {
    status_line,
    header,
    sized_body,
    endless_body,
    chunk_size,
    chunk,
    chunk_end,
    trailer,
    complete,
    broken
  };

  [[nodiscard]] bool has_room_for(std::uint64_t bytes) const noexcept { return bytes <= body_bytes_max_ - body_bytes_; }
  bool take_line(std::string_view& bytes, std::string_view& line);
  void take_body_bytes(std::string_view& bytes);
  void on_line(std::string_view line);
  void on_status_line(std::string_view line);
  void on_header(std::string_view line);
  void on_content_length(std::string_view value);
  void on_connection(std::string_view value);
  void on_keep_alive(std::string_view value);
  void on_head_end();
  void on_chunk_size(std::string_view line);
  void fail(std::string why);
  void fail_as_too_large();
  [[nodiscard]] state result() const noexcept;

  part part_ = part::status_line;
  bool keep_alive_ = false;
  bool framed_ = false;
  bool has_length_ = false;
  bool chunked_ = false;
  bool started_ = false;
  bool too_large_ = false;
  unsigned status_ = 0;
  std::chrono::seconds keeps_for_{0};
  std::size_t body_bytes_max_ = 0;
  /// Bytes of the body that were read, at most the maximum.
  std::size_t body_bytes_ = 0;
  protocol::http_body_sink* sink_ = nullptr;
  std::size_t head_bytes_ = 0;
  /// Bytes left of the body, or of the current chunk.
  std::uint64_t left_ = 0;
  /// Beginning of a line whose end has not arrived.
  std::string line_;
  std::string body_;
  std::string error_;
};

} // namespace ringmaster::gateway::http
