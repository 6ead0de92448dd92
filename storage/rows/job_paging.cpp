#include "storage/rows/job_paging.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace ringmaster::storage {

namespace {

/// Returns the window of the same rows counted from the other end: a page near the end then skips fewer rows.
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

/// Returns a text that is equal for equal searches, regardless of the page.
std::string question_of(const core::job_search& search, const std::optional<std::vector<core::group_id>>& groups) {
  std::string out = !search.running ? "any" : *search.running ? "running" : "stopped";
  for (const auto* part : {&search.name_part, &search.handler_part, &search.author_part})
    out += ' ' + std::to_string(part->size()) + ':' + *part;
  out += groups ? " of" : "";
  for (const auto group : groups.value_or(std::vector<core::group_id>{}))
    out += ' ' + std::to_string(core::number(group));
  return out;
}

} // namespace

bool is_filtered(const core::job_search& search) noexcept {
  return search.running || !search.name_part.empty() || !search.handler_part.empty() || !search.author_part.empty();
}

found_jobs find_jobs(job_paths& jobs, const core::job_search& search, const std::optional<std::vector<core::group_id>>& groups,
                     seen_totals& totals) {
  const core::page_window window{search.window.offset, std::min(search.window.limit, core::page_rows_max)};
  const bool filtered = is_filtered(search);
  const auto question = question_of(search, groups);
  const auto last_edit = jobs.last_edit();
  auto known = last_edit ? totals.find(question, *last_edit, seen_totals::clock::now()) : std::nullopt;
  if (filtered && !known) {
    auto ids = jobs.some(few_jobs + 1);
    if (const auto total = ids.size(); total <= few_jobs)
      return {slice(std::move(ids), window), static_cast<std::int64_t>(total)};
  }
  if (!known) {
    known = jobs.count();
    if (last_edit)
      totals.keep(question, *last_edit, *known, seen_totals::clock::now());
  }
  found_jobs out{{}, *known};
  const auto total = static_cast<std::size_t>(out.total);
  if (window.offset >= total)
    return out;
  if (filtered || window.offset <= total / 2) {
    out.ids = jobs.newest(window);
  } else {
    out.ids = jobs.oldest(from_the_other_end(window, total));
    std::reverse(out.ids.begin(), out.ids.end());
  }
  return out;
}

} // namespace ringmaster::storage
