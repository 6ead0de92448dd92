// Concurrent heartbeats, fences and entries of several processes, on a server whose rows they lock.

#include <atomic>
#include <random>
#include <thread>

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

TEST_CASE("a fence that wins has seen the last confirmed heartbeat", "[storage]") {
  if (no_server_here())
    return;
  auto db = fresh_database(mysql_backend());
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  const auto node = db->open();
  const auto observer = db->open();
  std::size_t fences = 0, lost = 0;
  for (int round = 0; round < 80; ++round) {
    const auto life = require(node->cluster().enter("a", "x"));
    // It renews its heartbeat this many times and then dies; the observer reads at some moment.
    const auto beats_in_all = static_cast<std::int64_t>(1 + random() % 6);
    const auto looks_at = static_cast<std::int64_t>(random() % 7);
    std::atomic<std::int64_t> confirmed{0};
    std::atomic<bool> over{false}, wrong{false};
    std::thread beats{[&] {
      for (std::int64_t beat = 1; beat <= beats_in_all; ++beat)
        if (const auto done = node->cluster().beat(life, beat); done) {
          confirmed = beat;
        } else {
          wrong = done.error().code != core::errc::fenced;
          break;
        }
      over = true;
    }};
    while (confirmed < looks_at && !over)
      std::this_thread::yield();
    const auto seen = require(observer->cluster().nodes())[0];
    const auto fenced = observer->cluster().fence(seen);
    beats.join();
    CHECK_FALSE(wrong);
    if (!fenced || !*fenced) {
      ++lost;
      continue;
    }
    ++fences;
    CHECK(confirmed <= seen.beat);
    CHECK(error_of(node->cluster().beat(life, 99)) == core::errc::fenced);
  }
  CHECK(fences > 0);
  CHECK(lost > 0);
}

TEST_CASE("of entries that replace the same row, one wins", "[storage]") {
  if (no_server_here())
    return;
  auto db = fresh_database(mysql_backend());
  std::vector<std::unique_ptr<storage::store>> stores;
  for (int i = 0; i < 4; ++i)
    stores.push_back(db->open());
  core::node_row seen;
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> won{0}, refused{0};
    std::vector<std::thread> all;
    for (auto& store : stores)
      all.emplace_back([&] {
        auto life = store->cluster().enter("a", "x", {"", seen});
        for (int again = 0; !life && life.error().code == core::errc::unavailable && again < 20; ++again)
          life = store->cluster().enter("a", "x", {"", seen});
        won += life ? 1 : 0;
        refused += !life && life.error().code == core::errc::conflict ? 1 : 0;
      });
    for (auto& one : all)
      one.join();
    CHECK(won == 1);
    CHECK(refused == 3);
    seen = require(stores[0]->cluster().nodes())[0];
    CHECK(seen.incarnation == round + 1);
  }
}

TEST_CASE("nothing of a fenced incarnation is claimed after the fence, even with claims in progress", "[storage]") {
  if (no_server_here())
    return;
  firing_fixture f{mysql_backend()};
  const auto spec = f.add_job(1);
  const auto observer = f.db->open();
  auto at = noon;
  for (int round = 0; round < 40; ++round) {
    f.me = require(f.store->cluster().enter("node-a", "x"));
    std::atomic<std::int64_t> last{0};
    std::atomic<bool> stop{false};
    std::thread claims{[&] {
      while (!stop) {
        auto one = f.batch();
        firing_fixture::plan(one, spec, at);
        const auto outcome = f.firings().claim(one, noon);
        if (!outcome)
          return;
        for (const auto& run : outcome->runs)
          last = core::number(run.id);
        at += 60s;
      }
    }};
    for (const auto end = std::chrono::steady_clock::now() + 5s; last == 0 && std::chrono::steady_clock::now() < end;)
      std::this_thread::yield();
    bool fenced = false;
    for (int again = 0; again < 50 && !fenced; ++again) {
      const auto done = observer->cluster().fence(require(observer->cluster().nodes())[0]);
      fenced = done && *done;
    }
    const auto newest = std::stoll(f.db->value("SELECT COALESCE(MAX(id), 0) FROM xxl_job_log"));
    stop = true;
    claims.join();
    CHECK(fenced);
    CHECK(std::stoll(f.db->value("SELECT COALESCE(MAX(id), 0) FROM xxl_job_log")) == newest);
    CHECK(last <= newest);
  }
}
