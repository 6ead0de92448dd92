#include "tests/simulation/elastic/job_history.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "core/ids.hpp"
#include "tests/simulation/dice.hpp"

namespace ringmaster::simulation::elastic {

namespace {

using core::elastic::fence_mode;

constexpr std::uint64_t jobs_max = 3;
/// Slots of a host that may get all items.
constexpr auto enough_slots = static_cast<std::int32_t>(total_max * jobs_max);

job_input random_job(dice& random) {
  job_input out;
  auto& options = out.options;
  out.total = static_cast<std::int32_t>(1 + random.below(total_max));
  out.period_s = random.of(std::array{1, 1, 2, 3});
  options.schedule = core::schedule_type::cron;
  options.schedule_conf = "0/" + std::to_string(out.period_s) + " * * * * ?";
  options.failover = !random.one_in(3);
  options.misfire = !random.one_in(3);
  options.fence_mode = random.one_in(6) ? fence_mode::orphan : random.one_in(3) ? fence_mode::by_nodes : fence_mode::fast;
  options.strategy = random.of(std::array<const char*, 4>{"", "STICKY", "ROUND_ROBIN", "ODEVITY"});
  options.cancel_grace = milliseconds{500};
  if (random.one_in(3))
    options.timeout = milliseconds{1'500};
  return out;
}

fault random_fault(dice& random, const job_history& in) {
  using enum trouble;
  fault out;
  out.at = random.between(1'500, 9'000);
  out.host = random.index(in.hosts);
  out.node = random.index(in.nodes);
  out.what = random.of(std::array{kill_host,   kill_host,   stop_host,   stop_host,   jump_wall,         second_process,
                                  drain_host,  cut,         cut,         cut,         half_open_to_host, half_open_to_node,
                                  lose_link,   lose_link,   kill_node,   kill_node,   stop_node,         stop_node,
                                  leave_node,  store_away,  lose_answer, lose_answer, lose_answer,       delay_before,
                                  delay_after, stop_before, stop_after,  kill_before, kill_after});
  out.lasts = random.one_in(3) ? random.between(1'500, 6'000) : random.between(100, 1'500);
  switch (out.what) {
  case kill_host:
    if (random.one_in(4))
      out.lasts = milliseconds{0};
    break;
  case jump_wall: out.by = random.between(-10'000, 10'000).count(); break;
  case cut:
  case half_open_to_host:
  case half_open_to_node:
    if (random.one_in(2))
      out.node = all;
    if (random.one_in(6))
      out.host = all;
    if (random.one_in(2))
      out.by = random.between(10, 1'500).count();
    break;
  case stop_node:
  case stop_before:
  case stop_after:
    if (random.one_in(4))
      out.lasts = milliseconds{10'000};
    break;
  case store_away:
    if (random.one_in(3))
      out.node = all;
    break;
  case delay_before:
  case delay_after: out.lasts = random.between(20, 1'500); break;
  default: break;
  }
  if (out.what >= lose_answer)
    out.by = random.index(meant_calls_count);
  return out;
}

// One host stays at least: without any, nothing is to be compared.
void keep_one_host(job_history& in) {
  int gone = 0;
  for (auto& each : in.faults)
    if (each.what == trouble::kill_host && each.lasts == milliseconds{0} && ++gone >= in.hosts)
      each.lasts = milliseconds{500};
}

/// Adds messages of a node that arrive once another one has its slots.
void delay_last_messages(dice& random, job_history& in) {
  using enum trouble;
  fault late{.what = half_open_to_host, .at = random.between(1'500, 6'000), .lasts = random.between(2'500, 6'000)};
  late.host = random.one_in(2) ? all : random.index(in.hosts);
  late.node = random.index(in.nodes);
  fault last = late;
  last.what = random.of(std::array{leave_node, leave_node, kill_node, stop_node});
  last.at += random.between(100, 2'000);
  last.host = all;
  in.faults.push_back(late);
  in.faults.push_back(last);
}

job_edit random_edit(dice& random, const job_history& in) {
  job_edit out;
  out.at = random.between(1'000, 9'000);
  out.job = random.below(in.jobs.size());
  out.what = random.of(std::array{change::total, change::total, change::disable, change::disable_item, change::strategy,
                                  change::request, change::request, change::request});
  out.number = out.what == change::total
                 ? static_cast<std::int32_t>(1 + random.below(total_max))
                 : random.index(in.jobs[out.job].total);
  return out;
}

/// Ranges of the numbers of faults and edits.
struct density {
  std::uint64_t faults_min = 0;
  std::uint64_t faults_below = 6;
  std::uint64_t edits_min = 0;
  std::uint64_t edits_below = 4;
};

job_history made_history(std::uint64_t seed, const density& of) {
  dice random{seed};
  job_history out;
  out.seed = seed;
  out.nodes = random.of(std::array{1, 2, 2, 3});
  out.hosts = random.of(std::array{1, 2, 2, 3, 3, 4});
  out.machines = static_cast<int>(1 + random.below(4));
  for (int i = 0; i < out.nodes + out.hosts; ++i)
    out.drifts.push_back(random.between(-1'000, 1'000).count());
  out.delay_max = random.of(std::array{milliseconds{1}, milliseconds{3}, milliseconds{20}});
  if (out.nodes == 1 && random.one_in(2))
    out.dead_after = milliseconds{30'000};
  out.shuffle = random.one_in(2);
  out.lasts = random.between(8'000, 16'000);
  out.one_writer = random.one_in(2);
  for (auto jobs = 1 + random.below(jobs_max); jobs > 0; --jobs)
    out.jobs.push_back(random_job(random));
  // Without misfire, items of a host without a free slot are dropped, and some may never run.
  const bool all_wait = std::all_of(out.jobs.begin(), out.jobs.end(), [](const auto& each) { return each.options.misfire; });
  for (int i = 0; i < out.hosts; ++i)
    out.capacities.push_back(all_wait && random.one_in(2) ? static_cast<std::int32_t>(1 + random.below(4)) : enough_slots);
  for (auto faults = of.faults_min + random.below(of.faults_below - of.faults_min); faults > 0; --faults)
    out.faults.push_back(random_fault(random, out));
  keep_one_host(out);
  for (auto edits = of.edits_min + random.below(of.edits_below - of.edits_min); edits > 0; --edits) {
    const auto made = random_edit(random, out);
    out.edits.push_back(made);
    // Nothing stays disabled.
    if (made.what == change::disable || made.what == change::disable_item)
      out.edits.push_back({made.what == change::disable ? change::enable : change::enable_item,
                           made.at + random.between(200, 4'000), made.job, made.number});
  }
  if (out.nodes > 1 && random.one_in(4))
    delay_last_messages(random, out);
  return out;
}

} // namespace

job_history random_job_history(std::uint64_t seed) { return made_history(seed, {}); }

job_history dense_job_history(std::uint64_t seed) {
  return made_history(seed, {.faults_min = 6, .faults_below = 15, .edits_min = 2, .edits_below = 10});
}

bool is_meant_for(std::int64_t calls, std::string_view method) noexcept {
  const bool is_of_hosts = method == "enter_host" || method == "keep_hosts" || method == "judge_hosts";
  const bool is_of_slots = method == "take_leases" || method == "adopt" || method == "release_leases";
  switch (calls) {
  case any_call: return true;
  case calls_of_hosts: return is_of_hosts;
  case calls_of_slots: return is_of_slots;
  default: return method == "write";
  }
}

std::string_view to_string(trouble what) noexcept {
  switch (what) {
  case trouble::kill_host: return "kill host";
  case trouble::stop_host: return "stop host";
  case trouble::jump_wall: return "jump of the wall clock of host";
  case trouble::second_process: return "second process of host";
  case trouble::drain_host: return "drain host";
  case trouble::cut: return "cut";
  case trouble::half_open_to_host: return "half-open towards the host";
  case trouble::half_open_to_node: return "half-open towards the node";
  case trouble::lose_link: return "lose link";
  case trouble::kill_node: return "kill node";
  case trouble::stop_node: return "stop node";
  case trouble::leave_node: return "graceful stop of node";
  case trouble::store_away: return "store away";
  case trouble::lose_answer: return "answer of the store lost";
  case trouble::delay_before: return "store slow before the commit";
  case trouble::delay_after: return "store slow after the commit";
  case trouble::stop_before: return "stop node before the commit";
  case trouble::stop_after: return "stop node after the commit";
  case trouble::kill_before: return "kill node before the commit";
  case trouble::kill_after: return "kill node after the commit";
  }
  return "";
}

std::string_view to_string(change what) noexcept {
  switch (what) {
  case change::total: return "total";
  case change::enable: return "enable";
  case change::disable: return "disable";
  case change::enable_item: return "enable item";
  case change::disable_item: return "disable item";
  case change::strategy: return "another strategy";
  case change::request: return "request";
  }
  return "";
}

std::string describe(const fault& what) {
  std::ostringstream out;
  out << to_string(what.what) << ", node " << what.node << ", host " << what.host << ", for " << what.lasts.count() << " ms, by "
      << what.by;
  return out.str();
}

std::string describe(const job_history& what) {
  std::ostringstream out;
  const auto ms = [](span at) { return std::chrono::duration_cast<milliseconds>(at).count(); };
  out << "seed " << what.seed << ": " << what.nodes << " nodes, " << what.hosts << " hosts, " << what.machines << " machines, "
      << what.delay_max.count() << " ms delay, dead after " << what.dead_after.count() << " ms"
      << (what.shuffle ? ", shuffled" : "") << '\n';
  for (std::size_t i = 0; i < what.jobs.size(); ++i) {
    const auto& each = what.jobs[i];
    out << "  job " << i + 1 << ": " << each.total << " items every " << each.period_s << " s"
        << (each.options.failover ? ", failover" : "") << (each.options.misfire ? ", misfire" : "") << ", "
        << core::elastic::to_string(each.options.fence_mode) << ", timeout " << each.options.timeout.count() << ", "
        << each.options.strategy << '\n';
  }
  for (std::size_t i = 0; i < what.capacities.size(); ++i)
    out << "  host " << i << ": capacity " << what.capacities[i] << '\n';
  for (const auto& each : what.faults)
    out << "  " << ms(each.at) << " ms: " << describe(each) << '\n';
  for (const auto& each : what.edits)
    out << "  " << ms(each.at) << " ms: edit of job " << each.job + 1 << ": " << to_string(each.what) << ' ' << each.number
        << '\n';
  return out.str();
}

} // namespace ringmaster::simulation::elastic
