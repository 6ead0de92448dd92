// host_slots: free slots of hosts, shared by the jobs of a node.

#include "actors/elastic/host_slots.hpp"

#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

namespace ringmaster::test::host_slots_test {

namespace {

constexpr core::elastic::host_number first{1};
constexpr core::elastic::host_number second{2};

protocol::known_hosts list_of(std::int32_t first_free, std::int32_t second_free) {
  protocol::known_hosts known;
  for (const auto& [host, free] : {std::pair{first, first_free}, {second, second_free}}) {
    auto& seat = known.seats.emplace_back();
    seat.host.host = host;
    seat.free_slots = free;
  }
  return known;
}

struct two_jobs {
  std::shared_ptr<actors::host_slots> slots = std::make_shared<actors::host_slots>();
  std::optional<actors::host_slots::share> one{slots};
  actors::host_slots::share other{slots};
};

} // namespace

TEST_CASE("a slot that one job takes is not free for another", "[actors][elastic]") {
  two_jobs jobs;
  CHECK_FALSE(jobs.one->take(first));
  jobs.slots->set(list_of(1, 2));
  CHECK(jobs.one->take(first));
  CHECK_FALSE(jobs.other.take(first));
  CHECK(jobs.other.free(second) == 2);
  jobs.one->add(first, 1);
  CHECK(jobs.other.take(first));
}

TEST_CASE("a job takes back its own changes alone", "[actors][elastic]") {
  two_jobs jobs;
  jobs.slots->set(list_of(4, 4));
  jobs.one->add(first, -1);
  jobs.other.add(first, -2);
  CHECK(jobs.one->free(first) == 1);
  SECTION("with a new list") {
    jobs.slots->set(list_of(2, 4));
    jobs.one->clear();
    CHECK(jobs.one->free(first) == 0);
  }
  SECTION("at its end") { jobs.one.reset(); }
  if (!jobs.one)
    CHECK(jobs.other.free(first) == 2);
}

TEST_CASE("changes of an idle job end with the next list", "[actors][elastic]") {
  two_jobs jobs;
  jobs.slots->set(list_of(1, 1));
  jobs.one->add(first, 1);
  jobs.one->end_with_list();
  CHECK(jobs.other.free(first) == 2);
  SECTION("it stays idle") {
    jobs.slots->set(list_of(2, 1));
    CHECK(jobs.other.free(first) == 2);
  }
  SECTION("it takes a slot before") {
    CHECK(jobs.one->take(first));
    CHECK(jobs.one->take(first));
    jobs.slots->set(list_of(1, 1));
    CHECK(jobs.other.free(first) == 0);
  }
  SECTION("it is removed before") {
    jobs.one.reset();
    jobs.slots->set(list_of(1, 1));
    CHECK(jobs.other.free(first) == 1);
  }
}

TEST_CASE("a full host has no free slot", "[actors][elastic]") {
  two_jobs jobs;
  jobs.slots->set(list_of(5, 5));
  jobs.one->take_all(first);
  CHECK(jobs.other.free(first) == 0);
  jobs.one->take_all(first);
  CHECK(jobs.other.free(first) == 0);
  CHECK(jobs.other.free(second) == 5);
}

TEST_CASE("a job that waits for a slot is woken once by the job that frees it", "[actors][elastic]") {
  two_jobs jobs;
  int calls = 0;
  jobs.other.set_wake([&calls] { ++calls; });
  jobs.slots->set(list_of(1, 1));
  REQUIRE(jobs.one->take(first));
  jobs.other.await(first);
  jobs.one->add(second, 1);
  CHECK(calls == 0);
  SECTION("its run ends") { jobs.one->add(first, 1); }
  SECTION("the job ends") { jobs.one.reset(); }
  SECTION("a heartbeat says so") {
    jobs.slots->set(list_of(2, 0));
    CHECK(calls == 0); // before the job has the list, it would look twice
    jobs.slots->wake();
  }
  CHECK(calls == 1);
  CHECK(jobs.other.take_wake());
  CHECK_FALSE(jobs.other.take_wake());
  jobs.slots->set(list_of(4, 4));
  jobs.slots->wake();
  CHECK(calls == 1);
}

TEST_CASE("a slot that is free meanwhile wakes the waiting job at once", "[actors][elastic]") {
  two_jobs jobs;
  jobs.slots->set(list_of(1, 1));
  jobs.other.await(first);
  CHECK(jobs.other.take_wake());
}

TEST_CASE("waiting jobs are woken first come, first served, one for each slot", "[actors][elastic]") {
  two_jobs jobs;
  actors::host_slots::share third{jobs.slots};
  jobs.slots->set(list_of(1, 1));
  REQUIRE(jobs.one->take(first));
  third.await(first);
  jobs.other.await(first);
  jobs.one->add(first, 1);
  CHECK(third.take_wake());
  CHECK_FALSE(jobs.other.take_wake());
  SECTION("a job that does not take the slot leaves it to the next") { third.relay(); }
  SECTION("the slot is taken and freed again") {
    REQUIRE(third.take(first));
    third.relay();
    CHECK_FALSE(jobs.other.take_wake());
    third.add(first, 1);
  }
  CHECK(jobs.other.take_wake());
}

TEST_CASE("jobs on several threads take each slot once", "[actors][elastic]") {
  constexpr std::int32_t all = 1000;
  auto slots = std::make_shared<actors::host_slots>();
  slots->set(list_of(all, 0));
  std::vector<std::int32_t> taken(4);
  std::vector<std::unique_ptr<actors::host_slots::share>> shares;
  std::vector<std::thread> threads;
  for (auto& count : taken) {
    auto& share = *shares.emplace_back(std::make_unique<actors::host_slots::share>(slots));
    threads.emplace_back([&count, &share] {
      while (share.take(first))
        ++count;
    });
  }
  for (auto& each : threads)
    each.join();
  CHECK(taken[0] + taken[1] + taken[2] + taken[3] == all);
  CHECK(shares.front()->free(first) == 0);
  shares.clear();
  CHECK(actors::host_slots::share{slots}.free(first) == all);
}

} // namespace ringmaster::test::host_slots_test
