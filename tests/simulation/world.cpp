#include "tests/simulation/world.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "config/settings.hpp"
#include "tests/simulation/executor.hpp"
#include "tests/simulation/node.hpp"
#include "tests/simulation/witness_store.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::simulation {

namespace {

/// Maximal time to rest after the last fault: a node trusts its stepped clock after `cluster.clock_settle`, a run is asked about
/// for `trigger.ask_limit` from then on, and executors repeat undelivered results.
const span quiet_max = config::cluster_settings{}.clock_settle + config::trigger_settings{}.ask_limit + 15s;
constexpr span look_every = 1s;
constexpr span mended_after = 12s;
/// Maximal time until a run that its executor denies is found: ten minutes after its instant, in two checks.
constexpr span lost_max = 25min;

span end_of(const history& what) {
  auto end = what.lasts_at_least;
  for (const auto& one : what.edits)
    end = std::max(end, one.at);
  for (const auto& one : what.faults)
    end = std::max<span>(end, one.at + (one.what == effect::step_clock ? mended_after : span{one.lasts}));
  for (const auto& one : what.stops)
    end = std::max<span>(end, one.at + one.lasts);
  for (const auto& one : what.console)
    end = std::max<span>(end, one.at + one.takes);
  for (const auto& one : what.switches)
    end = std::max(end, one.at);
  for (const auto& one : what.by_hand)
    end = std::max(end, one.at);
  if (what.restored)
    end = std::max<span>(end, what.restored->at + what.restored->lasts + 5s);
  for (const auto& one : what.java)
    for (const auto& [at, lasts] : one.crashes)
      end = std::max<span>(end, at + lasts);
  return end;
}

constexpr span lock_retry = 20ms;

/// Returns whether the fault leaves a clock that its node rightly refuses.
bool needs_mending(const fault& one) { return one.what == effect::step_clock && (one.lasts > 1s || one.lasts < -1s); }

milliseconds clock_spread(const history& what) {
  auto least = 0ms, most = 0ms;
  for (const auto& one : what.java) {
    least = std::min(least, one.skew);
    most = std::max(most, one.skew);
  }
  for (auto one : what.skew) {
    least = std::min(least, one);
    most = std::max(most, one);
  }
  for (const auto& one : what.faults)
    if (one.what == effect::step_clock || one.what == effect::freeze || one.what == effect::sleep)
      most += one.lasts < 0ms ? -one.lasts : one.lasts;
  return most - least;
}

bool is_undisturbed(const history& what) {
  const bool hangs = std::any_of(what.java.begin(), what.java.end(), [](const auto& one) { return !one.stalls.empty(); });
  return !hangs && what.faults.empty() && what.stops.empty() && what.switches.empty() && what.edits.empty()
         && what.console.empty() && clock_spread(what) == 0ms;
}

} // namespace

world::world(history what, const mutant* rule_off, bool tracing, const database_maker& make)
  : what_{std::move(what)},
    rule_off_{rule_off},
    tracing_{tracing},
    random_{what_.seed},
    database_{make(what_.shared)},
    store_{database_->open()},
    mutant_tools_{{}, database_->tables()},
    struck_(what_.faults.size(), false),
    checker_{what_,
             {.now = [this] { return now_; },
              .true_time = [this] { return true_time(); },
              .today = test::virtual_time::start,
              .store = store_.get(),
              .gate_open = [this](const core::node_incarnation& life) { return node(life.node)->has_lease(life.incarnation); },
              .clock_was_frozen = [this](const std::string& name) { return node(name)->was_frozen(); },
              .also_open = [this] { return due_in_table(); }}},
    shared_checker_{{.now = [this] { return true_time(); },
                     .broken = [this](const std::string& rule, const std::string& found) { checker_.broken(rule, found); },
                     .spread = clock_spread(what_),
                     .on_time = is_undisturbed(what_)}} {
  if (what_.shared)
    begin_shared();
  if (rule_off_ && rule_off_->store)
    mutated_ = rule_off_->store(*store_, mutant_tools_);
  editor_ = open();
  for (int i = 1; i <= what_.executors; ++i)
    for (int replica = 0; replica < what_.replicas; ++replica)
      executors_.push_back(std::make_unique<sim_executor>(*this, i, replica));
  for (int i = 0; i < what_.nodes; ++i) {
    auto skew = static_cast<std::size_t>(i) < what_.skew.size() ? what_.skew[static_cast<std::size_t>(i)] : milliseconds{0};
    nodes_.push_back(std::make_unique<sim_node>(*this, std::string(1, static_cast<char>('a' + i)), skew));
  }
}

// Destroys the nodes before the objects to which their last steps refer.
world::~world() { nodes_.clear(); }

core::time_point world::true_time() const {
  return test::virtual_time::start + std::chrono::floor<core::milliseconds>(now_);
}

std::unique_ptr<storage::store> world::open() {
  return std::make_unique<witness_store>(mutated_ ? *mutated_ : *store_, checker_, shared_.get(),
                                         shared_ ? &shared_checker_ : nullptr,
                                         witness_limits{.is_locked = [this](core::job_id job) { return is_locked(job); },
                                                        .clock = what_.database_clock ? [this] { return true_time(); }
                                                                                      : std::function<core::time_point()>{},
                                                        .page_max = what_.page_max});
}

void world::lose_decisions() {
  for (auto id : mutant_tools_.decisions.last) {
    mutant_tools_.decisions.lost.insert(id);
    checker_.never_written(id);
  }
}

sim_node* world::node(const std::string& name) {
  for (auto& one : nodes_)
    if (one->name() == name)
      return one.get();
  return nullptr;
}

sim_executor* world::executor(const std::string& origin) {
  std::vector<sim_executor*> behind;
  for (auto& one : executors_)
    if (one->origin() == origin)
      behind.push_back(one.get());
  return behind.empty() ? nullptr : behind.size() == 1 ? behind.front() : behind[random(behind.size())];
}

void world::say(const std::string& line) {
  if (tracing_)
    trace_.push_back(std::to_string(std::chrono::duration_cast<milliseconds>(now_).count()) + " ms  " + line);
}

// -- faults ----------------------------------------------------------------------------------------------------------------

const fault* world::strike(site where, const std::string& node, std::size_t index) {
  for (std::size_t i = 0; i < what_.faults.size(); ++i) {
    const auto& one = what_.faults[i];
    if (!struck_[i] && one.where == where && one.index == index && one.node == node) {
      struck_[i] = true;
      last_strike_ = now_ + one.lasts;
      say("fault: " + describe(one));
      return &one;
    }
  }
  return nullptr;
}

bool world::store_is_down(const std::string& node) const {
  return is_going_on(effect::store_down, node);
}

bool world::is_cut_off(const std::string& node) const {
  return is_going_on(effect::partition, node);
}

bool world::is_going_on(effect what, const std::string& node) const {
  return std::any_of(what_.faults.begin(), what_.faults.end(), [&](const fault& one) {
    return one.what == what && (one.node.empty() || one.node == node) && now_ >= one.at && now_ < one.at + one.lasts;
  });
}

void world::schedule_faults() {
  for (const auto& one : what_.faults)
    if (one.where == site::moment)
      at(one.at, [this, &one] { strike_now(one); });
  for (const auto& one : what_.edits)
    at(one.at, [this, &one] { apply(one); });
}

void world::strike_now(const fault& one) {
  say("fault: " + describe(one));
  for (auto& executor : executors_)
    if (executor->number() == one.node) {
      if (one.what == effect::executor_suspend)
        executor->suspend(one.lasts);
      else
        executor->restart(one.what == effect::executor_wipe);
    }
  for (auto& node : nodes_)
    if (one.node.empty() || node->name() == one.node)
      switch (one.what) {
      case effect::crash: node->crash(one.lasts); break;
      case effect::pause: node->pause(one.lasts); break;
      case effect::freeze: node->pause(one.lasts, true); break;
      case effect::sleep: node->pause(one.lasts, false, true); break;
      case effect::step_clock:
        node->step_clock(one.lasts);
        if (needs_mending(one))
          after(mended_after, [&node, by = one.lasts] { node->step_clock(-by); });
        break;
      case effect::jump_clock:
        node->jump_clock(one.by);
        after(one.lasts, [&node] { node->jump_clock(0ms); });
        break;
      default: break;
      }
}

std::vector<std::string> world::addresses() const {
  std::vector<std::string> out;
  for (const auto& executor : executors_)
    out.push_back(executor->origin() + '/');
  return out;
}

void world::apply(const edit& what) {
  core::declared_set declared;
  declared.source = "simulation";
  declared.revision = ++revision_;
  declared.groups = groups();
  declared.jobs = what.jobs;
  if (what_.backlog > 0) {
    declared.jobs.push_back(make_job("slow", "0 0 0 1 1 ? 2099", 20ms));
    declared.jobs.back().group = "slow";
    declared.jobs.back().params += ' ' + std::string{backlog_mark};
  }
  if (auto* by = node(what.by); by && by->is_up() && !by->is_paused()) {
    say("edit by " + what.by);
    return by->edit(std::move(declared));
  }
  // Edits by Ringmaster wait for the holder of the lock.
  if (shared_ && shared_->rules().edits_under_lock && shared_->mode().mode == core::cluster_mode::shared
      && shared_->is_locked_for("editor")) {
    --revision_;
    return after(lock_retry, [this, &what] { apply(what); });
  }
  // The first jobs exist when the run begins, and are due in its first second.
  const auto when = shared_ && revision_ == 1 ? true_time() - core::milliseconds{5000} : true_time();
  auto done = editor_->deploys().apply(declared, false, false, when);
  if (!done && revision_ == 1)
    throw std::runtime_error{done.error().context};
  say(done ? "edit" : "edit refused: " + done.error().context);
}

// -- time ------------------------------------------------------------------------------------------------------------------

void world::settle() {
  for (bool busy = true; busy;) {
    busy = false;
    for (auto& node : nodes_)
      busy = node->step() || busy;
  }
}

void world::run_until(span end) {
  while (checker_.violations().empty()) {
    settle();
    auto next = events_.empty() ? end : std::min(end, events_.next());
    for (auto& node : nodes_)
      if (auto timer = node->next_timer())
        next = std::min(next, *timer);
    now_ = std::max(now_, next);
    for (auto& node : nodes_)
      node->advance_clock();
    if (!events_.empty() && events_.next() <= now_) {
      events_.take()();
      continue;
    }
    if (now_ >= end) {
      settle();
      return;
    }
  }
}

void world::judge_slots() {
  std::size_t planned = 0;
  for (auto& node : nodes_)
    planned += node->slots();
  if (what_.is_orderly && planned != core::slot_count)
    checker_.broken("handed_over", std::to_string(planned) + " slots are planned in the end");
}

std::vector<std::string> world::run() {
  const edit first{span{0}, what_.jobs};
  apply(first);
  schedule_faults();
  schedule_java();
  begin_features();
  for (auto& node : nodes_)
    node->start();
  auto end = end_of(what_);
  run_until(end);
  while (checker_.violations().empty() && !checker_.at_rest() && now_ < std::max(end, last_strike_) + quiet_max)
    run_until(now_ + look_every);
  if (what_.waits_for_lost) {
    checker_.await_lost_runs();
    for (const auto begun = now_;
         checker_.violations().empty() && !checker_.at_rest() && now_ < std::max(begun, last_strike_) + lost_max;)
      run_until(now_ + 10 * look_every);
  }
  auto found = checker_.violations();
  if (found.empty()) {
    for (const auto& line : checker_.unrest())
      found.push_back("F4: still open after a quiet time: " + line);
    checker_.judge_end();
    for (auto& node : nodes_)
      if (const auto drops = node->dropped(); drops && !shared_)
        checker_.counted(node->name(), *drops);
    if (shared_)
      shared_checker_.judge_end();
    judge_slots();
    found.insert(found.end(), checker_.violations().begin(), checker_.violations().end());
  }
  for (auto& node : nodes_)
    for (const auto& what : node->failed())
      found.push_back("an actor ended: " + what);
  return found;
}

outcome simulate(const history& what, const mutant* rule_off, bool explains, const database_maker& make) {
  outcome result;
  {
    world made{what, rule_off, false, make};
    result.violations = made.run();
    result.points = std::move(made.points);
    result.counts = made.checker().counts();
    result.shared_counts = made.shared_books().counts();
  }
  if (explains && !result.violations.empty()) {
    world again{what, rule_off, true, make};
    static_cast<void>(again.run());
    result.trace = again.trace();
  }
  return result;
}

} // namespace ringmaster::simulation
