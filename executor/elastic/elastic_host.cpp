#include "executor/elastic/elastic_host.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <spdlog/spdlog.h>

#include "executor/elastic/stop_request.hpp"
#include "protocol/error.hpp"

namespace ringmaster::executor::elastic {

namespace {

/// Returns the names of the pools and error handlers.
known_parts known_to(const job_host_tools& tools) {
  known_parts out;
  if (tools.pools)
    for (const auto& [name, limit] : *tools.pools)
      out.pools.insert(name);
  if (tools.error_handlers)
    for (const auto& [name, make] : *tools.error_handlers)
      out.error_handlers.insert(name);
  return out;
}

} // namespace

elastic_host_state::elastic_host_state(protocol::elastic_host::pointer self, elastic_host_parts parts)
  : self_{self}, parts_{std::move(parts)}, book_{parts_.me, parts_.draw_key, known_to(parts_.tools)} {}

elastic_host_state::~elastic_host_state() {
  parts_.tools.board->end_saves();
  for (auto& [job, entry] : jobs_)
    caf::anon_send_exit(entry.actor, caf::exit_reason::user_shutdown);
}

protocol::elastic_host::behavior_type elastic_host_state::make_behavior() {
  return {
    [this](protocol::link_offer& offer) { take(std::move(offer)); },
    [this](protocol::node_said& said) { take(std::move(said)); },
    [this](protocol::item_event& told) { take(std::move(told)); },
    [this](const protocol::listener_note& note) { take(note); },
    [this](const protocol::lease_end& end) {
      for (const auto run : end.runs)
        parts_.log->warn("item run {}: its lease has ended", core::number(run));
      book_.take_lease_end(end.runs, moment());
      go_on();
    },
    [this](const protocol::drain_request& asked) { return drain(asked.limit); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- messages --------------------------------------------------------------------------------------------------------------

void elastic_host_state::take(protocol::link_offer&& offer) {
  if (offer.link) {
    links_[offer.link_number] = std::move(offer.link);
    book_.add_link(offer.link_number, std::move(offer.address), moment());
  } else {
    links_.erase(offer.link_number);
    book_.end_link(offer.link_number, moment());
  }
  go_on();
}

void elastic_host_state::take(protocol::node_said&& said) {
  const auto before = book_.process();
  std::visit([&](const auto& what) { book_.take(said.link_number, what, moment()); }, said.said);
  if (const auto process = book_.process(); process && process != before)
    parts_.log->info("host {} of elastic jobs, process {}", core::number(process->host), core::number(process->incarnation));
  go_on();
}

void elastic_host_state::take(protocol::item_event&& told) {
  const auto& event = told.event;
  const bool ends = event.kind == protocol::elastic_event_kind::finished;
  // A body that was stopped by the end of its lease may return before that end is known here. Its result is void.
  if (const auto control = ends ? parts_.tools.board->find(event.run) : nullptr; control && !control->still_mine())
    book_.take_lease_end({event.run}, moment());
  if (const auto job = jobs_.find(event.job); job != jobs_.end() && ends && job->second.open > 0) {
    --job->second.open;
    job->second.idle_since = now();
  }
  book_.take_event(std::move(told.event), moment());
  go_on();
}

void elastic_host_state::take(const protocol::listener_note& note) {
  if (!note.failure.empty())
    parts_.log->error("elastic job {}: {}", core::number(note.job), note.failure);
  const auto job = jobs_.find(note.job);
  if (job == jobs_.end())
    return;
  auto& calls = job->second.calls;
  calls = note.begins ? calls + 1 : calls - std::min<std::size_t>(calls, 1);
  job->second.idle_since = now();
  go_on_draining();
}

bool elastic_host_state::calls_listeners() const {
  return std::any_of(jobs_.begin(), jobs_.end(), [](const auto& each) { return each.second.calls > 0; });
}

// -- what the book decides -------------------------------------------------------------------------------------------------

void elastic_host_state::go_on() {
  book_.pass_time(moment());
  carry_out(book_.take_effects());
  arm();
}

void elastic_host_state::carry_out(host_effects&& effects) {
  auto& board = *parts_.tools.board;
  if (effects.lease_from)
    board.extend(*effects.lease_from);
  for (const auto run : effects.fenced)
    if (const auto control = board.end(run))
      request_stop(control, stop_way::at_once, *parts_.tools.threads);
  for (auto& grants : effects.grants)
    grant(std::move(grants));
  for (const auto& [job, order] : effects.orders)
    if (const auto found = jobs_.find(job); found != jobs_.end())
      protocol::send(self_, found->second.actor, order);
  for (const auto& [run, number] : effects.saved)
    board.take_stored_cursor(run, number);
  for (const auto run : effects.closed)
    board.close(run);
  for (auto& [link, message] : effects.messages)
    if (const auto found = links_.find(link); found != links_.end())
      protocol::send(self_, found->second, std::move(message));
  for (const auto& warning : effects.warnings)
    parts_.log->warn("{}", warning);
}

void elastic_host_state::grant(protocol::item_grants&& grants) {
  for (const auto& each : grants.items)
    (void)parts_.tools.board->open(each.run, each.lease);
  auto& job = job_of(grants.spec->job);
  job.open += grants.items.size();
  protocol::send(self_, job.actor, std::move(grants));
}

elastic_host_state::job_entry& elastic_host_state::job_of(core::elastic::elastic_job_id job) {
  auto& entry = jobs_[job];
  if (entry.actor)
    return entry;
  entry.actor = self_->spawn<protocol::with_state<elastic_job_host_state, protocol::elastic_job_host>>(
    job, protocol::elastic_host{self_}, parts_.tools, parts_.log);
  // Results would be lost: the process ends, and starts again.
  watcher_.watch(self_, entry.actor, [this](const caf::error& reason) {
    if (reason && reason != caf::exit_reason::user_shutdown)
      self_->quit(reason);
  });
  return entry;
}

void elastic_host_state::end_idle_jobs() {
  for (auto each = jobs_.begin(); each != jobs_.end();) {
    const auto& entry = each->second;
    if (entry.open > 0 || entry.calls > 0 || now() - entry.idle_since < idle_limit) {
      ++each;
      continue;
    }
    caf::anon_send_exit(entry.actor, caf::exit_reason::user_shutdown);
    each = jobs_.erase(each);
  }
}

// -- time ------------------------------------------------------------------------------------------------------------------

void elastic_host_state::tick() {
  armed_ = false;
  parts_.tools.board->pass_save_time();
  end_idle_jobs();
  go_on();
  go_on_draining();
}

void elastic_host_state::arm() {
  if (armed_ || (links_.empty() && jobs_.empty() && drained_.empty()))
    return;
  armed_ = true;
  protocol::send_at(self_, protocol::elastic_host{self_}, now() + tick_period, protocol::tick_atom{});
}

caf::result<void> elastic_host_state::drain(std::chrono::milliseconds limit) {
  book_.begin_drain();
  if (!drain_until_)
    drain_until_ = now() + limit;
  auto promise = self_->make_response_promise<void>();
  drained_.push_back(promise);
  go_on();
  go_on_draining();
  return promise;
}

void elastic_host_state::go_on_draining() {
  if (drained_.empty() || !drain_until_)
    return;
  const bool no_results = links_.empty() && book_.runs().active().empty();
  const bool is_late = now() >= *drain_until_;
  const bool is_done = (book_.idle() || no_results) && !calls_listeners();
  if (!is_done && (!is_late || !cancelled_)) {
    if (!is_late)
      return;
    cancelled_ = true;
    drain_until_ = now() + stop_limit;
    book_.cancel_all();
    return go_on();
  }
  // Bodies that still wait would hold up the end of this process.
  parts_.tools.board->end_saves();
  for (auto& promise : std::exchange(drained_, {}))
    promise.deliver();
}

} // namespace ringmaster::executor::elastic
