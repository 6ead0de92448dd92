#pragma once

// The day report's counts without an index: the log is counted in stretches of ids, and a stretch in which nothing changes any
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

/// Midnights of the two days before `now`, its own and the next one, in `where`. Days of 23 and 25 hours are as long as they are;
/// a midnight that a clock change skips is the end of the gap.
[[nodiscard]] day_bounds days_around(time_point now, const zone& where);

/// Counts of three days over the ids behind `first`. Its owner reads the stretches that it names and brings the counts back. Pure
/// state of one actor.
///
/// What a pass costs: the ids since the last pass, and again each stretch that still has a run without a result, at most
/// `recounts_max` of them. A stretch whose runs are all decided, and in which nobody can still be inserting, is closed.
class day_counter {
public:
  static constexpr std::int64_t stretch_ids = 20'000;
  static constexpr std::size_t recounts_max = 50;

  explicit day_counter(log_id first) : first_{number(first)} {}

  /// Plans what to count up to `newest`. Up to `settled` no row can appear any more.
  void begin_pass(log_id newest, log_id settled);
  /// The next stretch to count; nothing when the pass is over.
  [[nodiscard]] std::optional<log_range> next() const;
  /// Of the stretch that `next` named.
  void counted(const day_counts& counts);

  /// As of the stretches that were counted so far.
  [[nodiscard]] const day_counts& totals() const noexcept { return totals_; }
  /// Stretches that the present pass has still to count.
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
  /// Where the next pass goes on with what is to be counted again.
  std::size_t again_from_ = 0;
  day_counts totals_{};
};

} // namespace ringmaster::core
