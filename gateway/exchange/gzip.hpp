#pragma once

// Compressed bodies of answers.

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// Returns true when `Accept-Encoding` names gzip and does not refuse it.
[[nodiscard]] bool takes_gzip(const protocol::http_request& request) noexcept;

/// Compresses a body as gzip. Empty: no memory for it.
[[nodiscard]] std::string compressed(std::string_view plain);

/// Decompresses an embedded file of at most 64 MiB. Empty: the content is damaged or larger.
[[nodiscard]] std::string decompressed(std::string_view gzip);

/// Limit of bodies that are compressed while they are sent: all share one io thread. Any thread.
class gzip_turns {
public:
  /// Until its last copy is destroyed, a body is being compressed. It may outlive `gzip_turns`.
  using turn = std::shared_ptr<void>;
  /// Default for `most`.
  static constexpr std::size_t turns_max = 4;

  explicit gzip_turns(std::size_t most = turns_max) : most_{most} {}

  /// Returns null while `most` bodies are being compressed.
  [[nodiscard]] turn take();

private:
  std::size_t most_;
  std::shared_ptr<std::atomic<std::size_t>> taken_ = std::make_shared<std::atomic<std::size_t>>(0);
};

/// Returns a source of the same body as gzip, which is compressed while it is sent, a little at a time and with about 400 KiB of
/// memory. `plain` knows its size, which is not 0. The source keeps `turn`. Null: no memory for it.
[[nodiscard]] std::shared_ptr<protocol::http_body_source> compressed(std::shared_ptr<protocol::http_body_source> plain,
                                                                     gzip_turns::turn turn = nullptr);

} // namespace ringmaster::gateway
