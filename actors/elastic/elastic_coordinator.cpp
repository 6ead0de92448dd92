#include "actors/elastic/elastic_coordinator.hpp"

#include <algorithm>
#include <utility>

#include "actors/store/store_access.hpp"
#include "storage/elastic_store.hpp"

namespace ringmaster::actors {

namespace {

/// Pause after a failed reading of the job.
constexpr core::milliseconds read_pause{500};
/// Moments that differ by less are the same: civil time is cut to its millisecond.
constexpr core::milliseconds call_tolerance{1};

} // namespace

elastic_coordinator_state::elastic_coordinator_state(protocol::elastic_coordinator::pointer self,
                                                     std::shared_ptr<const coordinator_tools> tools, job_identity who,
                                                     core::elastic::adopted_job stored,
                                                     std::shared_ptr<const protocol::known_hosts> known)
  : self_{self}, tools_{std::move(tools)}, who_{who}, job_{who, tools_->strategies, tools_->settings, tools_->slots} {
  if (known)
    job_.look(std::move(known), at());
  job_.set_wake([self = self_] { protocol::anon_send(protocol::elastic_coordinator{self}, protocol::elastic_due{}); });
  auto rule = rule_of(stored.job);
  job_.load(std::move(stored), std::move(rule), at());
}

elastic_coordinator_state::~elastic_coordinator_state() { tools_->metrics.change_items(shown_, {}); }

protocol::elastic_coordinator::behavior_type elastic_coordinator_state::make_behavior() {
  leave();
  return {
    [this](const protocol::elastic_due&) { pass_time(); }, // also for a free slot
    [this](protocol::host_view& view) {
      job_.look(std::move(view.known), at());
      leave();
    },
    [this](const protocol::host_events& events) {
      job_.hear(events, at());
      leave();
    },
    [this](const protocol::host_notice& notice) {
      job_.notice(notice, at());
      leave();
    },
    [this](const protocol::elastic_stored& stored) {
      job_.stored(stored, at());
      leave();
    },
    [this](const protocol::elastic_job_change& change) { this->change(change); },
    [this](protocol::slot_release_order) {
      job_.release(at());
      leave();
    },
  };
}

job_moment elastic_coordinator_state::at() const {
  const auto now = self_->clock().now();
  return {now, tools_->clock.at(now)};
}

job_coordination::schedule_rule elastic_coordinator_state::rule_of(const core::elastic::elastic_job_row& job) const {
  auto rule = tools_->schedules->of(job);
  if (rule)
    return *rule;
  tools_->log->error("elastic job={} cannot be planned: {}", core::number(job.id), rule.error().context);
  return nullptr;
}

// An edit may concern flags of items and requests, too: all of the job is read.
void elastic_coordinator_state::change(const protocol::elastic_job_change& change) {
  if (change.removed)
    return end();
  read_job(reading::change);
}

void elastic_coordinator_state::pass_time() {
  call_at_.reset();
  if (read_again_at_ && *read_again_at_ <= self_->clock().now()) {
    read_again_at_.reset();
    read_job(wanted_);
  }
  job_.pass_time(at());
  leave();
}

void elastic_coordinator_state::leave() {
  auto out = job_.take_output(at());
  const bool ended = out.ended;
  send(std::move(out));
  if (ended)
    return end();
  ask_for_call();
}

void elastic_coordinator_state::send(job_output&& out) {
  for (const auto& fact : out.facts)
    tools_->metrics.count(fact, at().wall);
  tools_->metrics.change_items(std::exchange(shown_, out.items), out.items);
  for (const auto& problem : out.problems)
    tools_->log->warn("elastic job={}: {}", core::number(who_.job), problem);
  if (tools_->errors)
    for (auto& each : out.errors)
      protocol::send(self_, tools_->errors, std::move(each));
  for (auto& each : out.done)
    protocol::send(self_, tools_->hosts, std::move(each));
  for (auto& each : out.sends)
    protocol::send(self_, tools_->hosts, std::move(each));
  for (auto& each : out.writes)
    protocol::send(self_, tools_->writer,
                   protocol::elastic_ops{protocol::elastic_coordinator{self_}, each.number, who_.lease, std::move(each.ops)});
  if (!out.rereads.empty())
    read_items(std::move(out.rereads));
  if (out.reload)
    reload();
  else if (out.read_job)
    read_job(reading::change);
}

void elastic_coordinator_state::ask_for_call() {
  auto next = job_.next_call(at());
  if (read_again_at_)
    next = next ? std::min(*next, *read_again_at_) : *read_again_at_;
  protocol::coordinator_wish wish{.job = who_.job};
  if (const bool busy = job_.is_busy(); busy != said_busy_)
    wish.is_busy = said_busy_ = busy;
  const bool is_known = call_at_ && next && *next <= *call_at_ + call_tolerance && *next >= *call_at_ - call_tolerance;
  if (next && !is_known)
    wish.call_at = call_at_ = next;
  if (wish.call_at || wish.is_busy)
    protocol::send(self_, tools_->director, wish);
}

void elastic_coordinator_state::end() {
  protocol::send(self_, tools_->director, protocol::coordinator_wish{.job = who_.job, .released = true});
  self_->quit();
}

// -- the store -------------------------------------------------------------------------------------------------------------

// A fire that the store refuses each time must not be tried without a pause.
void elastic_coordinator_state::reload() {
  const auto now = self_->clock().now();
  if (!reloaded_at_ || *reloaded_at_ + read_pause <= now)
    return read_job(reading::load);
  wanted_ = reading::load;
  read_again_at_ = *reloaded_at_ + read_pause;
}

void elastic_coordinator_state::read_job(reading use) {
  wanted_ = std::max(wanted_, use);
  // The reading under way may be older than this question.
  if (reading_job_) {
    read_twice_ = true;
    return;
  }
  reading_job_ = true;
  read_twice_ = false;
  read_again_at_.reset();
  if (wanted_ == reading::load)
    reloaded_at_ = self_->clock().now();
  ask_store<core::elastic::adopted_job>(
    self_, tools_->worker, [job = who_.job](storage::store& store) { return store.elastic().read_job(job); },
    [this](core::result<core::elastic::adopted_job>&& found) {
      reading_job_ = false;
      job_read(std::move(found));
    });
}

void elastic_coordinator_state::job_read(core::result<core::elastic::adopted_job>&& found) {
  if (!found && found.error().code == core::errc::not_found)
    return end();
  if (!found) {
    read_again_at_ = self_->clock().now() + read_pause;
    return ask_for_call();
  }
  if (read_twice_)
    return read_job(wanted_);
  auto rule = rule_of(found->job);
  if (std::exchange(wanted_, reading::none) == reading::load)
    job_.load(std::move(*found), std::move(rule), at());
  else
    job_.change(std::move(*found), std::move(rule), at());
  leave();
}

void elastic_coordinator_state::read_items(std::vector<core::elastic::item_number>&& items) {
  ask_store<std::vector<core::elastic::item_row>>(
    self_, tools_->worker,
    [job = who_.job, items = std::move(items)](storage::store& store) { return store.elastic().read_items(job, items); },
    [this](core::result<std::vector<core::elastic::item_row>>&& rows) {
      if (rows)
        job_.rows_read(*rows, at());
      else
        job_.rows_failed(at());
      leave();
    });
}

} // namespace ringmaster::actors
