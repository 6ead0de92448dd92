#pragma once

// Offsets of lines in log files, so that following a long log does not read it from the beginning each time.

#include <cstdint>
#include <mutex>
#include <vector>

#include "core/ids.hpp"

namespace ringmaster::executor {

/// A place in a file.
struct log_mark {
  std::uint64_t offset = 0;
  /// The line that begins at `offset`; with `inside` the line that contains it. 1 is the first.
  std::int32_t line = 1;
  bool inside = false;

  friend bool operator==(const log_mark&, const log_mark&) = default;
};

/// Identifies the file of a mark: another file of the same name is a different one.
struct log_identity {
  core::log_id run{};
  std::uint64_t device = 0;
  std::uint64_t node = 0;

  friend bool operator==(const log_identity&, const log_identity&) = default;
};

/// Use of a mark. A file has at most one mark for its end and one for its last lines, which move as it grows.
enum class mark_use : std::uint8_t { reading, tail, end };

/// The most recently reached places of all files. Any thread.
class log_marks {
public:
  explicit log_marks(std::size_t size = 256) { slots_.resize(size); }

  /// Returns the last known place from which line `from` can be reached in a file of `bytes`; else the beginning.
  [[nodiscard]] log_mark before(const log_identity& of, std::int32_t from, std::uint64_t bytes);

  /// Stores a mark in place of the file's mark for the same end or last lines, else of the least recently used one.
  void keep(const log_identity& of, const log_mark& mark, mark_use use = mark_use::reading);

private:
  struct slot {
    log_identity of = {};
    log_mark mark = {};
    mark_use use = mark_use::reading;
    /// 0: empty.
    std::uint64_t used = 0;
  };

  std::mutex mutex_;
  std::uint64_t uses_ = 0;
  std::vector<slot> slots_;
};

} // namespace ringmaster::executor
