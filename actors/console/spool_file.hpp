#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/run/log_piece.hpp"

namespace ringmaster::actors {

/// Piece of a log that was read from a file.
struct spooled_piece {
  std::int32_t from_line = 1;
  std::int32_t to_line = 0;
  std::string content = {};
  bool more = false;
  bool cut = false;
};

/// Text of one log in a file of its own (mode 0600), with the offset of each 1000th line. Removes the file in its destructor.
/// Blocks: for threads that may. Errors of all functions: `unavailable`, with the path and the system's reason.
class spool_file {
public:
  /// Place in the text: its size, and the size and the number of its whole lines.
  struct position {
    std::uint64_t bytes = 0;
    std::uint64_t whole_bytes = 0;
    std::int32_t whole_lines = 0;
  };

  /// Creates a file that does not exist yet.
  [[nodiscard]] static core::result<std::unique_ptr<spool_file>> create(std::string path);
  spool_file(const spool_file&) = delete;
  spool_file& operator=(const spool_file&) = delete;
  ~spool_file();

  /// Appends all of `text`, or nothing.
  [[nodiscard]] core::result<void> append(std::string_view text);
  /// Removes all text after a place where the text ended before.
  [[nodiscard]] core::result<void> return_to(const position& place);

  [[nodiscard]] const position& end() const noexcept { return end_; }
  /// Returns true if the last line has no end yet.
  [[nodiscard]] bool has_open_line() const noexcept { return end_.bytes != end_.whole_bytes; }
  /// Returns the number of lines; a last line without an end counts.
  [[nodiscard]] std::int32_t lines() const noexcept { return end_.whole_lines + (has_open_line() ? 1 : 0); }
  /// Returns the size of the index in bytes.
  [[nodiscard]] std::size_t index_bytes() const noexcept { return marks_.capacity() * sizeof(mark); }

  /// Reads at most `bytes` bytes from an offset on.
  [[nodiscard]] core::result<std::string> read(std::uint64_t from, std::size_t bytes) const;
  /// Returns the offset of the first byte of a line; of a line after the last one the size of the text.
  [[nodiscard]] core::result<std::uint64_t> offset_of(std::int32_t line) const;
  /// Reads the piece that a reader asks for. `whole_lines`: a last line without an end is left out.
  [[nodiscard]] core::result<spooled_piece> piece(std::int32_t from_line, const core::piece_limits& limits,
                                                  bool whole_lines) const;

private:
  /// First byte of a line.
  struct mark {
    std::int32_t line = 1;
    std::uint64_t offset = 0;
  };

  spool_file(std::string path, int descriptor) : path_{std::move(path)}, descriptor_{descriptor} {}
  [[nodiscard]] core::error failed(std::string_view what, int reason) const;
  void count_lines(std::string_view text);
  [[nodiscard]] core::result<spooled_piece> tail(const core::piece_limits& limits, std::int32_t lines,
                                                 std::uint64_t bytes) const;
  [[nodiscard]] core::result<spooled_piece> piece_at(std::uint64_t offset, std::int32_t from_line,
                                                     const core::piece_limits& limits, std::int32_t lines,
                                                     std::uint64_t bytes) const;

  std::string path_;
  int descriptor_;
  position end_;
  std::vector<mark> marks_{mark{}};
};

} // namespace ringmaster::actors
