#pragma once

// Body of a response that is made while it is sent.

#include <chrono>
#include <cstdint>
#include <memory>
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

  /// Begins with a source; null: none.
  void reset(std::shared_ptr<protocol::http_body_source> source = nullptr) {
    source_ = std::move(source);
    left_ = source_ ? source_->bytes() : 0;
    until_ = deadline::never;
    waits_ = false;
  }
  /// Asks for the next bytes. A source that has nothing for as long as `patience` has failed.
  step next(std::string& piece, deadline::clock::duration patience) {
    if (left_ == 0) {
      reset();
      return step::end;
    }
    const auto state = source_->next(piece);
    if (state == protocol::http_body_source::state::not_yet) {
      const auto now = deadline::clock::now();
      if (until_ == deadline::never)
        until_ = now + patience;
      waits_ = now < until_;
      return waits_ ? step::later : step::failed;
    }
    if (state == protocol::http_body_source::state::failed || piece.empty() || piece.size() > left_)
      return step::failed;
    left_ -= piece.size();
    until_ = deadline::never;
    return step::piece;
  }
  /// Returns true once after `later`.
  [[nodiscard]] bool stop_waiting() noexcept { return std::exchange(waits_, false); }

private:
  std::shared_ptr<protocol::http_body_source> source_;
  /// Bytes that the source has not given yet.
  std::uint64_t left_ = 0;
  deadline::clock::time_point until_ = deadline::never;
  bool waits_ = false;
};

} // namespace ringmaster::gateway::http
