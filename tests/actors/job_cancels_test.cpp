// job_coordination: runs that users, limits and draining hosts end.

#include "tests/actors/job_coordination_fixture.hpp"

namespace ringmaster::test::job_coordination_test {

namespace {

using namespace std::chrono_literals;
using protocol::elastic_event_kind;

} // namespace

TEST_CASE("a cancel reaches the open run once, whose end is killed", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  world.cancel(0);
  CHECK(world.count_orders(elastic::item_order::cancel) == 1);
  world.change();
  CHECK(world.count_orders(elastic::item_order::kill) == 0);
  world.finished(0, elastic::host_outcome::cancelled);
  CHECK(world.changes<elastic::action::write_end>().front().end == elastic::item_run_end::killed);
  // The row still names the run: the next one is another.
  world.change();
  world.advance(10s);
  world.change();
  CHECK(world.runs() == "0@AN, 0@AN");
  CHECK(world.count_orders(elastic::item_order::cancel) == 1);
}

TEST_CASE("a cancel outlives the node that coordinated the job", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  auto& row = world.stored.items.front();
  row.state = elastic::stored_item_state::open;
  row.run = row.cancel_run = world.latest(0).what.run;
  row.fence = world.latest(0).what.fence;
  row.host = world.process('A');
  world.stored.job.next = world.at().wall + 10s;
  world.load();
  CHECK(world.count_orders(elastic::item_order::cancel) == 0);
  const auto run = world.latest(0).what;
  world.answer_inventory('A', {{world.stored.job.id, run.item, run.run, run.fence, protocol::elastic_phase::running}});
  CHECK(world.count_orders(elastic::item_order::cancel) == 1);
}

TEST_CASE("a job that drains asks its runs to end and starts no others until it is enabled", "[actors][elastic]") {
  coordinated_job world{2};
  world.stored.job.what.options.streaming = true;
  world.begin("A");
  world.advance(10s);
  world.started(0);
  world.stored.job.status = elastic::job_status::draining;
  world.stored.job.next.reset();
  ++world.stored.job.revision;
  world.change();
  world.change();
  CHECK(world.count_orders(elastic::item_order::drain) == 2);
  world.finished(0, elastic::host_outcome::yielded);
  world.finished(1, elastic::host_outcome::yielded);
  world.advance(30s);
  CHECK(world.runs() == "0@AN, 1@AN");
  CHECK(world.changes<elastic::action::write_end>().front().end == elastic::item_run_end::finished);
  world.stored.job.status = elastic::job_status::on;
  world.stored.job.next = world.at().wall + 10s;
  ++world.stored.job.revision;
  world.change();
  world.advance(10s);
  CHECK(world.granted.size() == 4);
}

TEST_CASE("a disabled host gets no grants, and its run goes on", "[actors][elastic]") {
  coordinated_job world{2};
  world.begin("AB");
  world.advance(10s);
  REQUIRE(world.runs() == "0@BN, 1@AN");
  world.host_mode('B', elastic::host_mode::disabled);
  world.view();
  CHECK(world.orders.empty());
  world.advance(1s);
  world.finished(0);
  world.finished(1);
  world.view();
  world.advance(10s);
  CHECK(world.runs() == "0@BN, 1@AN, 0@AN, 1@AN");
  SECTION("until it is enabled") {
    world.finished(0);
    world.finished(1);
    world.host_mode('B', elastic::host_mode::enabled);
    world.view();
    world.advance(10s);
    CHECK(world.runs() == "0@BN, 1@AN, 0@AN, 1@AN, 0@BN, 1@AN");
  }
}

TEST_CASE("the runs of a host that drains are asked to end, and go on elsewhere", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.streaming = true;
  world.begin("AB");
  world.advance(10s);
  world.started(0);
  REQUIRE(world.runs() == "0@BN");
  world.host_mode('B', elastic::host_mode::draining);
  world.view();
  CHECK(world.count_orders(elastic::item_order::drain) == 1);
  world.advance(1s);
  world.finished(0, elastic::host_outcome::yielded);
  CHECK(world.runs() == "0@BN, 0@AN");
  CHECK(world.count_orders(elastic::item_order::drain) == 1);
}

TEST_CASE("a body that ignores cancel and kill loses its item once its failure is stored", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  world.cancel(0);
  world.advance(5s);
  CHECK(world.count_orders(elastic::item_order::kill) == 1);
  world.answer_inventory('A', {world.held(0)});
  CHECK(world.changes<elastic::action::write_end>().empty());
  world.holds_answers = true;
  world.advance(5s);
  REQUIRE_FALSE(world.changes<elastic::action::write_end>().empty());
  CHECK(world.changes<elastic::action::write_end>().front().end == elastic::item_run_end::failed);
  CHECK(std::get<elastic::item_write>(world.ops.back()).report.message == "its body ignored cancel and kill");
  CHECK(world.count_orders(elastic::item_order::close) == 0);
  world.holds_answers = false;
  world.settle();
  CHECK(world.count_orders(elastic::item_order::close) == 1);
}

TEST_CASE("a run that ignored its end after its time limit says both", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.timeout = 3s;
  world.stored.job.what.options.misfire = false;
  world.begin("A");
  world.advance(9s);
  world.started(0);
  world.advance(9s);
  world.holds_answers = true;
  world.answer_inventory('A', {world.held(0)});
  world.advance(5s);
  REQUIRE(world.changes<elastic::action::write_end>().size() == 1);
  std::vector<std::string> messages;
  for (const auto& op : world.ops)
    if (const auto* item = std::get_if<elastic::item_write>(&op); item && !item->report.message.empty())
      messages.push_back(item->report.message);
  CHECK(messages == std::vector<std::string>{"exceeded its time limit of 3000 ms, and its body ignored cancel and kill"});
}

} // namespace ringmaster::test::job_coordination_test
