// job_admin: forecasts of the runs in a time span. Not on the path of the schedule: jobs are read page by page on the connection
// for console reads, between which other requests get their turn, and walked through on its thread for a limited time.

#include <chrono>
#include <utility>

#include "actors/console/job_admin.hpp"
#include "actors/store/store_access.hpp"
#include "core/forecast/upcoming.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

struct job_admin_state::outlook {
  outlook(protocol::forecast_query&& of, const forecast_rules& rules)
    : asked{std::move(of)}, firings{asked.search, rules.misfire_after, rules.schedule_zone}, walk_max{rules.walk_max} {}

  protocol::forecast_query asked;
  /// Used by one task at a time.
  core::upcoming firings;
  std::chrono::milliseconds walk_max;
  std::size_t jobs_read = 0;
  caf::typed_response_promise<protocol::forecast_found> answer{};
};

caf::result<protocol::forecast_found> job_admin_state::foresee(protocol::forecast_query&& asked) {
  if (forecasts_under_way_ >= forecasts_max)
    return protocol::to_caf({core::errc::unavailable, "too many forecasts under way: try again in a second", core::refusal::none,
                             "forecast"});
  ++forecasts_under_way_;
  auto of = std::make_shared<outlook>(std::move(asked), forecasts_);
  of->answer = self_->make_response_promise<protocol::forecast_found>();
  if (of->asked.job)
    read_one(of);
  else
    read_more(of);
  return of->answer;
}

void job_admin_state::read_one(std::shared_ptr<outlook> of) {
  ask_store<core::job_record>(
    self_, stores_.reads, [of](storage::store& store) { return store.job_editing().read(*of->asked.job, of->asked.by); },
    [this, of](core::result<core::job_record>&& job) {
      if (!job)
        return foreseen(of, tl::unexpected<core::error>{job.error()});
      if (!of->asked.group || *of->asked.group == job->group)
        of->firings.add(*job);
      walk(of);
    });
}

// Reads pages by position: a job that is edited or started meanwhile may be missing from this forecast. A job that is read twice
// is counted once.
void job_admin_state::read_more(std::shared_ptr<outlook> of) {
  struct part {
    std::size_t rows = 0;
    std::int64_t total = 0;
  };
  ask_store<part>(
    self_, stores_.reads,
    [of](storage::store& store) -> core::result<part> {
      core::job_search search;
      search.group = of->asked.group;
      search.running = true;
      search.window = {of->jobs_read, core::page_rows_max};
      const auto page = store.job_editing().page(search, of->asked.by);
      if (!page)
        return tl::unexpected<core::error>{page.error()};
      if (page->total > static_cast<std::int64_t>(core::upcoming_jobs_max))
        return core::fail(core::errc::invalid_argument, "more than " + std::to_string(core::upcoming_jobs_max) +
                                                          " jobs are scheduled: ask for a forecast of one group or one job");
      for (const auto& row : page->rows)
        of->firings.add(row);
      return part{page->rows.size(), page->total};
    },
    [this, of](core::result<part>&& read) {
      if (!read)
        return foreseen(of, tl::unexpected<core::error>{read.error()});
      of->jobs_read += read->rows;
      if (read->rows > 0 && static_cast<std::int64_t>(of->jobs_read) < read->total)
        return read_more(of);
      walk(of);
    });
}

void job_admin_state::walk(std::shared_ptr<outlook> of) {
  ask_store<core::upcoming_page>(
    self_, stores_.reads,
    [of](storage::store&) -> core::result<core::upcoming_page> {
      const auto until = std::chrono::steady_clock::now() + of->walk_max;
      return std::move(of->firings).page([until] { return std::chrono::steady_clock::now() < until; });
    },
    [this, of](core::result<core::upcoming_page>&& page) { foreseen(of, std::move(page)); });
}

void job_admin_state::foreseen(const std::shared_ptr<outlook>& of, core::result<core::upcoming_page>&& page) {
  --forecasts_under_way_;
  if (!page)
    return of->answer.deliver(protocol::to_caf(page.error()));
  of->answer.deliver(protocol::forecast_found{std::move(*page)});
}

} // namespace ringmaster::actors
