#include "actors/recovery/lost_queries.hpp"

#include <utility>
#include <vector>

namespace ringmaster::actors {

core::result<core::log_range> log_before(storage::store& store, core::time_point before) {
  auto span = store.maintenance().span();
  if (!span)
    return tl::unexpected<core::error>{std::move(span.error())};
  auto last = store.maintenance().last_before(before);
  if (!last)
    return tl::unexpected<core::error>{std::move(last.error())};
  return core::log_range{core::log_id{core::number(span->first) - 1}, *last};
}

core::result<core::log_range> log_since(storage::store& store, core::time_point from) {
  auto first = store.maintenance().last_before(from);
  if (!first)
    return tl::unexpected<core::error>{std::move(first.error())};
  auto span = store.maintenance().span();
  if (!span)
    return tl::unexpected<core::error>{std::move(span.error())};
  return core::log_range{*first, span->last};
}

core::result<found_runs> find_open_runs(storage::store& store, const core::open_search& search) {
  auto page = store.maintenance().open_runs(search);
  if (!page)
    return tl::unexpected<core::error>{std::move(page.error())};
  std::vector<core::job_id> jobs;
  for (const auto& run : page->runs)
    jobs.push_back(run.job);
  auto definitions = jobs.empty() ? std::vector<core::scheduled_job>{} : store.firings().read_jobs(jobs);
  if (!definitions)
    return tl::unexpected<core::error>{std::move(definitions.error())};
  found_runs found{std::move(*page), {}};
  for (const auto& job : *definitions)
    found.timeouts.emplace(job.spec->id, std::chrono::seconds{job.spec->timeout_s});
  return found;
}

core::result<std::set<std::string>> addresses_of_open(storage::store& store, core::open_search wanted, core::time_point from) {
  constexpr int pages_max = 20;
  auto range = log_since(store, from);
  if (!range)
    return tl::unexpected<core::error>{std::move(range.error())};
  wanted.range = *range;
  std::set<std::string> found;
  for (int page = 0; page < pages_max && wanted.range.after < wanted.range.through; ++page) {
    auto runs = store.maintenance().open_runs(wanted);
    if (!runs)
      return tl::unexpected<core::error>{std::move(runs.error())};
    for (auto& run : runs->runs)
      found.insert(std::move(run.address));
    wanted.range.after = runs->through;
  }
  return found;
}

} // namespace ringmaster::actors
