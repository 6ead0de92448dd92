// schedule_actor: slots that come and go while it plans, and sources that are read when a run needs them.

#include "tests/actors/schedule_actor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::planning;
using test::seconds_from;

namespace {

constexpr const char* in_2099 = "0 0 0 1 1 ? 2099";

struct moving_slots : planning {
  static core::slot_set slots_between(std::size_t first, std::size_t last) {
    core::slot_set out;
    for (auto slot = first; slot <= last; ++slot)
      out.set(slot);
    return out;
  }
  void change(const core::slot_set& to) {
    tell(actor, protocol::slot_change{to});
    run();
  }
  /// Returns true if no run of the jobs in [`first`, `last`] was late.
  [[nodiscard]] bool all_in_time(std::int32_t first, std::int32_t last) const {
    return std::all_of(runs.begin(), runs.end(), [&](const ringed& run) {
      return run.job < first || run.job > last || run.came <= run.fire_at;
    });
  }
};

} // namespace

TEST_CASE_METHOD(moving_slots, "jobs of slots that stay are claimed in time while those of new slots are read", "[actors]") {
  declare_many(200); // job i has slot i
  begin();
  change(slots_between(0, 127));
  advance(2s);
  REQUIRE(instants(100) == seconds_from(start + 1s, 2));
  REQUIRE(instants(150) == seconds_from(start + 1s, 0));
  const auto before = instants(10).size();
  latency = 3s;
  change(slots_between(64, 191)); // a node came, another one left
  advance(2900ms);
  CHECK(instants(100) == seconds_from(start + 1s, 5)); // the last one is claimed ahead of its time
  CHECK(instants(10).size() == before); // left at once
  CHECK(instants(150).empty());
  latency = 2ms;
  advance(3s);
  CHECK(instants(100) == seconds_from(start + 1s, 8));
  CHECK(instants(10).size() == before);
  CHECK(instants(150).size() >= 6); // made up
  CHECK(all_in_time(64, 127));
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(moving_slots, "many pages of new slots delay nothing, and are planned as they arrive", "[actors]") {
  for (int i = 0; i < 9000; ++i)
    declare("job-" + std::to_string(i), i < 2 ? "* * * * * ?" : in_2099);
  begin();
  change(core::slot_set{}.set(1));
  advance(1500ms);
  REQUIRE(instants(1) == seconds_from(start + 1s, 1));
  loads = 0;
  latency = 1s; // each page
  change(core::slot_set{}.set());
  advance(3s);
  CHECK(loads >= 2);
  CHECK(loads <= 3);
  CHECK(instants(1) == seconds_from(start + 1s, 4));
  CHECK(instants(2).size() >= 2); // of the first page
  CHECK(all_in_time(1, 1));
  advance(4s);
  CHECK(loads == 5);
  CHECK(instants(1) == seconds_from(start + 1s, 8));
}

TEST_CASE_METHOD(moving_slots, "a slot that leaves and comes back while slots are read is read again", "[actors]") {
  declare_many(3);
  begin();
  change(core::slot_set{}.set(1));
  advance(500ms);
  latency = 1s;
  change(core::slot_set{}.set(1).set(2).set(3));
  advance(200ms);
  change(core::slot_set{}.set(1).set(3));
  advance(200ms);
  declared.jobs[1].handler = "edited";
  apply();
  change(core::slot_set{}.set(1).set(2).set(3));
  latency = 2ms;
  advance(4s);
  CHECK(instants(1) == seconds_from(start + 1s, 5));
  CHECK(instants(3) == seconds_from(start + 1s, 5));
  REQUIRE_FALSE(instants(2).empty());
  for (const auto& run : runs)
    if (run.job == 2)
      CHECK(run.handler == "edited");
}

TEST_CASE_METHOD(moving_slots, "an edit while new slots are read is seen in old and new ones", "[actors]") {
  for (int i = 0; i < 4500; ++i)
    declare("job-" + std::to_string(i), i < 2 ? "* * * * * ?" : in_2099);
  begin();
  change(core::slot_set{}.set(1));
  advance(500ms);
  latency = 700ms;
  change(core::slot_set{}.set());
  advance(1s); // the first page has been read
  declared.jobs[0].handler = declared.jobs[1].handler = "edited";
  apply();
  const auto edited = civil();
  advance(4s);
  std::size_t later = 0;
  for (const auto& run : runs)
    if (run.came > edited + 100ms) {
      CHECK(run.handler == "edited");
      ++later;
    }
  CHECK(later >= 4);
  CHECK(instants(1) == seconds_from(start + 1s, 5));
}

TEST_CASE_METHOD(moving_slots, "a membership change forgets no intent that waits in memory", "[actors]") {
  declare_many(3);
  for (auto& job : declared.jobs)
    job.schedule_conf = in_2099;
  begin();
  room = 0;
  std::vector<core::intent> waiting;
  for (std::int64_t i = 0; i < 100; ++i) {
    core::manual_trigger wanted;
    wanted.job = core::job_id{1};
    wanted.token = -1 - i;
    waiting.push_back(test::expect(look->jobs().trigger(wanted, civil())));
  }
  tell(actor, protocol::intent_batch{std::move(waiting)});
  advance(100ms);
  store.fault_of = [](std::string_view method) {
    return method == "waiting_intents" ? test::store_fault::away : test::store_fault::none;
  };
  change(core::slot_set{}.set(1));
  room = 100;
  advance(500ms);
  CHECK(runs.size() == 100);
}

TEST_CASE_METHOD(moving_slots, "jobs of slots that will come are read and not planned", "[actors]") {
  declare_many(200);
  begin();
  change(core::slot_set{});
  advance(1s);
  const auto before = runs.size();
  latency = 300ms;
  const auto read = later<caf::unit_t>(actor, protocol::prepare_slots{slots_between(64, 191)});
  advance(200ms);
  CHECK_FALSE(*read);
  advance(200ms);
  CHECK(*read);
  latency = 2ms;
  advance(2s);
  CHECK(runs.size() == before);
  CHECK(ask_done(actor, protocol::prepare_slots{slots_between(64, 191)}) == caf::error{}); // known already
  // Their node plans them until now.
  claim_elsewhere(100, start + 5s);
  const auto begun = civil();
  loads = 0;
  change(slots_between(64, 191));
  advance(2s);
  CHECK(loads == 0);
  CHECK_FALSE(instants(101).empty());
  CHECK(lost_moves == 0);
  CHECK(instants(100) == seconds_from(start + 5s, 1));
  for (const auto& run : runs)
    if (run.came > begun && run.fire_at > begun)
      CHECK(run.came <= run.fire_at);
}

TEST_CASE_METHOD(moving_slots, "a new incarnation that gets the prepared slots plans them", "[actors]") {
  declare_many(4);
  begin();
  change(core::slot_set{});
  CHECK_FALSE(later<caf::unit_t>(actor, protocol::prepare_slots{slots_between(0, 255)})->has_value());
  advance(1s);
  new_incarnation();
  change(slots_between(0, 255));
  advance(2s);
  CHECK(instants(4).size() >= 2);
}

TEST_CASE_METHOD(moving_slots, "displayed times are updated at the end by the node that has slots, or on request", "[actors]") {
  declare_many(2);
  begin();
  change(slots_between(1, 255)); // not the leader: nothing is updated before
  std::size_t updates = 0;
  store.after = [&updates](std::string_view method) { updates += method == "tend" ? 1 : 0; };
  advance(1s);
  CHECK(updates == 0);
  SECTION("another node has its slots") {
    change(core::slot_set{});
    CHECK(drain());
    CHECK(updates == 0);
    CHECK(ask_done(actor, protocol::finish_mirror{}) != caf::error{}); // not at once
    advance(100ms);
    CHECK(updates == 1);
  }
  SECTION("it is the last node") {
    CHECK(drain());
    CHECK(updates == 1);
  }
  SECTION("it has no incarnation") {
    lose_incarnation();
    CHECK(ask_done(actor, protocol::finish_mirror{}) == caf::error{});
    CHECK(updates == 0);
  }
}

namespace {

struct scripted_jobs : planning {
  core::job_id add_script(const std::string& name) {
    core::job_draft draft;
    draft.group = core::group_id{1};
    draft.name = name;
    draft.author = "ops";
    draft.schedule_type = "CRON";
    draft.schedule_conf = "* * * * * ?";
    draft.misfire = "DO_NOTHING";
    draft.route = "FIRST";
    draft.block = "SERIAL_EXECUTION";
    draft.glue_type = "GLUE_SHELL";
    draft.glue_source = "echo 1";
    const auto job = test::expect(look->job_editing().add(draft, core::local_operator(), civil()));
    test::expect(look->jobs().start(job, civil()));
    return job;
  }
};

} // namespace

TEST_CASE_METHOD(scripted_jobs, "the source of a script is read when a run needs it, and not again", "[actors]") {
  apply(); // the group
  const auto job = add_script("script");
  std::size_t reads = 0;
  store.after = [&](std::string_view method) { reads += method == "read_jobs" ? 1 : 0; };
  std::vector<std::string> sources;
  on_claim = [&](const core::claim_batch& batch) {
    for (const auto& run : batch.runs)
      sources.push_back(run.spec->glue_source ? *run.spec->glue_source : "none");
  };
  begin();
  CHECK(reads == 0);
  advance(3s);
  CHECK(sources == std::vector<std::string>(3, "echo 1"));
  CHECK(reads == 1);
  CHECK(instants(core::number(job)) == seconds_from(start + 1s, 3));
  for (const auto& run : runs)
    CHECK(run.came <= run.fire_at);
  test::expect(look->job_editing().save_source(job, "echo 2", "second", {}, core::local_operator(), civil()));
  advance(3s);
  CHECK(sources.back() == "echo 2");
  CHECK(reads <= 3);
  const auto before = reads;
  advance(3s);
  CHECK(reads == before);
}
