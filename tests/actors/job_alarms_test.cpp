// Alarms that a coordinator raises.

#include "actors/elastic/job_alarms.hpp"

#include "tests/actors/job_coordination_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using elastic::alarm_cause;
using protocol::elastic_event_kind;

namespace {

/// Returns the alarms of all writes so far, those of runs apart.
std::vector<elastic::raised_alarm> raised(const coordinated_job& world) {
  std::vector<elastic::raised_alarm> out;
  for (const auto& op : world.ops) {
    if (const auto* fire = std::get_if<elastic::fire_write>(&op))
      out.insert(out.end(), fire->alarms.begin(), fire->alarms.end());
    if (const auto* alarm = std::get_if<elastic::alarm_write>(&op))
      out.push_back(alarm->what);
  }
  return out;
}

void end(coordinated_job& world, int item, elastic::host_outcome outcome = elastic::host_outcome::success) {
  world.started(item);
  auto result = world.event(item, elastic_event_kind::finished);
  result.outcome = outcome;
  world.tell(result);
}

bool ends_alarm(const coordinated_job& world) { return std::get<elastic::item_write>(world.ops.back()).ends_alarm; }

} // namespace

TEST_CASE("a fire that begins on time raises no alarm", "[actors][elastic][alarms]") {
  coordinated_job world{2};
  world.begin("A");
  world.advance(30s);
  CHECK(world.fires().size() >= 1);
  CHECK(raised(world).empty());
}

TEST_CASE("a fire that begins late raises one alarm with its lateness", "[actors][elastic][alarms]") {
  coordinated_job world{1};
  world.stored.job.next = coordinated_job::start - 9s;
  world.begin("A");
  const auto alarms = raised(world);
  REQUIRE(alarms.size() == 1);
  CHECK(alarms[0].cause == alarm_cause::late);
  CHECK(alarms[0].item == elastic::whole_job);
  CHECK(alarms[0].fire == coordinated_job::start - 9s);
  CHECK(alarms[0].amount >= 9'000);
  // The next success may end it.
  end(world, 0);
  CHECK(ends_alarm(world));
  world.advance(10s);
  end(world, 0);
  CHECK_FALSE(ends_alarm(world));
}

TEST_CASE("a fire that the misfire rule drops raises an alarm", "[actors][elastic][alarms]") {
  coordinated_job world{1};
  world.stored.job.what.options.misfire = false;
  world.stored.job.next = coordinated_job::start - 9s;
  world.begin("A");
  REQUIRE(raised(world).size() == 1);
  CHECK(raised(world)[0].cause == alarm_cause::dropped);
}

TEST_CASE("an item that waits for a host for 30 s raises an alarm", "[actors][elastic][alarms]") {
  coordinated_job world{1};
  world.stored.job.what.options.misfire_max_age = 10min;
  world.stored.job.what.options.schedule_conf = "3600";
  world.begin("");
  world.advance(10s);
  world.advance(28s);
  CHECK(raised(world).empty());
  world.advance(2s);
  REQUIRE(raised(world).size() == 1);
  CHECK(raised(world)[0].cause == alarm_cause::waits);
  CHECK(raised(world)[0].item == elastic::item_number{0});
  CHECK(raised(world)[0].amount == 1);
  world.advance(60s);
  CHECK(raised(world).size() == 1);
  world.host_up('A');
  world.view();
  world.advance(2s);
  end(world, 0);
  CHECK(ends_alarm(world));
}

TEST_CASE("items of one job that wait raise a limited number of alarms", "[actors][elastic][alarms]") {
  coordinated_job world{100};
  world.stored.job.what.options.misfire_max_age = 10min;
  world.stored.job.what.options.schedule_conf = "3600";
  world.begin("");
  world.advance(10s);
  world.advance(31s);
  const auto alarms = raised(world);
  REQUIRE(alarms.size() == actors::job_alarms::waiting_items_max);
  CHECK(alarms[0].amount == 100);
}

TEST_CASE("items without a host that cannot wait raise an alarm at the fire, once", "[actors][elastic][alarms]") {
  coordinated_job world{3};
  SECTION("misfire is off") { world.stored.job.what.options.misfire = false; }
  SECTION("the period is short") {}
  world.begin("");
  world.advance(10s);
  REQUIRE(raised(world).size() == 1);
  CHECK(raised(world)[0].cause == alarm_cause::unassigned);
  CHECK(raised(world)[0].amount == 3);
  world.advance(10s);
  CHECK(raised(world).size() == 1);
  world.host_up('A');
  world.view();
  world.advance(11s);
  world.host_state('A', elastic::host_state::left);
  world.host_unlinked('A');
  world.view();
  world.advance(10s);
  const auto all = raised(world);
  CHECK(std::count_if(all.begin(), all.end(), [](const auto& each) { return each.cause == alarm_cause::unassigned; }) == 2);
}

TEST_CASE("a failed run has its alarm in its write, and the next success may end it", "[actors][elastic][alarms]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(10s);
  end(world, 0, elastic::host_outcome::error);
  CHECK(world.changes<elastic::action::write_end>().back().alarm == alarm_cause::error);
  CHECK_FALSE(ends_alarm(world));
  world.advance(10s);
  end(world, 0);
  CHECK(ends_alarm(world));
}

TEST_CASE("a coordinator knows the open alarms of the one before", "[actors][elastic][alarms]") {
  coordinated_job world{1};
  world.stored.alarmed = {elastic::item_number{0}};
  world.begin("A");
  world.advance(10s);
  end(world, 0);
  CHECK(ends_alarm(world));
}

TEST_CASE("runs taken over from several hosts in a short time raise an alarm", "[actors][elastic][alarms]") {
  coordinated_job world{2};
  world.stored.job.what.options.failover = true;
  world.stored.job.what.options.failover_max = 10;
  world.stored.job.what.options.schedule_conf = "3600";
  world.begin("ABCD");
  world.advance(10s);
  for (int losses = 1; losses <= 3; ++losses) {
    CHECK(raised(world).empty());
    world.started(0);
    const auto host = static_cast<char>('A' + core::number(world.latest(0).host.host) - 1);
    world.dies(host);
    world.advance(1s);
  }
  const auto alarms = raised(world);
  REQUIRE(alarms.size() == 1);
  CHECK(alarms[0].cause == alarm_cause::takeovers);
  CHECK(alarms[0].item == elastic::whole_job);
  CHECK(alarms[0].amount == 3);
}

TEST_CASE("takeovers are counted by lost hosts within a window", "[actors][elastic][alarms]") {
  config::elastic_settings limits;
  limits.takeover_limit = 2;
  limits.takeover_window = 10min;
  actors::job_alarms alarms{limits};
  const elastic::steady_time begin{1000h};
  const auto at = [&](core::milliseconds after) { return actors::job_moment{begin + after, coordinated_job::start + after}; };
  const elastic::host_process a{elastic::host_number{1}, elastic::host_incarnation{1}};
  const elastic::host_process b{elastic::host_number{1}, elastic::host_incarnation{2}};
  CHECK_FALSE(alarms.taken_over(a, at(0ms)));
  CHECK_FALSE(alarms.taken_over(a, at(1ms)));
  CHECK_FALSE(alarms.taken_over(b, at(10min)));
  const auto alarm = alarms.taken_over(a, at(19min));
  REQUIRE(alarm);
  CHECK(alarm->fire == coordinated_job::start + 10min);
  CHECK_FALSE(alarms.taken_over(b, at(19min)));
  limits.takeover_limit = 0;
  actors::job_alarms never{limits};
  CHECK_FALSE(never.taken_over(a, at(0ms)));
}
