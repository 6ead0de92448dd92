// job_coordination: answers that come late, lost guards, silent hosts, and rows that no write of this program makes.

#include "tests/actors/job_coordination_fixture.hpp"

namespace ringmaster::test::job_guards_test {

namespace {

using namespace std::chrono_literals;
using protocol::host_fate;

/// Row of the open run of an item.
elastic::item_row open_row(const coordinated_job& world, int item) {
  const auto& run = world.latest(item);
  auto row = coordinated_job::idle_row(item);
  row.fence = run.what.fence;
  row.state = elastic::stored_item_state::open;
  row.run = run.what.run;
  row.host = run.host;
  row.lease = run.what.lease;
  row.cause = {run.what.source, {run.what.fire_at, elastic::run_source::normal, {}}};
  row.granted = run.what.fire_at;
  return row;
}

} // namespace

TEST_CASE("rows are read one reading after the other", "[actors][elastic]") {
  coordinated_job world{2};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  world.started(1);
  world.lost_items = {elastic::item_number{0}};
  world.finished(0);
  world.lost_items = {elastic::item_number{1}};
  const auto result = world.event(1, protocol::elastic_event_kind::finished);
  world.tell(result);
  CHECK(world.rereads == std::vector{elastic::item_number{0}});
  world.lost_items.clear();
  auto row = coordinated_job::idle_row(0);
  row.fence = elastic::fence_number{1};
  world.rows_read({row});
  // The first answer is not taken as that about item 1, whose run is open.
  CHECK(world.rereads == std::vector{elastic::item_number{0}, elastic::item_number{1}});
  world.rows_read({open_row(world, 1)});
  const auto ends = world.changes<elastic::action::write_end>().size();
  world.tell(result);
  CHECK(world.changes<elastic::action::write_end>().size() == ends + 1);
  CHECK(world.done.back().stored);
}

TEST_CASE("an item whose writes are refused again and again is read with a pause", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  const auto row = open_row(world, 0);
  const auto result = world.event(0, protocol::elastic_event_kind::finished);
  world.lost_items = {elastic::item_number{0}};
  for (std::size_t refused = 1; refused <= 3; ++refused) {
    world.tell(result);
    REQUIRE(world.rereads.size() == refused);
    world.rows_read({row});
  }
  world.tell(result);
  CHECK(world.rereads.size() == 3);
  world.advance(499ms);
  CHECK(world.rereads.size() == 3);
  world.advance(1ms);
  CHECK(world.rereads.size() == 4);
}

TEST_CASE("an answer to a reading before the state was read again has no effect", "[actors][elastic]") {
  coordinated_job world{2};
  world.begin("A");
  world.advance(10s);
  world.lost_items = {elastic::item_number{0}};
  world.finished(0);
  REQUIRE(world.rereads.size() == 1);
  world.lost_items.clear();
  const auto run = world.latest(1).what.run;
  world.stored.items = {open_row(world, 0), open_row(world, 1)};
  world.stored.job.next = world.at().wall + 10s;
  world.load();
  world.lost_items = {elastic::item_number{1}};
  world.finished(1);
  world.lost_items.clear();
  // Its rows are those of another question.
  world.rows_read({coordinated_job::idle_row(0)});
  CHECK(world.rereads == std::vector{elastic::item_number{0}, elastic::item_number{1}});
  auto row = open_row(world, 1);
  CHECK(row.run == run);
  world.rows_read({row});
  world.finished(1);
  CHECK(world.done.back().stored);
}

TEST_CASE("a lease that was extended before a second silence is waited for", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.failover = true;
  world.stored.job.what.options.fence_mode = elastic::fence_mode::orphan;
  world.begin("AB");
  world.advance(10s);
  world.started(0);
  const auto fate = [&](elastic::host_state state, host_fate news) {
    world.host_state('B', state);
    world.view();
    world.notice('B', news);
  };
  fate(elastic::host_state::silent, host_fate::silent);
  world.advance(30s);
  fate(elastic::host_state::up, host_fate::back);
  world.advance(1s);
  fate(elastic::host_state::silent, host_fate::silent);
  world.advance(60s);
  CHECK(world.granted.size() == 1);
  world.advance(1s);
  CHECK(world.granted.size() == 2);
}

TEST_CASE("a run that is found open after the news of a silence waits for the lease as well", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  world.started(0);
  const auto row = open_row(world, 0);
  // The write of its result is refused, and its host is silent before the row is read.
  world.lost_items = {elastic::item_number{0}};
  world.finished(0);
  REQUIRE(world.rereads.size() == 1);
  world.lost_items.clear();
  world.host_state('A', elastic::host_state::silent);
  world.view();
  world.notice('A', host_fate::silent);
  world.rows_read({row});
  CHECK(world.changes<elastic::action::write_loss>().empty());
  world.advance(760ms);
  const auto losses = world.changes<elastic::action::write_loss>();
  REQUIRE(losses.size() == 1);
  CHECK(losses.front().proof == elastic::loss_proof::lease_over);
}

// No list of hosts follows in these tests: nothing changes on a host that never got a run, or has lost it.

TEST_CASE("a job with invalid rows is not coordinated until they are mended", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.total = 2'000'000'000;
  world.host_up('A');
  world.view();
  world.load();
  CHECK(world.problems == std::vector<std::string>{"invalid rows, the job does not run: ej_job.total = 2000000000"});
  world.advance(30s);
  CHECK(world.ops.empty());
  protocol::elastic_event event;
  event.kind = protocol::elastic_event_kind::finished;
  world.job.hear({world.process('A'), 1, 1, {event}}, world.at());
  world.settle();
  REQUIRE(world.done.size() == 1);
  CHECK_FALSE(world.done.front().stored); // its host keeps the result
  world.stored.job.what.total = 1;
  world.stored.job.next = world.at().wall + 10s;
  world.change();
  world.advance(10s);
  CHECK(world.granted.size() == 1);
}

TEST_CASE("an invalid row is reported with its column", "[actors][elastic]") {
  coordinated_job world{2};
  auto& job = world.stored.job;
  auto& item = world.stored.items[1];
  std::string place;
  SECTION("the next instant") {
    job.next = core::from_ms(-1);
    place = "ej_schedule.next_ms = -1";
  }
  SECTION("a version") {
    job.version = -2;
    place = "ej_job.version = -2";
  }
  SECTION("an option") {
    job.what.options.timeout = -1ms;
    place = "ej_job.timeout_ms = -1";
  }
  SECTION("a fence") {
    item.fence = elastic::fence_number{-3};
    place = "ej_item.fence = -3 (item 1)";
  }
  world.load();
  CHECK(world.problems == std::vector<std::string>{"invalid rows, the job does not run: " + place});
}

TEST_CASE("items without a row are reported, and the others run", "[actors][elastic]") {
  coordinated_job world{3};
  world.stored.items.erase(world.stored.items.begin() + 1);
  world.begin("A");
  CHECK(world.problems == std::vector<std::string>{"ej_item has no row for 1 of 3 items: 1; they do not run: reduce the number of"
                                                   " items, then enlarge it again"});
  world.advance(9s);
  CHECK(world.runs() == "0@AN, 2@AN");
}

TEST_CASE("a job whose rows become invalid stops alone once its writes are answered", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.holds_answers = true;
  world.advance(9s);
  REQUIRE(world.fires().size() == 1);
  auto broken = world.stored;
  broken.items.front().fence = elastic::fence_number{-5};
  // Not while the fire is being written: the job is read again.
  world.job.change(elastic::adopted_job{broken}, world.rule(), world.at());
  world.settle();
  CHECK_FALSE(world.reload);
  world.answer();
  CHECK(world.reload);
  world.job.load(std::move(broken), world.rule(), world.at());
  world.settle();
  CHECK(world.problems.size() == 1);
  CHECK_FALSE(world.job.next_call(world.at()));
}

TEST_CASE("an instant in a distant year is waited for without an overflow", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.next = core::from_ms(core::latest_ms - 1000);
  world.begin("A");
  const auto next = world.job.next_call(world.at());
  REQUIRE(next);
  CHECK(*next > world.at().now + 24h);
}

TEST_CASE("an absent run is lost although the clock of its former node was ahead", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  auto row = open_row(world, 0);
  row.granted = world.at().wall + 24h;
  world.stored.items = {row};
  world.stored.job.next = world.at().wall + 10s;
  world.load();
  world.advance(1s);
  world.answer_inventory('A', {});
  CHECK(world.changes<elastic::action::write_loss>().size() == 1);
}

TEST_CASE("a compensation is not made up for if misfire was switched off before the start", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.misfire = false;
  world.stored.job.last = coordinated_job::start - 1s;
  world.stored.items.front().missed = true;
  world.begin("A");
  world.advance(5s);
  CHECK(world.granted.empty());
  world.advance(5s);
  CHECK(world.runs() == "0@AN");
}

TEST_CASE("after a hand-over a missed fire is made up for, and not that of the open run", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  const auto begun = world.latest(0).what.fire_at;
  auto row = open_row(world, 0);
  row.missed = true;
  world.stored.items = {row};
  world.stored.job.last = begun + 10s;
  world.stored.job.next = begun + 20s;
  world.load();
  world.finished(0);
  CHECK(world.latest(0).what.source == elastic::run_source::misfire);
  CHECK(world.latest(0).what.fire_at == begun + 10s);
}

TEST_CASE("after a hand-over the fire that was missed beside a run by request is made up for", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  const auto missed = world.latest(0).what.fire_at;
  auto row = open_row(world, 0);
  row.missed = true;
  row.cause = {elastic::run_source::manual, {missed + 200ms, elastic::run_source::manual, elastic::request_id{9}}};
  world.stored.items = {row};
  world.stored.job.last = missed;
  world.stored.job.next = missed + 20s;
  world.load();
  world.finished(0);
  CHECK(world.latest(0).what.source == elastic::run_source::misfire);
  CHECK(world.latest(0).what.fire_at == missed);
}

TEST_CASE("after a hand-over a large job makes up for a fire whose marks were perhaps not stored", "[actors][elastic]") {
  coordinated_job world{static_cast<std::int32_t>(elastic::fire_items_max) + 1};
  world.begin("A", 1000);
  world.advance(10s);
  const auto begun = world.latest(0).what.fire_at;
  world.stored.items = {open_row(world, 0)};
  world.stored.job.last = begun + 10s;
  world.stored.job.next = begun + 20s;
  SECTION("misfire is on") {
    world.load();
    world.finished(0);
    CHECK(world.latest(0).what.source == elastic::run_source::misfire);
    CHECK(world.latest(0).what.fire_at == begun + 10s);
  }
  SECTION("misfire is off") {
    world.stored.job.what.options.misfire = false;
    world.load();
    world.finished(0);
    CHECK(world.latest(0).what.source == elastic::run_source::normal);
  }
}

TEST_CASE("a host cannot end the run of another one", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("AB");
  world.advance(10s);
  world.started(0);
  REQUIRE(world.runs() == "0@BN");
  for (const auto kind : {protocol::elastic_event_kind::finished, protocol::elastic_event_kind::refused}) {
    world.job.hear({world.process('A'), 1, 77, {world.event(0, kind)}}, world.at());
    world.settle();
    CHECK(world.done.back().stored); // a repetition would not change anything
  }
  CHECK(world.changes<elastic::action::write_end>().empty());
  CHECK(world.changes<elastic::action::write_loss>().empty());
  world.finished(0);
  CHECK(world.changes<elastic::action::write_end>().size() == 1);
}

TEST_CASE("a takeover after a hand-over has the parameter of its request", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.failover = true;
  world.stored.job.what.options.param = "of the job";
  auto row = coordinated_job::idle_row(0);
  row.fence = elastic::fence_number{1};
  row.state = elastic::stored_item_state::open;
  row.run = elastic::item_run_id{900};
  row.lease = 500ms;
  row.cause = {elastic::run_source::manual,
               {coordinated_job::start, elastic::run_source::manual, elastic::request_id{9}}};
  row.granted = coordinated_job::start;
  world.host_up('A');
  world.host_up('B');
  row.host = world.process('B');
  world.stored.items = {row};
  world.stored.params = {{elastic::request_id{9}, "of the request"}};
  world.view();
  world.load();
  world.dies('B');
  REQUIRE(world.runs() == "0@AF2");
  CHECK(world.latest(0).param == "of the request");
}

TEST_CASE("the rest of a large fire is made up for after a hand-over", "[actors][elastic]") {
  coordinated_job world{3};
  const elastic::fire_key key{coordinated_job::start - 1s, elastic::run_source::normal, {}};
  world.stored.job.last = key.at;
  world.stored.items[2].disabled = true;
  world.stored.unfinished = elastic::unfinished_fire{key, {elastic::item_number{1}, elastic::item_number{2}}};
  SECTION("misfire is on") {
    world.begin("A");
    CHECK(world.runs() == "1@AM");
    CHECK(world.latest(1).what.fire_at == key.at);
  }
  SECTION("misfire is off") {
    world.stored.job.what.options.misfire = false;
    world.begin("A");
    CHECK(world.granted.empty());
  }
}

TEST_CASE("all items of a host that ends are taken over in one step", "[actors][elastic]") {
  // With a walk over all items for each host and each item, this takes minutes.
  coordinated_job world{10'000};
  world.stored.job.what.options.failover = true;
  world.begin("ABCDEFGHIJ", 10'000);
  world.advance(10s);
  REQUIRE(world.granted.size() == 10'000);
  world.dies('B');
  CHECK(world.granted.size() == 11'000);
  std::map<std::int32_t, int> taken;
  for (const auto& [run, each] : world.granted)
    if (each.what.attempt == 2)
      ++taken[core::number(each.host.host)];
  CHECK(taken.size() == 9);
  for (const auto& [host, count] : taken)
    CHECK(count >= 100);
}

TEST_CASE("a late reading of the job does not repeat a request that is over", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  for (std::int64_t id = 1; id <= 150; ++id)
    world.request(id);
  const auto count = [&] {
    return std::count_if(world.ops.begin(), world.ops.end(),
                         [](const auto& op) { return std::holds_alternative<elastic::request_end>(op); });
  };
  REQUIRE(count() == 150); // the item is busy
  world.stored.requests = {{elastic::request_id{1}, world.stored.job.id}};
  world.stored.requests.front().at = world.at().wall;
  world.change();
  CHECK(count() == 150);
}

} // namespace ringmaster::test::job_guards_test
