// job_coordination: hosts of the items of one elastic job: choice, loss, takeovers, inventories and links, on virtual time.

#include "tests/actors/job_coordination_fixture.hpp"

namespace ringmaster::test::job_hosts_test {

using namespace std::chrono_literals;
using protocol::elastic_event_kind;
using protocol::host_fate;

TEST_CASE("an item without a host waits, and gets the first one", "[actors][elastic]") {
  coordinated_job world{1};
  world.load();
  world.advance(10s);
  const auto marks = world.changes<elastic::write_mark>();
  REQUIRE(marks.size() == 1);
  CHECK(marks.front().wanted);
  world.host_up('C');
  world.view();
  world.advance(300ms);
  CHECK(world.runs() == "0@CM");
}

// A write that is repeated, because its answer was lost, may take out of the row what a later write has put there.
TEST_CASE("an item that waits without a mark in its row is marked again", "[actors][elastic]") {
  coordinated_job world{1};
  world.load();
  world.lost_items = {elastic::item_number{0}};
  world.advance(10s);
  REQUIRE(world.rereads == std::vector{elastic::item_number{0}});
  world.lost_items.clear();
  world.rows_read({coordinated_job::idle_row(0)});
  const auto marks = world.changes<elastic::write_mark>();
  REQUIRE(marks.size() == 2);
  CHECK(marks.back().missed);
  CHECK(marks.back().wanted);
  world.host_up('C');
  world.view();
  world.advance(300ms);
  CHECK(world.runs() == "0@CM");
}

TEST_CASE("a takeover begins in the write of the loss", "[actors][elastic]") {
  coordinated_job world{2};
  world.stored.job.what.options.failover = true;
  world.begin("AB");
  world.advance(10s);
  CHECK(world.runs() == "0@BN, 1@AN");
  world.started(0);
  world.started(1);
  world.dies('B');
  const auto losses = world.changes<elastic::action::write_loss>();
  REQUIRE(losses.size() == 1);
  CHECK(losses.front().proof == elastic::loss_proof::process_ended);
  CHECK(losses.front().next.grant);
  CHECK(world.runs() == "0@BN, 1@AN, 0@AF2");
}

TEST_CASE("a script of a dead host is lost once its program or its lease has ended", "[actors][elastic]") {
  coordinated_job world{1};
  auto& what = world.stored.job.what;
  what.kind = "script";
  what.handler = "SCRIPT";
  what.props = R"({"script.command.line":"/a"})";
  what.options.failover = true;
  world.begin("AB");
  world.advance(10s);
  CHECK(world.runs() == "0@BN");
  auto started = world.event(0, protocol::elastic_event_kind::started);
  const auto all_ended = [&] {
    world.job.notice({world.process('B'), protocol::host_fate::dead, {}, true}, world.at());
    world.settle();
  };
  elastic::loss_proof expected{};
  SECTION("the end of its program is told later") {
    started.child_pid = 41;
    world.tell(started);
    world.dies('B');
    CHECK(world.changes<elastic::action::write_loss>().empty());
    all_ended();
    expected = elastic::loss_proof::process_ended;
  }
  SECTION("its program is unknown") {
    world.dies('B');
    all_ended();
    world.advance(749ms);
    CHECK(world.changes<elastic::action::write_loss>().empty());
    world.advance(2ms);
    expected = elastic::loss_proof::lease_over;
  }
  SECTION("the end of its program is never proved") {
    started.child_pid = 41;
    world.tell(started);
    world.dies('B');
    world.advance(749ms);
    CHECK(world.changes<elastic::action::write_loss>().empty());
    // More news about the host extend nothing.
    world.view();
    world.advance(2ms);
    expected = elastic::loss_proof::lease_over;
  }
  const auto losses = world.changes<elastic::action::write_loss>();
  REQUIRE(losses.size() == 1);
  CHECK(losses.front().proof == expected);
  CHECK(world.runs() == "0@BN, 0@AF2");
}

TEST_CASE("without failover the run of a dead host is lost, and the next fire has another host", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("AB");
  world.advance(10s);
  CHECK(world.runs() == "0@BN");
  world.started(0);
  world.dies('B');
  CHECK(world.changes<elastic::action::write_loss>().front().end == elastic::item_run_end::lost);
  CHECK(world.granted.size() == 1);
  world.advance(10s);
  CHECK(world.runs() == "0@BN, 0@AN");
}

TEST_CASE("a silent host keeps its run until the lease is over", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.failover = true;
  world.begin("AB");
  world.advance(10s);
  world.started(0);
  world.host_state('B', elastic::host_state::silent);
  world.view();
  world.notice('B', host_fate::silent);
  world.advance(740ms);
  CHECK(world.granted.size() == 1);
  world.advance(20ms);
  CHECK(world.changes<elastic::action::write_loss>().front().proof == elastic::loss_proof::lease_over);
  CHECK(world.runs() == "0@BN, 0@AF2");
}

TEST_CASE("a new host shares from the next fire on, while an item runs on", "[actors][elastic]") {
  coordinated_job world{2};
  world.begin("A");
  world.advance(10s);
  CHECK(world.runs() == "0@AN, 1@AN");
  world.started(0);
  world.finished(1);
  world.host_up('B');
  world.view();
  world.advance(8s);
  world.finished(0);
  world.advance(2s);
  CHECK(world.runs() == "0@AN, 1@AN, 0@BN, 1@AN");
  CHECK(world.fires().back().plan);
  CHECK(world.fires().back().plan->version == world.fires().front().plan->version + 1);
}

TEST_CASE("a plan follows 200 ms of quiet, and a due fire does not wait for it", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(8'900ms);
  world.host_up('B');
  world.view();
  world.advance(110ms);
  CHECK(world.runs() == "0@BN");
}

TEST_CASE("a host without a free slot is not overloaded", "[actors][elastic]") {
  coordinated_job world{3};
  world.begin("A", 2);
  world.advance(10s);
  CHECK(world.runs() == "0@AN, 1@AN");
  world.started(0);
  world.started(1);
  world.finished(0);
  CHECK(world.runs() == "0@AN, 1@AN, 2@AM");
}

TEST_CASE("a refused run goes to another host without another attempt", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  auto refusal = world.event(0, elastic_event_kind::refused);
  refusal.refusal = protocol::elastic_refusal::busy;
  world.tell(refusal);
  CHECK(world.changes<elastic::action::write_loss>().front().proof == elastic::loss_proof::host_answered);
  CHECK(world.done.back().stored);
  CHECK(world.granted.size() == 1);
  world.advance(1'100ms);
  CHECK(world.runs() == "0@AN, 0@AN");
}

TEST_CASE("a grant without an answer leads to an inventory, and an absent run is granted again", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.failover = true;
  world.begin("A");
  world.advance(10s);
  CHECK(world.orders.empty());
  world.advance(2'100ms);
  REQUIRE(world.orders.size() == 1);
  world.answer_inventory('A', {});
  CHECK(world.changes<elastic::action::write_loss>().front().proof == elastic::loss_proof::host_answered);
  CHECK(world.runs() == "0@AN, 0@AN");
}

TEST_CASE("an open run is kept after adoption if its host has it, and closed if it is another one", "[actors][elastic]") {
  coordinated_job world{1};
  world.host_up('A');
  world.view();
  auto& row = world.stored.items.front();
  row.state = elastic::stored_item_state::open;
  row.fence = elastic::fence_number{4};
  row.run = elastic::item_run_id{40};
  row.host = world.process('A');
  row.lease = 500ms;
  row.granted = coordinated_job::start - 5s;
  world.load();
  REQUIRE(world.orders.size() == 1);
  protocol::elastic_held_run held{world.stored.job.id, row.item, row.run, row.fence, protocol::elastic_phase::running};
  auto old = held;
  old.run = elastic::item_run_id{39};
  old.fence = elastic::fence_number{3};
  world.answer_inventory('A', {held, old});
  CHECK(world.count_orders(elastic::item_order::close) == 1);
  CHECK(world.changes<elastic::action::write_loss>().empty());
  CHECK(world.ops.empty());
}

TEST_CASE("a definition is sent again over a new link", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.finished(0);
  CHECK(world.specs == 1);
  world.notice('A', host_fate::suspect);
  world.notice('A', host_fate::back);
  world.view();
  world.advance(10s);
  CHECK(world.granted.size() == 2);
  CHECK(world.specs == 2);
}

TEST_CASE("a run whose link is lost goes on if the inventory has it", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.failover = true;
  world.begin("AB");
  world.advance(10s);
  CHECK(world.runs() == "0@BN");
  world.started(0);
  world.host_unlinked('B');
  world.view();
  world.host_linked('B');
  world.view();
  REQUIRE(world.orders.size() == 1);
  const auto& run = world.latest(0).what;
  world.answer_inventory('B', {{world.stored.job.id, run.item, run.run, run.fence, protocol::elastic_phase::running}});
  world.finished(0);
  CHECK(world.runs() == "0@BN");
  CHECK(world.changes<elastic::action::write_end>().size() == 1);
}

TEST_CASE("a newer process does not prove the end of the older one", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.failover = true;
  world.begin("AB");
  world.advance(10s);
  world.started(0);
  const auto older = world.process('B');
  world.host_up('B');
  world.view();
  CHECK(world.changes<elastic::action::write_loss>().empty());
  world.job.notice({older, host_fate::replaced, {}}, world.at());
  world.settle();
  REQUIRE(world.changes<elastic::action::write_loss>().size() == 1);
  CHECK(world.changes<elastic::action::write_loss>().front().proof == elastic::loss_proof::process_ended);
}

TEST_CASE("an inventory of a newer process does not extend a run of the older one", "[actors][elastic]") {
  coordinated_job world{2};
  world.stored.job.what.options.failover = true;
  world.stored.job.what.options.fence_mode = elastic::fence_mode::orphan;
  world.begin("A");
  world.advance(10s);
  world.started(0);
  world.finished(1);
  const auto older = world.process('A');
  world.host_up('A');
  world.view();
  world.job.notice({older, host_fate::silent, world.at().now}, world.at());
  world.advance(10s); // the next fire grants the other item, whose host does not answer
  world.advance(3s);
  auto former = world.held(0);
  former.phase = protocol::elastic_phase::ended;
  world.answer_inventory('A', {former, world.held(1)});
  CHECK(world.changes<elastic::action::write_loss>().empty());
  world.advance(60s);
  REQUIRE(world.changes<elastic::action::write_loss>().size() == 1);
  CHECK(world.changes<elastic::action::write_loss>().front().proof == elastic::loss_proof::lease_over);
}

TEST_CASE("an item that a full host has refused begins with the next free slot", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  REQUIRE(world.granted.size() == 1);
  auto refusal = world.event(0, protocol::elastic_event_kind::refused);
  refusal.refusal = protocol::elastic_refusal::no_free_slot;
  world.tell(refusal);
  CHECK(world.granted.size() == 1);
  world.advance(50ms);
  world.view(); // the host has a free slot again
  CHECK(world.granted.size() == 2);
}

} // namespace ringmaster::test::job_hosts_test
