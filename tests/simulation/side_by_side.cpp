#include "tests/simulation/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/simulation/report.hpp"

namespace ringmaster::simulation {

many_runs simulate_many(std::size_t count, const std::function<history(std::size_t)>& history_of, std::size_t broken_max,
                        const mutant* rule_off, const database_maker& make) {
  many_runs all;
  std::mutex guard;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> enough{false};
  auto work = [&] {
    for (auto number = next++; number < count && !enough; number = next++) {
      auto what = history_of(number);
      auto found = simulate(what, rule_off, rule_off == nullptr, make);
      const std::lock_guard lock{guard};
      all.counts.add(found.counts);
      all.shared_counts.add(found.shared_counts);
      if (!found.violations.empty())
        all.broken.push_back({number, std::move(what), std::move(found)});
      enough = all.broken.size() >= broken_max;
    }
  };
  std::vector<std::thread> workers;
  const auto cores = from_environment("RINGMASTER_SIMULATION_THREADS", std::max(1u, std::thread::hardware_concurrency()));
  for (auto others = cores; others > 1; --others)
    workers.emplace_back(work);
  work();
  for (auto& worker : workers)
    worker.join();
  std::sort(all.broken.begin(), all.broken.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return all;
}

} // namespace ringmaster::simulation
