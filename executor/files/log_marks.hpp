#pragma once

// Where lines of log files begin, so that who follows a long log does not read it from its begin with every look.

#include <cstdint>
#include <mutex>
#include <vector>

#include "core/ids.hpp"

namespace ringmaster::executor {

/// A place in a file.
struct log_mark {
  std::uint64_t offset = 0;
  /// The line that begins at `offset`; with `inside` the one that it lies in. 1 is the first.
  std::int32_t line = 1;
  bool inside = false;

  friend bool operator==(const log_mark&, const log_mark&) = default;
};

/// Which file a mark is of: another one of the same name is another file.
struct log_identity {
  core::log_id run{};
  std::uint64_t device = 0;
  std::uint64_t node = 0;

  friend bool operator==(const log_identity&, const log_identity&) = default;
};

/// The places that were reached last, of all files together. Any thread.
class log_marks {
public:
  explicit log_marks(std::size_t size = 256) { slots_.resize(size); }

  /// The last known place from which line `from` can be reached in a file of `bytes`; else its begin.
  [[nodiscard]] log_mark before(const log_identity& of, std::int32_t from, std::uint64_t bytes);

  /// In place of the one that was used least recently.
  void keep(const log_identity& of, const log_mark& mark);

private:
  struct slot {
    log_identity of = {};
    log_mark mark = {};
    /// 0: empty.
    std::uint64_t used = 0;
  };

  std::mutex mutex_;
  std::uint64_t uses_ = 0;
  std::vector<slot> slots_;
};

} // namespace ringmaster::executor
