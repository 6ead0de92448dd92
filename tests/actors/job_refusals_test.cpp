// job_coordination: slots of runs that do not begin, and hosts that refuse items.

#include <set>

#include "tests/actors/job_coordination_fixture.hpp"

namespace ringmaster::test::job_refusals_test {

namespace {

using namespace std::chrono_literals;

} // namespace

TEST_CASE("a grant that is cancelled before it leaves gives its slot back", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A", 1);
  world.advance(10s);
  world.started(0);
  world.advance(10s);
  world.holds_answers = true;
  world.finished(0); // a fire was missed meanwhile, and its grant is being stored
  world.cancel(0, elastic::item_run_id{2});
  world.answer();
  CHECK(world.granted.size() == 1);
  world.advance(10s);
  CHECK(world.granted.size() == 2);
}

TEST_CASE("a run that its host does not have gives its slot back", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A", 1);
  world.advance(10s);
  REQUIRE(world.granted.size() == 1);
  world.advance(2s);
  world.answer_inventory('A', {});
  world.advance(10s);
  CHECK(world.granted.size() == 2);
}

TEST_CASE("a grant whose guard is lost gives its slot back", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A", 1);
  world.lost_items = {elastic::item_number{0}};
  world.advance(9s);
  REQUIRE(world.rereads.size() == 1);
  world.lost_items.clear();
  world.rows_read({coordinated_job::idle_row(0)});
  CHECK(world.granted.empty());
  // Its host has a pause of a second.
  world.advance(2s);
  CHECK(world.granted.size() == 1);
}

TEST_CASE("an item of a fire whose host has just left begins on another host, as part of the fire", "[actors][elastic]") {
  const bool misfire = GENERATE(true, false);
  coordinated_job world{1};
  world.stored.job.what.options.misfire = misfire;
  world.begin("AB");
  world.lost_items = {elastic::item_number{0}};
  world.advance(10s);
  REQUIRE(world.rereads.size() == 1);
  CHECK(world.granted.empty());
  world.lost_items.clear();
  auto row = coordinated_job::idle_row(0);
  row.missed = true;
  world.rows_read({row});
  REQUIRE(world.granted.size() == 1);
  CHECK(world.latest(0).what.source == elastic::run_source::normal);
  CHECK(world.changes<elastic::write_mark>().empty());
}

TEST_CASE("a refusal of the planned host moves the run to another one at once", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("AB");
  world.advance(10s);
  const auto first = world.latest(0).host;
  world.refused(0, protocol::elastic_refusal::draining);
  REQUIRE(world.granted.size() == 2);
  CHECK(world.latest(0).host != first);
  CHECK(world.latest(0).what.source == elastic::run_source::normal);
}

TEST_CASE("each host is asked once before one that has refused an item is asked again", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("ABC");
  world.advance(10s);
  std::set<std::int32_t> asked{core::number(world.latest(0).host.host)};
  const auto refuse = [&] { world.refused(0, protocol::elastic_refusal::unknown_pool); };
  refuse();
  CHECK(world.granted.size() == 2);
  asked.insert(core::number(world.latest(0).host.host));
  refuse();
  CHECK(world.granted.size() == 2);
  world.advance(2s);
  REQUIRE(world.granted.size() == 3);
  asked.insert(core::number(world.latest(0).host.host));
  CHECK(asked.size() == 3);
  refuse();
  world.advance(3999ms);
  CHECK(world.granted.size() == 3);
  world.advance(1ms);
  CHECK(world.granted.size() == 4);
}

TEST_CASE("after a pause a free host comes before one that has refused the item", "[actors][elastic]") {
  coordinated_job world{2};
  world.begin("AB", 1);
  world.advance(10s);
  world.started(0);
  const auto busy = world.latest(0).host;
  for (int refused = 1; refused <= 2; ++refused) {
    REQUIRE(world.latest(1).host != busy);
    world.refused(1, protocol::elastic_refusal::unknown_pool);
    world.advance(refused == 1 ? 1s : 0s);
  }
  const auto before = world.granted.size();
  world.finished(0);
  CHECK(world.granted.size() == before);
  world.advance(2s);
  REQUIRE(world.granted.size() == before + 1);
  CHECK(world.latest(1).host == busy);
}

TEST_CASE("a list of hosts between a void fire and the reading of its job does not free slots twice", "[actors][elastic]") {
  coordinated_job world{2};
  world.begin("A", 1);
  world.lose_fires = true;
  world.advance(10s);
  REQUIRE(world.reload);
  world.lose_fires = false;
  world.view();
  world.stored.job.next = coordinated_job::start + 15s;
  world.load();
  world.advance(5s);
  CHECK(world.granted.size() == 1);
}

} // namespace ringmaster::test::job_refusals_test
