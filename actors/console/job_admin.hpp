#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "actors/console/declared_files.hpp"
#include "actors/console/held_edits.hpp"
#include "actors/logger.hpp"
#include "actors/store/query_workers.hpp"
#include "config/settings.hpp"
#include "core/editing/declared.hpp"
#include "core/editing/manual_edits.hpp"
#include "core/result.hpp"
#include "core/zone/zone.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/alarm_messages.hpp"
#include "protocol/caf.hpp"
#include "protocol/error.hpp"
#include "protocol/forecast_messages.hpp"
#include "protocol/messages.hpp"
#include "protocol/overview_messages.hpp"
#include "protocol/wall_clock.hpp"
#include "storage/store.hpp"

namespace ringmaster::actors {

/// Settings of forecasts.
struct forecast_rules {
  core::zone schedule_zone = {};
  std::chrono::milliseconds misfire_after{5000};
  /// Longest time of one walk, or of one slice of it: it shares its thread with console reads.
  std::chrono::milliseconds walk_max{50};
  /// Longest time of all slices of one count of firings.
  std::chrono::milliseconds counts_max{2000};
};

/// Actor for edits of jobs and groups, never on the firing path. A query worker runs them; afterwards the planner and the router
/// read again. An edit is answered when no run that was claimed before it is on its way any more, or after a second (firing
/// protocol §7). Between two messages it keeps only the edits that wait for that or for the first verdict about the wall clock,
/// forecasts in progress, and removed jobs whose logs are still to be deleted.
class job_admin_state {
public:
  static inline const char* name = "ringmaster.job_admin";

  /// Maximum of concurrent forecasts; more are refused because each has up to ten pages of jobs in memory.
  static constexpr std::size_t forecasts_max = 4;
  /// Maximum of concurrent searches; more are refused, so that two of the connections for pages are left to other requests.
  static constexpr std::size_t searches_max = 2;

  /// `caller_limit`: time after which callers give up a request.
  job_admin_state(protocol::job_admin::pointer self, query_workers stores, protocol::schedule_actor schedule,
                  protocol::registry_monitor registry, config::security_settings settings, protocol::wall_clock clock,
                  logger log, declared_files files = {}, forecast_rules forecasts = {},
                  std::chrono::milliseconds caller_limit = config::ask_limit(config::server_settings{}));
  protocol::job_admin::behavior_type make_behavior();

private:
  using edit_promise = caf::typed_response_promise<core::job_edit>;
  using on_their_way = std::function<void(std::optional<std::size_t>)>;
  using use_case = std::function<core::result<core::job_edit>(storage::store&, core::time_point)>;

  // -- order of edits, and edits that need the present time
  /// Calls `begin(promise)` for an edit from whose time a job's instants are computed. Refuses the edit if the wall clock is in
  /// doubt, after a short wait for the first verdict about it. `job`: as in `held_edits::item`.
  template <class T, class Begin>
  caf::result<T> from_now(std::optional<core::job_id> job, Begin begin);
  /// Calls `begin(promise)` for any other edit of a job. It waits for earlier edits of the job that are held.
  template <class Begin>
  caf::result<core::job_edit> in_turn(core::job_id job, Begin begin);
  /// Calls `go_on` after the first verdict about the wall clock, whatever it is; without one when the wait took too long, or at
  /// once when too many edits wait.
  void after_verdict(std::optional<core::job_id> job, held_edits::edit go_on);
  void after_earlier(core::job_id job, held_edits::edit go_on);
  /// Returns false, and leaves the edit as it is, if too many wait.
  [[nodiscard]] bool hold(held_edits::item& one);
  void watch_verdict();
  void release_held();

  caf::result<core::deploy_report> apply(protocol::apply_declared&& command);
  void begin_apply(std::shared_ptr<const core::declared_set> declared, bool dry_run, bool prune,
                   caf::typed_response_promise<core::deploy_report> promise);
  caf::result<protocol::files_applied> apply(protocol::apply_files&& command);
  /// `doubt`: nothing may be written.
  void begin_apply(const std::shared_ptr<protocol::apply_files>& sent, bool doubt,
                   caf::typed_response_promise<protocol::files_applied> promise);
  caf::result<protocol::exported_file> write_file(const protocol::export_query& query);
  caf::result<protocol::alarm_rules> list(const protocol::alarm_rules_query& query);
  // -- declared_sources.cpp
  caf::result<protocol::declared_sources> list(const protocol::declared_query& query);
  caf::result<protocol::files_applied> drift(const protocol::drift_query& query);
  caf::result<protocol::exported_file> declare(const protocol::declaration_query& query);
  /// Notifies planner and router, and delivers the report as `told(report)` once no run of the old definitions is on its way.
  template <class Promise, class Told>
  void applied(core::result<core::deploy_report>&& outcome, const std::string& source, bool dry_run, Promise promise, Told told);
  caf::result<core::job_edit> edit(core::job_id job, const char* what, use_case change);
  void begin_edit(core::job_id job, const char* what, use_case change, edit_promise promise);
  caf::result<core::job_edit> edit_from_now(core::job_id job, const char* what, use_case change);
  caf::result<core::job_edit> remove(const protocol::remove_job& command);
  caf::result<core::intent> trigger(protocol::trigger_job&& command);
  caf::result<protocol::intent_found> find_intent(const protocol::intent_query& query);
  caf::result<protocol::added_job> add(protocol::add_job&& command);
  caf::result<core::job_edit> save(protocol::save_source&& command);
  /// Runs a read request for the console; keeps nothing.
  template <class T, class Reply, class UseCase>
  caf::result<Reply> look(UseCase use_case);
  void edited(edit_promise promise, core::result<core::job_edit>&& outcome, const char* what, core::job_id job);
  void begin_removal_of_logs(core::job_id job);
  void remove_logs(core::job_id job, core::log_id after, std::size_t removed);

  // -- job_overviews.cpp
  caf::result<protocol::objects_found> find(protocol::object_query&& asked);
  caf::result<protocol::timeline_found> draw(protocol::timeline_query&& asked);

  // -- job_forecast.cpp
  struct outlook;
  struct firing_list;
  struct firing_tally;
  caf::result<protocol::forecast_found> foresee(protocol::forecast_query&& asked);
  caf::result<protocol::counts_found> count(protocol::counts_query&& asked);
  /// Reads the jobs and walks. Refuses the request if too many forecasts are under way.
  template <class Found, class Outlook>
  caf::result<Found> begin_outlook(std::shared_ptr<Outlook> of);
  void read_one(std::shared_ptr<outlook> of);
  void read_more(std::shared_ptr<outlook> of);
  /// Reads only the jobs that are due first.
  void read_first(std::shared_ptr<firing_list> of);
  void walk(std::shared_ptr<outlook> of);
  void foreseen(const std::shared_ptr<outlook>& of, core::result<void>&& outcome);

  /// Calls `then` when none of these jobs' runs is on its way, or when the time limit is over; without a number if the store
  /// could not answer.
  void wait_for_runs(std::vector<core::job_id> jobs, on_their_way then);
  void look_for_runs(std::shared_ptr<const std::vector<core::job_id>> jobs, caf::actor_clock::time_point until,
                     on_their_way then);

  [[nodiscard]] core::time_point now() const { return clock_.at(self_->clock().now()); }

  protocol::job_admin::pointer self_;
  query_workers stores_;
  protocol::schedule_actor schedule_;
  protocol::registry_monitor registry_;
  config::security_settings settings_;
  protocol::wall_clock clock_;
  logger log_;
  held_edits held_;
  /// A timer for the next look at the verdict is set.
  bool watching_ = false;
  declared_files files_;
  forecast_rules forecasts_;
  std::size_t forecasts_under_way_ = 0;
  std::size_t searches_under_way_ = 0;
  std::mt19937_64 tokens_;
  /// Removed jobs whose logs are still to be deleted; the first one's is being deleted.
  std::deque<core::job_id> removed_jobs_;
};

template <class T, class Begin>
caf::result<T> job_admin_state::from_now(std::optional<core::job_id> job, Begin begin) {
  auto promise = self_->template make_response_promise<T>();
  after_verdict(job, [this, promise, begin = std::move(begin)](bool in_time) mutable {
    if (!in_time || clock_.in_doubt())
      return promise.deliver(protocol::to_caf(protocol::clock_in_doubt()));
    begin(std::move(promise));
  });
  return promise;
}

template <class Begin>
caf::result<core::job_edit> job_admin_state::in_turn(core::job_id job, Begin begin) {
  auto promise = self_->make_response_promise<core::job_edit>();
  after_earlier(job, [promise, begin = std::move(begin)](bool in_time) mutable {
    if (!in_time)
      return promise.deliver(protocol::to_caf(protocol::clock_in_doubt()));
    begin(std::move(promise));
  });
  return promise;
}

} // namespace ringmaster::actors
