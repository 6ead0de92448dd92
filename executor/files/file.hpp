#pragma once

// An owner of a file descriptor, and writes that are complete or report an error.

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "core/result.hpp"

namespace ringmaster::executor {

/// Closes the descriptor in its destructor.
class file {
public:
  file() = default;
  explicit file(int descriptor) noexcept : descriptor_{descriptor} {}
  file(file&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}
  file& operator=(file&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~file() { (void)close(); }

  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  [[nodiscard]] int get() const noexcept { return descriptor_; }

  /// Closes it and returns 0 or `errno`: a network file system reports a full disk here.
  [[nodiscard]] int close() noexcept {
    const int closed = std::exchange(descriptor_, -1);
    return closed >= 0 && ::close(closed) != 0 && errno != EINTR ? errno : 0;
  }

private:
  int descriptor_ = -1;
};

/// The progress of a write.
struct written {
  std::size_t bytes = 0;
  /// `errno` of the error that stopped it; 0: complete.
  int reason = 0;
};

[[nodiscard]] written write_all(const file& to, std::string_view text) noexcept;

/// Creates `folder` and its missing parents. Returns 0, or the `errno` of the failure.
[[nodiscard]] int make_folders(const std::string& folder);

/// Returns `unavailable`: `PATH cannot be WHAT: REASON`, with the text of an `errno`.
[[nodiscard]] core::error file_error(const std::string& path, std::string_view what, int reason);

} // namespace ringmaster::executor
