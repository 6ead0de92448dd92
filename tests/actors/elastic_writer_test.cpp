#include "actors/elastic/elastic_writer.hpp"

#include "tests/actors/elastic_node_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using enum elastic::write_outcome;

namespace {

/// A job of four items whose slot node `a` holds, and a host.
struct writer_fixture : elastic_world {
  writer_fixture() {
    coordinator = track(system().spawn([this]() -> protocol::elastic_coordinator::behavior_type {
      return {
        [](protocol::elastic_due) {},
        [](const protocol::host_view&) {},
        [](const protocol::host_events&) {},
        [](const protocol::host_notice&) {},
        [this](protocol::elastic_stored& stored) { answered.push_back(std::move(stored)); },
        [](const protocol::elastic_job_change&) {},
        [](protocol::slot_release_order) {},
      };
    }));
    tell(writer, protocol::incarnation_change{me});
    run();
  }
  ~writer_fixture() { end_all(); }

  elastic::elastic_job_id add_job() {
    core::group_draft draft;
    draft.app_name = "elastic";
    draft.title = "Elastic";
    elastic::elastic_edit edit;
    edit.what.name = "sums";
    edit.what.group = expect(direct->group_editing().add(draft, core::local_operator(), civil()));
    edit.what.handler = "sum";
    edit.what.total = 4;
    edit.what.options.schedule = core::schedule_type::fixed_rate;
    edit.what.options.schedule_conf = "60";
    return expect(ej().put(edit, civil(), core::local_operator())).id;
  }
  [[nodiscard]] elastic::elastic_op grant(std::int32_t item, std::int64_t fence = 0) const {
    const elastic::item_grant what{elastic::fence_number{fence}, host, {elastic::run_source::normal, {start, {}, {}}}, 1, 500ms};
    return elastic::item_write{job, elastic::item_number{item}, what};
  }
  void write(std::uint64_t number, std::vector<elastic::elastic_op> ops) {
    tell(writer, protocol::elastic_ops{coordinator, number, lease, std::move(ops)});
  }

  std::vector<protocol::elastic_stored> answered;
  protocol::elastic_coordinator coordinator;
  elastic::host_process host =
    expect(ej().enter_host(me, expect(ej().mark("c1")).cluster_id, {"h1", "app", "p1", "f1", "", 1, 1, 1, "10.0.0.1", "", 4}))
      .row->process;
  elastic::elastic_job_id job = add_job();
  elastic::lease_wish wish{static_cast<std::uint32_t>(core::slot_of(core::job_id{core::number(job)})), 0};
  elastic::slot_lease lease = expect(ej().take_leases(me, std::vector{wish})).at(0);
  protocol::elastic_writer writer =
    spawn<actors::elastic_writer_state, protocol::elastic_writer>(worker.actor, clock(), silent_log());
};

} // namespace

TEST_CASE_METHOD(writer_fixture, "writes that queued are one transaction, and each message has one answer", "[actors][elastic]") {
  write(1, {grant(0)});
  write(2, {grant(1), grant(2)});
  write(3, {grant(3)});
  write(4, {});
  run();
  // The first message finds an idle worker.
  REQUIRE(store.role.batches.size() == 2);
  CHECK(store.role.batches[0].ops.size() == 1);
  CHECK(store.role.batches[1].ops.size() == 3);
  CHECK(store.role.batches[1].leases == std::vector{lease});
  REQUIRE(answered.size() == 4);
  for (const auto& each : answered)
    for (const auto& op : each.answers) {
      CHECK(op.outcome == done);
      CHECK(core::number(op.items.at(0).run) > 0);
    }
  CHECK(ask<protocol::node_status>(writer, protocol::status_query{})->ready);
}

TEST_CASE_METHOD(writer_fixture, "a transaction without an answer is repeated unchanged", "[actors][elastic]") {
  int faults = 3;
  store.role.fault_of = [&](std::string_view) { return faults-- > 0 ? store_fault::answer_lost : store_fault::none; };
  write(1, {grant(0)});
  run();
  write(2, {grant(1)});
  run();
  CHECK(answered.empty());
  CHECK_FALSE(ask<protocol::node_status>(writer, protocol::status_query{})->ready);
  advance(2s);
  REQUIRE(answered.size() == 2);
  CHECK(answered[0].answers.at(0).outcome == repeated);
  CHECK(answered[1].answers.at(0).outcome == done);
  CHECK(store.role.batches.size() == 5);
}

TEST_CASE_METHOD(writer_fixture, "the end of the incarnation fences what waits", "[actors][elastic]") {
  store.role.fault_of = [&](std::string_view) { return store_fault::away; };
  write(1, {grant(0)});
  write(2, {grant(1)});
  run();
  CHECK(answered.empty());
  tell(writer, protocol::incarnation_change{});
  run();
  REQUIRE(answered.size() == 2);
  CHECK(answered[0].answers.at(0).outcome == fenced);
  CHECK(answered[1].answers.at(0).items.at(0).outcome == fenced);
  write(3, {grant(2)});
  run();
  REQUIRE(answered.size() == 3);
  CHECK(answered[2].answers.at(0).outcome == fenced);
  store.role.fault_of = nullptr;
  tell(writer, protocol::incarnation_change{me});
  write(4, {grant(2)});
  advance(3s);
  REQUIRE(answered.size() == 4);
  CHECK(answered[3].answers.at(0).outcome == done);
}

TEST_CASE_METHOD(writer_fixture, "a message that the store refuses loses alone", "[actors][elastic]") {
  auto cursor = elastic::item_write{job, elastic::item_number{1},
                                    elastic::write_cursor{elastic::fence_number{1}, std::string(elastic::cursor_bytes + 1, 'x')}};
  write(1, {grant(0)});
  write(2, {grant(1)});
  write(3, {cursor});
  write(4, {grant(2)});
  run();
  REQUIRE(answered.size() == 4);
  CHECK(answered[1].answers.at(0).outcome == done);
  CHECK(answered[2].number == 3);
  CHECK(answered[2].answers.at(0).outcome == guard_lost);
  CHECK(answered[2].answers.at(0).items.size() == 1);
  CHECK(answered[3].answers.at(0).outcome == done);
}

TEST_CASE("a batch has at most 500 writes of items and one epoch of a slot", "[actors][elastic]") {
  const auto ops = [](std::size_t count) {
    return std::vector<elastic::elastic_op>(count, elastic::item_write{elastic::elastic_job_id{1}, {}, elastic::write_mark{}});
  };
  const auto answers = [](std::size_t count) { return std::vector<elastic::elastic_answer>(count, {done}); };
  actors::write_queue queue;
  const core::node_incarnation owner{"a", 1};
  SECTION("messages are not divided while they have room in a batch of their own") {
    queue.add({{}, 1, {3, 1}, ops(300)});
    queue.add({{}, 2, {3, 1}, ops(300)});
    CHECK(queue.begin(owner)->ops.size() == 300);
    CHECK(queue.finish(answers(300)).size() == 1);
    CHECK(queue.begin(owner)->ops.size() == 300);
    CHECK(queue.finish(answers(300)).size() == 1);
    CHECK(queue.empty());
  }
  SECTION("a larger message is divided, and answered once") {
    queue.add({{}, 1, {3, 1}, ops(1'100)});
    queue.add({{}, 2, {4, 1}, ops(10)});
    CHECK(queue.begin(owner)->ops.size() == 500);
    CHECK(queue.finish(answers(500)).empty());
    CHECK(queue.begin(owner)->ops.size() == 500);
    CHECK(queue.finish(answers(500)).empty());
    CHECK(queue.begin(owner)->ops.size() == 110);
    const auto all = queue.finish(answers(110));
    REQUIRE(all.size() == 2);
    CHECK(all[0].what.answers.size() == 1'100);
    CHECK(all[1].what.number == 2);
  }
  SECTION("the rest of a divided message is fenced with it") {
    queue.add({{}, 1, {3, 1}, ops(700)});
    static_cast<void>(queue.begin(owner));
    const auto all = queue.fence();
    REQUIRE(all.size() == 1);
    REQUIRE(all[0].what.answers.size() == 700);
    CHECK(all[0].what.answers.back().outcome == fenced);
    CHECK(queue.empty());
  }
  SECTION("another epoch of the slot waits") {
    queue.add({{}, 1, {3, 1}, ops(1)});
    queue.add({{}, 2, {3, 2}, ops(1)});
    CHECK(queue.begin(owner)->leases == std::vector<elastic::slot_lease>{{3, 1}});
    CHECK(queue.finish(answers(1)).size() == 1);
    CHECK(queue.begin(owner)->leases == std::vector<elastic::slot_lease>{{3, 2}});
  }
}
