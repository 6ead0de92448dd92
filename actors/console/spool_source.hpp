#pragma once

// Ways of a log into the body of a response.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "protocol/http.hpp"
#include "protocol/log_messages.hpp"

namespace ringmaster::actors {

/// Most bytes of one part of a body.
inline constexpr std::size_t source_piece_bytes = 128 * 1024;

/// Part of a text that is in memory. One thread at a time.
class text_source final : public protocol::http_body_source {
public:
  text_source(std::shared_ptr<const std::string> text, std::uint64_t offset, std::uint64_t bytes)
    : text_{std::move(text)}, at_{offset}, bytes_{bytes}, left_{bytes} {}

  [[nodiscard]] std::optional<std::uint64_t> bytes() const noexcept override { return bytes_; }
  [[nodiscard]] state next(std::string& piece) override {
    piece = text_->substr(at_, std::min<std::uint64_t>(left_, source_piece_bytes));
    at_ += piece.size();
    left_ -= piece.size();
    return state::ready;
  }

private:
  std::shared_ptr<const std::string> text_;
  std::uint64_t at_;
  std::uint64_t bytes_;
  std::uint64_t left_;
};

/// Returns a log that is in memory as a file.
inline protocol::run_file file_of_text(core::log_id run, std::string&& text, bool is_end, std::string partial_reason) {
  const auto shared = std::make_shared<const std::string>(std::move(text));
  return {run, shared->size(), is_end, std::move(partial_reason), {},
          [shared](std::uint64_t offset, std::uint64_t bytes) { return std::make_shared<text_source>(shared, offset, bytes); }};
}

/// Part of a copy in a file: log_spool reads it, a piece ahead of the client. Any thread.
class spool_source final : public protocol::http_body_source, public std::enable_shared_from_this<spool_source> {
public:
  /// Asks log_spool for bytes of the copy, to be passed to `give`. Called on the io thread.
  using question = std::function<void(std::uint64_t offset, std::size_t bytes, std::function<void(std::string&&)> give)>;

  spool_source(std::uint64_t offset, std::uint64_t bytes, question ask)
    : offset_{offset}, bytes_{bytes}, left_{bytes}, ask_{std::move(ask)} {}

  [[nodiscard]] std::optional<std::uint64_t> bytes() const noexcept override { return bytes_; }
  [[nodiscard]] state next(std::string& piece) override {
    std::unique_lock guard{mutex_};
    if (failed_)
      return state::failed;
    const bool has_piece = !piece_.empty();
    if (has_piece)
      piece = std::exchange(piece_, {});
    const auto wanted = asked_ ? 0 : static_cast<std::size_t>(std::min<std::uint64_t>(left_, source_piece_bytes));
    asked_ = asked_ || wanted > 0;
    const auto offset = offset_;
    guard.unlock();
    if (wanted > 0)
      ask_(offset, wanted, [weak = weak_from_this()](std::string&& next_piece) {
        if (const auto self = weak.lock())
          self->take(std::move(next_piece));
      });
    return has_piece ? state::ready : state::not_yet;
  }

private:
  void take(std::string&& piece) {
    const std::lock_guard guard{mutex_};
    asked_ = false;
    failed_ = piece.empty() || piece.size() > left_;
    offset_ += piece.size();
    left_ -= std::min<std::uint64_t>(left_, piece.size());
    piece_ = std::move(piece);
  }

  std::uint64_t offset_;
  const std::uint64_t bytes_;
  /// Bytes that were not asked for yet.
  std::uint64_t left_;
  question ask_;
  std::mutex mutex_;
  std::string piece_;
  bool asked_ = false;
  bool failed_ = false;
};

} // namespace ringmaster::actors
