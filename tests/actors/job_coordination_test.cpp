// job_coordination: fires, grants, results, edits and orders of one elastic job, on virtual time.

#include "tests/actors/job_coordination_fixture.hpp"

namespace ringmaster::test::job_coordination_test {

namespace {

using namespace std::chrono_literals;
using protocol::elastic_event_kind;

// A node may have ten thousand jobs: one that is idle stays below 6 kB, with its item, its definition and its actor.
static_assert(sizeof(actors::job_coordination) <= 2'048);
static_assert(sizeof(elastic::item) <= 400);
static_assert(sizeof(elastic::elastic_job_row) <= 1'200);

} // namespace

TEST_CASE("a due fire is one write, and its grants leave once it is stored", "[actors][elastic]") {
  coordinated_job world{3};
  world.begin("AB");
  world.advance(8'990ms);
  CHECK(world.ops.empty());
  world.holds_answers = true;
  world.advance(20ms);
  REQUIRE(world.fires().size() == 1);
  const auto fire = world.fires().front();
  REQUIRE(fire.move);
  CHECK(fire.move->expected_next == coordinated_job::start + 10s);
  CHECK(fire.move->next == coordinated_job::start + 20s);
  CHECK(fire.move->seen_revision == 5);
  REQUIRE(fire.fires.size() == 1);
  CHECK(fire.fires.front().key.at == coordinated_job::start + 10s);
  CHECK(fire.fires.front().expected == 3);
  CHECK(fire.items.size() == 3);
  REQUIRE(fire.plan);
  CHECK(fire.plan->total == 3);
  CHECK(world.granted.empty());
  world.answer();
  // In the order of the job B is first, and it has the item that is left over.
  CHECK(world.runs() == "0@BN, 1@AN, 2@BN");
  CHECK(world.specs == 2);
  CHECK(world.latest(0).what.lease == 500ms);
  CHECK(world.latest(0).what.fire_at == coordinated_job::start + 10s);
}

TEST_CASE("a plan is stored once, and a definition is sent once to each host", "[actors][elastic]") {
  coordinated_job world{2};
  world.begin("AB");
  for (int i = 0; i < 3; ++i) {
    world.advance(10s);
    world.finished(0);
    world.finished(1);
  }
  REQUIRE(world.fires().size() == 3);
  CHECK(world.fires()[0].plan);
  CHECK_FALSE(world.fires()[1].plan);
  CHECK_FALSE(world.fires()[2].plan);
  CHECK(world.specs == 2);
}

TEST_CASE("the receipt of a result leaves after its write is stored", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  CHECK(world.done.size() == 1);
  world.holds_answers = true;
  auto result = world.event(0, elastic_event_kind::finished);
  result.outcome = elastic::host_outcome::error;
  result.text = "no disk";
  world.tell(result);
  CHECK(world.done.size() == 1);
  const auto ends = world.changes<elastic::action::write_end>();
  REQUIRE(ends.size() == 1);
  CHECK(ends.front().end == elastic::item_run_end::error);
  CHECK(ends.front().alarm == elastic::alarm_cause::error);
  CHECK(std::get<elastic::item_write>(world.ops.back()).report.message == "no disk");
  world.answer();
  REQUIRE(world.done.size() == 2);
  CHECK(world.done.back().stored);
  CHECK(world.done.back().events == 1);
}

TEST_CASE("a result whose guard is lost has no receipt, and the row is read", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  world.lost_items = {elastic::item_number{0}};
  world.finished(0);
  CHECK_FALSE(world.done.back().stored);
  CHECK(world.rereads == std::vector{elastic::item_number{0}});
  world.lost_items.clear();
  auto row = coordinated_job::idle_row(0);
  row.fence = elastic::fence_number{1};
  world.rows_read({row});
  world.advance(10s);
  CHECK(world.granted.size() == 2);
}

TEST_CASE("a host that was replaced and enters again ends runs of its former process", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  auto again = world.latest(0).host;
  again.incarnation = elastic::host_incarnation{core::number(again.incarnation) + 2};
  auto stranger = again;
  stranger.host = elastic::host_number{core::number(again.host) + 1};
  world.tell_from(again, world.event(0, elastic_event_kind::refused));
  world.tell_from(again, world.event(0, elastic_event_kind::fenced));
  world.tell_from(stranger, world.event(0, elastic_event_kind::finished));
  CHECK(world.changes<elastic::action::write_end>().empty());
  CHECK(world.changes<elastic::action::write_loss>().empty());
  world.tell_from(again, world.event(0, elastic_event_kind::finished));
  CHECK(world.changes<elastic::action::write_end>().size() == 1);
  CHECK(world.done.back().stored);
}

TEST_CASE("a repeated result is received without a write", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  const auto result = world.event(0, elastic_event_kind::finished);
  world.tell(result);
  const auto before = world.ops.size();
  world.tell(result);
  CHECK(world.ops.size() == before);
  CHECK(world.done.size() == 2);
  CHECK(world.done.back().stored);
}

TEST_CASE("a fire that is missed by a running item is made up for in the write of its end", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  world.advance(10s);
  const auto marks = world.changes<elastic::write_mark>();
  REQUIRE(marks.size() == 1);
  CHECK(marks.front().missed);
  CHECK(world.granted.size() == 1);
  world.finished(0);
  CHECK(world.runs() == "0@AN, 0@AM");
  CHECK(world.changes<elastic::action::write_end>().front().next.grant);
  // The receipt of the former run is not later than the grant.
  CHECK(world.done.back().stored);
}

TEST_CASE("instants that are late by more than five seconds become one fire", "[actors][elastic]") {
  coordinated_job world{1};
  world.host_up('A');
  world.view();
  world.stored.job.next = coordinated_job::start - 35s;
  world.load();
  world.advance(1ms);
  REQUIRE(world.fires().size() == 1);
  CHECK(world.fires().front().fires.front().key.source == elastic::run_source::misfire);
  CHECK(world.runs() == "0@AM");
}

TEST_CASE("an instant does not fire again after the clock was set back", "[actors][elastic]") {
  coordinated_job world{1};
  world.host_up('A');
  world.view();
  world.stored.job.last = coordinated_job::start + 20s;
  world.load();
  world.advance(25s);
  REQUIRE(world.fires().size() == 2);
  CHECK(world.fires().front().fires.empty());
  CHECK(world.fires().front().move->last == coordinated_job::start + 20s);
  CHECK(world.granted.empty());
  world.advance(10s);
  CHECK(world.runs() == "0@AN");
}

TEST_CASE("an edit at the moment of a fire voids it, and the job is read again", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A", 1); // the slot of the void grant is free again
  world.lose_fires = true;
  world.advance(10s);
  CHECK(world.reload);
  CHECK(world.granted.empty());
  world.lose_fires = false;
  world.stored.job.next = coordinated_job::start + 15s;
  world.stored.job.revision = 6;
  world.load();
  world.advance(5s);
  CHECK(world.runs() == "0@AN");
  CHECK(world.fires().back().move->seen_revision == 6);
}

TEST_CASE("a request runs an idle item at once, and is dropped by a busy one", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.request(11, "today");
  CHECK(world.runs() == "0@AR");
  CHECK(world.latest(0).param == "today");
  CHECK_FALSE(world.fires().front().move);
  world.request(12);
  CHECK(world.runs() == "0@AR");
  CHECK(std::holds_alternative<elastic::request_end>(world.ops.back()));
}

TEST_CASE("a job that is switched off fires no more, and its run goes on", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  world.stored.job.status = elastic::job_status::off;
  world.stored.job.next.reset();
  world.change();
  world.advance(30s);
  CHECK(world.fires().size() == 1);
  world.finished(0);
  CHECK(world.done.back().stored);
}

TEST_CASE("a job that shrinks and grows has the items of its number", "[actors][elastic]") {
  coordinated_job world{3};
  world.begin("A");
  world.stored.job.what.total = 2;
  world.stored.items[2].surplus = true;
  world.change();
  CHECK(world.changes<elastic::action::delete_item>().size() == 1);
  world.advance(10s);
  CHECK(world.runs() == "0@AN, 1@AN");
  world.stored.job.what.total = 3;
  world.stored.items[2].surplus = false;
  world.stored.job.next = coordinated_job::start + 20s;
  world.change();
  world.finished(0);
  world.finished(1);
  world.advance(10s);
  CHECK(world.granted.size() == 5);
}

TEST_CASE("a slot is released once all writes are answered", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.holds_answers = true;
  world.advance(10s);
  world.job.release(world.at());
  world.settle();
  CHECK_FALSE(world.ended);
  world.answer();
  CHECK(world.ended);
  CHECK(world.runs() == "0@AN");
}

TEST_CASE("a fire of many items is divided, and its rest follows the first part", "[actors][elastic]") {
  coordinated_job world{1'000};
  world.begin("A", 2'000);
  world.holds_answers = true;
  world.advance(10s);
  REQUIRE(world.ops.size() == 1);
  CHECK(world.fires().front().items.size() <= elastic::batch_items_max);
  world.answer();
  CHECK(world.granted.size() == 1'000);
}

TEST_CASE("once-listeners hold all items, and run before and after them", "[actors][elastic]") {
  coordinated_job world{2};
  world.stored.job.what.options.once_listeners = "audit";
  world.begin("AB");
  world.advance(10s);
  CHECK(world.fires().front().fires.front().state == elastic::fire_state::gathering);
  CHECK(world.latest(0).what.hold);
  world.tell(world.event(0, elastic_event_kind::arrived));
  CHECK(world.granted.size() == 2);
  world.tell(world.event(1, elastic_event_kind::arrived));
  REQUIRE(world.granted.size() == 3);
  CHECK(world.latest(-1).host == world.process('A'));
  CHECK(world.count_orders(elastic::item_order::go) == 0);
  world.finished(-1);
  CHECK(world.count_orders(elastic::item_order::go) == 2);
  world.finished(0);
  world.finished(1);
  REQUIRE(world.granted.size() == 4);
  world.finished(-2);
  const auto* last = std::get_if<elastic::fire_step_write>(&world.ops.back());
  REQUIRE(last != nullptr);
  CHECK(last->to == elastic::fire_state::done);
}

TEST_CASE("items go on without a hook that their hosts do not have", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.once_listeners = "audit";
  world.begin("A");
  world.advance(10s);
  world.tell(world.event(0, elastic_event_kind::arrived));
  world.refused(-1, GENERATE(protocol::elastic_refusal::unknown_handler, protocol::elastic_refusal::unknown_listener));
  CHECK(world.count_orders(elastic::item_order::go) == 1);
  CHECK(world.done.back().stored);
}

TEST_CASE("a part of the definition that a host lacks is logged once", "[actors][elastic]") {
  coordinated_job world{2};
  world.stored.job.what.options.pool = "FAST";
  world.stored.job.what.options.error_handler = "PAGER";
  world.begin("A");
  world.advance(10s);
  world.refused(0, protocol::elastic_refusal::unknown_pool);
  world.refused(1, protocol::elastic_refusal::unknown_pool);
  CHECK(world.problems == std::vector<std::string>{"host 1 refuses items: it has no pool \"FAST\""});
}

TEST_CASE("times that a wrong clock moved ahead are reported once, and a repair is taken over", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.step_clock(24h);
  world.finished(0);
  world.advance(15s);
  world.finished(0);
  CHECK(world.problems.empty());
  const auto fires = world.fires().size();
  world.step_clock(-24h);
  REQUIRE(world.problems.size() == 1);
  CHECK(world.problems[0].find("lies further ahead than its schedule explains") != std::string::npos);
  CHECK(world.items.far_ahead == 1);
  world.advance(1min);
  CHECK(world.problems.size() == 1);
  CHECK(world.fires().size() == fires);
  // The repair is an edit; its row says what has fired.
  world.stored.job.last = world.at().wall;
  world.stored.job.next = world.at().wall + 10s;
  ++world.stored.job.revision;
  world.change();
  CHECK(world.items.far_ahead == 0);
  world.advance(11s);
  CHECK(world.fires().size() == fires + 1);
}

} // namespace ringmaster::test::job_coordination_test
