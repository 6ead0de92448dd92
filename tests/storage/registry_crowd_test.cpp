// Thousands of executors whose heartbeats several nodes write at the same time.

#include <algorithm>
#include <random>
#include <thread>

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

constexpr std::size_t executors = 5'000;
constexpr int rounds = 6;

std::vector<core::registration> beats(core::time_point seen) {
  std::vector<core::registration> out;
  for (std::size_t i = 0; i < executors; ++i)
    out.push_back({"EXECUTOR", "app-" + std::to_string(i % 50),
                   "http://10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250) + ":9999/", seen});
  return out;
}

} // namespace

TEST_CASE("two nodes write the heartbeats of 5 000 executors in any order without blocking each other", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::vector<std::string> failures[2];
  std::vector<std::thread> nodes;
  for (unsigned node = 0; node < 2; ++node)
    nodes.emplace_back([&, node, store = std::shared_ptr<storage::store>{db->open()}] {
      std::mt19937 random{seed + node};
      for (int round = 0; round < rounds; ++round) {
        core::registry_batch batch;
        batch.renewed = beats(noon + round * 30s);
        std::shuffle(batch.renewed.begin(), batch.renewed.end(), random);
        // Some leave and some are found dead, in the same batch.
        for (int i = 0; i < 20; ++i) {
          batch.removed.push_back(std::move(batch.renewed.back()));
          batch.renewed.pop_back();
        }
        for (int i = 0; i < 20; ++i)
          batch.dead.push_back(batch.renewed[random() % batch.renewed.size()]);
        for (auto& dead : batch.dead)
          dead.seen -= 1h;
        if (auto written = store->registry().write(batch, noon); !written)
          failures[node].push_back(written.error().context);
      }
    });
  for (auto& node : nodes)
    node.join();
  CHECK(failures[0] == std::vector<std::string>{});
  CHECK(failures[1] == std::vector<std::string>{});
  const auto stored = require(db->open()->registry().read()).registrations;
  CHECK(stored.size() >= executors - 20);
  CHECK(stored.size() <= executors);
  const auto latest =
    std::count_if(stored.begin(), stored.end(), [](const auto& row) { return row.seen == noon + (rounds - 1) * 30s; });
  CHECK(static_cast<std::size_t>(latest) >= executors - 40);
}
