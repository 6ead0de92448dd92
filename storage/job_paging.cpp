#include "storage/job_paging.hpp"

#include <algorithm>
#include <functional>

namespace ringmaster::storage {

namespace {

/// The same rows counted from the other end: whoever goes there passes fewer.
core::page_window from_the_other_end(const core::page_window& window, std::size_t total) {
  auto out = window;
  out.limit = std::min(window.limit, total - window.offset);
  out.offset = total - window.offset - out.limit;
  return out;
}

std::vector<core::job_id> slice(std::vector<core::job_id> ids, const core::page_window& window) {
  std::sort(ids.begin(), ids.end(), std::greater<>{});
  const auto begin = std::min(window.offset, ids.size());
  const auto end = begin + std::min(window.limit, ids.size() - begin);
  return {ids.begin() + static_cast<std::ptrdiff_t>(begin), ids.begin() + static_cast<std::ptrdiff_t>(end)};
}

} // namespace

found_jobs find_jobs(job_paths& jobs, const core::page_window& window) {
  if (jobs.filtered()) {
    auto ids = jobs.some(few_jobs + 1);
    if (const auto total = ids.size(); total <= few_jobs)
      return {slice(std::move(ids), window), static_cast<std::int64_t>(total)};
  }
  found_jobs out{{}, jobs.count()};
  const auto total = static_cast<std::size_t>(out.total);
  if (window.offset >= total)
    return out;
  if (jobs.filtered() || window.offset <= total / 2) {
    out.ids = jobs.newest(window);
  } else {
    out.ids = jobs.oldest(from_the_other_end(window, total));
    std::reverse(out.ids.begin(), out.ids.end());
  }
  return out;
}

} // namespace ringmaster::storage
