// elastic_director with its coordinators, and the other actors of elastic jobs: from the edit to the result in the store.

#include "actors/elastic/elastic_director.hpp"

#include "tests/actors/elastic_jobs_fixture.hpp"
#include "tests/support/pulse.hpp"

namespace ringmaster::test::elastic_director_test {

TEST_CASE_METHOD(elastic_jobs_world, "without elastic jobs only the edit counter is read", "[actors][elastic]") {
  live(me);
  pass(5s);
  CHECK(store.role.calls.count("take_leases") == 0);
  CHECK(store.role.calls.count("adopt") == 0);
  add_job(1);
  pass(1s);
  CHECK(store.role.calls["adopt"] == 1);
}

TEST_CASE_METHOD(elastic_jobs_world, "three items of one job run on two hosts at each instant", "[actors][elastic]") {
  begin(3, "AB");
  pass(9s);
  CHECK(grants('A') + grants('B') == 0);
  pass(2s);
  CHECK(grants('A') + grants('B') == 3);
  CHECK(grants('A') >= 1);
  CHECK(grants('B') >= 1);
  CHECK(open_rows() == 3);
  for (int item = 0; item < 3; ++item)
    finish(item);
  pass(100ms);
  CHECK(open_rows() == 0);
  CHECK(all['A'].runs.empty());
  CHECK(all['B'].runs.empty());
  pass(10s);
  CHECK(grants('A') + grants('B') == 6);
}

TEST_CASE_METHOD(elastic_jobs_world, "jobs that fire in one instant grant no slot twice", "[actors][elastic]") {
  capacity = 3;
  begin(2, "A");
  edit.what.name = "more";
  expect(ej().put(edit, civil(), core::local_operator()));
  pass(11s);
  CHECK(grants('A') == 3);
  finish(0);
  pass(1s);
  CHECK(grants('A') == 4);
}

TEST_CASE_METHOD(elastic_jobs_world, "a slot whose epoch is lower than that of a host is taken again", "[actors][elastic]") {
  begin(1, "A");
  pass(1s);
  const auto slot = static_cast<std::uint32_t>(core::slot_of(core::job_id{core::number(job)}));
  const auto epoch_of_slot = [&] {
    const auto leases = expect(ej().leases());
    return std::find_if(leases.begin(), leases.end(), [&](const auto& row) { return row.lease.slot == slot; })->lease.epoch;
  };
  const auto before = epoch_of_slot();
  tell(director, protocol::host_epochs{{{slot, before}}});
  pass(1s);
  CHECK(epoch_of_slot() == before);
  tell(director, protocol::host_epochs{{{slot, std::int64_t{1} << 60U}}});
  pass(1s);
  CHECK(epoch_of_slot() == before);
  tell(director, protocol::host_epochs{{{slot, before + 41}}});
  pass(1s);
  CHECK(epoch_of_slot() == before + 42);
  pass(10s);
  CHECK(grants('A') == 1);
}

TEST_CASE_METHOD(elastic_jobs_world, "a run of a killed host is taken over within 250 ms", "[actors][elastic]") {
  begin(1, "AB", true);
  pass(11s);
  REQUIRE(grants('B') == 1);
  kill_host('B');
  pass(250ms);
  REQUIRE(grants('A') == 1);
  CHECK(all['A'].granted.front().source == elastic::run_source::failover);
  CHECK(all['A'].granted.front().attempt == 2);
  finish(0);
  pass(100ms);
  CHECK(open_rows() == 0);
}

TEST_CASE_METHOD(elastic_jobs_world, "an edit of a job is followed", "[actors][elastic]") {
  begin(1, "A");
  pass(1s);
  expect(ej().set_status(job, elastic::job_status::off, civil(), core::local_operator()));
  pass(20s);
  CHECK(grants('A') == 0);
  expect(ej().set_status(job, elastic::job_status::on, civil(), core::local_operator()));
  pass(11s);
  CHECK(grants('A') == 1);
  finish(0);
  expect(ej().remove(job, expect(ej().read_job(job)).job.version, civil(), core::local_operator()));
  pass(20s);
  CHECK(grants('A') == 1);
}

TEST_CASE_METHOD(elastic_jobs_world, "a job that is added later is planned", "[actors][elastic]") {
  live(me);
  host_up('A');
  pass(1s);
  add_job(2);
  pass(12s);
  CHECK(grants('A') == 2);
}

TEST_CASE_METHOD(elastic_jobs_world, "a slot that leaves is released, and its run goes on", "[actors][elastic]") {
  begin(1, "A");
  pass(11s);
  REQUIRE(grants('A') == 1);
  tell(director, protocol::slot_change{});
  pass(200ms);
  CHECK(held_leases() == 0);
  CHECK(open_rows() == 1);
  CHECK(all['A'].orders.empty());
  // Its result waits in the inbox until a node has the slot again.
  finish(0);
  CHECK(all['A'].runs.empty());
  CHECK(open_rows() == 1);
  tell(director, protocol::slot_change{core::slot_set{}.set()});
  pass(500ms);
  CHECK(open_rows() == 0);
  CHECK(all['A'].runs.empty());
}

TEST_CASE_METHOD(elastic_jobs_world, "a result of a slot that is being released stays at its host", "[actors][elastic]") {
  begin(1, "A");
  pass(11s);
  REQUIRE(grants('A') == 1);
  store.role.fault_of = [](std::string_view method) {
    return method == "release_leases" ? store_fault::away : store_fault::none;
  };
  tell(director, protocol::slot_change{});
  pass(200ms);
  REQUIRE(held_leases() > 0);
  finish(0);
  pass(300ms);
  CHECK(all['A'].runs.size() == 1);
  CHECK(open_rows() == 1);
  store.role.fault_of = nullptr;
  pass(1s);
  REQUIRE(held_leases() == 0);
  tell(director, protocol::slot_change{core::slot_set{}.set()});
  pass(500ms);
  CHECK(open_rows() == 0);
  CHECK(all['A'].runs.empty());
}

TEST_CASE_METHOD(elastic_jobs_world, "a slot is released that left before the node knew its lease", "[actors][elastic]") {
  add_job(1);
  store.role.fault_of = [](std::string_view method) {
    return method == "take_leases" ? store_fault::answer_lost : store_fault::none;
  };
  live(me);
  pass(1s);
  REQUIRE(held_leases() > 0);
  tell(director, protocol::slot_change{});
  store.role.fault_of = nullptr;
  pass(2s);
  CHECK(held_leases() == 0);
}

TEST_CASE_METHOD(elastic_jobs_world, "an open run survives a new incarnation of the node", "[actors][elastic]") {
  begin(1, "A");
  pass(11s);
  REQUIRE(grants('A') == 1);
  tell(director, protocol::incarnation_change{});
  tell(hosts, protocol::incarnation_change{});
  tell(writer, protocol::incarnation_change{});
  run();
  live(expect(direct->cluster().enter("a", "one:1")));
  host_links('A');
  pass(1s);
  CHECK(open_rows() == 1);
  CHECK(grants('A') == 1);
  finish(0);
  pass(500ms);
  CHECK(open_rows() == 0);
  CHECK(all['A'].runs.empty());
}

TEST_CASE_METHOD(elastic_jobs_world, "a stored cancel reaches the host of the run", "[actors][elastic]") {
  begin(2, "A");
  pass(11s);
  REQUIRE(grants('A') == 2);
  const auto run = all['A'].runs.front().grant.run;
  expect(ej().cancel_run(run, civil(), core::local_operator()));
  pass(1s);
  REQUIRE(all['A'].orders.size() == 1);
  CHECK(all['A'].orders.front().run == run);
  CHECK(all['A'].orders.front().order == elastic::item_order::cancel);
}

TEST_CASE_METHOD(elastic_jobs_world, "a restart cancels the runs, and the job goes on", "[actors][elastic]") {
  begin(2, "A");
  pass(11s);
  REQUIRE(grants('A') == 2);
  expect(ej().restart(job, civil(), core::local_operator()));
  pass(1s);
  CHECK(all['A'].orders.size() == 2);
  for (const int item : {0, 1})
    finish(item, elastic::host_outcome::cancelled);
  pass(10s);
  CHECK(grants('A') == 4);
}

TEST_CASE_METHOD(elastic_jobs_world, "a host that an administrator disables gets no more grants", "[actors][elastic]") {
  begin(2, "AB");
  pass(11s);
  REQUIRE(grants('A') == 1);
  REQUIRE(grants('B') == 1);
  expect(ej().set_host_mode("ringmaster://elastic/B", elastic::host_mode::disabled, civil(), core::local_operator()));
  for (const int item : {0, 1})
    finish(item);
  pass(11s);
  CHECK(grants('A') == 3);
  CHECK(grants('B') == 1);
  CHECK(all['B'].orders.empty());
  SECTION("also in its next process") {
    kill_host('B');
    for (const int item : {0, 1})
      finish(item);
    host_up('B');
    pass(10s);
    CHECK(grants('A') == 5);
    CHECK(grants('B') == 0);
  }
}

TEST_CASE_METHOD(elastic_jobs_world, "a graceful stop releases all slots", "[actors][elastic]") {
  add_job(1);
  live(me);
  pass(1s);
  CHECK_FALSE(ask_done(director, protocol::stop_request{}));
  CHECK(held_leases() == 0);
}

TEST_CASE_METHOD(elastic_jobs_world, "hosts are asked to choose another node before a graceful stop", "[actors][elastic]") {
  begin(1, "A");
  pass(2s);
  CHECK_FALSE(all['A'].must_leave);
  CHECK_FALSE(ask_done(director, protocol::stop_request{}));
  pass(300ms);
  CHECK(all['A'].must_leave);
}

TEST_CASE_METHOD(elastic_jobs_world, "a fire that the store refuses is tried twice in a second", "[actors][elastic]") {
  begin(1, "A");
  pass(9s);
  store.role.refuses = true;
  store.role.batches.clear();
  pass(4s);
  CHECK(store.role.batches.size() >= 3);
  CHECK(store.role.batches.size() <= 10);
  store.role.refuses = false;
  pass(1s);
  CHECK(grants('A') == 1);
}

TEST_CASE_METHOD(elastic_jobs_world, "writes wait while the store is away, and nothing is run twice", "[actors][elastic]") {
  begin(1, "A");
  pass(9s);
  bool away = true;
  store.role.fault_of = [&](std::string_view method) {
    return away && method == "write" ? store_fault::answer_lost : store_fault::none;
  };
  pass(2s);
  CHECK(grants('A') == 0);
  away = false;
  pass(3s);
  store.role.fault_of = nullptr;
  CHECK(grants('A') == 1);
  finish(0);
  pass(100ms);
  CHECK(open_rows() == 0);
}

TEST_CASE_METHOD(elastic_jobs_world, "only the coordinator of a job can release it", "[actors][elastic]") {
  begin(1, "A");
  pass(1s);
  REQUIRE(store.role.calls["adopt"] == 1);
  // As from the coordinator of an incarnation that is over.
  tell(director, protocol::coordinator_wish{.job = job, .released = true});
  pass(10s);
  CHECK(store.role.calls["adopt"] == 1);
  CHECK(grants('A') == 1);
}

TEST_CASE_METHOD(elastic_jobs_world, "with pulses edits are seldom read without need", "[actors][elastic]") {
  live(me);
  host_up('A');
  const auto pulse = start_pulse(*this, worker.actor, director, me);
  pass(3s);
  add_job(2);
  pass(12s);
  CHECK(grants('A') == 2);
  finish(0);
  finish(1);
  pass(1s);
  const auto reads = store.role.calls["last_revision"];
  pass(5s);
  CHECK(store.role.calls["last_revision"] <= reads + 1);
  expect(ej().set_status(job, elastic::job_status::off, civil(), core::local_operator()));
  pass(20s);
  CHECK(grants('A') == 2);
}

} // namespace ringmaster::test::elastic_director_test
