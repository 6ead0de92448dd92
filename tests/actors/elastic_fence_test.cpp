#include "executor/elastic/fence_board.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::elastic::item_run_id;
using executor::elastic::boot_time;
using executor::elastic::fence_board;

namespace {

struct fenced {
  boot_time now = 1000s;
  fence_board board{[this] { return now; }};

  /// Returns the runs whose lease is over.
  std::vector<std::int64_t> due() {
    std::vector<std::int64_t> runs;
    for (const auto& control : board.end_due())
      runs.push_back(core::number(control->run()));
    return runs;
  }
};

using due_runs = std::vector<std::int64_t>;

} // namespace

TEST_CASE_METHOD(fenced, "a run is mine until the end of its lease, and never again after its enforcement", "[actors][elastic]") {
  board.extend(now);
  const auto run = board.open(item_run_id{12}, 500ms);
  CHECK(run->still_mine());
  now += 499ms;
  CHECK(run->still_mine());
  CHECK(due().empty());
  board.extend(now);
  now += 499ms;
  CHECK(run->still_mine());
  now += 1ms;
  CHECK_FALSE(run->still_mine());
  CHECK_FALSE(run->stop_token().stop_requested());
  CHECK(due() == due_runs{12});
  CHECK(due().empty());
  board.extend(now);
  CHECK_FALSE(run->still_mine());
}

TEST_CASE_METHOD(fenced, "an acknowledgement that comes after the end of a lease does not bring it back", "[actors][elastic]") {
  board.extend(now);
  const auto run = board.open(item_run_id{12}, 500ms);
  const auto orphan = board.open(item_run_id{13}, 60'500ms);
  int woken = 0;
  board.set_wake([&] { ++woken; });
  now += 2s; // the process was stopped, and its timer does not run yet
  board.extend(now - 10ms);
  CHECK_FALSE(run->still_mine());
  CHECK(woken == 1);
  CHECK(orphan->still_mine());
  CHECK(due() == due_runs{12});
  CHECK(due().empty());
  board.extend(now);
  CHECK(woken == 1);
}

TEST_CASE_METHOD(fenced, "each run has the lease of its grant", "[actors][elastic]") {
  board.extend(now);
  const auto fast = board.open(item_run_id{12}, 500ms);
  const auto orphan = board.open(item_run_id{13}, 60'500ms);
  CHECK(board.next_end() == now + 500ms);
  now += 600ms;
  CHECK(due() == due_runs{12});
  CHECK(orphan->still_mine());
  CHECK(board.next_end() == 1000s + 60'500ms);
  board.close(item_run_id{13});
  CHECK_FALSE(board.next_end());
  CHECK(orphan->still_mine());
}

TEST_CASE_METHOD(fenced, "an extension never shortens a lease", "[actors][elastic]") {
  board.extend(now);
  const auto run = board.open(item_run_id{12}, 500ms);
  board.extend(now - 1s);
  CHECK(run->still_mine());
}

TEST_CASE_METHOD(fenced, "an earlier end is announced", "[actors][elastic]") {
  int woken = 0;
  board.set_wake([&] { ++woken; });
  board.extend(now);
  (void)board.open(item_run_id{12}, 1000ms);
  CHECK(woken == 1);
  (void)board.next_end();
  (void)board.open(item_run_id{13}, 2000ms);
  CHECK(woken == 1);
  (void)board.open(item_run_id{14}, 500ms);
  CHECK(woken == 2);
}

TEST_CASE_METHOD(fenced, "the right of a run ends at once when its process has to stop", "[actors][elastic]") {
  board.extend(now);
  const auto run = board.open(item_run_id{12}, 500ms);
  CHECK(board.open(item_run_id{12}, 500ms) == run);
  CHECK(board.end(item_run_id{12}) == run);
  CHECK_FALSE(run->still_mine());
  CHECK_FALSE(board.end(item_run_id{99}));
  CHECK(due().empty());
}
