#include "tests/simulation/elastic/job_checker.hpp"

#include <algorithm>
#include <utility>

#include "core/elastic/plan.hpp"
#include "tests/simulation/elastic/job_world.hpp"
#include "tests/simulation/elastic/sim_host.hpp"

namespace ringmaster::simulation::elastic {

namespace {

// `ej_run.state`.
constexpr std::int64_t granted_state = 1, finished_state = 2, lost_state = 4, failed_state = 6;
// `ej_item.state`.
constexpr std::int64_t idle = 0, open = 1, wanted = 2;
constexpr std::int64_t normal = 0, misfire = 1, failover = 2, manual = 3;
/// `ej_fire.state` of a dropped fire.
constexpr std::int64_t dropped_state = 6;
/// An idle enabled item with a host fires at most so late (I9).
constexpr milliseconds late_max{50};
/// Longest run of a body, with the time that its end needs.
constexpr span run_max = 9s;
/// Fires that are read again at each look.
constexpr core::milliseconds fires_read{30'000};

} // namespace

void job_tally::add(const job_tally& other) {
  runs += other.runs;
  bodies += other.bodies;
  finished += other.finished;
  lost += other.lost;
  takeovers += other.takeovers;
  compensations += other.compensations;
  fires += other.fires;
  dropped += other.dropped;
  kept_results += other.kept_results;
  fenced += other.fenced;
  stops += other.stops;
  prompt_fires += other.prompt_fires;
}

void job_checker::broken(const std::string& found) {
  world_.say("VIOLATED " + found);
  violations_.push_back(std::to_string(std::chrono::duration_cast<milliseconds>(world_.now()).count()) + " ms  " + found);
}

std::string job_checker::words(const run_row& run) const {
  return "run " + std::to_string(run.id) + " of item " + std::to_string(run.item.first) + "/" + std::to_string(run.item.second);
}

void job_checker::set_disabled(std::int64_t job, std::int64_t item, bool disabled) {
  if (disabled)
    disabled_.insert({job, item});
  else
    disabled_.erase({job, item});
}

// -- rows ------------------------------------------------------------------------------------------------------------------

void job_checker::look() {
  items_before_ = items_;
  look_at_runs();
  look_at_items();
  look_at_fires();
  look_at_schedules();
}

void job_checker::look_at_runs() {
  std::vector<run_row> begun;
  auto rows = tables_.prepare(
    "SELECT id, job, item, source, fire_ms, fire_source, request, fence, state FROM ej_run WHERE id >= ?"
    " ORDER BY id");
  rows.with(first_open_);
  first_open_ = runs_.empty() ? 1 : runs_.rbegin()->first + 1;
  while (rows.step()) {
    const auto id = rows.number(0);
    const auto state = rows.number(8);
    if (const auto known = runs_.find(id); known == runs_.end()) {
      begun.push_back({id,
                       {rows.number(1), rows.number(2)},
                       rows.number(3),
                       rows.number(4),
                       rows.number(5),
                       rows.number(6),
                       rows.number(7),
                       state,
                       world_.now()});
    } else if (known->second.state != state) {
      if (known->second.state != granted_state)
        broken("I2: " + words(known->second) + " was closed as " + std::to_string(known->second.state) + " and is " +
               std::to_string(state));
      closed(known->second, state);
    }
    if (state == granted_state)
      first_open_ = std::min(first_open_, id);
  }
  for (auto& each : begun) {
    auto& run = runs_.emplace(each.id, each).first->second;
    run.state = granted_state;
    granted(run);
    if (each.state != granted_state)
      closed(run, each.state);
  }
}

void job_checker::granted(run_row& run) {
  ++counts_.runs;
  counts_.takeovers += run.source == failover ? 1U : 0U;
  counts_.compensations += run.source == misfire ? 1U : 0U;
  world_.say(words(run) + " is granted, fence " + std::to_string(run.fence) + ", source " + std::to_string(run.source));
  if (const auto other = open_.find(run.item); other != open_.end())
    broken("I1: " + words(run) + " is granted while run " + std::to_string(other->second) + " is open");
  open_[run.item] = run.id;
  last_grant_[run.item] = run.granted;
  auto& same = of_fire_[{run.item.first, run.item.second, run.fire_ms, run.fire_source, run.request}];
  for (const auto earlier : same)
    if (runs_.at(earlier).state != lost_state)
      broken("I4: " + words(run) + " repeats the fire of run " + std::to_string(earlier) + ", which ended as " +
             std::to_string(runs_.at(earlier).state));
  same.push_back(run.id);
  for (const auto& host : world_.host_processes())
    for (const auto& [id, body] : host->bodies())
      if (core::number(body.work.log.job) == run.item.first && body.work.facts.item == run.item.second && id != run.id &&
          body.work.control->still_mine() && !is_known_exception(body, id))
        broken("I3: " + words(run) + " is granted while the body of run " + std::to_string(id) + " goes on in " + host->name() +
               " with a right");
}

// A body that ignores cancel and kill may go on: its run has failed, and its host is tainted.
bool job_checker::is_known_exception(const sim_body& body, std::int64_t run) const {
  const auto found = runs_.find(run);
  return found != runs_.end() && found->second.state == failed_state && body.ignores_stop;
}

void job_checker::closed(run_row& run, std::int64_t state) {
  world_.say(words(run) + " ends as " + std::to_string(state));
  run.state = state;
  if (const auto found = open_.find(run.item); found != open_.end() && found->second == run.id)
    open_.erase(found);
  counts_.finished += state == finished_state ? 1U : 0U;
  counts_.lost += state == lost_state ? 1U : 0U;
  if (run.has_receipt && state == lost_state)
    broken("I7: the result of " + words(run) + " has a receipt, but the run is lost");
  if (state != lost_state || run.runs_in == nullptr || run.is_over)
    return;
  if (world_.is_undisturbed(*run.runs_in, run.began))
    broken("I10: " + words(run) + " is lost, although nothing happened to " + run.runs_in->name());
}

void job_checker::look_at_items() {
  auto rows = tables_.prepare("SELECT job, item, fence, state, run, missed, flags, host FROM ej_item");
  rows.with();
  std::map<item_key, item_row> found;
  while (rows.step()) {
    const item_key key{rows.number(0), rows.number(1)};
    const item_row row{rows.number(2), rows.number(3), rows.number(4), rows.number(7), rows.number(5) != 0, rows.number(6)};
    const auto words_of_item = "item " + std::to_string(key.first) + "/" + std::to_string(key.second);
    if (const auto before = items_.find(key); before != items_.end() && row.fence < before->second.fence)
      broken("I2: the fence of " + words_of_item + " goes back");
    const auto run = open_.find(key);
    if ((row.state == open) != (run != open_.end()) || (row.state == open && run->second != row.run))
      broken("I1: " + words_of_item + " is in state " + std::to_string(row.state) + " with run " + std::to_string(row.run) +
             ", the open run is " + std::to_string(run == open_.end() ? 0 : run->second));
    if (((row.flags & 1) != 0) != disabled_.contains(key))
      broken("I8: " + words_of_item + " is " + ((row.flags & 1) != 0 ? "disabled" : "enabled") + ", but no operator said so");
    found.emplace(key, row);
  }
  // An item that comes back is a new one.
  std::erase_if(disabled_, [&](const auto& key) { return !found.contains(key); });
  say_waits(found);
  items_ = std::move(found);
}

void job_checker::say_waits(const std::map<item_key, item_row>& found) {
  if (!world_.is_tracing())
    return;
  for (const auto& [key, row] : found) {
    const auto before = items_.find(key);
    const auto [waited, owed] = before == items_.end() ? std::pair{false, false}
                                                       : std::pair{before->second.state == wanted, before->second.missed};
    if ((row.state == wanted) != waited || row.missed != owed)
      world_.say("item " + std::to_string(key.first) + '/' + std::to_string(key.second) +
                 (row.state == wanted ? " waits" : row.state == idle ? " is idle" : " runs") + (row.missed ? ", missed" : ""));
  }
}

void job_checker::look_at_fires() {
  auto rows = tables_.prepare(
    "SELECT job, fire_ms, source, request, plan_version, state, dropped FROM ej_fire WHERE fire_ms >= ?"
    " ORDER BY job, fire_ms");
  rows.with(core::to_ms(world_.true_time() - fires_read));
  while (rows.step()) {
    const fire_key key{rows.number(0), rows.number(1), rows.number(2), rows.number(3)};
    if (!fires_.insert(key).second)
      continue;
    const bool is_dropped = rows.number(5) == dropped_state;
    ++counts_.fires;
    counts_.dropped += is_dropped ? 1U : 0U;
    world_.say("fire of job " + std::to_string(rows.number(0)) + " at " +
               std::to_string(rows.number(1) - core::to_ms(world_.begun_at())) + " ms, source " + std::to_string(rows.number(2)) +
               ", state " + std::to_string(rows.number(5)));
    const auto job = rows.number(0);
    const auto at_ms = rows.number(1);
    const auto source = rows.number(2);
    const auto plan = rows.number(4);
    check_plan(job, plan);
    if (source == manual)
      continue;
    const auto period = world_.period_ms(job);
    auto& last = last_instant_[job];
    const bool leaps = last != 0 && at_ms != last + period;
    if (!std::exchange(edited_[job], false) && leaps && source == normal && !is_dropped)
      broken("I4: job " + std::to_string(job) + " fires at " + std::to_string(at_ms) + " after " + std::to_string(last) +
             ", its period is " + std::to_string(period));
    if (at_ms < last)
      broken("I4: job " + std::to_string(job) + " fires at " + std::to_string(at_ms) + " after " + std::to_string(last));
    last = std::max(last, at_ms);
    if (!is_dropped)
      fired(job, at_ms, source, plan, rows.number(6));
  }
}

void job_checker::fired(std::int64_t job, std::int64_t at_ms, std::int64_t source, std::int64_t plan_version,
                        std::int64_t dropped_items) {
  if (source == normal && world_.is_quiet()) {
    ++counts_.prompt_fires;
    if (written_at_ - core::from_ms(at_ms) > late_max)
      broken("I9: job " + std::to_string(job) + " fires " + std::to_string((written_at_ - core::from_ms(at_ms)).count()) +
             " ms late");
  }
  // A fire that is stored after its following instant: the same commit may have the end of its wait for a host.
  if (written_at_ - core::from_ms(at_ms) >= core::milliseconds{world_.period_ms(job)})
    return;
  std::vector<std::int64_t> left_out;
  for (const auto& [key, now] : items_) {
    if (key.first != job || key.second < 0 || now.flags != 0)
      continue;
    const auto before = items_before_.find(key);
    if (before == items_before_.end() || before->second.state != idle || before->second.flags != 0)
      continue;
    const bool has_run = of_fire_.contains({job, key.second, at_ms, source, 0});
    if (!has_run && now.state == idle && !now.missed && now.fence == before->second.fence &&
        !is_unassigned(job, plan_version, key.second))
      left_out.push_back(key.second);
  }
  // Without misfire, items whose host has no free slot are dropped.
  if (left_out.size() > static_cast<std::size_t>(dropped_items))
    broken("I9: the fire at " + std::to_string(at_ms) + " leaves out the idle item " + std::to_string(job) + "/" +
           std::to_string(left_out.front()) + " and others, " + std::to_string(left_out.size()) + " in all; dropped " +
           std::to_string(dropped_items));
}

void job_checker::check_plan(std::int64_t job, std::int64_t version) {
  if (version == 0 || plans_.contains({job, version}))
    return;
  auto row = tables_.prepare("SELECT total, assignment FROM ej_plan WHERE job = ? AND version = ?");
  row.with(job, version);
  if (!row.step()) // the fire had no plan
    return;
  const auto total = row.small(0);
  const std::string text{row.text(1)};
  if (const auto plan = core::elastic::item_plan::decode(total, text); !plan)
    broken("I5: plan " + std::to_string(version) + " of job " + std::to_string(job) + ": " + plan.error().context);
  plans_[{job, version}] = std::to_string(total) + ' ' + text;
}

bool job_checker::is_unassigned(std::int64_t job, std::int64_t version, std::int64_t item) const {
  const auto found = plans_.find({job, version});
  if (found == plans_.end())
    return true;
  const auto cut = found->second.find(' ');
  const auto plan = core::elastic::item_plan::decode(std::stoi(found->second.substr(0, cut)), found->second.substr(cut + 1));
  return !plan || !plan->owner_of(static_cast<std::int32_t>(item)).is_assigned();
}

void job_checker::look_at_schedules() {
  auto rows = tables_.prepare("SELECT j.id, j.status, s.last_ms FROM ej_job AS j JOIN ej_schedule AS s ON s.job = j.id");
  rows.with();
  while (rows.step()) {
    const auto job = rows.number(0);
    if (const auto known = status_.find(job);
        known != status_.end() && static_cast<std::int64_t>(known->second) != rows.number(1))
      broken("I8: job " + std::to_string(job) + " has status " + std::to_string(rows.number(1)) + ", but no operator said so");
    auto& last = schedule_last_[job];
    if (rows.number(2) < last)
      broken("I4: the last instant of job " + std::to_string(job) + " goes back");
    last = std::max(last, rows.number(2));
  }
}

// -- bodies ----------------------------------------------------------------------------------------------------------------

void job_checker::began(const host_process& in, const sim_body& body) {
  ++counts_.bodies;
  const auto run = core::number(body.work.control->run());
  world_.say("the body of run " + std::to_string(run) + " begins in " + in.name());
  const auto found = runs_.find(run);
  if (found == runs_.end())
    return broken("I1: a body begins for the unknown run " + std::to_string(run));
  if (found->second.state != granted_state)
    broken("I1: a body begins for " + words(found->second) + ", which has ended as " + std::to_string(found->second.state));
  if (found->second.runs_in != nullptr)
    broken("I1: two bodies begin for " + words(found->second));
  found->second.runs_in = &in;
  found->second.began = world_.now();
  const auto with_right = std::count_if(in.bodies().begin(), in.bodies().end(),
                                        [](const auto& each) { return each.second.work.control->still_mine(); });
  if (with_right >= world_.capacity_of(in.number()))
    broken("I7: " + in.name() + " runs more bodies than it has slots");
}

void job_checker::worked(const host_process& in, const sim_body& body) {
  const auto run = core::number(body.work.control->run());
  if (body.ends <= world_.now())
    runs_[run].is_over = true;
  if (!body.work.control->still_mine()) {
    ++counts_.fenced;
    return;
  }
  const auto item = items_.find({core::number(body.work.log.job), body.work.facts.item});
  if (item != items_.end() && item->second.fence > body.work.facts.fence && !is_known_exception(body, run))
    broken("I3: the body of run " + std::to_string(run) + " in " + in.name() + " writes with fence " +
           std::to_string(body.work.facts.fence) + ", the item has " + std::to_string(item->second.fence));
}

void job_checker::stopped(const host_process& in, const sim_body& body) {
  ++counts_.stops;
  const auto run = core::number(body.work.control->run());
  world_.say("the body of run " + std::to_string(run) + " is to stop");
  const auto found = runs_.find(run);
  if (found == runs_.end() || in.is_draining() || world_.has_timeout(found->second.item.first))
    return;
  if (world_.is_undisturbed(in, body.began))
    broken("I10: the body of " + words(found->second) + " is stopped, although nothing happened to " + in.name());
}

void job_checker::ended(const host_process& process) {
  for (auto& [id, run] : runs_)
    if (run.runs_in == &process)
      run.is_over = true;
}

void job_checker::kept(const protocol::elastic_event& event) {
  ++counts_.kept_results;
  const auto found = runs_.find(core::number(event.run));
  if (found == runs_.end() || core::number(event.fence) != found->second.fence)
    return;
  // A run that a host which leaves has cancelled moves by this result, and is lost.
  const auto* host = found->second.runs_in;
  const bool moves = event.outcome == core::elastic::host_outcome::cancelled && host != nullptr && host->is_draining();
  found->second.has_receipt = !moves;
  if (found->second.state == granted_state && !is_in_inbox(event))
    broken("I7: the result of " + words(found->second) + " has a receipt, but is not stored");
}

bool job_checker::is_in_inbox(const protocol::elastic_event& event) {
  auto row = tables_.prepare("SELECT 1 FROM ej_inbox WHERE run = ? AND fence = ?");
  row.with(core::number(event.run), core::number(event.fence));
  return row.step();
}

// -- the end ---------------------------------------------------------------------------------------------------------------

std::vector<std::string> job_checker::unrest(span since) {
  std::vector<std::string> out;
  for (const auto& [key, row] : items_) {
    const auto status = status_.find(key.first);
    const bool is_on = status != status_.end() && status->second == core::elastic::job_status::on;
    const auto name = "item " + std::to_string(key.first) + "/" + std::to_string(key.second);
    if (row.state == idle && row.missed)
      out.push_back(name + " is idle, and a compensation is owed");
    const auto run = open_.find(key);
    if (run != open_.end() && world_.now() - runs_.at(run->second).granted > run_max)
      out.push_back(name + " is open since run " + std::to_string(run->second));
    if (!is_on || row.flags != 0 || key.second < 0)
      continue;
    const auto last = last_grant_.find(key);
    if (last == last_grant_.end() || last->second < since)
      out.push_back(name + " has not run again, it is in state " + std::to_string(row.state) +
                    (row.state == wanted ? " (wanted)" : ""));
  }
  auto hosts = tables_.prepare("SELECT id, state FROM ej_node WHERE state = 1");
  hosts.with();
  while (hosts.step())
    if (world_.is_host_well(std::string{hosts.text(0)}))
      out.push_back("host " + std::string{hosts.text(0)} + " counts as silent");
  auto requests = tables_.prepare("SELECT COUNT(*) FROM ej_request");
  requests.with();
  if (requests.step() && requests.number(0) != 0)
    out.push_back(std::to_string(requests.number(0)) + " requests wait");
  return out;
}

} // namespace ringmaster::simulation::elastic
