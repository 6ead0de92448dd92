#include "tests/simulation/elastic/job_world.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <spdlog/sinks/base_sink.h>

#include "storage/rows/datetime_text.hpp"
#include "storage/sqlite/database.hpp"
#include "tests/simulation/elastic/sim_host.hpp"
#include "tests/simulation/elastic/sim_node.hpp"
#include "tests/simulation/memory_place.hpp"
#include "tests/support/memory_database.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::simulation::elastic {

namespace {

using storage::sqlite::connection;

/// Maximal time to rest after the last fault: a lease of `orphan` is over after 60.5 s, and bodies run for some seconds.
constexpr span rest_max = 80s;
constexpr span look_every = 250ms;

std::unique_ptr<connection> open_tables(const storage::sqlite::open_options& place) {
  auto made = test::expect(connection::open(place));
  make_tables(*made);
  return made;
}

/// Adds the log of a process to the trace.
class trace_sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
  explicit trace_sink(job_world& of) : world_{of} {}

protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    world_.say("    " + std::string{message.logger_name.data(), message.logger_name.size()} + ": " +
               std::string{message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

private:
  job_world& world_;
};

} // namespace

job_world::job_world(job_history what, const mutant& rule_off, bool tracing)
  : what_{std::move(what)},
    rule_off_{rule_off},
    tracing_{tracing},
    random_{what_.seed},
    place_{new_memory_place()},
    tables_{open_tables(place_)},
    editor_{open()},
    breaker_{rule_off_, *tables_},
    checker_{*this, *tables_},
    struck_(what_.faults.size(), false),
    nodes_(static_cast<std::size_t>(what_.nodes)),
    hosts_(static_cast<std::size_t>(what_.hosts)) {}

job_world::~job_world() {
  for (auto& each : nodes_)
    put_down(each.process);
  for (auto& each : hosts_) {
    put_down(each.process);
    put_down(each.second);
  }
  reap();
  for (const auto& each : wires_)
    each->drop_messages();
}

core::time_point job_world::begun_at() const { return test::virtual_time::start; }

core::time_point job_world::true_time() const { return begun_at() + std::chrono::floor<core::milliseconds>(now_); }

std::int64_t job_world::period_ms(std::int64_t job) const {
  return 1000 * std::int64_t{what_.jobs.at(static_cast<std::size_t>(job - 1)).period_s};
}

bool job_world::has_timeout(std::int64_t job) const {
  return what_.jobs.at(static_cast<std::size_t>(job - 1)).options.timeout > core::milliseconds{0};
}

std::unique_ptr<storage::store> job_world::open() {
  return storage::sqlite::make_store({test::expect(connection::open(place_)), storage::datetime_text{core::zone{}}, {}});
}

void job_world::say(const std::string& line) {
  if (tracing_)
    trace_.push_back(std::to_string(std::chrono::duration_cast<milliseconds>(now_).count()) + " ms  " + line);
}

actors::logger job_world::log_of(const std::string& name) {
  if (!tracing_)
    return test::virtual_time::silent_log();
  return std::make_shared<spdlog::logger>(name, std::make_shared<trace_sink>(*this));
}

// -- the network and the machines ------------------------------------------------------------------------------------------

bool job_world::is_for(const fault& one, int host, int node) const {
  return (one.host == all || one.host == host) && (one.node == all || one.node == node);
}

bool job_world::is_blocked(int host, int node, bool to_node) const {
  return std::any_of(what_.faults.begin(), what_.faults.end(), [&](const fault& each) {
    const bool blocks =
      each.what == trouble::cut || each.what == (to_node ? trouble::half_open_to_node : trouble::half_open_to_host);
    return blocks && is_for(each, host, node) && is_going_on(each);
  });
}

std::shared_ptr<sim_wire> job_world::connect(host_process& host, int node) {
  const auto& there = nodes_.at(static_cast<std::size_t>(node)).process;
  if (!there || !there->is_alive())
    return nullptr;
  std::erase_if(wires_, [](const auto& each) { return each.use_count() == 1 && each->is_over(); });
  const auto self = std::static_pointer_cast<host_process>(host.shared_from_this());
  wires_.push_back(std::make_shared<sim_wire>(*this, self, there, ++last_wire_));
  wires_.back()->open();
  return wires_.back();
}

void job_world::end_wires_of(const sim_process* process) {
  for (const auto& each : wires_)
    if (each->joins(process))
      each->end_of(process);
}

std::string job_world::machine_of_host(int host) const { return "machine " + std::to_string(host % what_.machines); }

std::string job_world::machine_of_node(int node) const { return "machine " + std::to_string(node % what_.machines); }

std::string job_world::draw_key(const std::shared_ptr<sim_process>& process) {
  std::string key(33, '0');
  std::snprintf(key.data(), key.size(), "%032llx", static_cast<unsigned long long>(++last_key_));
  key.resize(32);
  keys_[key] = {process, std::static_pointer_cast<host_process>(process)->number()};
  return key;
}

std::optional<span> job_world::end_of_process(const std::string& key) const {
  const auto found = keys_.find(key);
  if (found == keys_.end())
    return std::nullopt;
  if (found->second.end)
    return found->second.end;
  const auto process = found->second.process.lock();
  return process && !process->is_alive() ? std::optional{process->ended_at()} : std::nullopt;
}

int job_world::host_of_process(const std::string& key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? -1 : found->second.host;
}

std::vector<std::shared_ptr<host_process>> job_world::host_processes() const {
  std::vector<std::shared_ptr<host_process>> out;
  for (const auto& each : hosts_)
    for (const auto& process : {each.process, each.second})
      if (process && process->is_alive())
        out.push_back(process);
  return out;
}

std::int64_t job_world::newest_epoch(std::uint32_t slot, std::int64_t epoch) {
  auto& newest = epochs_[slot];
  return newest = std::max(newest, epoch);
}

// -- the store -------------------------------------------------------------------------------------------------------------

bool job_world::store_is_away(int node) const {
  return std::any_of(what_.faults.begin(), what_.faults.end(), [&](const fault& each) {
    return each.what == trouble::store_away && (each.node == all || each.node == node) && is_going_on(each);
  });
}

const fault* job_world::strike(int node, std::string_view method) {
  for (std::size_t i = 0; i < what_.faults.size(); ++i) {
    const auto& one = what_.faults[i];
    const bool is_of_call = one.what >= trouble::lose_answer;
    if (!is_of_call || struck_[i] || one.node != node || now_ < one.at || !is_meant_for(one.by, method))
      continue;
    struck_[i] = true;
    say("fault at " + std::string{method} + ": " + describe(one));
    disturb(one);
    return &one;
  }
  return nullptr;
}

// -- processes -------------------------------------------------------------------------------------------------------------

template <class Process>
void job_world::put_down(std::shared_ptr<Process>& process) {
  if (!process)
    return;
  process->kill();
  for (auto& [key, known] : keys_)
    if (known.process.lock().get() == process.get())
      known.end = process->ended_at();
  dying_.push_back(std::move(process));
  process = nullptr;
}

void job_world::reap() {
  for (const auto& each : std::exchange(dying_, {}))
    each->reap();
}

void job_world::start_node(int node) {
  auto& seat = nodes_.at(static_cast<std::size_t>(node));
  if (seat.process)
    return;
  seat.process = std::make_shared<node_process>(*this, node, ++seat.generation);
  say(seat.process->name() + " starts");
  seat.process->begin();
}

void job_world::restart_node(int node, milliseconds lasts) {
  disturb_links_of(node, lasts);
  put_down(nodes_.at(static_cast<std::size_t>(node)).process);
  after(lasts, [this, node] { start_node(node); });
}

void job_world::leave_node(int node, milliseconds lasts) {
  const auto& process = nodes_.at(static_cast<std::size_t>(node)).process;
  if (!process || !process->is_alive())
    return;
  process->leave([this, node, lasts, leaving = std::weak_ptr{process}] {
    after(span{0}, [this, node, lasts, leaving] {
      if (leaving.lock() && leaving.lock() == nodes_.at(static_cast<std::size_t>(node)).process)
        restart_node(node, lasts);
    });
  });
}

std::string job_world::folder_of(int host, int which) const {
  return std::string(31, static_cast<char>('a' + which)) + static_cast<char>('0' + host);
}

void job_world::start_host(int host) {
  auto& seat = hosts_.at(static_cast<std::size_t>(host));
  if (seat.process)
    return;
  seat.process = std::make_shared<host_process>(*this, host, ++seat.generation, folder_of(host, 0));
  say(seat.process->name() + " starts");
  seat.process->begin();
}

void job_world::restart_host(int host, milliseconds lasts) {
  put_down(hosts_.at(static_cast<std::size_t>(host)).process);
  if (lasts > milliseconds{0})
    after(lasts, [this, host] { start_host(host); });
}

void job_world::start_second(int host, milliseconds lasts) {
  auto& seat = hosts_.at(static_cast<std::size_t>(host));
  if (seat.second)
    return;
  seat.second = std::make_shared<host_process>(*this, host, 100 + ++seat.generation, folder_of(host, 1));
  seat.second->begin();
  // The first one was told to stop, and starts again.
  after(lasts, [this, host] {
    put_down(hosts_.at(static_cast<std::size_t>(host)).second);
    if (hosts_.at(static_cast<std::size_t>(host)).process)
      restart_host(host, milliseconds{100});
  });
}

void job_world::drain_host(int host, milliseconds lasts) {
  const auto& process = hosts_.at(static_cast<std::size_t>(host)).process;
  if (!process || !process->is_alive())
    return;
  say(process->name() + " drains");
  process->at(now_, [this, host, lasts, draining = std::weak_ptr{process}] {
    const auto there = draining.lock();
    if (!there || there->is_draining())
      return;
    there->drain([this, host, lasts, draining] {
      after(span{0}, [this, host, lasts, draining] {
        if (draining.lock() && draining.lock() == hosts_.at(static_cast<std::size_t>(host)).process)
          restart_host(host, lasts);
      });
    });
  });
}

// -- time ------------------------------------------------------------------------------------------------------------------

void job_world::settle() {
  for (bool busy = true; busy;) {
    busy = false;
    reap();
    for (auto& each : nodes_)
      busy = (each.process && each.process->step()) || busy;
    for (auto& each : hosts_) {
      busy = (each.process && each.process->step()) || busy;
      busy = (each.second && each.second->step()) || busy;
    }
  }
}

void job_world::run_until(span end) {
  const auto for_all = [this](auto&& what) {
    for (auto& each : nodes_)
      if (each.process)
        what(*each.process);
    for (auto& each : hosts_) {
      if (each.process)
        what(*each.process);
      if (each.second)
        what(*each.second);
    }
  };
  while (checker_.violations().empty()) {
    settle();
    auto next = events_.empty() ? end : std::min(end, events_.next());
    for_all([&](sim_process& process) {
      if (const auto timer = process.next_timer())
        next = std::min(next, *timer);
    });
    now_ = std::max(now_, next);
    for_all([](sim_process& process) { process.advance_clock(); });
    if (!events_.empty() && events_.next() <= now_) {
      events_.take()();
      continue;
    }
    if (now_ >= end)
      return settle();
  }
}

std::vector<std::string> job_world::run() {
  add_jobs();
  auto end = span{what_.lasts};
  for (const auto& each : what_.faults) {
    end = std::max(end, each.at + each.lasts + milliseconds{std::abs(each.by)});
    if (each.what < trouble::lose_answer && each.what != trouble::store_away)
      at(each.at, [this, &each] { strike_now(each); });
    else if (each.what == trouble::store_away)
      at(each.at, [this, &each] { disturb(each); });
  }
  for (const auto& each : what_.edits) {
    end = std::max(end, each.at);
    at(each.at, [this, &each] { apply(each); });
  }
  for (int node = 0; node < what_.nodes; ++node)
    after(milliseconds{static_cast<std::int64_t>(random(300))}, [this, node] { start_node(node); });
  for (int host = 0; host < what_.hosts; ++host)
    after(milliseconds{static_cast<std::int64_t>(random(500))}, [this, host] { start_host(host); });
  run_until(end);
  const auto since = [&] { return std::max(end, disturbed_until_) + 500ms; };
  while (checker_.violations().empty() && now_ < since() + rest_max && (now_ < since() || !checker_.unrest(since()).empty()))
    run_until(now_ + look_every);
  auto found = checker_.violations();
  if (found.empty())
    for (const auto& line : checker_.unrest(since()))
      found.push_back("I6: still so after a quiet time: " + line);
  return found;
}

job_outcome simulate(const job_history& what, const mutant& rule_off, bool explains) {
  job_outcome result;
  {
    job_world made{what, rule_off, false};
    result.violations = made.run();
    result.counts = made.checker().counts();
  }
  if (explains && !result.violations.empty()) {
    job_world again{what, rule_off, true};
    static_cast<void>(again.run());
    result.trace = again.trace();
  }
  return result;
}

} // namespace ringmaster::simulation::elastic
