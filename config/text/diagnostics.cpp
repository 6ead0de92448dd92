#include "config/text/diagnostics.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace ringmaster::config {

bool origins::any_refused(std::initializer_list<std::string_view> keys) const {
  return std::any_of(keys.begin(), keys.end(), [this](std::string_view key) { return refused_.contains(key); });
}

std::string origins::prefix(std::initializer_list<std::string_view> keys) const {
  for (const auto key : keys)
    if (const auto at = places_.find(key); at != places_.end())
      return at->second + ": ";
  return {};
}

std::string origins::subject(std::string_view key) const {
  const auto at = places_.find(key);
  if (at == places_.end())
    return std::string{key};
  return at->second.ends_with(" " + std::string{key}) ? at->second : at->second + ": " + std::string{key};
}

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
