// elastic_job_host: failed items, and the error handler of the job (EJ §13).

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "core/elastic/error_target.hpp"
#include "core/elastic/part_names.hpp"
#include "executor/elastic/elastic_job_host.hpp"

namespace ringmaster::executor::elastic {

namespace {

/// Aborted fires that are remembered.
constexpr std::size_t aborted_max = 64;

/// Returns whether the node sends the messages of the job's error handler.
bool is_notified_by_node(const protocol::elastic_spec& spec) {
  if (!core::elastic::notifies_users(spec.error_handler))
    return false;
  const auto props = core::elastic::parse_props(spec.props);
  return !props || !core::elastic::is_notified_by_host(*props);
}

} // namespace

void elastic_job_host_state::body_over(run_id run, core::run_outcome&& outcome) {
  const auto found = runs_.find(run);
  if (found == runs_.end())
    return;
  auto& of = found->second;
  // A run that was asked to end, or is no longer this host's, is no failure of the job.
  const bool is_failure = outcome.code != succeeded && !of.cancelled && of.control && of.control->still_mine();
  if (is_failure)
    return handle_error(of, std::move(outcome));
  ended(run, std::move(outcome));
}

// The node hears of a failure by its result.
void elastic_job_host_state::handle_error(item_run& run, core::run_outcome&& outcome) {
  const auto number = run.grant.run;
  const std::string name{core::elastic::error_handler_of(run.spec->error_handler)};
  if (!tools_.error_handlers || !tools_.error_handlers->contains(name) || is_notified_by_node(*run.spec)) {
    if (name == core::elastic::log_handler)
      log_->error("elastic job {}: item {} has failed: {}", run.spec->name, core::number(run.grant.item),
                  outcome.message.value_or(""));
    if (name == core::elastic::throw_handler)
      abort_fire(run);
    return ended(number, std::move(outcome));
  }
  const auto facts = facts_of(run);
  item_failure failure;
  failure.job = run.spec->name_space.empty() ? run.spec->name : run.spec->name_space + '/' + run.spec->name;
  failure.job_id = job_;
  failure.run = number;
  failure.task_id = facts ? facts->task_id : std::string{};
  failure.item = core::number(run.grant.item);
  failure.total = run.spec->total;
  failure.attempt = run.grant.attempt;
  failure.text = outcome.message.value_or("");
  run.phase = run_phase::handling;
  run.outcome = std::move(outcome);
  const bool began = tools_.threads->start([errors = errors_, me = protocol::elastic_job_host{self_}, spec = run.spec, name,
                                            number, failure = std::move(failure)] {
    auto handled = errors->handle(name, spec->props, failure);
    protocol::anon_send(me, protocol::error_handled{number, handled.verdict == error_verdict::abort, std::move(handled.trouble)});
  });
  if (!began)
    take(protocol::error_handled{number, false, "the executor could not start a thread for the error handler"});
}

void elastic_job_host_state::take(const protocol::error_handled& handled) {
  const auto found = runs_.find(handled.run);
  if (found == runs_.end() || found->second.phase != run_phase::handling)
    return;
  auto& run = found->second;
  auto outcome = std::move(run.outcome);
  if (!handled.trouble.empty()) {
    log_->error("elastic job {}: item {}: {}", run.spec->name, core::number(run.grant.item), handled.trouble);
    outcome.message = outcome.message.value_or("") + " (" + handled.trouble + ')';
  }
  if (handled.aborts)
    abort_fire(run);
  ended(handled.run, std::move(outcome));
}

bool elastic_job_host_state::is_aborted(const protocol::elastic_grant& grant) const {
  // A takeover and a hook are none of the items that the failed one began with.
  return core::number(grant.item) >= 0 && grant.source != run_source::failover &&
         std::find(aborted_.begin(), aborted_.end(), aborted_runs{fire_of(grant), grant.source}) != aborted_.end();
}

void elastic_job_host_state::remember_aborted(const protocol::elastic_grant& grant) {
  if (is_aborted(grant))
    return;
  aborted_.emplace_back(fire_of(grant), grant.source);
  if (aborted_.size() > aborted_max)
    aborted_.pop_front();
}

void elastic_job_host_state::abort_fire(const item_run& cause) {
  // A hook runs on one host for all of them.
  if (cause.is_hook() || cause.grant.source == run_source::failover)
    return;
  remember_aborted(cause.grant);
  if (const auto found = batches_.find(cause.batch); found != batches_.end())
    found->second.is_aborted = true;
  std::vector<run_id> over;
  for (const auto& [number, run] : runs_)
    if (!run.has_begun() && is_aborted(run.grant))
      over.push_back(number);
  for (const auto number : over)
    cancel(runs_.at(number), fire_aborted);
}

void elastic_job_host_state::abort_batch(std::uint64_t number) {
  const auto found = batches_.find(number);
  if (found == batches_.end() ||
      core::elastic::error_handler_of(found->second.spec->error_handler) != core::elastic::throw_handler)
    return;
  found->second.is_aborted = true;
  // A cancelled run leaves the batch.
  const auto open = found->second.open;
  for (const auto each : open)
    if (const auto run = runs_.find(each); run != runs_.end()) {
      remember_aborted(run->second.grant);
      cancel(run->second, listener_aborted);
    }
}

} // namespace ringmaster::executor::elastic
