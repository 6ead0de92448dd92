#include "actors/admin/trigger_pool.hpp"

#include <algorithm>
#include <utility>

#include "protocol/wire/texts.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr auto tick_every = 1s;
// A job may be read a moment before its group: the run waits so long for it.
constexpr auto group_patience = 10s;
constexpr auto link_unused_max = 10min;

caf::telemetry::int_counter* counter(caf::actor_system& system, const char* metric, const char* help) {
  return system.metrics().counter_singleton("ringmaster", metric, help, "1", true);
}

caf::telemetry::dbl_histogram* lateness_histogram(caf::actor_system& system) {
  static constexpr double bounds[] = {.001, .002, .005, .01, .02, .05, .1, .2, .5, 1., 2., 5., 10.};
  return system.metrics().histogram_singleton<double>("ringmaster", "firing-lateness", bounds,
                                                      "From a firing's instant to the first byte of its request.", "seconds");
}

core::lane_limits limits_of(const config::trigger_settings& settings) {
  return {{settings.fast_window, settings.slow_window}, settings.slow_after, settings.slow_count};
}

} // namespace

trigger_pool_state::trigger_pool_state(protocol::trigger_pool::pointer self, protocol::storage_actor storage, link_tools tools,
                                       core::milliseconds misfire_after, std::uint64_t random_seed, protocol::wall_clock clock,
                                       logger log)
  : self_{self},
    storage_{std::move(storage)},
    tools_{std::move(tools)},
    misfire_after_{misfire_after},
    clock_{std::move(clock)},
    log_{std::move(log)},
    lanes_{limits_of(tools_.settings)},
    history_{random_seed},
    registry_{std::make_shared<protocol::registry_view>()},
    sent_count_{counter(self->system(), "runs-sent", "Runs handed to executor links.")},
    accepted_count_{counter(self->system(), "runs-accepted", "Runs that an executor accepted.")},
    failed_count_{counter(self->system(), "runs-trigger-failed", "Runs that no executor accepted.")},
    unknown_count_{counter(self->system(), "runs-unknown", "Runs whose answer never came.")},
    lateness_{lateness_histogram(self->system())} {
  protocol::send_at(self_, protocol::trigger_pool{self_}, self_->clock().now() + tick_every, protocol::tick_atom{});
}

trigger_pool_state::~trigger_pool_state() {
  for (auto& [address, known] : links_)
    caf::anon_send_exit(known.link, caf::exit_reason::user_shutdown);
}

protocol::trigger_pool::behavior_type trigger_pool_state::make_behavior() {
  return {
    [this](protocol::route_request& request) { route(std::move(request)); },
    [this](const protocol::slot_release& freed) {
      for (std::uint8_t lane = 0; lane < freed.lanes.size(); ++lane)
        lanes_.give_back(lane, freed.lanes[lane]);
    },
    [this](protocol::firing_batch& batch) { fire(std::move(batch)); },
    [this](protocol::send_results& results) { take_results(std::move(results)); },
    [this](const protocol::registry_change& change) { change_registry(change); },
    [this](const protocol::trigger_partners& partners) {
      completion_ = partners.completion;
      recovery_ = partners.recovery;
    },
    [this](const protocol::link_query& query) { return answer_link(query); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- routing ---------------------------------------------------------------------------------------------------------------

void trigger_pool_state::route(protocol::route_request&& request) {
  protocol::routed_batch answer;
  auto t = now();
  for (auto& candidate : request.candidates) {
    auto wait = false;
    const auto* group = group_of(*candidate.spec, wait);
    auto lane = lanes_.lane_of(candidate.spec->id, t);
    std::vector<std::pair<std::size_t, core::probe_in_order>> probes;
    auto runs = wait ? std::vector<core::planned_run>{} : runs_of(candidate, group, probes);
    if (wait || !lanes_.take(lane, runs.size())) {
      answer.deferred.push_back(std::move(candidate));
      continue;
    }
    for (auto& run : runs)
      run.lane = lane;
    protocol::routed_job job{std::move(candidate), std::move(runs)};
    if (probes.empty())
      answer.routed.push_back(std::move(job));
    else
      // One probe serves all firings of the same job inside one window.
      start_probe(std::move(job), probes.front().first, std::move(probes.front().second), request.listener);
  }
  if (!answer.routed.empty() || !answer.deferred.empty())
    protocol::send(self_, request.listener, std::move(answer));
}

const core::group* trigger_pool_state::group_of(const core::job& spec, bool& wait) {
  auto id = core::number(spec.group);
  if (auto found = registry_->groups.find(id); found != registry_->groups.end())
    return &found->second;
  if (id == 0)
    return nullptr; // of a job that is gone: its claim only takes the intent away
  auto [missing, first] = missing_groups_.emplace(id, now());
  wait = now() - missing->second < group_patience;
  if (!wait && !first)
    log_->warn("job {} names group {}, which does not exist", core::number(spec.id), id);
  return nullptr;
}

std::vector<core::planned_run> trigger_pool_state::runs_of(const protocol::route_candidate& candidate, const core::group* group,
                                                           std::vector<std::pair<std::size_t, core::probe_in_order>>& probes) {
  std::vector<core::planned_run> runs;
  core::planned_run base;
  base.spec = candidate.spec;
  base.retry_left = std::max(candidate.spec->retry_count, 0);
  if (candidate.intent) {
    base.intent = candidate.intent->id;
    base.kind = candidate.intent->kind;
    base.fire_at = now();
    base.part = candidate.intent->part;
    base.param = candidate.intent->param;
    if (candidate.intent->kind == core::trigger_kind::retry)
      base.retry_left = candidate.intent->retry_left;
    address_run(std::move(base), group, runs, probes);
    return runs;
  }
  for (const auto& firing : candidate.plan->firings) {
    auto run = base;
    run.fire_at = firing.fire_at;
    run.kind = firing.misfire ? core::trigger_kind::misfire : core::trigger_kind::cron;
    address_run(std::move(run), group, runs, probes);
  }
  return runs;
}

void trigger_pool_state::address_run(core::planned_run run, const core::group* group, std::vector<core::planned_run>& runs,
                                     std::vector<std::pair<std::size_t, core::probe_in_order>>& probes) {
  static const std::vector<std::string> nobody;
  const auto& live = group ? group->addresses : nobody;
  if (run.part.broadcast && !live.empty()) {
    // A single shard again (retry): the same position, or the first executor when the group has shrunk.
    auto index = static_cast<std::size_t>(run.part.index);
    run.address = live[index < live.size() ? index : 0];
    runs.push_back(std::move(run));
    return;
  }
  auto decision = history_.route(*run.spec, live, now());
  if (auto* one = std::get_if<core::send_to>(&decision)) {
    run.address = std::move(one->address);
  } else if (auto* all = std::get_if<core::send_to_all>(&decision)) {
    auto total = static_cast<std::int32_t>(all->addresses.size());
    for (std::int32_t i = 0; i < total; ++i) {
      auto part = run;
      part.part = {i, total, true};
      part.address = std::move(all->addresses[static_cast<std::size_t>(i)]);
      runs.push_back(std::move(part));
    }
    return;
  } else if (auto* ask = std::get_if<core::probe_in_order>(&decision)) {
    probes.emplace_back(runs.size(), std::move(*ask));
  } else {
    run.route_note = live.empty() ? protocol::wire::log_text::address_empty : "the stored route strategy is unknown";
  }
  runs.push_back(std::move(run));
}

void trigger_pool_state::start_probe(protocol::routed_job&& job, std::size_t run, core::probe_in_order&& ask,
                                     const protocol::route_listener& listener) {
  auto of = std::make_shared<probing>();
  protocol::probe_request request{job.candidate.spec->id, ask.kind == core::probe_kind::idle_beat};
  of->job = std::move(job);
  of->listener = listener;
  of->run = run;
  of->addresses = std::move(ask.addresses);
  of->replies.resize(of->addresses.size());
  auto limit = tools_.settings.connect_timeout + tools_.settings.request_timeout + 1s;
  for (std::size_t i = 0; i < of->addresses.size(); ++i)
    protocol::request(self_, link_of(of->addresses[i]), limit, request)
      .then([this, of, i](protocol::probe_reply& reply) { probed(of, i, std::move(reply)); },
            [this, of, i](const caf::error&) { probed(of, i, {0, "no answer"}); });
}

// All are asked at once; the first in order that answers 200 wins as soon as everybody before it has said no.
void trigger_pool_state::probed(const std::shared_ptr<probing>& of, std::size_t index, protocol::probe_reply&& reply) {
  of->replies[index] = std::move(reply);
  if (of->decided)
    return;
  for (std::size_t i = 0; i < of->replies.size(); ++i) {
    if (!of->replies[i])
      return;
    if (of->replies[i]->code == 200)
      return decide(*of, i);
  }
  decide(*of, std::nullopt);
}

void trigger_pool_state::decide(probing& of, std::optional<std::size_t> winner) {
  of.decided = true;
  std::string note;
  if (!winner)
    for (std::size_t i = 0; i < of.addresses.size(); ++i)
      note += (note.empty() ? "" : "; ") + of.addresses[i] + " answered " + std::to_string(of.replies[i]->code) + " "
              + of.replies[i]->message;
  for (auto& run : of.job.runs) {
    if (winner)
      run.address = of.addresses[*winner];
    else
      run.route_note = note;
  }
  protocol::routed_batch answer;
  answer.routed.push_back(std::move(of.job));
  protocol::send(self_, of.listener, std::move(answer));
}

// -- sending ---------------------------------------------------------------------------------------------------------------

bool trigger_pool_state::missed(const core::claimed_run& run, core::time_point t) const {
  return run.plan.kind == core::trigger_kind::cron && run.plan.spec->misfire == core::misfire_policy::do_nothing
         && t > run.plan.fire_at + misfire_after_;
}

core::trigger_result trigger_pool_state::failure(const core::claimed_run& run, std::string message) const {
  return {.id = run.id, .claim = run.claim, .spec = run.plan.spec, .code = 500, .message = std::move(message)};
}

void trigger_pool_state::fire(protocol::firing_batch&& batch) {
  auto t = now();
  protocol::trigger_results refused;
  protocol::sent_runs sent;
  sent.items.reserve(batch.runs.size());
  std::unordered_map<std::string_view, protocol::send_batch> by_address;
  for (auto& run : batch.runs) {
    auto late = missed(run, t);
    if (late || run.plan.address.empty()) {
      refused.items.push_back(failure(run, late ? "missed: later than the misfire limit" : run.plan.route_note));
      refused.items.back().delivery_unknown = late; // no retries: they would run what the misfire rule says shall not run
      lanes_.give_back(run.plan.lane, 1);
      failed_count_->inc();
      continue;
    }
    sent.items.emplace_back(run.id, run.plan.spec);
    auto& link = *links_.try_emplace(run.plan.address).first; // its key outlives the grouping
    auto& group = by_address.try_emplace(link.first, protocol::send_batch{{}, protocol::send_listener{self_}}).first->second;
    group.runs.push_back(std::move(run));
  }
  sent_count_->inc(static_cast<std::int64_t>(sent.items.size()));
  if (!sent.items.empty())
    protocol::send(self_, completion_, std::move(sent));
  for (auto& [address, runs] : by_address)
    protocol::send(self_, link_of(std::string{address}), std::move(runs));
  if (!refused.items.empty())
    protocol::send(self_, storage_, std::move(refused));
}

void trigger_pool_state::take_results(protocol::send_results&& results) {
  protocol::trigger_results recorded;
  protocol::unknown_batch unknown;
  recorded.items.reserve(results.items.size());
  auto t = now();
  for (auto& result : results.items) {
    if (result.state != protocol::send_state::unknown) // else recovery gives it back
      lanes_.give_back(result.run.plan.lane, 1);
    lanes_.took(result.run.plan.spec->id, result.elapsed, t);
    if (result.sent_at != protocol::wall_clock::steady{})
      lateness_->observe(std::chrono::duration<double>(result.sent_at - clock_.when(result.run.plan.fire_at)).count());
    conclude(std::move(result), recorded, unknown);
  }
  if (!recorded.items.empty())
    protocol::send(self_, storage_, std::move(recorded));
  if (!unknown.runs.empty())
    protocol::send(self_, recovery_, std::move(unknown));
}

void trigger_pool_state::conclude(protocol::send_result&& result, protocol::trigger_results& recorded,
                                  protocol::unknown_batch& unknown) {
  auto& run = result.run;
  switch (result.state) {
  case protocol::send_state::answered:
    (result.code == 200 ? accepted_count_ : failed_count_)->inc();
    recorded.items.push_back({.id = run.id, .claim = run.claim, .spec = run.plan.spec, .code = result.code,
                              .message = result.code == 200 ? std::string{} : std::move(result.message)});
    break;
  case protocol::send_state::not_sent:
    failed_count_->inc();
    recorded.items.push_back(failure(run, std::move(result.message)));
    break;
  case protocol::send_state::gate_closed:
    break; // still claimed: the next life adopts it
  case protocol::send_state::unknown:
    unknown_count_->inc();
    log_->warn("run {} of job {}: no answer from {}: {}", core::number(run.id), core::number(run.plan.spec->id), run.plan.address,
               result.message);
    unknown.runs.push_back(std::move(run));
    break;
  }
}

// -- executors -------------------------------------------------------------------------------------------------------------

void trigger_pool_state::change_registry(const protocol::registry_change& change) {
  // A link that does not know its executor's family is made anew; its calls under way keep the old one.
  for (const auto& address : change.view->app_header_addresses)
    if (!registry_->app_header_addresses.contains(address))
      links_.erase(address);
  registry_ = change.view;
  for (const auto& [id, group] : registry_->groups)
    missing_groups_.erase(id);
}

caf::result<protocol::link_handle> trigger_pool_state::answer_link(const protocol::link_query& query) {
  return protocol::link_handle{link_of(query.address)};
}

protocol::executor_link& trigger_pool_state::link_of(const std::string& address) {
  auto& known = links_[address];
  known.used = now();
  if (!known.link) {
    std::string app_name;
    for (const auto& [id, group] : registry_->groups)
      if (std::find(group.addresses.begin(), group.addresses.end(), address) != group.addresses.end())
        app_name = group.app_name;
    known.link = self_->spawn<protocol::with_state<executor_link_state, protocol::executor_link>>(
      tools_, address, std::move(app_name), registry_->app_header_addresses.contains(address));
    watcher_.watch(self_, known.link, [this, address](const caf::error& reason) { link_ended(address, reason); });
  }
  return known.link;
}

// Its calls would never be answered and their claims never be closed in this life: only the next one can decide about them.
void trigger_pool_state::link_ended(const std::string& address, const caf::error& reason) {
  if (!reason || reason == caf::exit_reason::unreachable || reason == caf::exit_reason::user_shutdown)
    return;
  log_->critical("the link to {} ended unexpectedly: {}", address, caf::to_string(reason));
  self_->quit(reason);
}

void trigger_pool_state::tick() {
  auto t = now();
  for (auto at = links_.begin(); at != links_.end();) {
    if (at->second.link && t - at->second.used <= link_unused_max) {
      ++at;
      continue;
    }
    // Calls under way keep their link alive until they are answered.
    at = links_.erase(at);
  }
  protocol::send_at(self_, protocol::trigger_pool{self_}, self_->clock().now() + tick_every, protocol::tick_atom{});
}

core::time_point trigger_pool_state::now() const { return clock_.at(self_->clock().now()); }

} // namespace ringmaster::actors
