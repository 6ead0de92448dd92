// Routing strategies: XXL's vectors for its consistent hash, and the state of the others.

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/routing/consistent_ring.hpp"
#include "core/routing/routing.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::core;
using namespace std::chrono_literals;

namespace {

using addresses = std::vector<std::string>;

constexpr auto routing_start = from_ms(1'700'000'000'000);
constexpr std::uint64_t seed = 42;

addresses ten_net(int count) {
  addresses list;
  for (int i = 1; i <= count; ++i)
    list.push_back("http://10.0.0." + std::to_string(i) + ":9999/");
  return list;
}

job job_routed(route_strategy route, std::int32_t id = 1) {
  job which;
  which.id = job_id{id};
  which.route = route;
  return which;
}

std::string sent_to(const route_decision& decision) {
  const auto* choice = std::get_if<send_to>(&decision);
  return choice ? choice->address : "(no single address)";
}

std::string next_of(route_history& history, const job& which, const addresses& live, time_point now = routing_start) {
  return sent_to(history.route(which, live, now));
}

std::ptrdiff_t position(const addresses& live, const std::string& address) {
  return std::find(live.begin(), live.end(), address) - live.begin();
}

} // namespace

TEST_CASE("XXL's hash of its own texts is reproduced", "[unit][routing]") {
  CHECK(consistent_hash("1") == 943901380u);
  CHECK(consistent_hash("2") == 2373066440u);
  CHECK(consistent_hash("42") == 3905343649u);
  CHECK(consistent_hash("100") == 2635307512u);
  CHECK(consistent_hash("1024") == 2126256898u);
  CHECK(consistent_hash("SHARD-http://127.0.0.1:9999/-NODE-0") == 2087608106u);
  CHECK(consistent_hash("SHARD-http://127.0.0.1:9999/-NODE-99") == 2597804662u);
  CHECK(consistent_hash("SHARD-http://10.0.0.1:9999/-NODE-7") == 577408846u);
}

TEST_CASE("the consistent hash chooses like XXL", "[unit][routing]") {
  struct row {
    std::int32_t job;
    int port, of_three, of_five;
  };
  const std::vector<row> rows = {
    {1, 9999, 3, 3},          {2, 9999, 3, 4},     {3, 9999, 1, 1},     {4, 9998, 3, 3},     {5, 9998, 1, 1},
    {6, 9999, 3, 3},          {7, 9998, 2, 4},     {8, 9998, 2, 2},     {9, 9998, 1, 1},     {10, 9998, 1, 1},
    {11, 9998, 1, 1},         {42, 9999, 2, 2},    {77, 9998, 2, 2},    {100, 9999, 3, 3},   {123, 9999, 2, 4},
    {500, 9998, 2, 2},        {777, 9998, 2, 5},   {1000, 9998, 3, 4},  {1024, 9999, 1, 1},  {4096, 9998, 1, 1},
    {9999, 9999, 2, 5},       {12345, 9999, 2, 5}, {65535, 9998, 3, 3}, {99999, 9998, 3, 3}, {1000000, 9998, 2, 2},
    {2147483647, 9999, 2, 2},
  };
  const addresses two = {"http://127.0.0.1:9998/", "http://127.0.0.1:9999/"}, three = ten_net(3), five = ten_net(5);
  route_history history{seed};
  for (const auto& [id, port, of_three, of_five] : rows) {
    CAPTURE(id);
    CHECK(consistent_hash_choice(job_id{id}, two) == "http://127.0.0.1:" + std::to_string(port) + "/");
    CHECK(consistent_hash_choice(job_id{id}, three) == three[static_cast<std::size_t>(of_three) - 1]);
    CHECK(consistent_hash_choice(job_id{id}, five) == five[static_cast<std::size_t>(of_five) - 1]);
    // The strategy caches rings; its answers are equal, also the second time.
    const auto which = job_routed(route_strategy::consistent_hash, id);
    for (const auto& live : {two, three, five, five})
      CHECK(next_of(history, which, live) == consistent_hash_choice(job_id{id}, live));
  }
}

TEST_CASE("the consistent hash spreads ten thousand jobs like XXL", "[unit][routing]") {
  const auto five = ten_net(5);
  route_history history{seed};
  std::array<int, 5> jobs{};
  for (std::int32_t id = 1; id <= 10'000; ++id)
    ++jobs[static_cast<std::size_t>(position(five, next_of(history, job_routed(route_strategy::consistent_hash, id), five)))];
  CHECK(jobs == std::array{1888, 1900, 2366, 1937, 1909});
}

TEST_CASE("among equal hashes the later address in the list is kept", "[unit][routing]") {
  const addresses twice = {"http://10.0.0.1:9999/", "http://10.0.0.1:9999/"};
  const consistent_ring ring{twice};
  CHECK(ring.size() == 100);
  for (std::int32_t id = 1; id < 50; ++id)
    CHECK(ring.choose(job_id{id}) == 1);
}

TEST_CASE("cached rings are bounded", "[unit][routing]") {
  consistent_ring_cache cache;
  const auto live = ten_net(100);
  for (std::size_t i = 0; i < 40; ++i) {
    const std::span list{live.data() + i, live.size() - i};
    const auto expected = consistent_hash_choice(job_id{5}, list);
    REQUIRE(list[cache.choose(job_id{5}, list)] == expected);
    REQUIRE(list[cache.choose(job_id{5}, list)] == expected);
  }
}

TEST_CASE("FIRST and LAST choose the ends of the list", "[unit][routing]") {
  route_history history{seed};
  const auto live = ten_net(3);
  CHECK(next_of(history, job_routed(route_strategy::first), live) == live[0]);
  CHECK(next_of(history, job_routed(route_strategy::last), live) == live[2]);
}

TEST_CASE("round advances by one from a random start below 100", "[unit][routing]") {
  const auto live = ten_net(7);
  std::set<std::ptrdiff_t> starts;
  for (std::uint64_t each = 0; each < 200; ++each) {
    route_history history{each};
    const auto which = job_routed(route_strategy::round);
    auto at = position(live, next_of(history, which, live));
    starts.insert(at);
    for (int i = 0; i < 30; ++i) {
      const auto next = position(live, next_of(history, which, live));
      REQUIRE(next == (at + 1) % 7);
      at = next;
    }
  }
  CHECK(starts.size() == 7);
}

TEST_CASE("round keeps a counter per job, not per list", "[unit][routing]") {
  route_history history{seed};
  const auto three = ten_net(3), hundred = ten_net(100);
  const auto a = job_routed(route_strategy::round, 1), b = job_routed(route_strategy::round, 2);
  // A list of 100 shows the counter itself while it is small.
  const auto counter = position(hundred, next_of(history, a, hundred));
  CHECK(counter < 100);
  (void)next_of(history, b, hundred);
  CHECK(position(three, next_of(history, a, three)) == (counter + 1) % 3);
}

TEST_CASE("round restarts above a million", "[unit][routing]") {
  route_history history{seed};
  const auto which = job_routed(route_strategy::round);
  // 1 000 002 modulo 300 is 102: continuing without a restart would be visible.
  const auto live = ten_net(300);
  auto counter = position(live, next_of(history, which, live));
  REQUIRE(counter < 100);
  bool in_step = true;
  while (counter < 1'000'001) {
    ++counter;
    in_step = in_step && next_of(history, which, live) == live[static_cast<std::size_t>(counter % 300)];
  }
  CHECK(in_step);
  CHECK(position(live, next_of(history, which, live)) < 100);
}

TEST_CASE("random reaches every address about equally, and repeats with its seed", "[unit][routing]") {
  const auto live = ten_net(4);
  route_history history{seed}, same{seed};
  std::map<std::string, int> chosen;
  for (int i = 0; i < 4000; ++i) {
    const auto address = next_of(history, job_routed(route_strategy::random), live);
    REQUIRE(address == next_of(same, job_routed(route_strategy::random), live));
    ++chosen[address];
  }
  REQUIRE(chosen.size() == 4);
  for (const auto& [address, times] : chosen) {
    CAPTURE(address, times);
    CHECK(times > 800);
    CHECK(times < 1200);
  }
}

TEST_CASE("least recently used rotates, puts new addresses last and forgets removed ones", "[unit][routing]") {
  route_history history{seed};
  const auto which = job_routed(route_strategy::least_recently_used);
  const addresses abc = {"a", "b", "c"};
  CHECK(next_of(history, which, abc) == "a");
  CHECK(next_of(history, which, abc) == "b");
  const addresses with_d = {"d", "a", "b", "c"};
  CHECK(next_of(history, which, with_d) == "c");
  CHECK(next_of(history, which, with_d) == "a");
  CHECK(next_of(history, which, with_d) == "b");
  CHECK(next_of(history, which, with_d) == "d");
  // b disappears and returns as the newest.
  CHECK(next_of(history, which, addresses{"a", "c", "d"}) == "c");
  CHECK(next_of(history, which, abc) == "a");
  CHECK(next_of(history, which, abc) == "c");
  CHECK(next_of(history, which, abc) == "b");
  CHECK(next_of(history, job_routed(route_strategy::least_recently_used, 2), abc) == "a");
}

TEST_CASE("least frequently used evens out its random starts", "[unit][routing]") {
  const auto live = ten_net(5);
  for (std::uint64_t each = 0; each < 50; ++each) {
    CAPTURE(each);
    route_history history{each};
    const auto which = job_routed(route_strategy::least_frequently_used);
    std::map<std::string, int> chosen;
    for (int i = 0; i < 100; ++i)
      ++chosen[next_of(history, which, live)];
    // Starts are in 0 … 4: uses differ by at most 4 + 1.
    REQUIRE(chosen.size() == 5);
    const auto [least, most] =
      std::minmax_element(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    REQUIRE(most->second - least->second <= 5);
  }
}

TEST_CASE("least frequently used forgets removed addresses and accepts new ones", "[unit][routing]") {
  route_history history{seed};
  const auto which = job_routed(route_strategy::least_frequently_used);
  const addresses ab = {"a", "b"};
  for (int i = 0; i < 20; ++i)
    (void)next_of(history, which, ab);
  // c starts at 0 … 2 and is far behind the others.
  for (int i = 0; i < 7; ++i)
    CHECK(next_of(history, which, addresses{"a", "b", "c"}) == "c");
  CHECK(next_of(history, which, addresses{"a"}) == "a");
  // b was forgotten: its count is small again.
  CHECK(next_of(history, which, ab) == "b");
}

TEST_CASE("least frequently used restarts above a million", "[unit][routing]") {
  route_history history{seed};
  const auto which = job_routed(route_strategy::least_frequently_used);
  const addresses alone = {"a"}, both = {"a", "b"};
  // With one address every start is 0: after 1 000 001 uses the count is above the limit and restarts.
  for (int i = 0; i < 1'000'001; ++i)
    (void)next_of(history, which, alone);
  int a_uses = 0;
  for (int i = 0; i < 10; ++i)
    a_uses += next_of(history, which, both) == "a" ? 1 : 0;
  CHECK(a_uses >= 4);
}

TEST_CASE("the history is cleared after 24 hours", "[unit][routing]") {
  route_history history{seed};
  const auto lru = job_routed(route_strategy::least_recently_used);
  const addresses abc = {"a", "b", "c"};
  CHECK(next_of(history, lru, abc, routing_start) == "a");
  CHECK(next_of(history, lru, abc, routing_start + 24h) == "b");
  CHECK(next_of(history, lru, abc, routing_start + 24h + 1ms) == "a");
  CHECK(next_of(history, lru, abc, routing_start + 48h + 1ms) == "b");
  CHECK(next_of(history, lru, abc, routing_start + 48h + 2ms) == "a");
}

TEST_CASE("failover and busyover name the executors to probe, in order", "[unit][routing]") {
  route_history history{seed};
  const auto live = ten_net(3);
  const auto failover = history.route(job_routed(route_strategy::failover), live, routing_start);
  const auto busyover = history.route(job_routed(route_strategy::busyover), live, routing_start);
  CHECK(std::get<probe_in_order>(failover).addresses == live);
  CHECK(std::get<probe_in_order>(failover).kind == probe_kind::beat);
  CHECK(std::get<probe_in_order>(busyover).addresses == live);
  CHECK(std::get<probe_in_order>(busyover).kind == probe_kind::idle_beat);
}

TEST_CASE("broadcast is sent to all, in order", "[unit][routing]") {
  route_history history{seed};
  const auto live = ten_net(3);
  CHECK(std::get<send_to_all>(history.route(job_routed(route_strategy::sharding_broadcast), live, routing_start)).addresses ==
        live);
}

TEST_CASE("an empty list or an unknown strategy gives no executor", "[unit][routing]") {
  route_history history{seed};
  for (int i = 0; i <= static_cast<int>(route_strategy::unknown); ++i)
    CHECK(std::holds_alternative<no_executor>(history.route(job_routed(static_cast<route_strategy>(i)), {}, routing_start)));
  CHECK(std::holds_alternative<no_executor>(history.route(job_routed(route_strategy::unknown), ten_net(1), routing_start)));
}

TEST_CASE("an address listed twice is one address", "[unit][routing]") {
  route_history history{seed};
  const addresses twice = {"a", "a", "b"};
  const auto lru = job_routed(route_strategy::least_recently_used);
  CHECK(next_of(history, lru, twice) == "a");
  CHECK(next_of(history, lru, twice) == "b");
  CHECK(next_of(history, lru, twice) == "a");
  const auto lfu = job_routed(route_strategy::least_frequently_used);
  std::set<std::string> chosen;
  for (int i = 0; i < 10; ++i)
    chosen.insert(next_of(history, lfu, twice));
  CHECK(chosen == std::set<std::string>{"a", "b"});
}

TEST_CASE("a returned choice is repeated, and the strategy continues where it was", "[unit][routing]") {
  auto live = ten_net(3);
  for (auto strategy : {route_strategy::round, route_strategy::random, route_strategy::least_frequently_used,
                        route_strategy::least_recently_used}) {
    route_history waits{seed};
    route_history never_waits{seed};
    auto which = job_routed(strategy);
    for (int i = 0; i < 20; ++i) {
      auto expected = next_of(never_waits, which, live);
      for (int again = 0; again < 5; ++again) {
        auto choice = next_of(waits, which, live);
        CHECK(choice == expected);
        waits.put_back(which, std::vector{choice});
      }
      CHECK(next_of(waits, which, live) == expected);
    }
  }
}

TEST_CASE("several returned choices keep their order", "[unit][routing]") {
  auto live = ten_net(3);
  route_history history{seed};
  auto which = job_routed(route_strategy::round);
  addresses choices;
  for (int i = 0; i < 4; ++i)
    choices.push_back(next_of(history, which, live));
  history.put_back(which, choices);
  addresses first_two{next_of(history, which, live), next_of(history, which, live)};
  history.put_back(which, first_two);
  for (const auto& choice : choices)
    CHECK(next_of(history, which, live) == choice);
}

TEST_CASE("a returned choice is void if its executor is gone or the strategy has changed", "[unit][routing]") {
  auto live = ten_net(3);
  route_history history{seed};
  auto which = job_routed(route_strategy::round);
  auto at = position(live, next_of(history, which, live));
  history.put_back(which, addresses{"http://10.0.0.9:9999/", live[static_cast<std::size_t>(at)]});
  CHECK(position(live, next_of(history, which, live)) == at);
  history.put_back(which, addresses{live[static_cast<std::size_t>(at)]});
  CHECK(next_of(history, job_routed(route_strategy::last), live) == live[2]);
  CHECK(position(live, next_of(history, which, live)) == (at + 1) % 3);
}
