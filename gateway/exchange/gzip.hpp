#pragma once

// Compressed bodies of answers.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// Returns true when `Accept-Encoding` names gzip and does not refuse it.
[[nodiscard]] bool takes_gzip(const protocol::http_request& request) noexcept;

/// Compresses a body as gzip. Empty: no memory for it.
[[nodiscard]] std::string compressed(std::string_view plain);

/// Decompresses an embedded file of at most 64 MiB. Empty: the content is damaged or larger.
[[nodiscard]] std::string decompressed(std::string_view gzip);

/// Limit of bodies that are compressed while they are sent: all share one io thread. A client that reads slowly does not keep
/// others from a turn: when all turns are taken, the body that was not asked for bytes for longest loses its own. Any thread.
class gzip_turns {
public:
  using clock = std::chrono::steady_clock;
  class holder;
  /// Until its last copy is destroyed, a body may be compressed. It may outlive `gzip_turns`.
  using turn = std::shared_ptr<holder>;
  /// Default for `most`.
  static constexpr std::size_t turns_max = 4;
  /// Time without a question for bytes after which a turn may be lost.
  static constexpr std::chrono::seconds slow_after{5};

  explicit gzip_turns(std::size_t most = turns_max, std::function<clock::time_point()> now = clock::now);

  /// Returns null while `most` bodies are being compressed and sent.
  [[nodiscard]] turn take();

private:
  struct shared;
  std::shared_ptr<shared> shared_;
};

/// Place of one body among those that are compressed. Any thread.
class gzip_turns::holder {
public:
  explicit holder(std::shared_ptr<shared> of) : of_{std::move(of)} {}
  holder(const holder&) = delete;
  holder& operator=(const holder&) = delete;
  ~holder();

  /// Notes that the client asks for bytes. Takes a lost turn again if one is free; returns false if none is: the bytes must not
  /// be compressed.
  [[nodiscard]] bool use();

private:
  friend gzip_turns;
  friend shared;

  std::shared_ptr<shared> of_;
  /// Guarded by the mutex of `of_`.
  clock::time_point used_{};
};

/// Returns a source of the same body as gzip, which is compressed while it is sent, a little at a time and with about 400 KiB of
/// memory. `plain` knows its size, which is not 0. The source keeps `turn` until the last byte is compressed. The part of the
/// body that is sent while the turn is lost has the gzip format, but is not compressed. Null: no memory for it.
[[nodiscard]] std::shared_ptr<protocol::http_body_source> compressed(std::shared_ptr<protocol::http_body_source> plain,
                                                                     gzip_turns::turn turn = nullptr);

} // namespace ringmaster::gateway
