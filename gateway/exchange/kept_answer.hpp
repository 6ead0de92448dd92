#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// JSON answer that is the same for all clients, kept as bytes for a short time. Invariant: plain and compressed bytes and the
/// ETag are of one answer. Part of the state of gateway_actor.
class kept_answer {
public:
  using steady = std::chrono::steady_clock::time_point;

  /// `age`: time for which an answer is given again.
  explicit kept_answer(std::chrono::milliseconds age) : age_{age} {}

  [[nodiscard]] bool is_fresh(steady now) const noexcept { return made_ && now - *made_ < age_; }

  /// Keeps an answer that was made at `now`. `identity`: the part of it that decides whether a client knows it already.
  void keep(std::string json, std::string_view identity, steady now);

  /// Returns the answer, compressed if the client takes gzip; 304 to a client that has it. The ETag is weak: it stands for both
  /// forms, and for answers that differ outside of their identity only.
  [[nodiscard]] protocol::http_response response_to(const protocol::http_request& request) const;

private:
  std::chrono::milliseconds age_;
  std::optional<steady> made_;
  std::string plain_;
  /// Empty: not compressed.
  std::string compressed_;
  /// Without the mark of a weak ETag.
  std::string tag_;
};

} // namespace ringmaster::gateway
