#include "core/run/shard_family.hpp"

#include <cstdlib>
#include <map>
#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::core {

std::optional<shard_text> read_shard_text(std::string_view text) noexcept {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos)
    return std::nullopt;
  const auto index = parse_int32(text.substr(0, slash));
  const auto total = parse_int32(text.substr(slash + 1));
  if (!index || !total || *index < 0 || *index >= *total)
    return std::nullopt;
  return shard_text{*index, *total};
}

std::vector<log_row> shard_family(const log_row& run, const std::vector<log_row>& same_instant) {
  const auto own = read_shard_text(run.executor_sharding_param);
  if (!own)
    return {run};
  const auto distance = [&](const log_row& row, std::int32_t index) {
    return std::llabs(number(row.id) - number(run.id) - (std::int64_t{index} - own->index));
  };
  std::map<std::int32_t, const log_row*> nearest{{own->index, &run}};
  for (const auto& row : same_instant) {
    const auto part = read_shard_text(row.executor_sharding_param);
    if (!part || part->total != own->total || part->index == own->index || row.job != run.job)
      continue;
    auto& found = nearest[part->index];
    if (!found || distance(row, part->index) < distance(*found, part->index))
      found = &row;
  }
  std::vector<log_row> family;
  family.reserve(nearest.size());
  for (const auto& [index, row] : nearest)
    family.push_back(*row);
  return family;
}

} // namespace ringmaster::core
