#include "actors/console/job_admin.hpp"

#include <utility>

#include "actors/console/seeded_tokens.hpp"
#include "actors/store/store_access.hpp"
#include "protocol/admin_messages.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

/// Intervals of the check for runs on their way: the first check is immediate, then every `look_gap` for `look_time`.
constexpr auto look_gap = 50ms;
constexpr auto look_time = 1s;
/// Interval of looks for the verdict about the wall clock while edits wait for it.
constexpr auto verdict_look_gap = 10ms;
/// Log rows of a removed job that one transaction deletes, and the pause after each transaction, in which other requests run.
constexpr std::size_t removal_chunk = 300;
constexpr auto removal_pause = 50ms;
constexpr auto removal_retry = 5s;

core::error scripts_are_off() {
  return {core::errc::forbidden, "security.glue is off: scripts cannot be entered; only jobs of the kind BEAN are allowed"};
}

core::result<protocol::job_page> page_of_jobs(storage::store& store, const protocol::job_page_query& query) {
  if (!query.with_facts)
    return store.job_editing().page(query.search, query.by).map([](core::page<core::job_record>&& page) {
      return protocol::job_page{std::move(page)};
    });
  return store.job_editing().list(query.search, query.by).map([](core::job_list&& list) {
    return protocol::job_page{std::move(list.jobs), std::move(list.facts), list.more};
  });
}

} // namespace

job_admin_state::job_admin_state(protocol::job_admin::pointer self, query_workers stores,
                                 protocol::schedule_actor schedule, protocol::registry_monitor registry,
                                 config::security_settings settings, protocol::wall_clock clock, logger log,
                                 declared_files files, forecast_rules forecasts, std::chrono::milliseconds caller_limit)
  : self_{self},
    stores_{std::move(stores)},
    schedule_{std::move(schedule)},
    registry_{std::move(registry)},
    settings_{std::move(settings)},
    clock_{std::move(clock)},
    log_{std::move(log)},
    held_{caller_limit},
    files_{std::move(files)},
    forecasts_{std::move(forecasts)},
    tokens_{seeded_tokens()} {}

protocol::job_admin::behavior_type job_admin_state::make_behavior() {
  return {
    [this](protocol::apply_declared& command) { return apply(std::move(command)); },
    [this](protocol::apply_files& command) { return apply(std::move(command)); },
    [this](const protocol::export_query& query) { return write_file(query); },
    [this](const protocol::alarm_rules_query& query) { return list(query); },
    [this](const protocol::open_alarms_query& query) {
      return look<core::open_alarm_list, protocol::open_alarms>(
        [query](storage::store& store) { return store.searches().open_alarms(core::open_alarms_max, query.by); });
    },
    [this](const protocol::declared_query& query) { return list(query); },
    [this](const protocol::drift_query& query) { return drift(query); },
    [this](const protocol::declaration_query& query) { return declare(query); },
    [this](const protocol::start_job& command) {
      return edit_from_now(command.job, "started", [job = command.job, by = command.by](auto& store, core::time_point t) {
        return store.jobs().start(job, t, by);
      });
    },
    [this](const protocol::stop_job& command) {
      return edit(command.job, "stopped", [job = command.job, by = command.by](auto& store, core::time_point t) {
        return store.jobs().stop(job, t, by);
      });
    },
    [this](protocol::trigger_job& command) { return trigger(std::move(command)); },
    [this](const protocol::remove_job& command) { return remove(command); },
    [this](protocol::add_job& command) { return add(std::move(command)); },
    [this](protocol::update_job& command) {
      auto wanted = std::make_shared<const protocol::update_job>(std::move(command));
      return edit_from_now(wanted->job, "changed", [wanted](auto& store, core::time_point t) {
        return store.job_editing().update(wanted->job, wanted->draft, wanted->seen, wanted->by, t);
      });
    },
    [this](protocol::save_source& command) { return save(std::move(command)); },
    [this](const protocol::job_query& query) {
      return look<core::job_record, protocol::job_found>(
        [query](storage::store& store) { return store.job_editing().read(query.job, query.by); });
    },
    [this](const protocol::job_page_query& query) {
      return look<protocol::job_page, protocol::job_page>([query](storage::store& store) { return page_of_jobs(store, query); });
    },
    [this](const protocol::source_query& query) {
      return look<core::source_history, protocol::source_list>(
        [query](storage::store& store) { return store.job_editing().source_history(query.search, query.by); });
    },
    [this](protocol::forecast_query& asked) { return foresee(std::move(asked)); },
    [this](protocol::counts_query& asked) { return count(std::move(asked)); },
    [this](const protocol::intent_query& query) { return find_intent(query); },
    [this](protocol::object_query& asked) { return find(std::move(asked)); },
    [this](protocol::timeline_query& asked) { return draw(std::move(asked)); },
  };
}

// -- order of edits, and edits that need the present time -------------------------------------------------------------------

void job_admin_state::after_verdict(std::optional<core::job_id> job, held_edits::edit go_on) {
  release_held(); // earlier edits come first
  held_edits::item one{std::move(go_on), job, true};
  if (clock_.verdict() != protocol::clock_verdict::pending || !hold(one))
    one.go_on(true);
}

void job_admin_state::after_earlier(core::job_id job, held_edits::edit go_on) {
  release_held();
  if (!held_.holds(job))
    return go_on(true);
  held_edits::item one{std::move(go_on), job, false};
  if (!hold(one))
    one.go_on(false);
}

bool job_admin_state::hold(held_edits::item& one) {
  if (!held_.hold(one, self_->clock().now()))
    return false;
  if (!std::exchange(watching_, true))
    watch_verdict();
  return true;
}

void job_admin_state::watch_verdict() {
  self_->run_delayed(core::milliseconds{verdict_look_gap}, [this] {
    release_held();
    watching_ = !held_.empty();
    if (watching_)
      watch_verdict();
  });
}

void job_admin_state::release_held() {
  for (auto& one : held_.take(clock_.verdict(), self_->clock().now()))
    one.go_on(one.in_time);
}

// -- one job ---------------------------------------------------------------------------------------------------------------

caf::result<core::job_edit> job_admin_state::edit_from_now(core::job_id job, const char* what, use_case change) {
  return from_now<core::job_edit>(job, [this, job, what, change = std::move(change)](edit_promise promise) {
    begin_edit(job, what, change, std::move(promise));
  });
}

caf::result<core::job_edit> job_admin_state::edit(core::job_id job, const char* what, use_case change) {
  return in_turn(job, [this, job, what, change = std::move(change)](edit_promise promise) {
    begin_edit(job, what, change, std::move(promise));
  });
}

void job_admin_state::begin_edit(core::job_id job, const char* what, use_case change, edit_promise promise) {
  ask_store<core::job_edit>(
    self_, stores_.edits, [change = std::move(change), t = now()](storage::store& store) { return change(store, t); },
    [=, this](core::result<core::job_edit>&& outcome) { edited(promise, std::move(outcome), what, job); });
}

caf::result<core::job_edit> job_admin_state::remove(const protocol::remove_job& command) {
  return in_turn(command.job, [this, command](edit_promise promise) {
    ask_store<core::job_edit>(
      self_, stores_.edits,
      [command, t = now()](storage::store& store) {
        return store.jobs().remove(command.job, command.declared_too, t, command.by, command.seen);
      },
      [this, promise, job = command.job](core::result<core::job_edit>&& outcome) {
        auto removed = outcome.has_value();
        edited(promise, std::move(outcome), "removed", job);
        if (removed)
          begin_removal_of_logs(job);
      });
  });
}

void job_admin_state::edited(edit_promise promise, core::result<core::job_edit>&& outcome, const char* what, core::job_id job) {
  if (outcome || in_doubt(outcome.error().code))
    protocol::send(self_, schedule_, protocol::edit_hint{});
  if (!outcome)
    return promise.deliver(protocol::to_caf(outcome.error()));
  log_->info("job={} {} manually", core::number(job), what);
  wait_for_runs({job}, [promise, done = *outcome](std::optional<std::size_t> on_their_way) mutable {
    done.on_their_way = on_their_way;
    promise.deliver(done);
  });
}

caf::result<core::intent> job_admin_state::trigger(protocol::trigger_job&& command) {
  auto wanted = std::make_shared<core::manual_trigger>(std::move(command.wanted));
  while (wanted->token == 0)
    wanted->token = -static_cast<std::int64_t>(tokens_() >> 1);
  const auto begin = [this, wanted, by = command.by](caf::typed_response_promise<core::intent> promise) {
    ask_store<core::intent>(
      self_, stores_.edits, [wanted, by, t = now()](storage::store& store) { return store.jobs().trigger(*wanted, t, by); },
      [this, promise](core::result<core::intent>&& outcome) mutable {
        if (!outcome)
          return promise.deliver(protocol::to_caf(outcome.error()));
        log_->info("job={} triggered manually: intent {}", core::number(outcome->job), core::number(outcome->id));
        protocol::send(self_, schedule_, protocol::intent_batch{{*outcome}});
        promise.deliver(std::move(*outcome));
      });
  };
  return from_now<core::intent>(wanted->job, begin);
}

// Every new source of a script is saved here; declared jobs have none.
caf::result<core::job_edit> job_admin_state::save(protocol::save_source&& command) {
  if (!settings_.glue)
    return protocol::to_caf(scripts_are_off());
  auto wanted = std::make_shared<const protocol::save_source>(std::move(command));
  return edit(wanted->job, "got a new source", [wanted](auto& store, core::time_point t) {
    return store.job_editing().save_source(wanted->job, wanted->source, wanted->remark, wanted->seen, wanted->by, t);
  });
}

caf::result<protocol::added_job> job_admin_state::add(protocol::add_job&& command) {
  if (!settings_.glue && core::is_script(command.draft.glue_type))
    return protocol::to_caf(scripts_are_off());
  auto wanted = std::make_shared<const protocol::add_job>(std::move(command));
  const auto begin = [this, wanted](caf::typed_response_promise<protocol::added_job> promise) {
    ask_store<core::job_id>(
      self_, stores_.edits,
      [wanted, t = now()](storage::store& store) { return store.job_editing().add(wanted->draft, wanted->by, t); },
      [this, promise](core::result<core::job_id>&& outcome) mutable {
        if (outcome || in_doubt(outcome.error().code))
          protocol::send(self_, schedule_, protocol::edit_hint{});
        if (!outcome)
          return promise.deliver(protocol::to_caf(outcome.error()));
        log_->info("job={} added manually", core::number(*outcome));
        promise.deliver(protocol::added_job{*outcome});
      });
  };
  return from_now<protocol::added_job>(core::job_id{}, begin);
}

template <class T, class Reply, class UseCase>
caf::result<Reply> job_admin_state::look(UseCase use_case) {
  auto promise = self_->make_response_promise<Reply>();
  ask_store<T>(self_, stores_.reads, std::move(use_case), [promise](core::result<T>&& found) mutable {
    if (!found)
      return promise.deliver(protocol::to_caf(found.error()));
    promise.deliver(Reply{std::move(*found)});
  });
  return promise;
}

caf::result<protocol::intent_found> job_admin_state::find_intent(const protocol::intent_query& query) {
  auto promise = self_->make_response_promise<protocol::intent_found>();
  ask_store<core::asked_runs>(
    self_, stores_.reads, [query](storage::store& store) { return store.jobs().runs_of(query.intent, query.by); },
    [promise](core::result<core::asked_runs>&& found) mutable {
      if (!found)
        return promise.deliver(protocol::to_caf(found.error()));
      promise.deliver(protocol::intent_found{found->waiting, std::move(found->runs)});
    });
  return promise;
}

// One job after the other: edits of users must not wait for the logs of all jobs of a task at once.
void job_admin_state::begin_removal_of_logs(core::job_id job) {
  removed_jobs_.push_back(job);
  if (removed_jobs_.size() == 1)
    remove_logs(job, core::log_id{}, 0);
}

// Deletes chunk by chunk, so that no lock is held for long and other requests get their turn. Rows left after a restart belong to
// no job any more; log retention removes them.
void job_admin_state::remove_logs(core::job_id job, core::log_id after, std::size_t removed) {
  ask_store<core::log_removal>(
    self_, stores_.edits,
    [job, after](storage::store& store) { return store.jobs().remove_logs(job, after, removal_chunk); },
    [this, job, after, removed](core::result<core::log_removal>&& step) {
      const bool given_up = !step && !in_doubt(step.error().code);
      auto total = removed + (step ? step->removed : 0);
      auto next = step ? step->after : std::optional{after};
      if (given_up)
        log_->error("job={} its log could not be removed: {}", core::number(job), step.error().context);
      else if (!next)
        log_->info("job={} removed its log: {} rows", core::number(job), total);
      if (given_up || !next) {
        removed_jobs_.pop_front();
        if (!removed_jobs_.empty())
          remove_logs(removed_jobs_.front(), core::log_id{}, 0);
        return;
      }
      self_->run_delayed(step ? core::milliseconds{removal_pause} : core::milliseconds{removal_retry},
                         [this, job, next = *next, total] { remove_logs(job, next, total); });
    });
}

// -- runs claimed before an edit -------------------------------------------------------------------------------------------

void job_admin_state::wait_for_runs(std::vector<core::job_id> jobs, on_their_way then) {
  if (jobs.empty())
    return then(0);
  look_for_runs(std::make_shared<const std::vector<core::job_id>>(std::move(jobs)), self_->clock().now() + look_time,
                std::move(then));
}

// The edit is durable, whatever the store answers now. Until the store answers, it is only unknown whether runs of the old
// definition are still on their way.
void job_admin_state::look_for_runs(std::shared_ptr<const std::vector<core::job_id>> jobs, caf::actor_clock::time_point until,
                                    on_their_way then) {
  ask_store<std::size_t>(
    self_, stores_.edits, [jobs](storage::store& store) { return store.jobs().runs_on_their_way(*jobs); },
    [this, jobs, until, then](core::result<std::size_t>&& open) {
      if ((open && *open == 0) || self_->clock().now() >= until)
        return then(open ? std::optional{*open} : std::nullopt);
      self_->run_delayed(look_gap, [=, this] { look_for_runs(jobs, until, then); });
    });
}

} // namespace ringmaster::actors
