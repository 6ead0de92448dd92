// Questions of failover and busyover to executors, their times and results: the pure state used by the trigger pool.

#include "actors/trigger/route_probes.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using actors::probe_limits;
using actors::route_probes;
using core::probe_kind;

namespace {

const std::vector<std::string> abc{"a", "b", "c"};

struct probing {
  explicit probing(probe_limits limits = {}) : probes{limits} {}

  bool add(std::int32_t job, probe_kind kind = probe_kind::beat, std::int32_t group = 1,
           std::vector<std::string> addresses = abc) {
    auto spec = std::make_shared<core::job>();
    spec->id = core::job_id{job};
    spec->group = core::group_id{group};
    actors::probing_route route;
    route.candidate.spec = spec;
    auto taken = probes.add(route, {std::move(addresses), kind}, now);
    CHECK((route.candidate.spec == nullptr) == taken); // otherwise it still belongs to the caller
    return taken;
  }
  /// Collects the present questions and decisions.
  void go_on() {
    auto step = probes.go_on(now);
    std::move(step.ask.begin(), step.ask.end(), std::back_inserter(open));
    for (auto& one : step.decided) {
      winners.push_back(one.address);
      notes.push_back(one.note);
      decided += one.routes.size();
    }
  }
  /// Answers the oldest question to an address.
  void answer(const std::string& address, std::int32_t code) {
    auto asked = std::find_if(open.begin(), open.end(), [&](const auto& one) { return one.address == address; });
    REQUIRE(asked != open.end());
    auto question = *asked;
    open.erase(asked);
    probes.answered(question, {code, code == 200 ? "" : "no"}, now);
    go_on();
  }
  /// Lets time pass, from timer to timer.
  void wait(std::chrono::milliseconds time) {
    for (auto end = now + time;;) {
      auto next = probes.next();
      now = next && *next < end ? std::max(now, *next) : end;
      go_on();
      if (now == end)
        return;
    }
  }
  [[nodiscard]] std::vector<std::string> asked() const {
    std::vector<std::string> all;
    for (const auto& one : open)
      all.push_back(one.address);
    return all;
  }

  route_probes probes;
  route_probes::steady now{1h};
  std::vector<route_probes::question> open;
  std::vector<std::string> winners;
  std::vector<std::string> notes;
  std::size_t decided = 0;
};

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("executors are asked one after the other, sooner after a refusal", "[actors]") {
  probing at;
  REQUIRE(at.add(1));
  at.go_on();
  CHECK(at.asked() == texts{"a"});
  at.wait(199ms);
  CHECK(at.asked() == texts{"a"});
  at.wait(1ms);
  CHECK(at.asked() == texts{"a", "b"});
  at.answer("b", 500);
  CHECK(at.asked() == texts{"a", "c"});
  at.answer("a", 0);
  CHECK(at.winners.empty());
  at.answer("c", 200);
  CHECK(at.winners == texts{"c"});
  CHECK(at.probes.waiting() == 0);
  CHECK(at.probes.open() == 0);
}

TEST_CASE("the first in order wins, not the first to answer", "[actors]") {
  probing at;
  REQUIRE(at.add(1));
  at.go_on();
  at.wait(200ms);
  at.answer("b", 200);
  at.wait(5s);
  CHECK(at.asked() == texts{"a"}); // after a success no further executor is asked
  CHECK(at.winners.empty());
  at.answer("a", 200);
  CHECK(at.winners == texts{"a"});
}

TEST_CASE("when all refuse, the verdict has every answer in order", "[actors]") {
  probing at;
  REQUIRE(at.add(1));
  at.go_on();
  at.answer("a", 500);
  at.answer("b", 0);
  at.answer("c", 404);
  CHECK(at.winners == texts{""});
  CHECK(at.notes == texts{"a answered 500 no; b answered 0 no; c answered 404 no"});
}

TEST_CASE("all candidates of a group share one beat, and an answer is valid for a moment", "[actors]") {
  probing at;
  for (int job = 1; job <= 1000; ++job)
    REQUIRE(at.add(job));
  at.go_on();
  CHECK(at.asked() == texts{"a"});
  at.answer("a", 200);
  CHECK(at.decided == 1000);
  at.wait(100ms);
  REQUIRE(at.add(1));
  at.go_on();
  CHECK(at.decided == 1001);
  at.wait(1ms);
  REQUIRE(at.add(1));
  at.go_on();
  CHECK(at.decided == 1001);
  CHECK(at.asked() == texts{"a"});
}

TEST_CASE("a refusal is valid for the same moment", "[actors]") {
  probing at;
  REQUIRE(at.add(1));
  at.go_on();
  at.answer("a", 500);
  at.answer("b", 200);
  REQUIRE(at.add(2));
  at.go_on();
  CHECK(at.winners == texts{"b", "b"});
}

TEST_CASE("a late candidate shares an open question, but not an old answer", "[actors]") {
  probing at;
  REQUIRE(at.add(1));
  at.go_on();
  at.answer("a", 500);
  at.wait(101ms);
  REQUIRE(at.add(2));
  at.go_on();
  CHECK(at.asked() == texts{"b", "a"});
  at.answer("a", 500);
  at.answer("b", 200);
  CHECK(at.winners == texts{"b", "b"});
}

TEST_CASE("an idle beat is about one job", "[actors]") {
  probing at;
  REQUIRE(at.add(1, probe_kind::idle_beat));
  REQUIRE(at.add(1, probe_kind::idle_beat));
  REQUIRE(at.add(2, probe_kind::idle_beat));
  at.go_on();
  REQUIRE(at.open.size() == 2);
  CHECK(at.open[0].job == core::job_id{1});
  CHECK(at.open[1].job == core::job_id{2});
  at.answer("a", 200);
  CHECK(at.decided == 2);
}

TEST_CASE("a group asks in its own name", "[actors]") {
  probing at;
  REQUIRE(at.add(1, probe_kind::beat, 1));
  REQUIRE(at.add(2, probe_kind::beat, 2));
  at.go_on();
  REQUIRE(at.open.size() == 2);
  CHECK(at.open[0].group != at.open[1].group);
}

TEST_CASE("a list that names an executor twice is also decided", "[actors]") {
  probing at;
  REQUIRE(at.add(1, probe_kind::beat, 1, {"a", "a", "b"}));
  at.go_on();
  at.wait(200ms);
  at.answer("a", 500);
  at.answer("b", 200);
  CHECK(at.winners == texts{"b"});
}

TEST_CASE("a different list of executors leads to another question of the same group", "[actors]") {
  probing at;
  REQUIRE(at.add(1));
  REQUIRE(at.add(2, probe_kind::beat, 1, {"c", "a"}));
  at.go_on();
  CHECK(at.asked() == texts{"a", "c"});
  at.answer("c", 200);
  at.answer("a", 200);
  CHECK(at.winners == texts{"c", "a"});
}

TEST_CASE("waiting candidates are limited by group and in total; further ones are returned to the caller", "[actors]") {
  probing at{{.open = 9, .open_per_executor = 9, .waiting = 5, .waiting_per_group = 3}};
  for (int job = 1; job <= 3; ++job)
    CHECK(at.add(job));
  CHECK_FALSE(at.add(4));
  CHECK(at.add(5, probe_kind::beat, 2));
  CHECK(at.add(6, probe_kind::beat, 2));
  CHECK_FALSE(at.add(7, probe_kind::beat, 2));
  at.go_on();
  at.answer("a", 200);
  CHECK(at.add(4));
}

TEST_CASE("open questions are limited by executor and in total", "[actors]") {
  probing at{{.open = 3, .open_per_executor = 2, .waiting = 99, .waiting_per_group = 99}};
  auto idle = probe_kind::idle_beat;
  CHECK(at.add(1, idle));
  CHECK(at.add(2, idle));
  at.go_on();
  CHECK_FALSE(at.add(3, idle));
  CHECK(at.add(4, idle, 1, {"x"}));
  at.go_on();
  CHECK_FALSE(at.add(5, idle, 1, {"y"}));
  CHECK(at.add(1, idle)); // it shares a question
  at.answer("a", 200);
  CHECK(at.add(5, idle, 1, {"y"}));
}

TEST_CASE("a walk without room for its next question goes on when there is room", "[actors]") {
  probing at{{.open = 9, .open_per_executor = 1, .waiting = 99, .waiting_per_group = 99}};
  auto idle = probe_kind::idle_beat;
  REQUIRE(at.add(1, idle, 1, {"a", "z"}));
  REQUIRE(at.add(2, idle, 1, {"b", "z"}));
  at.go_on();
  at.answer("a", 500);
  at.answer("b", 500);
  CHECK(at.asked() == texts{"z"});
  at.answer("z", 500);
  CHECK(at.asked() == texts{"z"});
  at.answer("z", 200);
  CHECK(at.winners == texts{"", "z"});
  CHECK(at.probes.open() == 0);
}

TEST_CASE("candidates of one step are checked against the limits that they will meet", "[actors]") {
  probing at{{.open = 99, .open_per_executor = 2, .waiting = 99, .waiting_per_group = 99}};
  std::size_t taken = 0;
  for (int job = 1; job <= 10; ++job)
    taken += at.add(job, probe_kind::idle_beat) ? 1 : 0;
  at.go_on();
  CHECK(at.open.size() == 2);
  CHECK(taken == 2);
}
