// job_coordination: cursors of items, and streams that move to other hosts.

#include "tests/actors/job_coordination_fixture.hpp"

namespace ringmaster::test::job_streams_test {

namespace {

using namespace std::chrono_literals;
using protocol::elastic_event_kind;

protocol::elastic_event cursor_of(const coordinated_job& world, int item, std::uint64_t number,
                                  elastic_event_kind kind = elastic_event_kind::cursor) {
  auto event = world.event(item, kind);
  event.cursor = "p" + std::to_string(number);
  event.cursor_number = number;
  return event;
}

struct stream final : coordinated_job {
  explicit stream(std::int32_t items) : coordinated_job{items} {
    stored.job.what.kind = "dataflow";
    stored.job.what.options.streaming = true;
    stored.job.what.options.failover = true;
  }
};

} // namespace

TEST_CASE("a cursor has the fence of its run, and its receipt leaves once it is stored", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  CHECK_FALSE(world.latest(0).what.cursor);
  const auto before = world.done.size();
  world.holds_answers = true;
  world.tell(cursor_of(world, 0, 1));
  CHECK(world.done.size() == before);
  const auto writes = world.changes<elastic::write_cursor>();
  REQUIRE(writes.size() == 1);
  CHECK(writes.front().fence == world.latest(0).what.fence);
  CHECK(writes.front().value == "p1");
  world.answer();
  REQUIRE(world.done.size() == before + 1);
  CHECK(world.done.back().stored);
  world.finished(0);
  world.advance(10s);
  CHECK(world.granted.size() == 2);
  CHECK(world.latest(0).what.cursor == "p1");
}

TEST_CASE("an older cursor that comes late does not replace a newer one", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.holds_answers = true;
  world.tell(cursor_of(world, 0, 2));
  const auto before = world.done.size();
  world.tell(cursor_of(world, 0, 1));
  CHECK(world.done.size() == before); // the newer one is not stored yet
  world.answer();
  CHECK(world.changes<elastic::write_cursor>().size() == 1);
  CHECK(world.done.back().stored);
  world.finished(0);
  world.advance(10s);
  CHECK(world.latest(0).what.cursor == "p2");
  // The numbers of another run begin again.
  world.tell(cursor_of(world, 0, 1));
  CHECK(world.changes<elastic::write_cursor>().size() == 2);
}

TEST_CASE("the last cursor of a run is stored with its end", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.tell(cursor_of(world, 0, 3, elastic_event_kind::finished));
  REQUIRE(world.changes<elastic::write_cursor>().size() == 1);
  CHECK(std::holds_alternative<elastic::action::write_end>(std::get<elastic::item_write>(world.ops.back()).what));
  CHECK(world.done.back().stored);
  world.advance(10s);
  CHECK(world.latest(0).what.cursor == "p3");
}

TEST_CASE("a run that is over saves no cursor, and is closed", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  const auto late = cursor_of(world, 0, 1);
  world.finished(0);
  world.tell(late);
  CHECK_FALSE(world.done.back().stored);
  CHECK(world.count_orders(elastic::item_order::close) == 1);
  CHECK(world.changes<elastic::write_cursor>().empty());
  auto unknown = late;
  unknown.item = elastic::item_number{8};
  world.tell(unknown);
  CHECK_FALSE(world.done.back().stored);
  CHECK(world.count_orders(elastic::item_order::close) == 2);
}

TEST_CASE("a cursor whose guard is lost is taken again when its host repeats it", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.lost_items = {elastic::item_number{0}};
  const auto cursor = cursor_of(world, 0, 1);
  world.tell(cursor);
  CHECK_FALSE(world.done.back().stored);
  CHECK(world.rereads == std::vector{elastic::item_number{0}});
  world.lost_items.clear();
  world.tell(cursor);
  CHECK(world.done.back().stored);
  CHECK(world.changes<elastic::write_cursor>().size() == 2);
}

TEST_CASE("a takeover goes on from the cursor", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.failover = true;
  world.begin("AB");
  world.advance(10s);
  world.tell(cursor_of(world, 0, 1));
  world.dies('B');
  REQUIRE(world.runs() == "0@BN, 0@AF2");
  CHECK(world.latest(0).what.cursor == "p1");
}

TEST_CASE("a stream moves to the planned host as soon as it has yielded, with its cursor", "[actors][elastic]") {
  stream world{1};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  world.host_up('B');
  world.view();
  world.advance(1s);
  CHECK(world.count_orders(elastic::item_order::drain) == 1);
  CHECK(world.runs() == "0@AN");
  auto yielded = cursor_of(world, 0, 7, elastic_event_kind::finished);
  yielded.outcome = elastic::host_outcome::yielded;
  world.tell(yielded);
  CHECK(world.runs() == "0@AN, 0@BN");
  CHECK(world.latest(0).what.cursor == "p7");
  const auto ends = world.changes<elastic::action::write_end>();
  REQUIRE(ends.size() == 1);
  CHECK(ends.front().next.grant);
  world.advance(1s);
  CHECK(world.count_orders(elastic::item_order::drain) == 1);
}

TEST_CASE("a job without streaming keeps its hosts until its runs end", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.host_up('B');
  world.view();
  world.advance(1s);
  CHECK(world.count_orders(elastic::item_order::drain) == 0);
}

TEST_CASE("a takeover of a stream goes to the planned host", "[actors][elastic]") {
  stream world{2};
  world.begin("ABC");
  world.advance(10s);
  REQUIRE(world.runs() == "0@CN, 1@BN");
  // The rule of takeovers would prefer A, which runs nothing of the job.
  world.dies('C');
  CHECK(world.runs() == "0@CN, 1@BN, 0@BF2");
  CHECK(world.count_orders(elastic::item_order::drain) == 1);
  world.finished(1, elastic::host_outcome::yielded);
  CHECK(world.runs() == "0@CN, 1@BN, 0@BF2, 1@AN");
}

TEST_CASE("a stream that is not on its planned host moves after a hand-over", "[actors][elastic]") {
  stream world{1};
  auto row = coordinated_job::idle_row(0);
  row.fence = elastic::fence_number{1};
  row.state = elastic::stored_item_state::open;
  row.run = elastic::item_run_id{900};
  row.lease = 500ms;
  row.cause = {elastic::run_source::normal, {coordinated_job::start, elastic::run_source::normal, {}}};
  row.granted = coordinated_job::start;
  world.host_up('A');
  world.host_up('B');
  row.host = world.process('A');
  world.stored.items = {row};
  // The order to move was lost with the coordinator before.
  world.stored.plan = elastic::plan_row{3, "", 1, "2:0", coordinated_job::start};
  world.view();
  world.load();
  CHECK(world.count_orders(elastic::item_order::drain) == 0);
  world.answer_inventory('A', {{world.stored.job.id, row.item, row.run, row.fence, protocol::elastic_phase::running}});
  CHECK(world.count_orders(elastic::item_order::drain) == 1);
}

TEST_CASE("a fire that a stream misses does not move it", "[actors][elastic]") {
  stream world{1};
  world.stored.job.what.options.strategy = "SINGLE_SHARDING_BALANCE";
  world.begin("AB");
  world.advance(10s);
  REQUIRE(world.granted.size() == 1);
  world.started(0);
  world.advance(20s);
  CHECK(world.count_orders(elastic::item_order::drain) == 0);
}

} // namespace ringmaster::test::job_streams_test
