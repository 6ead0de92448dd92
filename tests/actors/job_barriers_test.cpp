// Once-listeners of one elastic job: last arrival, time-outs, lost hosts, and a coordinator that is handed over (EJ §12.2).

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tests/actors/job_coordination_fixture.hpp"

namespace ringmaster::test::job_barriers_test {

namespace {

using namespace std::chrono_literals;
using core::number;
using elastic::fire_state;
using protocol::elastic_event_kind;

/// A job with once-listeners, of which each state of a fire can be played.
struct guarded_job : coordinated_job {
  explicit guarded_job(std::int32_t count, bool takes_over = false) : coordinated_job{count} {
    auto& options = stored.job.what.options;
    options.once_listeners = "audit";
    options.started_timeout = 3s;
    options.completed_timeout = 4s;
    options.failover = takes_over;
  }

  void arrives(int item) { tell(event(item, elastic_event_kind::arrived)); }
  [[nodiscard]] std::vector<elastic::fire_step_write> steps() const {
    std::vector<elastic::fire_step_write> out;
    for (const auto& op : ops)
      if (const auto* step = std::get_if<elastic::fire_step_write>(&op))
        out.push_back(*step);
    return out;
  }
  /// Returns the states that the fires have entered.
  [[nodiscard]] std::string states() const {
    std::string out;
    for (const auto& each : steps())
      out += std::to_string(static_cast<int>(each.to));
    return out;
  }
  [[nodiscard]] std::size_t grants_of(int item) const {
    return static_cast<std::size_t>(std::count_if(
      granted.begin(), granted.end(), [&](const auto& each) { return each.second.what.item == elastic::item_number{item}; }));
  }
  [[nodiscard]] std::size_t gos() const { return count_orders(elastic::item_order::go); }

  /// A row of an item whose run of the fire at `at` is open on a host.
  elastic::item_row open_row(int item, char host, std::int64_t run, core::time_point at) {
    auto row = idle_row(item);
    row.state = elastic::stored_item_state::open;
    row.fence = elastic::fence_number{4};
    row.run = elastic::item_run_id{run};
    row.host = process(host);
    row.lease = 500ms;
    row.cause = {elastic::run_source::normal, {at, elastic::run_source::normal, {}}};
    row.granted = at;
    return row;
  }
  [[nodiscard]] static protocol::elastic_held_run held(int item, std::int64_t run, protocol::elastic_phase phase) {
    return {elastic::elastic_job_id{7}, elastic::item_number{item}, elastic::item_run_id{run}, elastic::fence_number{4}, phase};
  }
};

} // namespace

TEST_CASE("a barrier that is late is stored with its hook's failure, and the items run", "[actors][elastic]") {
  guarded_job world{2};
  world.begin("AB");
  world.advance(10s);
  world.arrives(0);
  world.advance(2900ms);
  CHECK(world.gos() == 0);
  world.advance(200ms);
  REQUIRE(world.steps().size() == 1);
  CHECK(world.steps()[0].to == fire_state::released);
  CHECK(world.steps()[0].late == "the barrier before the items was not complete in time: 1 had not arrived");
  CHECK(world.gos() == 2);
  CHECK(world.grants_of(-1) == 0);
  CHECK(world.facts_of<actors::fact::late_barrier>().size() == 1);
  SECTION("and so is the one after them") {
    world.finished(0);
    world.advance(4100ms);
    REQUIRE(world.steps().size() == 2);
    CHECK(world.steps()[1].to == fire_state::done);
    CHECK(world.steps()[1].late == "the barrier after the items was not complete in time: 1 had not ended");
    CHECK(world.grants_of(-2) == 0);
  }
  SECTION("an item that arrives after that goes on at once") {
    world.arrives(1);
    CHECK(world.gos() == 3);
  }
}

TEST_CASE("a failed hook is a failure for an error handler that notifies users, and the items run", "[actors][elastic]") {
  guarded_job world{1};
  world.stored.job.what.options.error_handler = GENERATE("WEBHOOK", "LOG");
  const bool notifies = world.stored.job.what.options.error_handler == "WEBHOOK";
  world.begin("A");
  world.advance(10s);
  world.arrives(0);
  auto end = world.event(-1, elastic_event_kind::finished);
  end.outcome = elastic::host_outcome::error;
  end.text = "no disk";
  world.tell(end);
  CHECK(world.gos() == 1);
  CHECK(world.states() == "23");
  REQUIRE(world.errors.size() == (notifies ? 1U : 0U));
  if (!notifies)
    return;
  CHECK(world.errors[0].item == elastic::before_hook_item);
  CHECK(number(world.errors[0].run) != 0);
  CHECK(world.errors[0].text == "no disk");
}

TEST_CASE("a barrier that is late is a failure for an error handler that notifies users", "[actors][elastic]") {
  guarded_job world{2};
  world.stored.job.what.options.error_handler = "WEBHOOK";
  world.begin("AB");
  world.advance(10s);
  world.arrives(0);
  world.advance(3100ms);
  REQUIRE(world.errors.size() == 1);
  CHECK(world.errors[0].item == elastic::before_hook_item);
  CHECK(number(world.errors[0].run) == 0);
  CHECK(world.errors[0].text == "the barrier before the items was not complete in time: 1 had not arrived");
}

TEST_CASE("a hook that takes too long is not waited for, and runs on", "[actors][elastic]") {
  guarded_job world{1};
  world.begin("A");
  world.advance(10s);
  world.arrives(0);
  world.started(-1);
  world.advance(3100ms);
  CHECK(world.states() == "23");
  CHECK(world.gos() == 1);
  world.finished(0);
  world.finished(-2);
  CHECK(world.states() == "2345");
  // The next fire waits for the call of the first one, and gets a call of its own.
  world.advance(7s);
  world.arrives(0);
  CHECK(world.grants_of(-1) == 1);
  world.finished(-1);
  REQUIRE(world.grants_of(-1) == 2);
  CHECK(world.gos() == 1);
  world.finished(-1);
  CHECK(world.gos() == 2);
}

TEST_CASE("a hook needs no free slot", "[actors][elastic]") {
  guarded_job world{2};
  world.begin("A", 2);
  world.advance(10s);
  world.arrives(0);
  world.arrives(1);
  CHECK(world.grants_of(-1) == 1);
  world.view();
  world.finished(-1);
  world.finished(0);
  world.finished(1);
  CHECK(world.grants_of(-2) == 1);
}

TEST_CASE("a fire waits for a host that has its once-listeners", "[actors][elastic]") {
  guarded_job world{1};
  world.stored.job.what.options.once_listeners = "absent";
  world.begin("A");
  world.advance(11s);
  CHECK(world.granted.empty());
}

TEST_CASE("a host that is lost leaves the barrier before the items, or its takeover joins", "[actors][elastic]") {
  const bool takes_over = GENERATE(false, true);
  guarded_job world{2, takes_over};
  world.begin("AB");
  world.advance(10s);
  const auto lost = world.latest(1).host == world.process('A') ? 'A' : 'B';
  world.arrives(0);
  world.dies(lost);
  if (!takes_over) {
    CHECK(world.grants_of(-1) == 1);
    return;
  }
  CHECK(world.grants_of(-1) == 0);
  REQUIRE(world.grants_of(1) == 2);
  CHECK(world.latest(1).what.hold);
  CHECK(world.latest(1).what.source == elastic::run_source::failover);
  world.arrives(1);
  CHECK(world.grants_of(-1) == 1);
}

TEST_CASE("a takeover without a free slot does not hold up those that have arrived", "[actors][elastic]") {
  guarded_job world{2, true};
  world.begin("AB", 1);
  world.advance(10s);
  const auto lost = world.latest(1).host == world.process('A') ? 'A' : 'B';
  world.arrives(0);
  world.dies(lost);
  CHECK(world.grants_of(1) == 1);
  REQUIRE(world.grants_of(-1) == 1);
  world.finished(-1);
  CHECK(world.gos() == 1);
  world.finished(0);
  // The takeover has the slot now, without a barrier before it, and the one after the items waits for it.
  REQUIRE(world.grants_of(1) == 2);
  CHECK_FALSE(world.latest(1).what.hold);
  CHECK(world.grants_of(-2) == 0);
  world.finished(1);
  CHECK(world.grants_of(-2) == 1);
}

TEST_CASE("the hook of a host that is lost is repeated elsewhere, or given up", "[actors][elastic]") {
  const bool takes_over = GENERATE(false, true);
  const bool before = GENERATE(false, true);
  guarded_job world{2, takes_over};
  world.begin("ABC");
  world.advance(10s);
  world.arrives(0);
  world.arrives(1);
  if (!before) {
    world.finished(-1);
    world.finished(0);
    world.finished(1);
  }
  const int hook = before ? -1 : -2;
  REQUIRE(world.grants_of(hook) == 1);
  const auto gos = world.gos();
  world.dies(static_cast<char>('A' + number(world.latest(hook).host.host) - 1));
  if (takes_over) {
    REQUIRE(world.grants_of(hook) == 2);
    CHECK(world.latest(hook).what.source == elastic::run_source::failover);
    CHECK(world.latest(hook).what.attempt == 2);
    world.finished(hook);
  }
  CHECK(world.states() == (before ? "23" : "2345"));
  CHECK(world.gos() >= gos + (before ? 1 : 0));
}

TEST_CASE("a fire that has begun goes on to its end when its job is disabled", "[actors][elastic]") {
  guarded_job world{1};
  world.begin("A");
  world.advance(10s);
  world.arrives(0);
  world.stored.job.status = elastic::job_status::off;
  world.stored.job.revision = 6;
  world.change();
  world.finished(-1);
  CHECK(world.gos() == 1);
  world.finished(0);
  REQUIRE(world.grants_of(-2) == 1);
  world.finished(-2);
  CHECK(world.states() == "2345");
}

TEST_CASE("a hook without a host begins once there is one", "[actors][elastic]") {
  guarded_job world{1};
  world.begin("A");
  world.advance(10s);
  world.arrives(0);
  world.finished(-1);
  world.host_unlinked('A');
  world.view();
  world.notice('A', protocol::host_fate::suspect);
  world.finished(0);
  CHECK(world.states() == "234");
  CHECK(world.grants_of(-2) == 0);
  world.host_linked('A');
  world.view();
  REQUIRE(world.grants_of(-2) == 1);
  world.finished(-2);
  CHECK(world.states() == "2345");
}

TEST_CASE("a new coordinator goes on with the barrier of a fire in each state", "[actors][elastic]") {
  guarded_job world{2};
  const auto fired = coordinated_job::start - 1s;
  world.stored.job.last = fired;
  const auto fire_in = [&](fire_state state) {
    elastic::fire_row fire;
    fire.key.at = fired;
    fire.state = state;
    fire.expected = 2;
    world.stored.fires = {fire};
  };
  world.host_up('A');
  const auto open = [&](int item, std::int64_t run) { return world.open_row(item, 'A', run, fired); };
  using enum protocol::elastic_phase;
  SECTION("gathering: hosts tell again who has arrived") {
    fire_in(fire_state::gathering);
    world.stored.items = {open(0, 101), open(1, 102)};
    world.stored.ended = {{}};
    world.begin("");
    world.answer_inventory('A', {guarded_job::held(0, 101, holding), guarded_job::held(1, 102, holding)});
    CHECK(world.grants_of(-1) == 1);
    world.finished(-1);
    CHECK(world.gos() == 2);
  }
  SECTION("before-hook: its run goes on") {
    fire_in(fire_state::before_hook);
    world.stored.items = {open(-1, 103), open(0, 101), open(1, 102)};
    world.stored.ended = {{}};
    world.begin("");
    world.answer_inventory(
      'A', {guarded_job::held(-1, 103, running), guarded_job::held(0, 101, holding), guarded_job::held(1, 102, holding)});
    CHECK(world.granted.empty());
    CHECK(world.gos() == 0);
  }
  SECTION("before-hook: it has not begun") {
    fire_in(fire_state::before_hook);
    world.stored.items = {open(0, 101), open(1, 102)};
    world.stored.ended = {{}};
    world.begin("");
    REQUIRE(world.grants_of(-1) == 1);
    world.answer_inventory('A', {guarded_job::held(0, 101, holding), guarded_job::held(1, 102, holding)});
    world.finished(-1);
    CHECK(world.gos() == 2);
  }
  SECTION("before-hook: it has ended, and is not called again") {
    fire_in(fire_state::before_hook);
    world.stored.items = {open(0, 101), open(1, 102)};
    world.stored.ended = {{elastic::before_hook_item}};
    world.begin("");
    CHECK(world.states() == "3");
    CHECK(world.grants_of(-1) == 0);
    world.answer_inventory('A', {guarded_job::held(0, 101, holding), guarded_job::held(1, 102, holding)});
    CHECK(world.gos() >= 2);
  }
  SECTION("released: the last item ends it") {
    fire_in(fire_state::released);
    world.stored.items = {coordinated_job::idle_row(0), open(1, 102)};
    world.stored.ended = {{elastic::item_number{0}}};
    world.begin("");
    CHECK(world.grants_of(-2) == 0);
    // Its run has never begun: it is granted again.
    world.answer_inventory('A', {});
    CHECK(world.grants_of(-2) == 0);
    world.finished(1);
    CHECK(world.grants_of(-2) == 1);
  }
  SECTION("after-hook: it has not begun") {
    fire_in(fire_state::after_hook);
    world.stored.ended = {{elastic::item_number{0}, elastic::item_number{1}}};
    world.begin("");
    REQUIRE(world.grants_of(-2) == 1);
    world.finished(-2);
    CHECK(world.states() == "5");
  }
  SECTION("after-hook: it has ended") {
    fire_in(fire_state::after_hook);
    world.stored.ended = {{elastic::after_hook_item, elastic::item_number{0}, elastic::item_number{1}}};
    world.begin("");
    CHECK(world.grants_of(-2) == 0);
    CHECK(world.states() == "5");
  }
}

} // namespace ringmaster::test::job_barriers_test
