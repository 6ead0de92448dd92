#pragma once

// Lines of a file of any size, read through a buffer of fixed size.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "executor/files/file.hpp"

namespace ringmaster::executor {

enum class line_end : std::uint8_t {
  /// The line ends with `\n`, `\r` or `\r\n`, which was read as well.
  found,
  /// End of the file; the line, if any, has no end yet.
  none,
  /// See `reason`.
  unreadable
};

/// Reads forward from an offset. Does not own the file.
class line_scanner {
public:
  /// `at_begin`: a line begins at `offset`; a `\n` there still belongs to a `\r` before it.
  line_scanner(const file& from, std::uint64_t offset, bool at_begin);

  /// Reads to the end of the line and keeps its first `keep` bytes.
  [[nodiscard]] line_end next(std::size_t keep);

  /// Return the kept text of the line that `next` read, and the length of the whole line.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::uint64_t length() const noexcept { return length_; }

  /// Returns the offset after the bytes that were read.
  [[nodiscard]] std::uint64_t offset() const noexcept { return buffer_at_ + begin_; }
  [[nodiscard]] int reason() const noexcept { return reason_; }

private:
  /// Returns false at the end of the file and on a read error.
  bool fill();
  std::size_t find_end() noexcept;

  const file& from_;
  std::unique_ptr<char[]> buffer_;
  /// File offset of the buffer's first byte.
  std::uint64_t buffer_at_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  /// There is no `\n` before this position: a file with only `\r` is not searched again for each line.
  std::size_t next_feed_ = 0;
  /// The last byte was a `\r`.
  bool after_return_ = false;
  std::string text_;
  std::uint64_t length_ = 0;
  int reason_ = 0;
};

} // namespace ringmaster::executor
