// Items and the barriers of their fire together.

#include <string>
#include <vector>

#include "core/elastic/barrier_event.hpp"
#include "core/elastic/item_machine.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test::barrier_events_test {

namespace {

using namespace ringmaster::core::elastic;
using namespace std::chrono_literals;
using ringmaster::core::from_ms;
using ringmaster::core::number;

constexpr auto wall_0 = from_ms(1'700'000'000'000);
constexpr steady_time time_0{1000h};
constexpr host_process taker{host_number{2}, host_incarnation{1}};
constexpr fire_key this_fire{wall_0, run_source::normal, {}};
constexpr fire_key next_fire{wall_0 + 10s, run_source::normal, {}};

/// An item that reports to the barriers of its fires.
struct reporting_item {
  item_number name{};
  item one = {};
  item_rules rules = {};
  std::optional<host_process> host = taker;
  std::string told = {};

  void operator()(const item_event& what) {
    const host_choice choose = [this](const run_cause&, std::span<const host_process> avoided) {
      return host && is_among(avoided, *host) ? std::nullopt : host;
    };
    const bool has_no_run = one.state == item_state::granting || one.state == item_state::wanted;
    const item_before before{name, one.host, one.cause, has_no_run};
    const auto decision = apply(one, what, {time_0, wall_0, rules, choose});
    told.clear();
    for (const auto& each : barrier_events(before, decision, one)) {
      told += told.empty() ? "" : " ";
      told += each.fire == this_fire ? "this:" : each.fire == next_fire ? "next:" : "other:";
      if (const auto* lost = std::get_if<fire_event::lost>(&each.what))
        told += !lost->taken_over ? "lost" : lost->waits ? "waits" : "repeated";
      else
        told += std::holds_alternative<fire_event::joined>(each.what)       ? "joined"
                : std::holds_alternative<fire_event::hook_ended>(each.what) ? "hook"
                                                                            : "ended";
    }
  }
  /// The run begins.
  void start() {
    (*this)(event::grant_stored{item_run_id{number(one.fence) + 1}});
    (*this)(event::started{one.host, one.run, one.fence});
  }
  void finish(host_outcome how = host_outcome::success) { (*this)(event::finished{one.run, one.fence, how}); }
};

} // namespace

TEST_CASE("barriers hear of ends, takeovers and compensations", "[unit][elastic]") {
  reporting_item at;
  at.rules.failover = true;
  at(event::fired{this_fire});
  CHECK(at.told.empty());
  at.start();
  CHECK(at.told.empty());
  SECTION("a run that ends") {
    at.finish(host_outcome::error);
    CHECK(at.told == "this:ended");
  }
  SECTION("a takeover") {
    at(event::host_gone{taker});
    CHECK(at.told == "this:repeated");
    at.start();
    at.finish();
    CHECK(at.told == "this:ended");
  }
  SECTION("a takeover that waits, and is given up") {
    at.host.reset();
    at(event::host_gone{taker});
    CHECK(at.told == "this:waits");
    at(event::cancelled{});
    CHECK(at.told == "this:lost");
  }
  SECTION("no takeover") {
    at.rules.failover = false;
    at(event::host_gone{taker});
    CHECK(at.told == "this:lost");
  }
  SECTION("a refused run") {
    at.host = host_process{host_number{3}, host_incarnation{1}};
    at(event::refused{at.one.run, at.one.fence});
    CHECK(at.told == "this:repeated");
  }
  SECTION("a refused run without another host") {
    at(event::refused{at.one.run, at.one.fence});
    CHECK(at.told == "this:waits");
  }
  SECTION("the rest of a stream") {
    at.finish(host_outcome::yielded);
    CHECK(at.told == "this:repeated");
  }
  SECTION("a compensation joins the fire that was missed") {
    at(event::fired{next_fire});
    CHECK(at.told.empty());
    at.finish();
    CHECK(at.told == "this:ended next:joined");
    at.start();
    at.finish();
    CHECK(at.told == "next:ended");
  }
  SECTION("a compensation that waited") {
    at(event::fired{next_fire});
    at.host.reset();
    at.finish();
    CHECK(at.told == "this:ended");
    at.host = taker;
    at(event::host_freed{});
    CHECK(at.told == "next:joined");
  }
  SECTION("a compensation that is refused") {
    at(event::fired{next_fire});
    at.finish();
    at.start();
    at(event::refused{at.one.run, at.one.fence});
    CHECK(at.told == "next:lost");
    CHECK(at.one.state == item_state::wanted);
  }
}

TEST_CASE("a fire whose grant is not stored loses the participant", "[unit][elastic]") {
  reporting_item at;
  at(event::fired{this_fire});
  at.host.reset();
  at(event::guard_lost{});
  at(event::row_read{{}, at.one.writes});
  CHECK(at.one.state == item_state::wanted);
  CHECK(at.told == "this:lost");
}

TEST_CASE("a fire loses the participant also if the job makes up for no missed fire", "[unit][elastic]") {
  reporting_item at;
  at.rules.misfire = false;
  at(event::fired{this_fire});
  at.host.reset();
  at(event::guard_lost{});
  at(event::row_read{{}, at.one.writes});
  CHECK(at.one.state == item_state::idle);
  CHECK(at.told == "this:lost");
}

TEST_CASE("a request whose grant is not stored waits, and leaves its barrier at the end of the wait", "[unit][elastic]") {
  reporting_item two{item_number{2}};
  const fire_key request{wall_0, run_source::manual, request_id{9}};
  two(event::requested{request, request_policy::queue, time_0 + 60s});
  two.host.reset();
  two(event::row_read{{}, two.one.writes});
  CHECK(two.one.state == item_state::wanted);
  CHECK(two.told == "other:waits");
  SECTION("it is cancelled") { two(event::cancelled{}); }
  SECTION("its job is disabled") { two(event::job_off{}); }
  SECTION("its item is disabled") { two(event::disabled_set{}); }
  CHECK(two.one.state == item_state::idle);
  CHECK(two.told == "other:lost");
}

TEST_CASE("a hook without a host has not ended: it is started again", "[unit][elastic]") {
  reporting_item at{before_hook_item};
  at.rules.misfire = false;
  at.host.reset();
  at(event::fired{this_fire});
  CHECK(at.told.empty());
  at.host = taker;
  at(event::fired{this_fire});
  at.host.reset();
  at(event::guard_lost{});
  at(event::row_read{{}, at.one.writes});
  CHECK(at.told.empty());
  CHECK(at.one.state == item_state::idle);
}

TEST_CASE("a hook ends once, and its takeover does not end it", "[unit][elastic]") {
  reporting_item at{before_hook_item};
  at.rules.failover = true;
  at(event::fired{this_fire});
  at.start();
  at(event::host_gone{taker});
  CHECK(at.told == "this:repeated");
  at.start();
  at.finish();
  CHECK(at.told == "this:hook");
}

TEST_CASE("the item of a compensation that is repeated stays in its barrier", "[unit][elastic]") {
  fire_machine fire{std::vector{item_number{0}}, {}};
  static_cast<void>(fire.apply(fire_event::arrived{item_number{0}, taker}, time_0));
  static_cast<void>(fire.apply(fire_event::hook_ended{before_hook_item}, time_0));
  static_cast<void>(fire.apply(fire_event::joined{item_number{1}}, time_0));
  static_cast<void>(fire.apply(fire_event::lost{item_number{1}, true}, time_0));
  CHECK(fire.missing() == 2);
  static_cast<void>(fire.apply(fire_event::ended{item_number{0}, taker}, time_0));
  CHECK(fire.state() == fire_state::released);
  static_cast<void>(fire.apply(fire_event::ended{item_number{1}, taker}, time_0));
  CHECK(fire.state() == fire_state::after_hook);
}

} // namespace ringmaster::test::barrier_events_test
