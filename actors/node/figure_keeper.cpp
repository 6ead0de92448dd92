#include "actors/node/figure_keeper.hpp"

#include <utility>

#include "actors/next_tick.hpp"
#include "actors/store/store_access.hpp"
#include "core/access/principal.hpp"
#include "protocol/admin_messages.hpp"

namespace ringmaster::actors {

namespace {

/// Counts for all groups: without names, every user may see them.
core::result<core::stored_counts> counts_in(storage::store& store, core::time_point now) {
  core::job_search jobs;
  jobs.window.limit = 1;
  const auto all = store.job_editing().page(jobs, core::local_operator());
  jobs.running = true;
  const auto running = all ? store.job_editing().page(jobs, core::local_operator()) : all;
  if (!running)
    return tl::unexpected<core::error>{running.error()};
  core::run_search runs;
  runs.status = core::run_status::failed;
  runs.from = now - std::chrono::hours{1};
  runs.window.limit = 0;
  const auto failed = store.run_reading().page(runs, figure_keeper_state::counted_max, core::local_operator());
  if (!failed)
    return tl::unexpected<core::error>{failed.error()};
  return core::stored_counts{all->total, running->total, failed->total, failed->total_is_capped};
}

} // namespace

figure_keeper_state::figure_keeper_state(protocol::figure_keeper::pointer self, protocol::node_actor node,
                                         protocol::registry_monitor registry, protocol::query_worker reads,
                                         protocol::wall_clock clock)
  : self_{self},
    node_{std::move(node)},
    registry_{std::move(registry)},
    reads_{std::move(reads)},
    clock_{std::move(clock)},
    counters_{self->system()},
    history_{self->clock().now(), clock_.at(self->clock().now()), counters_.totals()},
    next_tick_{self->clock().now() + core::counter_history::step} {}

protocol::figure_keeper::behavior_type figure_keeper_state::make_behavior() {
  protocol::send_at(self_, protocol::figure_keeper{self_}, next_tick_, protocol::tick_atom{});
  return {
    [this](protocol::figures_query) { return tell(); },
    [this](protocol::tick_atom) { end_step(); },
  };
}

void figure_keeper_state::end_step() {
  const auto at = now();
  history_.add(at, clock_.at(at), counters_.totals());
  next_tick_ = next_tick(next_tick_, core::counter_history::step, at);
  protocol::send_at(self_, protocol::figure_keeper{self_}, next_tick_, protocol::tick_atom{});
}

caf::result<protocol::figures_told> figure_keeper_state::tell() {
  if (answer_ && now() - answered_at_ < answer_age)
    return protocol::figures_told{answer_};
  auto promise = self_->make_response_promise<protocol::figures_told>();
  waiting_.push_back(promise);
  if (waiting_.size() > 1)
    return promise;
  waiting_for_counts_ = counts_older_than(counts_age_max);
  if (counts_older_than(counts_age))
    read_counts();
  if (!waiting_for_counts_)
    ask_node();
  return promise;
}

// -- the store -------------------------------------------------------------------------------------------------------------

void figure_keeper_state::read_counts() {
  if (std::exchange(reading_counts_, true))
    return;
  ask_store<core::stored_counts>(
    self_, reads_, [at = clock_.at(now())](storage::store& store) { return counts_in(store, at); },
    [this](core::result<core::stored_counts>&& found) { take_counts(std::move(found)); }, counts_patience);
}

void figure_keeper_state::take_counts(core::result<core::stored_counts>&& found) {
  reading_counts_ = false;
  counts_ = found ? std::optional{*found} : std::nullopt;
  counts_at_ = now();
  if (std::exchange(waiting_for_counts_, false))
    ask_node();
}

// -- the answer ------------------------------------------------------------------------------------------------------------

void figure_keeper_state::ask_node() {
  protocol::request(self_, node_, node_patience, protocol::nodes_query{})
    .then([this](protocol::node_list& known) { ask_registry(std::move(known.nodes)); },
          [this](const caf::error&) { ask_registry({}); });
}

/// Counts for all groups, as those of the store.
void figure_keeper_state::ask_registry(std::vector<core::seen_node>&& nodes) {
  const auto known = std::make_shared<const std::vector<core::seen_node>>(std::move(nodes));
  protocol::request(self_, registry_, registry_patience, protocol::executors_query{{}, core::local_operator(), true})
    .then([this, known](const protocol::executor_list& list) { finish(*known, list.totals); },
          [this, known](const caf::error&) { finish(*known, std::nullopt); });
}

void figure_keeper_state::finish(const std::vector<core::seen_node>& nodes, std::optional<core::executor_totals> executors) {
  auto figures = figures_of(nodes);
  figures.executors = executors;
  answer_ = std::make_shared<const core::live_figures>(std::move(figures));
  answered_at_ = now();
  for (auto& promise : std::exchange(waiting_, {}))
    promise.deliver(protocol::figures_told{answer_});
}

core::live_figures figure_keeper_state::figures_of(const std::vector<core::seen_node>& nodes) const {
  const auto totals = counters_.totals();
  core::live_figures out;
  out.at = clock_.at(now());
  for (const auto& node : nodes) {
    if (!node.self && node.health != core::node_health::alive)
      continue;
    core::node_figures shown{node.row.id, node.slots, std::nullopt};
    if (node.self) {
      const auto rates = history_.rates_at(now(), totals);
      shown.load = counters_.load();
      shown.load->firings_per_s = rates.fired;
      shown.load->results_per_s = rates.results;
    }
    out.partial = out.partial || !node.self;
    out.nodes.push_back(std::move(shown));
  }
  // Without an answer of node_actor, it is unknown which nodes there are.
  out.partial = out.partial || nodes.empty();
  out.lateness = history_.lateness(totals);
  out.series = history_.series();
  out.stored = counts_;
  return out;
}

} // namespace ringmaster::actors
