#pragma once

// Body of a response that is made while it is sent.

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gateway/transport/io/deadlines.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

/// Reader of one source after another. Lives on the io thread.
class source_reader {
public:
  enum class step : std::uint8_t {
    /// The next bytes are there.
    piece,
    /// The source has nothing yet: to be asked again after `pause`.
    later,
    /// The body is complete, or there is no source.
    end,
    failed,
  };
  /// Pause in which a source may make the next part of a body.
  static constexpr std::chrono::milliseconds pause{2};

  /// Begins with a source; null: none. `in_chunks`: a body of unknown size is written in chunks.
  void reset(std::shared_ptr<protocol::http_body_source> source = nullptr, bool in_chunks = false) {
    source_ = std::move(source);
    left_ = source_ ? source_->bytes() : std::optional<std::uint64_t>{0};
    in_chunks_ = in_chunks && !left_;
    until_ = deadline::never;
    waits_ = false;
  }
  /// Asks for the next bytes, as they are sent. A source that has nothing for as long as `patience` has failed.
  step next(std::string& piece, deadline::clock::duration patience) {
    using state = protocol::http_body_source::state;
    if (left_ == 0) {
      reset();
      return step::end;
    }
    const auto made = source_->next(piece);
    if (made == state::not_yet)
      return wait(patience);
    if (made == state::ended && !left_)
      return end_unsized(piece);
    if (made != state::ready || piece.empty() || (left_ && piece.size() > *left_))
      return step::failed;
    if (left_)
      *left_ -= piece.size();
    until_ = deadline::never;
    if (in_chunks_)
      frame(piece);
    return step::piece;
  }
  /// Returns true once after `later`.
  [[nodiscard]] bool stop_waiting() noexcept { return std::exchange(waits_, false); }

private:
  step wait(deadline::clock::duration patience) {
    const auto now = deadline::clock::now();
    if (until_ == deadline::never)
      until_ = now + patience;
    waits_ = now < until_;
    return waits_ ? step::later : step::failed;
  }
  step end_unsized(std::string& piece) {
    const bool has_last_chunk = in_chunks_;
    reset();
    piece = has_last_chunk ? "0\r\n\r\n" : "";
    return has_last_chunk ? step::piece : step::end;
  }
  /// Makes a chunk of the piece (RFC 9112 §7.1).
  static void frame(std::string& piece) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), piece.size(), 16).ptr;
    piece.insert(0, "\r\n").insert(0, digits.data(), static_cast<std::size_t>(end - digits.data())).append("\r\n");
  }

  std::shared_ptr<protocol::http_body_source> source_;
  /// Bytes that the source has not given yet; empty: unknown.
  std::optional<std::uint64_t> left_ = 0;
  bool in_chunks_ = false;
  deadline::clock::time_point until_ = deadline::never;
  bool waits_ = false;
};

} // namespace ringmaster::gateway::http
