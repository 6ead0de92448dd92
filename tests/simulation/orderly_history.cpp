#include "tests/simulation/orderly_history.hpp"

#include <map>

#include "config/settings.hpp"
#include "tests/simulation/dice.hpp"

namespace ringmaster::simulation {

namespace {

constexpr int jobs_each = 12;

history frequent_jobs(std::uint64_t seed) {
  history made;
  made.seed = seed;
  made.is_orderly = true;
  made.kind = executor_kind::remembering;
  for (int i = 0; i < jobs_each; ++i)
    made.jobs.push_back(make_job("job-" + std::to_string(i), "1-20 0 12 2 3 ? 2026", 20ms));
  made.lasts_at_least = 30s;
  return made;
}

} // namespace

history stop_with_hung_executor() {
  auto made = frequent_jobs(1);
  made.faults.push_back({site::moment, effect::executor_suspend, "1", 0, 4s, 7s});
  made.stops.push_back({5200ms, "a", 2000ms});
  return made;
}

history slow_join() {
  auto made = frequent_jobs(2);
  made.nodes = 3; // a node that is alone looks for others once a second
  made.stops.push_back({4600ms, "a", 1500ms}); // it starts again, and reads, shortly before an instant
  made.first_read_takes = 700ms;
  return made;
}

history orderly_history(std::uint64_t seed) {
  dice with{seed};
  auto made = frequent_jobs(seed);
  made.nodes = with.one_in(2) ? 2 : 3;
  made.writers = with.one_in(2) ? 1 : 2;
  made.shuffle = with.one_in(2);
  made.database_clock = with.one_in(2);
  if (with.one_in(2))
    made.faults.push_back({site::moment, effect::executor_suspend, "1", 0, with.between(2000, 9000), with.between(500, 7000)});
  auto at = with.between(1500, 5000);
  // A second request to stop ends the first one early.
  std::map<std::string, milliseconds> free;
  for (auto count = 1 + with.below(4); count > 0; --count, at += with.between(50, 6000)) {
    const auto node = std::string(1, static_cast<char>('a' + with.below(static_cast<std::uint64_t>(made.nodes - 1))));
    const auto away = with.between(20, 3000);
    if (at < free[node])
      continue;
    made.stops.push_back({at, node, away});
    free[node] = at + config::settings{}.drain_timeout + away + 2s;
  }
  if (with.one_in(3))
    made.first_read_takes = with.between(50, 700);
  return made;
}

} // namespace ringmaster::simulation
