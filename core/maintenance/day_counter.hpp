#pragma once

// Counts of the daily report without an index: the log is counted in stretches of ids. A stretch in which nothing changes any
// more is never counted again.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "core/maintenance/log_maintenance.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// Returns the midnights of the two days before `now`, of its own day and of the next one, in `where`. Days of 23 and 25 hours
/// keep their length; a midnight that a clock change skips is the end of the gap.
[[nodiscard]] day_bounds days_around(time_point now, const zone& where);

/// Counts of three days over the ids after `first`. The owner reads the stretches that the counter names and returns their
/// counts. Pure state of one actor.
///
/// A pass reads the ids since the last pass, and again each stretch that still has a run without a result, at most `recounts_max`
/// of them. A stretch is closed when all its runs are decided and no insert into it can still be pending.
class day_counter {
public:
  static constexpr std::int64_t stretch_ids = 20'000;
  static constexpr std::size_t recounts_max = 50;

  explicit day_counter(log_id first) : first_{number(first)} {}

  /// Plans the stretches to count up to `newest`. No row can appear any more up to `settled`.
  void begin_pass(log_id newest, log_id settled);
  /// Returns the next stretch to count; unset when the pass has ended.
  [[nodiscard]] std::optional<log_range> next() const;
  /// Takes the counts of the stretch that `next` returned.
  void counted(const day_counts& counts);

  /// Returns the totals of the stretches counted so far.
  [[nodiscard]] const day_counts& totals() const noexcept { return totals_; }
  /// Returns the number of stretches that the present pass has still to count.
  [[nodiscard]] std::size_t left() const noexcept { return todo_.size(); }

private:
  struct stretch {
    day_counts counts{};
    bool counted = false;
    bool closed = false;
  };
  [[nodiscard]] log_range range_of(std::size_t index) const;

  std::int64_t first_;
  std::int64_t newest_ = 0;
  std::int64_t settled_ = 0;
  std::vector<stretch> stretches_;
  std::deque<std::size_t> todo_;
  /// Index at which the next pass continues to recount.
  std::size_t again_from_ = 0;
  day_counts totals_{};
};

} // namespace ringmaster::core
