#include "config/text/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace ringmaster::config {

namespace {

/// Returns the number of single letters to insert, remove or replace.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

} // namespace

std::string suggestion(std::string_view wrong, std::span<const std::string_view> known) {
  constexpr std::size_t length_max = 100;
  if (wrong.size() > length_max)
    return {};
  std::string_view best;
  std::size_t best_edits = std::max<std::size_t>(2, wrong.size() / 3) + 1;
  for (const std::string_view candidate : known)
    if (const std::size_t edits = edits_between(wrong, candidate); edits < best_edits) {
      best = candidate;
      best_edits = edits;
    }
  return best.empty() ? std::string{} : "; did you mean '" + std::string{best} + "'?";
}

} // namespace ringmaster::config
