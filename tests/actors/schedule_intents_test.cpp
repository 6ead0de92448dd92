// schedule_actor: more children, retries and runs by hand than lanes take, and who of them waits.

#include <map>

#include "tests/actors/schedule_actor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::planning;

namespace {

constexpr int jobs = 60;
constexpr std::int64_t wishes = 6000;

struct waiting_intents : planning {
  /// Jobs that are due when the tests begin, or in a year that does not come.
  void prepare(const char* cron) {
    declare_many(jobs);
    for (auto& job : declared.jobs)
      job.schedule_conf = cron;
    begin();
  }
  std::vector<core::intent> write(std::int64_t count) {
    std::vector<core::intent> made;
    for (std::int64_t i = 0; i < count; ++i) {
      core::manual_trigger wish;
      wish.job = core::job_id{1 + static_cast<std::int32_t>(i % jobs)};
      wish.token = -1 - i;
      made.push_back(test::expect(look->jobs().trigger(wish, civil())));
    }
    return made;
  }
  void hand_over(std::vector<core::intent> intents) {
    tell(actor, protocol::intent_batch{std::move(intents)});
    run();
  }
  /// `slots` become free every 100 ms.
  void work_with(std::size_t slots_each, int steps) {
    for (int step = 0; step < steps; ++step) {
      room = slots_each;
      advance(100ms);
    }
  }
  [[nodiscard]] std::size_t waiting() { return test::expect(look->firings().waiting_intents(civil() + 1h, 100'000)).size(); }
  /// The runs of each job so far.
  [[nodiscard]] std::map<std::int32_t, int> runs_by_job() const {
    std::map<std::int32_t, int> all;
    for (const auto& run : runs)
      ++all[run.job];
    return all;
  }
};

constexpr const char* never = "0 0 0 1 1 ? 2099";

} // namespace

TEST_CASE_METHOD(waiting_intents, "lanes that are too small for six thousand intents leave none of them out", "[actors]") {
  prepare(never);
  room = 0;
  hand_over(write(wishes));
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
  CHECK(runs.size() == wishes);
  for (const auto& [job, count] : runs_by_job())
    CHECK(count == wishes / jobs);
  CHECK(waiting() == 0);
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(waiting_intents, "intents that find no slot are asked about so often and no more", "[actors]") {
  prepare(never);
  room = 0;
  hand_over(write(wishes));
  advance(1s); // all of them are somewhere on the way
  const auto before = asked;
  advance(2s);
  CHECK(asked - before <= 2 * 50 * 2 * rows_max); // fifty rounds a second, of so many
  CHECK(asked - before >= 10 * wishes);           // and each of them has its turns
  room = wishes;
  advance(1s);
  CHECK(runs.size() == wishes);
}

TEST_CASE_METHOD(waiting_intents, "jobs of other nodes are not read again for each turn of their intents", "[actors]") {
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
  hand_over(write(wishes));
  work_with(20, 100); // 200 a second for 60 instants a second and the six thousand
  std::size_t planned = 0;
  for (const auto& run : runs)
    planned += run.fire_at.time_since_epoch() % 1s == 0s && run.fire_at > start ? 1 : 0;
  CHECK(runs.size() >= 2000);
  CHECK(planned >= 300);
  CHECK(runs.size() - planned >= 300);
}
