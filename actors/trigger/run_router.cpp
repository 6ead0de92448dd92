#include "actors/trigger/run_router.hpp"

#include <algorithm>
#include <utility>

#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// A job may be read a moment before its group: longest wait of the run for the group.
constexpr auto group_patience = 10s;
// An executor may have just registered at another node: a run that finds none waits this long until the store was read.
constexpr auto executor_patience = 500ms;
constexpr auto registry_look_every = 1s;

} // namespace

run_router::run_router(trigger_context& context, const core::address_avoidance& avoided, std::uint64_t random_seed,
                       std::function<void()> stepped)
  : context_{context}, avoided_{avoided}, stepped_{std::move(stepped)}, history_{random_seed} {}

void run_router::route(protocol::route_request&& request) {
  protocol::routed_batch answer;
  answer.accounted = request.candidates.size();
  for (auto& candidate : request.candidates)
    route(std::move(candidate), request.listener, answer);
  protocol::send(context_.self, request.listener, std::move(answer));
  go_on_probing();
}

void run_router::route(protocol::route_candidate&& candidate, const protocol::route_listener& listener,
                       protocol::routed_batch& answer) {
  auto wait = false;
  const auto* group = group_of(*candidate.spec, wait);
  if (wait) {
    answer.deferred.push_back(std::move(candidate));
    return;
  }
  const auto own_addresses = candidate.intent && !candidate.intent->addresses.empty();
  if (!own_addresses && awaits_executor(group)) {
    answer.held.push_back(std::move(candidate));
    return;
  }
  auto runs = runs_of(candidate);
  std::vector<std::string> choices;
  auto ask = address_runs(runs, group, choices);
  if (!ask)
    return place(std::move(candidate), std::move(runs), answer, choices);
  // One answer serves all firings of the same job within one window.
  probing_route probing{std::move(candidate), listener};
  if (!probes_.add(probing, *ask, context_.steady_now()))
    answer.held.push_back(std::move(probing.candidate));
}

// A candidate without a slot is put back as if it had not been routed.
void run_router::place(protocol::route_candidate&& candidate, std::vector<core::planned_run>&& runs,
                       protocol::routed_batch& answer, std::span<const std::string> choices) {
  auto lane = context_.lanes.lane_of(candidate.spec->id, context_.now());
  for (auto& run : runs)
    run.lane = lane;
  auto room = context_.lanes.take(lane, runs, context_.steady_now());
  if (room == core::lane_room::taken) {
    answer.routed.push_back({std::move(candidate), std::move(runs)});
    return;
  }
  history_.put_back(*candidate.spec, choices);
  (room == core::lane_room::silent ? answer.held : answer.deferred).push_back(std::move(candidate));
}

const core::group* run_router::group_of(const core::job& spec, bool& wait) {
  auto id = core::number(spec.group);
  if (auto found = context_.registry->groups.find(id); found != context_.registry->groups.end())
    return &found->second;
  if (id == 0)
    return nullptr; // of a job that is gone: its claim only removes the intent
  auto [missing, first] = missing_groups_.emplace(id, context_.now());
  wait = context_.now() - missing->second < group_patience;
  if (!wait && !first)
    context_.log->warn("job={} names group {}, which does not exist", core::number(spec.id), id);
  return nullptr;
}

bool run_router::awaits_executor(const core::group* group) {
  if (!group || group->type != core::address_type::automatic || !group->addresses.empty() || !context_.partners.registry)
    return false;
  const auto t = context_.steady_now();
  if (t >= next_registry_look_) {
    next_registry_look_ = t + registry_look_every;
    protocol::send(context_.self, context_.partners.registry, protocol::registry_hint{});
  }
  return t < empty_groups_.emplace(core::number(group->id), t).first->second + executor_patience;
}

// Returns one run for each firing; a broadcast is expanded when it is addressed.
std::vector<core::planned_run> run_router::runs_of(const protocol::route_candidate& candidate) const {
  std::vector<core::planned_run> runs;
  core::planned_run base;
  base.spec = candidate.spec;
  base.retry_left = std::max(candidate.spec->retry_count, 0);
  if (const auto& intent = candidate.intent) {
    base.intent = intent->id;
    base.kind = intent->kind;
    base.fire_at = core::is_reserved(intent->kind) ? intent->fire_at : context_.now();
    base.part = intent->part;
    base.param = intent->param;
    base.addresses = intent->addresses;
    if (intent->kind == core::trigger_kind::retry || intent->kind == core::trigger_kind::parent)
      base.origin = intent->origin;
    if (intent->kind == core::trigger_kind::retry)
      base.retry_left = intent->retry_left;
    runs.push_back(std::move(base));
    return runs;
  }
  for (const auto& firing : candidate.plan->firings) {
    auto& run = runs.emplace_back(base);
    run.fire_at = firing.fire_at;
    if (firing.misfire) {
      run.kind = core::trigger_kind::misfire;
      if (candidate.plan->expected_next > core::due_since_ever)
        run.instant = candidate.plan->expected_next;
      run.merged = candidate.plan->merged;
    }
  }
  return runs;
}

// An address that refused a connection is not retried at once if there is another executor. A broadcast goes to all; probed
// executors answer for themselves.
std::span<const std::string> run_router::candidates_of(const core::job& spec, std::span<const std::string> live,
                                                       std::vector<std::string>& room) const {
  switch (spec.route) {
  case core::route_strategy::sharding_broadcast: return live;
  case core::route_strategy::failover:
  case core::route_strategy::busyover: return avoided_.usable_first(live, room);
  default: return avoided_.usable(live, room);
  }
}

// Assigns an address to every run, or returns the executors to probe for it. `choices` are those of the route history.
std::optional<core::probe_in_order> run_router::address_runs(std::vector<core::planned_run>& runs, const core::group* group,
                                                             std::vector<std::string>& choices) {
  static const std::vector<std::string> nobody;
  std::vector<std::string> room;
  for (auto& run : std::exchange(runs, {})) {
    const auto& live = !run.addresses.empty() ? run.addresses : group ? group->addresses : nobody;
    if (run.part.broadcast && !live.empty()) {
      // A single shard again (retry): the same position, or the first executor if the group has shrunk.
      auto index = static_cast<std::size_t>(run.part.index);
      run.address = live[index < live.size() ? index : 0];
      runs.push_back(std::move(run));
      continue;
    }
    auto decision = history_.route(*run.spec, candidates_of(*run.spec, live, room), context_.now());
    if (auto* ask = std::get_if<core::probe_in_order>(&decision))
      return std::move(*ask);
    if (auto* one = std::get_if<core::send_to>(&decision)) {
      choices.push_back(one->address);
      run.address = std::move(one->address);
    } else if (auto* all = std::get_if<core::send_to_all>(&decision)) {
      auto total = static_cast<std::int32_t>(all->addresses.size());
      for (std::int32_t i = 0; i < total; ++i) {
        auto& part = runs.emplace_back(run);
        part.part = {i, total, true};
        part.address = std::move(all->addresses[static_cast<std::size_t>(i)]);
      }
      continue;
    } else {
      run.route_note = live.empty() ? protocol::wire::log_text::address_empty : "the stored route strategy is unknown";
    }
    runs.push_back(std::move(run));
  }
  return std::nullopt;
}

void run_router::change_registry() {
  const auto& groups = context_.registry->groups;
  for (const auto& [id, group] : groups)
    missing_groups_.erase(id);
  std::erase_if(empty_groups_, [&groups](const auto& entry) {
    const auto group = groups.find(entry.first);
    return group == groups.end() || !group->second.addresses.empty();
  });
}

// -- probes ----------------------------------------------------------------------------------------------------------------

void run_router::go_on_probing() {
  auto step = probes_.go_on(context_.steady_now());
  for (auto& question : step.ask)
    ask(std::move(question));
  for (auto& verdict : step.decided)
    take(std::move(verdict));
  stepped_();
}

void run_router::ask(route_probes::question&& question) {
  protocol::probe_request request{question.job, question.kind == core::probe_kind::idle_beat, question.group};
  const auto& link = context_.links.of(question.address, context_.steady_now());
  auto asked = std::make_shared<const route_probes::question>(std::move(question));
  auto answered = [this, asked](protocol::probe_reply reply) {
    probes_.answered(*asked, std::move(reply), context_.steady_now());
    go_on_probing();
  };
  const auto& settings = context_.settings;
  protocol::request(context_.self, link, settings.connect_timeout + settings.request_timeout + 1s, request)
    .then([answered](protocol::probe_reply& reply) { answered(std::move(reply)); },
          [answered](const caf::error&) { answered({0, "no answer"}); });
}

void run_router::take(route_probes::verdict&& verdict) {
  std::vector<std::pair<protocol::route_listener, protocol::routed_batch>> answers;
  for (auto& [candidate, listener] : verdict.routes) {
    if (answers.empty() || answers.back().first != listener)
      answers.emplace_back(std::move(listener), protocol::routed_batch{});
    auto runs = runs_of(candidate);
    for (auto& run : runs) {
      run.address = verdict.address;
      run.route_note = verdict.note;
    }
    place(std::move(candidate), std::move(runs), answers.back().second);
  }
  for (auto& [listener, answer] : answers)
    protocol::send(context_.self, listener, std::move(answer));
}

} // namespace ringmaster::actors
