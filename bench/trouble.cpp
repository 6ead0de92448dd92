#include "bench/trouble.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ringmaster::bench {

namespace {

constexpr std::int64_t late_us = 1'000'000;
// Time after the return; a run that is missing later was not dropped by a misfire policy.
constexpr std::int64_t settled_ms = 5'000;

} // namespace

void account_for(trouble_account& known, const run_book& book, const load_window& window, std::size_t jobs) {
  std::vector<std::size_t> seen(static_cast<std::size_t>((window.end_ms - window.begin_ms) / 1000), 0);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  std::int64_t last_late_us = known.back_ms * 1000;
  for (const auto& run : book.received) {
    if (!window.holds(run.instant_ms))
      continue;
    pairs.emplace_back(run.instant_ms, run.job);
    if (run.arrived_us - run.instant_ms * 1000 > late_us)
      last_late_us = std::max(last_late_us, run.arrived_us);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  for (const auto& [instant, job] : pairs)
    ++seen[static_cast<std::size_t>((instant - window.begin_ms) / 1000)];
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto instant = window.begin_ms + static_cast<std::int64_t>(i) * 1000;
    // The runs of the second before may have been in progress.
    const bool meanwhile = instant >= known.began_ms - 1000 && instant <= known.back_ms + settled_ms;
    const auto missing = jobs - std::min(jobs, seen[i]);
    (meanwhile ? known.dropped : known.lost) += missing;
    if (missing > 0)
      last_late_us = std::max(last_late_us, (instant + 1000) * 1000);
  }
  known.steady_ms = static_cast<double>(last_late_us) / 1000 - static_cast<double>(known.back_ms);
}

} // namespace ringmaster::bench
