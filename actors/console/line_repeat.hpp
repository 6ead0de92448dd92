#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "actors/console/spool_file.hpp"
#include "core/result.hpp"

namespace ringmaster::actors {

/// Comparison of the last line of a copy with the first line of an answer that begins with it: while a run writes, its last line
/// may have been read before it was whole. Blocks; one thread.
class line_repeat {
public:
  /// Begins at the last line of the file, which has one. Errors: `unavailable`.
  [[nodiscard]] static core::result<line_repeat> of(const spool_file& file);

  /// Takes text of the answer and returns the rest of it, which is to be appended to the file. Errors: `unavailable`.
  [[nodiscard]] core::result<std::string_view> take(spool_file& file, std::string_view text);
  /// Ends the answer. Errors: `unavailable`.
  [[nodiscard]] core::result<void> finish(spool_file& file);
  /// Removes what came of the answer. `begin`: end of the text before it. Errors: `unavailable`.
  [[nodiscard]] core::result<void> undo(spool_file& file, const spool_file::position& begin) const;

  /// Returns true if the answer begins with the line as it was.
  [[nodiscard]] bool is_same() const noexcept {
    return state_ == state::same || (state_ == state::open && matched_ > 0 && matched_ >= sure_bytes_);
  }
  /// Returns true if the answer continues the line.
  [[nodiscard]] bool is_longer() const noexcept { return state_ == state::longer; }
  /// Returns the offset of the line.
  [[nodiscard]] std::uint64_t offset() const noexcept { return before_.bytes; }

private:
  enum class state : std::uint8_t { open, same, longer, other };

  [[nodiscard]] core::result<void> differs(spool_file& file);
  [[nodiscard]] core::result<void> keep_other(spool_file& file);

  /// End of the text before the line.
  spool_file::position before_;
  /// Size of the line without its end.
  std::uint64_t bytes_ = 0;
  /// As `bytes_`, without replacements at the end: they may stand for a character that was not whole.
  std::uint64_t sure_bytes_ = 0;
  std::uint64_t matched_ = 0;
  state state_ = state::open;
  /// Bytes that the longer line replaced.
  std::string removed_;
};

} // namespace ringmaster::actors
