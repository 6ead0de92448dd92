// schedule_actor: more children, retries and manual runs than the lanes take, and the order in which they wait.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tests/actors/schedule_actor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::planning;

namespace {

constexpr int jobs = 60;
constexpr std::int64_t requested = 6000;

struct waiting_intents : planning {
  /// Declares jobs that are due when the tests begin, or in a year that does not come.
  void prepare(const char* cron) {
    declare_many(jobs);
    for (auto& job : declared.jobs)
      job.schedule_conf = cron;
    begin();
  }
  std::vector<core::intent> write(std::int64_t count) {
    std::vector<core::intent> made;
    for (std::int64_t i = 0; i < count; ++i) {
      core::manual_trigger wanted;
      wanted.job = core::job_id{1 + static_cast<std::int32_t>(i % jobs)};
      wanted.token = -1 - i;
      made.push_back(test::expect(look->jobs().trigger(wanted, civil())));
    }
    return made;
  }
  void hand_over(std::vector<core::intent> intents) {
    tell(actor, protocol::intent_batch{std::move(intents)});
    run();
  }
  /// Frees `slots_each` slots in each step.
  void work_with(std::size_t slots_each, int steps, std::chrono::milliseconds step_takes = 100ms) {
    for (int step = 0; step < steps; ++step) {
      room = slots_each;
      advance(step_takes);
    }
  }
  /// Returns the number of runs that are instants of a schedule.
  [[nodiscard]] std::size_t planned() const {
    return static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), is_planned));
  }
  static bool is_planned(const ringed& run) { return run.fire_at.time_since_epoch() % 1s == 0s && run.fire_at >= start; }
  /// Returns how often instants of schedules found a slot since there were `before` runs, and how often others did.
  [[nodiscard]] std::pair<std::size_t, std::size_t> slots_given(std::size_t before) const {
    std::set<std::pair<std::int32_t, core::time_point>> of_schedules;
    std::size_t of_others = 0;
    for (auto run = runs.begin() + static_cast<std::ptrdiff_t>(before); run != runs.end(); ++run)
      if (is_planned(*run))
        of_schedules.emplace(run->job, run->came);
      else
        ++of_others;
    return {of_schedules.size(), of_others};
  }
  [[nodiscard]] std::size_t waiting() { return test::expect(look->firings().waiting_intents(civil() + 1h, 100'000)).size(); }
  /// Returns the number of runs of each job so far.
  [[nodiscard]] std::map<std::int32_t, int> runs_by_job() const {
    std::map<std::int32_t, int> all;
    for (const auto& run : runs)
      ++all[run.job];
    return all;
  }
};

constexpr const char* never = "0 0 0 1 1 ? 2099";

} // namespace

TEST_CASE_METHOD(waiting_intents, "lanes that are too small for six thousand intents omit none of them", "[actors]") {
  prepare(never);
  room = 0;
  hand_over(write(requested));
  work_with(150, 20); // half of them
  CHECK(runs.size() == 3000);
  const auto half = runs_by_job();
  CHECK(half.size() == jobs);
  for (const auto& [job, count] : half) {
    CAPTURE(job);
    CHECK(count >= 40);
    CHECK(count <= 60);
  }
  work_with(150, 21);
  CHECK(runs.size() == requested);
  for (const auto& [job, count] : runs_by_job())
    CHECK(count == requested / jobs);
  CHECK(waiting() == 0);
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(waiting_intents, "intents that find no slot are requested at a limited rate", "[actors]") {
  prepare(never);
  room = 0;
  hand_over(write(requested));
  advance(1s); // all of them are somewhere on the way
  const auto before = asked;
  advance(2s);
  CHECK(asked - before <= 2 * 50 * 2 * rows_max); // fifty rounds a second, of this size
  CHECK(asked - before >= 10 * requested);           // and each of them has its turns
  room = requested;
  advance(1s);
  CHECK(runs.size() == requested);
}

TEST_CASE_METHOD(waiting_intents, "jobs of other nodes are not read again for each attempt of their intents", "[actors]") {
  prepare(never);
  tell(actor, protocol::slot_change{core::slot_set{}.set(255)});
  run();
  room = 0;
  std::size_t reads = 0;
  store.after = [&](std::string_view method) { reads += method == "read_jobs" ? 1 : 0; };
  hand_over(write(600));
  advance(3s);
  CHECK(asked > 10'000);
  CHECK(reads <= 30); // a few a second: definitions are as young as the last sweep
  room = 600;
  advance(2s);
  CHECK(runs.size() == 600);
}

TEST_CASE_METHOD(waiting_intents, "neither intents nor schedules wait for the end of the other", "[actors]") {
  prepare("* * * * * ?");
  room = 0;
  hand_over(write(requested));
  work_with(20, 100); // 200 a second for 60 instants a second and the six thousand
  CHECK(runs.size() >= 2000);
  CHECK(planned() >= 300);
  CHECK(runs.size() - planned() >= 300);
}

// A slow lane: a pass finds a single slot. All instants of a job that are due by then are taken together.
TEST_CASE_METHOD(waiting_intents, "when single slots become free, intents and schedules take turns", "[actors]") {
  prepare("* * * * * ?");
  room = 0;
  hand_over(write(requested));
  advance(7s); // misfires among them
  for (const auto each : {20ms, 20ms, 33ms}) {
    CAPTURE(each.count());
    advance(3ms);
    const auto before = runs.size();
    work_with(1, 400, each);
    const auto [schedules, others] = slots_given(before);
    CHECK(schedules + others == 400);
    CHECK(schedules >= 110);
    CHECK(others >= 110);
  }
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(waiting_intents, "reserved instants and children also take turns for single slots", "[actors]") {
  mode = core::cluster_mode::shared;
  prepare(never);
  room = 0;
  auto all = write(4000);
  for (std::size_t i = 0; i < all.size(); i += 4) { // as if these had been reserved for the moment
    all[i].kind = core::trigger_kind::cron;
    all[i].fire_at = start;
  }
  hand_over(std::move(all));
  work_with(1, 200, 20ms);
  const auto [schedules, others] = slots_given(0);
  CHECK(schedules + others == 200);
  CHECK(schedules >= 65);
  CHECK(others >= 65);
}

TEST_CASE_METHOD(waiting_intents, "an orphaned intent after a blocked backlog is found within seconds", "[actors]") {
  prepare(never);
  lose_incarnation();
  run();
  silent.insert(1); // its executor hangs
  for (std::int64_t i = 0; i < 5000; ++i) {
    core::manual_trigger wanted;
    wanted.job = core::job_id{1};
    wanted.token = -1 - i;
    test::expect(look->jobs().trigger(wanted, civil()));
  }
  advance(100ms);
  core::manual_trigger wanted;
  wanted.job = core::job_id{2};
  wanted.token = -1;
  test::expect(look->jobs().trigger(wanted, civil()));
  new_incarnation();
  advance(3s);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].job == 2);
  // Also later, when the backlog is known.
  wanted.token = -2;
  test::expect(look->jobs().trigger(wanted, civil()));
  advance(4s);
  CHECK(runs.size() == 2);
  silent.clear();
  advance(4s);
  CHECK(runs.size() == 5002);
  CHECK(waiting() == 0);
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(waiting_intents, "a known backlog is read once a second, in pages", "[actors]") {
  prepare(never);
  room = 0;
  std::size_t reads = 0;
  store.after = [&](std::string_view method) { reads += method == "waiting_intents" ? 1 : 0; };
  advance(10s);
  CHECK(reads <= 11); // nothing waits
  hand_over(write(requested));
  advance(2s);
  reads = 0;
  advance(10s);
  CHECK(reads >= 30);
  CHECK(reads <= 50);
}
