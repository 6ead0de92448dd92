// job_admin: forecasts of the runs in a time span. Not on the path of the schedule: jobs are read page by page on the connection
// for console reads, between which other requests get their turn, and walked through on its thread for a limited time.

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>

#include "actors/console/job_admin.hpp"
#include "actors/store/store_access.hpp"
#include "core/forecast/firing_counts.hpp"
#include "core/forecast/upcoming.hpp"
#include "protocol/error.hpp"
#include "protocol/forecast_messages.hpp"

namespace ringmaster::actors {

/// A forecast under way. Used by one task at a time.
struct job_admin_state::outlook {
  outlook(std::optional<core::group_id> of, std::optional<core::job_id> one, core::principal asker)
    : group{of}, job{one}, by{std::move(asker)} {}
  virtual ~outlook() = default;
  outlook(const outlook&) = delete;
  outlook& operator=(const outlook&) = delete;

  /// Called on the worker before the first of many jobs is taken.
  [[nodiscard]] virtual core::result<void> begin() { return {}; }
  /// Takes the job that was asked for. Returns false if the other jobs are needed, too.
  [[nodiscard]] virtual core::result<bool> take_one(const core::job_record& record) {
    if (!group || *group == record.group)
      take(record);
    return true;
  }
  virtual void take(const core::job_record& record) = 0;
  /// Walks for the time of one slice, on the worker. Returns true at the end.
  [[nodiscard]] virtual bool walk(std::chrono::milliseconds slice) = 0;
  virtual void answer(core::result<void>&& outcome) = 0;

  std::optional<core::group_id> group;
  std::optional<core::job_id> job;
  core::principal by;
  std::size_t jobs_read = 0;
};

/// A page of firings: one slice is one page.
struct job_admin_state::firing_list final : outlook {
  firing_list(protocol::forecast_query&& asked, const forecast_rules& rules)
    : outlook{asked.group, asked.job, std::move(asked.by)},
      from_first_jobs{core::upcoming::needs_first_jobs_only(asked.search)},
      firings{asked.search, rules.misfire_after, rules.schedule_zone} {}

  void take(const core::job_record& record) override { firings.add(record); }
  bool walk(std::chrono::milliseconds slice) override {
    const auto until = std::chrono::steady_clock::now() + slice;
    page = std::move(firings).page([until] { return std::chrono::steady_clock::now() < until; });
    return true;
  }
  void answer(core::result<void>&& outcome) override {
    outcome ? promise.deliver(protocol::forecast_found{std::move(page)}) : promise.deliver(protocol::to_caf(outcome.error()));
  }

  bool from_first_jobs = false;
  core::upcoming firings;
  core::upcoming_page page = {};
  caf::typed_response_promise<protocol::forecast_found> promise = {};
};

/// Counts of firings, perhaps also as if a job had another schedule. The slices have a time limit together.
struct job_admin_state::firing_tally final : outlook {
  firing_tally(protocol::counts_query&& asked, const forecast_rules& rules)
    : outlook{asked.group, asked.change && asked.change->job != core::job_id{} ? asked.change->job : asked.job,
              std::move(asked.by)},
      change{std::move(asked.change)},
      counts{asked.search, rules.misfire_after, rules.schedule_zone},
      time_left{rules.counts_max} {}

  core::result<void> begin() override { return change && !job ? counts.change(*change, nullptr) : core::result<void>{}; }
  core::result<bool> take_one(const core::job_record& record) override {
    if (!change)
      return outlook::take_one(record);
    if (auto fits = counts.change(*change, &record); !fits)
      return tl::unexpected<core::error>{std::move(fits.error())};
    return false;
  }
  void take(const core::job_record& record) override { counts.add(record); }
  bool walk(std::chrono::milliseconds slice) override {
    const auto begun = std::chrono::steady_clock::now();
    const auto until = begun + std::min(slice, time_left);
    const bool done = counts.walk([until] { return std::chrono::steady_clock::now() < until; });
    time_left -= std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
    if (done)
      report = std::move(counts).report();
    if (done || time_left.count() > 0)
      return done;
    // The rest is short: the names of the jobs of the busiest seconds.
    counts.cut();
    time_left = slice;
    return false;
  }
  void answer(core::result<void>&& outcome) override {
    outcome ? promise.deliver(protocol::counts_found{std::move(report)}) : promise.deliver(protocol::to_caf(outcome.error()));
  }

  std::optional<core::changed_schedule> change;
  core::firing_counts counts;
  core::counts_report report = {};
  std::chrono::milliseconds time_left;
  caf::typed_response_promise<protocol::counts_found> promise = {};
};

caf::result<protocol::forecast_found> job_admin_state::foresee(protocol::forecast_query&& asked) {
  return begin_outlook<protocol::forecast_found>(std::make_shared<firing_list>(std::move(asked), forecasts_));
}

caf::result<protocol::counts_found> job_admin_state::count(protocol::counts_query&& asked) {
  return begin_outlook<protocol::counts_found>(std::make_shared<firing_tally>(std::move(asked), forecasts_));
}

template <class Found, class Outlook>
caf::result<Found> job_admin_state::begin_outlook(std::shared_ptr<Outlook> of) {
  if (forecasts_under_way_ >= forecasts_max)
    return protocol::to_caf({core::errc::unavailable, "too many forecasts under way: try again in a second", core::refusal::none,
                             "forecast"});
  ++forecasts_under_way_;
  auto promise = self_->make_response_promise<Found>();
  of->promise = promise;
  if constexpr (std::is_same_v<Outlook, firing_list>)
    if (!of->job && of->from_first_jobs) {
      read_first(std::move(of));
      return promise;
    }
  of->job ? read_one(std::move(of)) : read_more(std::move(of));
  return promise;
}

void job_admin_state::read_first(std::shared_ptr<firing_list> of) {
  ask_store<bool>(
    self_, stores_.reads,
    [of](storage::store& store) -> core::result<bool> {
      const auto list = store.job_editing().soonest(of->group, core::first_jobs_read, of->by);
      if (!list)
        return tl::unexpected<core::error>{list.error()};
      const auto& rows = list->jobs.rows;
      const bool has_others = list->more && !rows.empty();
      if (has_others && !of->firings.can_end_after(rows.back()))
        return false;
      for (const auto& row : rows)
        of->take(row);
      if (has_others)
        of->firings.end_after(rows.back());
      return true;
    },
    [this, of](core::result<bool>&& enough) {
      if (!enough)
        return foreseen(of, tl::unexpected<core::error>{enough.error()});
      *enough ? walk(of) : read_more(of);
    });
}

void job_admin_state::read_one(std::shared_ptr<outlook> of) {
  ask_store<bool>(
    self_, stores_.reads,
    [of](storage::store& store) -> core::result<bool> {
      const auto job = store.job_editing().read(*of->job, of->by);
      if (!job)
        return tl::unexpected<core::error>{job.error()};
      return of->take_one(*job);
    },
    [this, of](core::result<bool>&& enough) {
      if (!enough)
        return foreseen(of, tl::unexpected<core::error>{enough.error()});
      *enough ? walk(of) : read_more(of);
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
      if (of->jobs_read == 0)
        if (auto begun = of->begin(); !begun)
          return tl::unexpected<core::error>{std::move(begun.error())};
      core::job_search search;
      search.group = of->group;
      search.running = true;
      search.window = {of->jobs_read, core::page_rows_max};
      const auto page = store.job_editing().page(search, of->by);
      if (!page)
        return tl::unexpected<core::error>{page.error()};
      if (page->total > static_cast<std::int64_t>(core::upcoming_jobs_max))
        return core::fail(core::errc::invalid_argument, "more than " + std::to_string(core::upcoming_jobs_max) +
                                                          " jobs are scheduled: ask for a forecast of one group or one job");
      for (const auto& row : page->rows)
        of->take(row);
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

// Between two slices other reads of the console get their turn.
void job_admin_state::walk(std::shared_ptr<outlook> of) {
  ask_store<bool>(
    self_, stores_.reads, [of, slice = forecasts_.walk_max](storage::store&) { return core::result<bool>{of->walk(slice)}; },
    [this, of](core::result<bool>&& done) {
      if (done && !*done)
        return walk(of);
      foreseen(of, done ? core::result<void>{} : core::result<void>{tl::unexpected<core::error>{done.error()}});
    });
}

void job_admin_state::foreseen(const std::shared_ptr<outlook>& of, core::result<void>&& outcome) {
  --forecasts_under_way_;
  of->answer(std::move(outcome));
}

} // namespace ringmaster::actors
