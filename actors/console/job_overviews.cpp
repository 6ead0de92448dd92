// job_admin: the search over all kinds of objects, and the timeline of a job. Both read on the connection for console reads and
// keep its thread for a limited time.

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "actors/console/job_admin.hpp"
#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

namespace {

/// Longest time of a search by names, which shares its thread with console reads. Enough for about a hundred thousand jobs.
constexpr std::chrono::milliseconds search_max{100};

/// Returns the facts for a timeline. Errors: `not_found`, `forbidden`.
core::result<core::timeline_facts> read_timeline_facts(storage::store& store, const protocol::timeline_query& asked,
                                                       core::time_point now) {
  const auto& search = asked.search;
  auto job = store.job_editing().read(search.job, asked.by);
  if (!job)
    return tl::unexpected{std::move(job.error())};
  core::timeline_facts facts;
  facts.job = std::move(*job);
  core::run_search runs;
  runs.job = search.job;
  runs.from = search.from;
  runs.to = search.until;
  runs.window.limit = search.limit;
  auto found = store.run_reading().page(runs, search.limit, asked.by);
  if (!found)
    return tl::unexpected{std::move(found.error())};
  facts.runs = std::move(found->rows);
  facts.more_runs = found->total_is_capped || facts.runs.size() >= search.limit;
  auto edits = store.audits().edits_of(search.job, core::timeline_edits_max);
  if (!edits)
    return tl::unexpected{std::move(edits.error())};
  facts.edits = std::move(edits->rows);
  facts.edits_from = edits->complete_from.value_or(now);
  return facts;
}

} // namespace

caf::result<protocol::objects_found> job_admin_state::find(protocol::object_query&& asked) {
  if (searches_under_way_ >= searches_max)
    return protocol::to_caf({core::errc::unavailable, "too many searches under way: try again in a second", core::refusal::none,
                             "search"});
  ++searches_under_way_;
  auto answer = self_->make_response_promise<protocol::objects_found>();
  ask_store<protocol::objects_found>(
    self_, stores_.reads,
    [asked = std::move(asked)](storage::store& store) -> core::result<protocol::objects_found> {
      const auto until = std::chrono::steady_clock::now() + search_max;
      auto found = store.searches().find(asked.search, asked.by, [until] { return std::chrono::steady_clock::now() < until; });
      if (!found)
        return tl::unexpected{std::move(found.error())};
      auto names = store.run_reading().names(found->runs, asked.by);
      if (!names)
        return tl::unexpected{std::move(names.error())};
      return protocol::objects_found{std::move(*found), std::move(*names)};
    },
    [this, answer](core::result<protocol::objects_found>&& found) mutable {
      --searches_under_way_;
      deliver(answer, std::move(found));
    });
  return answer;
}

caf::result<protocol::timeline_found> job_admin_state::draw(protocol::timeline_query&& asked) {
  auto answer = self_->make_response_promise<protocol::timeline_found>();
  ask_store<protocol::timeline_found>(
    self_, stores_.reads,
    [asked = std::move(asked), where = forecasts_.schedule_zone,
     t = now()](storage::store& store) -> core::result<protocol::timeline_found> {
      auto facts = read_timeline_facts(store, asked, t);
      if (!facts)
        return tl::unexpected{std::move(facts.error())};
      auto names = store.run_reading().names(facts->runs, asked.by);
      if (!names)
        return tl::unexpected{std::move(names.error())};
      return protocol::timeline_found{core::timeline_of(asked.search, std::move(*facts), where, t), std::move(*names)};
    },
    [answer](core::result<protocol::timeline_found>&& found) mutable { deliver(answer, std::move(found)); });
  return answer;
}

} // namespace ringmaster::actors
