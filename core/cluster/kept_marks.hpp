#pragma once

// What a node remembers of its database outside of it, so that it notices when the database is older than it was. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"

namespace ringmaster::core {

/// The content of one small file. It is written now and then, never for each run, so it says two things about run ids: one that
/// this node has certainly seen, and one above all that it may have seen.
struct kept_marks {
  /// A run id that this node has seen in the database.
  log_id seen{};
  /// No run id above this one was handed out by this node.
  log_id ceiling{};
  /// The number of this node's last life.
  std::int64_t life = 0;

  friend bool operator==(const kept_marks&, const kept_marks&) = default;
};

/// The marks to write when `highest` is the highest id seen and `before` was written last: the ceiling is far enough ahead that
/// some seconds of the same load fit below it.
[[nodiscard]] kept_marks marks_ahead(const kept_marks& before, log_id highest);

/// The marks of an orderly end: nothing is ahead.
[[nodiscard]] kept_marks marks_at_end(const kept_marks& now, log_id highest);

/// One line.
[[nodiscard]] std::string to_text(const kept_marks& marks);
/// Nothing for a text that is not of `to_text`.
[[nodiscard]] std::optional<kept_marks> parse_marks(std::string_view text);

/// What the next run id of a database says to what a node remembers.
enum class id_verdict : std::uint8_t {
  /// It is above all that this node has seen.
  fine,
  /// It is not above the ceiling: this node ended without having written what it saw last.
  unsure,
  /// The database gave this id before: it is older than it was.
  older
};
[[nodiscard]] id_verdict judge_next_id(const kept_marks& marks, log_id next);

} // namespace ringmaster::core
