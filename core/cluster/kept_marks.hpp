#pragma once

// Marks that a node keeps outside of its database to detect that the database is older than it was. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// A start that found the database older than this node had seen it. Content of a file of its own, beside that of the marks: the
/// releases that know only the marks read them all the same.
struct set_back {
  /// Time of that start.
  time_point at;
  /// Run id that the database would have issued next.
  log_id next{};
  /// New run ids start above this one.
  log_id above{};

  friend bool operator==(const set_back&, const set_back&) = default;
};

/// Content of one small file. It is written from time to time, never for each run, so it holds two run ids: one that this node
/// has certainly seen, and one above all that it may have seen.
struct kept_marks {
  /// Run id that this node has seen in the database.
  log_id seen{};
  /// Upper bound of the run ids that this node has handed out.
  log_id ceiling{};
  /// Number of this node's last incarnation.
  std::int64_t incarnation = 0;

  friend bool operator==(const kept_marks&, const kept_marks&) = default;
};

/// Returns the marks to write. `highest` is the highest id seen and `before` was written last. The ceiling is far enough ahead
/// for some seconds of the same load.
[[nodiscard]] kept_marks marks_ahead(const kept_marks& before, log_id highest);

/// Returns the marks of a clean shutdown: nothing is ahead.
[[nodiscard]] kept_marks marks_at_end(const kept_marks& now, log_id highest);

/// Formats the marks as one line.
[[nodiscard]] std::string to_text(const kept_marks& marks);
/// Parses the marks; unset for a text that `to_text` did not write.
[[nodiscard]] std::optional<kept_marks> parse_marks(std::string_view text);

/// Formats a set-back as one line.
[[nodiscard]] std::string to_text(const set_back& back);
/// Parses a set-back; unset for a text that `to_text` did not write.
[[nodiscard]] std::optional<set_back> parse_set_back(std::string_view text);

/// Comparison of a database's next run id with the marks of a node.
enum class id_verdict : std::uint8_t {
  /// Above every id that this node has seen.
  fine,
  /// Not above the ceiling: this node ended before it wrote the last ids that it saw.
  unsure,
  /// Already handed out earlier: the database is older than it was.
  older
};
[[nodiscard]] id_verdict judge_next_id(const kept_marks& marks, log_id next);

} // namespace ringmaster::core
