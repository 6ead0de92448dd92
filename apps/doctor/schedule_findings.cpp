#include "apps/doctor/schedule_findings.hpp"

#include "core/schedule/schedule_rules.hpp"

namespace ringmaster::apps {

namespace {

constexpr std::size_t jobs_a_page = 2000;

} // namespace

core::result<std::vector<core::far_ahead>> find_far_ahead(storage::store& store, const core::zone& where,
                                                          core::milliseconds tolerance, core::time_point now) {
  std::vector<core::far_ahead> found;
  core::schedule_rules rules{where};
  for (core::job_id after{};;) {
    const auto page = store.firings().load_jobs(core::slot_set{}.set(), after, jobs_a_page);
    if (!page)
      return tl::unexpected<core::error>{page.error()};
    for (const auto& job : *page) {
      const auto rule = rules.of(*job.spec);
      if (auto odd = rule ? core::check_times(job, **rule, now, tolerance) : std::nullopt)
        found.push_back(*odd);
    }
    if (page->size() < jobs_a_page)
      return found;
    after = page->back().spec->id;
  }
}

} // namespace ringmaster::apps
