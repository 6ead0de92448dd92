#pragma once

// A file's descriptor with an owner, and writes that are whole or say why not.

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "core/result.hpp"

namespace ringmaster::executor {

/// Closed at its end.
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

  /// 0 or `errno`: a network's file system tells here that its disk is full.
  [[nodiscard]] int close() noexcept {
    const int closed = std::exchange(descriptor_, -1);
    return closed >= 0 && ::close(closed) != 0 && errno != EINTR ? errno : 0;
  }

private:
  int descriptor_ = -1;
};

/// How far a write came.
struct written {
  std::size_t bytes = 0;
  /// `errno` of what stopped it; 0: all is written.
  int reason = 0;
};

[[nodiscard]] written write_all(const file& to, std::string_view text) noexcept;

/// Makes `folder` and those above it, where they are missing. 0, or the `errno` of what could not be made.
[[nodiscard]] int make_folders(const std::string& folder);

/// `unavailable`: `PATH cannot be WHAT: REASON`, with the text of an `errno`.
[[nodiscard]] core::error file_error(const std::string& path, std::string_view what, int reason);

} // namespace ringmaster::executor
