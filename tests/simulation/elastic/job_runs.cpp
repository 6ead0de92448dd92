#include "tests/simulation/elastic/job_runs.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/support/catch.hpp"

namespace ringmaster::simulation::elastic {

many_runs simulate_many(std::size_t count, const std::function<job_history(std::size_t)>& history_of, std::size_t broken_max,
                        const mutant& rule_off) {
  many_runs out;
  std::mutex guard;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> enough{false};
  const auto work = [&] {
    for (auto number = next++; number < count && !enough; number = next++) {
      auto what = history_of(number);
      auto found = simulate(what, rule_off, rule_off.name.empty());
      const std::lock_guard lock{guard};
      out.counts.add(found.counts);
      if (!found.violations.empty())
        out.broken.push_back({number, std::move(what), std::move(found)});
      enough = out.broken.size() >= broken_max;
    }
  };
  std::vector<std::thread> workers;
  for (auto others = from_environment("RINGMASTER_SIMULATION_THREADS", std::max(1U, std::thread::hardware_concurrency()));
       others > 1; --others)
    workers.emplace_back(work);
  work();
  for (auto& worker : workers)
    worker.join();
  std::sort(out.broken.begin(), out.broken.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return out;
}

void report(const broken_run& run, const std::string& again) {
  std::cout << describe(run.what);
  for (const auto& line : run.found.trace)
    std::cout << "    " << line << '\n';
  for (const auto& line : run.found.violations)
    std::cout << "  violated: " << line << '\n';
  std::cout << "  again: " << again << '\n';
}

checked_runs check_histories(std::uint64_t usual_count, const std::function<job_history(std::uint64_t)>& history_of,
                             const std::string& test) {
  const bool chosen = std::getenv("RINGMASTER_SEED") != nullptr;
  const auto first = from_environment(chosen ? "RINGMASTER_SEED" : "RINGMASTER_SIMULATION_FIRST", 1);
  const auto count = chosen ? 1 : from_environment("RINGMASTER_SIMULATION_SEEDS", usual_count);
  const auto made = simulate_many(
    count, [&](auto i) { return history_of(first + i); }, 10);
  for (const auto& each : made.broken) {
    const auto seed = first + each.number;
    report(each, "RINGMASTER_SEED=" + std::to_string(seed) + " elastic_simulation_tests " + test);
    FAIL_CHECK("seed " << seed << ": " << each.found.violations.front());
  }
  return {count, made.counts};
}

} // namespace ringmaster::simulation::elastic
