#include "storage/rows/seen_totals.hpp"

#include <utility>

namespace ringmaster::storage {

std::optional<std::int64_t> seen_totals::find(const std::string& search, std::int64_t version, clock::time_point now) const {
  const auto found = seen_.find(search);
  if (found == seen_.end() || found->second.version != version || now - found->second.at > lifetime)
    return std::nullopt;
  return found->second.total;
}

void seen_totals::keep(std::string search, std::int64_t version, std::int64_t total, clock::time_point now) {
  if (seen_.size() >= searches_max)
    seen_.clear();
  seen_.insert_or_assign(std::move(search), seen{version, total, now});
}

} // namespace ringmaster::storage
