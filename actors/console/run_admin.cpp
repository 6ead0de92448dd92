#include "actors/console/run_admin.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "actors/console/run_errors.hpp"
#include "core/text/result_text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

/// Returns the error for a run that no executor has confirmed.
core::error not_triggered(const core::log_row& run) {
  auto why = "run " + std::to_string(core::number(run.id)) + " cannot be killed: ";
  if (run.trigger_code != 0 || run.handle_code != 0)
    why += "no executor accepted it";
  else if (run.executor_address.empty())
    why += "it has not been sent yet";
  else
    why += "the executor " + run.executor_address + " has not confirmed it yet; the trigger is repeated until it answers";
  return {core::errc::invalid_argument, std::move(why), core::refusal::run_not_triggered};
}

/// Returns a callback that delivers the outcome as `Reply`.
template <class Reply, class Promise>
auto deliver_as(Promise promise) {
  return [promise](auto&& outcome) mutable {
    if (!outcome)
      return promise.deliver(protocol::to_caf(outcome.error()));
    promise.deliver(Reply{std::move(*outcome)});
  };
}

core::error has_ended(core::log_id run) {
  return {core::errc::invalid_argument, "run " + std::to_string(core::number(run)) + " has ended"};
}

/// Returns the row if an executor accepted the run, the run has no result yet, and its job still exists. The job matters because
/// an executor kills whatever run of the job it is executing, even another one.
core::result<core::log_row> killable(storage::store& store, core::log_id run, const core::principal& by) {
  auto row = store.run_reading().read(run, core::group_right::operate, by);
  if (!row)
    return row;
  const std::array<core::job_id, 1> jobs{row->job};
  const auto job = store.firings().read_jobs(jobs);
  if (!job)
    return tl::unexpected{job.error()};
  if (job->empty())
    return core::refuse(core::errc::not_found, core::refusal::job_id_illegal,
                        "job " + std::to_string(core::number(row->job)) + " does not exist any more");
  if (row->trigger_code != 200)
    return tl::unexpected{not_triggered(*row)};
  if (row->handle_code != 0)
    return tl::unexpected{has_ended(run)};
  return row;
}

} // namespace

run_admin_state::run_admin_state(protocol::run_admin::pointer self, query_workers stores, protocol::trigger_pool pool,
                                 protocol::completion_actor completion, std::chrono::milliseconds limit, core::language reader,
                                 protocol::wall_clock clock, logger log, protocol::log_spool spool,
                                 std::chrono::milliseconds caller_limit)
  : self_{self},
    stores_{std::move(stores)},
    pool_{std::move(pool)},
    completion_{std::move(completion)},
    limit_{limit},
    reader_{reader},
    clock_{std::move(clock)},
    log_{std::move(log)},
    spool_{std::move(spool)},
    caller_limit_{caller_limit} {}

protocol::run_admin::behavior_type run_admin_state::make_behavior() {
  return {
    [this](protocol::run_page_query& query) { return page(std::move(query)); },
    [this](const protocol::run_query& query) { return find(query); },
    [this](const protocol::related_query& query) { return relate(query); },
    [this](const protocol::run_log_query& query) { return read_log(query); },
    [this](const protocol::run_file_query& query) { return open_log(query); },
    [this](const protocol::run_search_query& query) { return search_log(query); },
    [this](protocol::kill_run& command) { return kill(std::move(command)); },
    [this](protocol::clear_runs& command) { return clear(std::move(command)); },
    [this](const protocol::report_query& query) { return report(query); },
  };
}

// -- reading ---------------------------------------------------------------------------------------------------------------

caf::result<protocol::run_page> run_admin_state::page(protocol::run_page_query&& query) {
  auto promise = self_->make_response_promise<protocol::run_page>();
  if (!query.search.as_of)
    query.search.as_of = now();
  read_rows<protocol::run_page>(
    [query = std::move(query)](storage::store& store) -> core::result<protocol::run_page> {
      // A later page begins after a run: what follows it is not the total, so it is not counted.
      auto page = store.run_reading().page(query.search, query.search.before ? 0 : counted_max, query.by);
      if (!page)
        return tl::unexpected{std::move(page.error())};
      auto names = store.run_reading().names(page->rows, query.by);
      if (!names)
        return tl::unexpected{std::move(names.error())};
      return protocol::run_page{std::move(*page), std::move(*names)};
    },
    [promise](core::result<protocol::run_page>&& found) mutable { deliver(promise, std::move(found)); });
  return promise;
}

caf::result<protocol::run_found> run_admin_state::find(const protocol::run_query& query) {
  auto promise = self_->make_response_promise<protocol::run_found>();
  read_rows<protocol::run_found>(
    [query](storage::store& store) -> core::result<protocol::run_found> {
      auto run = store.run_reading().read(query.run, core::group_right::viewer, query.by);
      if (!run)
        return tl::unexpected{std::move(run.error())};
      auto names = store.run_reading().names({*run}, query.by);
      if (!names)
        return tl::unexpected{std::move(names.error())};
      return protocol::run_found{std::move(*run), std::move(*names)};
    },
    [promise](core::result<protocol::run_found>&& found) mutable { deliver(promise, std::move(found)); });
  return promise;
}

caf::result<protocol::related_found> run_admin_state::relate(const protocol::related_query& query) {
  auto promise = self_->make_response_promise<protocol::related_found>();
  read_rows<protocol::related_found>(
    [query](storage::store& store) -> core::result<protocol::related_found> {
      auto related = store.run_reading().related(query.run, query.by);
      if (!related)
        return tl::unexpected{std::move(related.error())};
      auto names = store.run_reading().names(core::rows_of(*related), query.by);
      if (!names)
        return tl::unexpected{std::move(names.error())};
      return protocol::related_found{std::move(*related), std::move(*names)};
    },
    [promise](core::result<protocol::related_found>&& found) mutable { deliver(promise, std::move(found)); });
  return promise;
}

caf::result<protocol::day_reports> run_admin_state::report(const protocol::report_query& query) {
  if (query.counted)
    return count(*query.counted, query.by);
  auto promise = self_->make_response_promise<protocol::day_reports>();
  read_rows<std::vector<core::day_report>>(
    [query](storage::store& store) { return store.run_reading().report(query.from, query.to); },
    deliver_as<protocol::day_reports>(promise));
  return promise;
}

// A count keeps its place until the store answers, also when its caller waits no more: the connection is busy until then.
caf::result<protocol::day_reports> run_admin_state::count(const core::report_search& search, const core::principal& by) {
  using reports = core::result<std::vector<core::day_report>>;
  if (counts_under_way_ >= counts_max)
    return protocol::to_caf({core::errc::unavailable, "too many reports are counted: try again in a second", core::refusal::none,
                             "reports"});
  ++counts_under_way_;
  auto promise = self_->make_response_promise<protocol::day_reports>();
  read_rows<std::vector<core::day_report>>(
    [search, by](storage::store& store) { return store.run_reading().count(search, by); },
    [this, then = deliver_as<protocol::day_reports>(promise)](reports&& counted) mutable {
      --counts_under_way_;
      then(std::move(counted));
    });
  return promise;
}

// -- executors -------------------------------------------------------------------------------------------------------------

void run_admin_state::link_of(const core::log_row& run, linked then) {
  if (run.executor_address.empty())
    return then(core::fail(core::errc::invalid_argument,
                           "run " + std::to_string(core::number(run.id)) + " has no executor: no executor was available"));
  protocol::request(self_, pool_, limit_, protocol::link_query{run.executor_address})
    .then([then](protocol::link_handle& found) { then(std::move(found.link)); },
          [then, address = run.executor_address](const caf::error& reason) {
            then(core::refuse(core::errc::unavailable, core::refusal::none,
                              "cannot reach the executor " + address + ": " + protocol::to_core(reason).context, address));
          });
}

// -- killing a run ---------------------------------------------------------------------------------------------------------

caf::result<protocol::run_killed> run_admin_state::kill(protocol::kill_run&& command) {
  auto promise = self_->make_response_promise<protocol::run_killed>();
  ask_store<core::log_row>(
    self_, stores_.reads, [run = command.run, by = command.by](storage::store& store) { return killable(store, run, by); },
    [this, promise, by = command.by](core::result<core::log_row>&& run) mutable {
      if (!run)
        return promise.deliver(protocol::to_caf(run.error()));
      begin_end({promise, std::make_shared<const core::log_row>(std::move(*run)), std::move(by), {}});
    });
  return promise;
}

void run_admin_state::begin_end(ending&& work) {
  const auto& run = *work.run;
  link_of(run, [this, work = std::move(work)](core::result<protocol::executor_link>&& link) mutable {
    if (!link)
      return work.promise.deliver(protocol::to_caf(link.error()));
    work.link = std::move(*link);
    note_end(std::move(work));
  });
}

// The request to the executor is recorded before it is sent, together with the meaning of a success that arrives before the
// answer.
void run_admin_state::note_end(ending&& work) {
  auto message = std::string{core::killed_result(reader_)};
  ask_store<bool>(
    self_, stores_.reads,
    [run = work.run->id, message, by = work.by, t = now()](storage::store& store) {
      return store.run_reading().end_run(run, message, by, t);
    },
    [this, work, message](core::result<bool>&& open) mutable {
      if (!open)
        return work.promise.deliver(protocol::to_caf(open.error()));
      if (!*open)
        return work.promise.deliver(protocol::to_caf(has_ended(work.run->id)));
      protocol::send(self_, completion_, protocol::ending_run{work.run->id, std::move(message)});
      ask_kill(std::move(work));
    });
}

void run_admin_state::ask_kill(ending&& work) {
  protocol::request(self_, work.link, limit_, protocol::kill_request{work.run->job, work.run->group, work.run->id})
    .then(
      [this, work](protocol::probe_reply& reply) mutable {
        if (reply.code == 200)
          return killed(work.promise, work.run->id, std::move(reply.message), work.by);
        goes_on(work, reply.code == 0 ? no_answer_of(*work.run, reply.message)
                                      : core::error{core::errc::invalid_argument, std::move(reply.message)});
      },
      [this, work](const caf::error&) mutable {
        goes_on(work, no_answer_of(*work.run, "request timed out", core::errc::timeout));
      });
}

void run_admin_state::goes_on(ending& work, const core::error& why) {
  protocol::send(self_, completion_, protocol::ending_run{work.run->id, std::nullopt});
  work.promise.deliver(protocol::to_caf(why));
}

void run_admin_state::killed(kill_promise promise, core::log_id run, std::string said, const core::principal& by) {
  log_->info("run={} killed by {}", core::number(run), by.name);
  auto message = std::string{core::killed_result(reader_)} + said;
  record_end(std::move(promise), run, std::move(said), std::move(message));
}

// Uses the same path as any result: the first one wins, retries and alarms follow.
void run_admin_state::record_end(kill_promise promise, core::log_id run, std::string said, std::string message) {
  protocol::callback_batch batch{{{run, 500, std::move(message), nullptr}}};
  protocol::request(self_, completion_, store_patience, std::move(batch))
    .then([promise, said = std::move(said)](
            const protocol::callbacks_stored&) mutable { promise.deliver(protocol::run_killed{std::move(said)}); },
          [promise, run](const caf::error& reason) mutable {
            auto error = protocol::to_core(reason);
            error.context =
              "run " + std::to_string(core::number(run)) + " was killed, but the result could not be stored: " + error.context;
            promise.deliver(protocol::to_caf(error));
          });
}

} // namespace ringmaster::actors
