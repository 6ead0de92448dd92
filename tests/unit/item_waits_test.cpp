// Waits of an elastic item: its queue, its deadlines, and what it does when it is read again.

#include <cstddef>

#include "tests/support/catch.hpp"
#include "tests/unit/item_scenery.hpp"

namespace ringmaster::test::item_table_test {

TEST_CASE("a request waits in a bounded queue until its time is over", "[unit][elastic]") {
  scenery at;
  auto one = in(item_state::running);
  const auto request = [](std::int64_t id, request_policy policy, steady_time until) {
    return event::requested{{wall, run_source::manual, request_id{id}}, policy, until};
  };
  for (std::size_t i = 0; i < item_queue_max; ++i)
    CHECK(step(at, one, request(static_cast<std::int64_t>(i) + 1, request_policy::queue, begin + 10s)) == " >R");
  CHECK(step(at, one, request(500, request_policy::queue, begin + 10s)) == "drop:full >R");
  CHECK(step(at, one, request(501, request_policy::coalesce, begin + 10s)) == "drop:coalesced >R");
  CHECK(step(at, one, request(502, request_policy::queue, begin)) == "drop:expired >R");
  CHECK(due_at(one) == begin + 10s);
  at.now = begin + 10s;
  CHECK(at.apply(one, event::time_passed{}).actions.size() == item_queue_max);
  CHECK(one.queue.empty());
  // Without a host, the request of an idle item waits as long.
  one = in(item_state::idle);
  at.now = begin;
  at.host.reset();
  CHECK(step(at, one, request(1, request_policy::discard, begin + 10s)) == " >W");
  CHECK(step(at, one, request(2, request_policy::coalesce, begin + 20s)) == "drop:coalesced >W");
  CHECK(step(at, one, request(3, request_policy::queue, begin + 20s)) == " >W");
  at.now = begin + 10s;
  CHECK(step(at, one, event::time_passed{}) == "drop:expired >W");
  CHECK(one.cause.fire.request == request_id{3});
  at.now = begin + 20s;
  CHECK(step(at, one, event::time_passed{}) == "drop:expired >I");
}

TEST_CASE("a second silence of a host extends the wait for its lease", "[unit][elastic]") {
  scenery at;
  auto one = in(item_state::running);
  one.lease = 60'500ms;
  CHECK(step(at, one, event::host_silent{own, begin}) == " >U");
  CHECK(due_at(one) == begin + 60'750ms);
  // It returned at 30 s, and no inventory came before its next silence.
  CHECK(step(at, one, event::host_silent{own, begin + 31s}) == " >U");
  CHECK(due_at(one) == begin + 91'750ms);
  CHECK(step(at, one, event::host_silent{own, begin + 1s}) == "stale >U");
  CHECK(due_at(one) == begin + 91'750ms);
}

TEST_CASE("each wait of an item has its deadline", "[unit][elastic]") {
  scenery at;
  at.rules.timeout = 60s;
  auto one = in(item_state::granting);
  const auto pass = [&] {
    REQUIRE(due_at(one));
    at.now = *due_at(one);
    return step(at, one, event::time_passed{});
  };
  CHECK_FALSE(due_at(one));
  CHECK(step(at, one, event::grant_stored{run}) == "grant >S");
  CHECK(due_at(one) == begin + grant_answer_limit);
  CHECK(pass() == "ask >S");
  CHECK(pass() == "ask >S");
  const auto fence_now = one.fence;
  CHECK(step(at, one, event::accepted{one.host, run, fence_now}) == " >R");
  CHECK_FALSE(due_at(one)); // the body has not begun
  CHECK(step(at, one, event::started{one.host, run, fence_now}) == " >R");
  CHECK(due_at(one) == at.now + 60s);
  SECTION("a body that ignores cancel and kill") {
    CHECK(pass() == "cancel >C");
    CHECK(due_at(one) == at.now + 5s);
    CHECK(pass() == "kill ask >C");
    const auto killed = at.now;
    at.now += 1s;
    // A question of before the order is asked again, and a body that has ended shows nothing.
    CHECK(step(at, one, event::run_present{one.host, run, fence_now, true, killed - 1ms}) == "ask >C");
    CHECK(step(at, one, event::run_present{one.host, run, fence_now, true}) == " >C");
    CHECK(due_at(one) == killed + 5s);
    CHECK(step(at, one, event::run_present{one.host, run, fence_now, true, killed}) == " >C");
    CHECK(due_at(one) == at.now + 5s);
    CHECK(pass() == "taint E6:failed close >I");
    CHECK(step(at, one, event::finished{run, fence_now}) == "GONE >I");
  }
  SECTION("orders to a host that does not answer end nothing") {
    CHECK(pass() == "cancel >C");
    CHECK(pass() == "kill ask >C");
    CHECK(pass() == "ask >C");
    CHECK(pass() == "ask >C");
    CHECK(step(at, one, event::link_lost{one.host}) == " >U");
    CHECK(step(at, one, event::run_present{one.host, run, fence_now, true, at.now}) == "kill ask >C");
    CHECK(due_at(one) == at.now + 5s);
  }
  SECTION("a host that is silent: its lease and the margin") {
    CHECK(step(at, one, event::host_silent{one.host, at.now - 750ms}) == " >U");
    CHECK(due_at(one) == at.now - 750ms + 500ms + lease_margin);
    CHECK(pass() == "E9+F >G");
  }
  SECTION("a host that is silent again: its later lease") {
    CHECK(step(at, one, event::host_silent{one.host, at.now - 750ms}) == " >U");
    const auto first = *due_at(one);
    at.now += 100ms;
    CHECK(step(at, one, event::host_silent{one.host, at.now - 750ms}) == " >U");
    CHECK(due_at(one) == first + 100ms);
    CHECK(step(at, one, event::host_silent{one.host, at.now - 800ms}) == "stale >U");
    CHECK(due_at(one) == first + 100ms);
    CHECK(pass() == "E9+F >G");
  }
  SECTION("a host that comes back in time goes on, with the time limit of before") {
    const auto limit = *due_at(one);
    CHECK(step(at, one, event::link_lost{one.host}) == " >U");
    CHECK_FALSE(due_at(one));
    CHECK(step(at, one, event::run_present{one.host, run, fence_now}) == " >R");
    CHECK(due_at(one) == limit);
    CHECK(step(at, one, event::link_lost{one.host}) == " >U");
    at.now = limit + 1s;
    CHECK(step(at, one, event::run_present{one.host, run, fence_now}) == "cancel >C");
  }
  SECTION("a stream that moved while its host was away gets the order when the host is back") {
    CHECK(step(at, one, event::link_lost{one.host}) == " >U");
    CHECK(step(at, one, event::stream_moved{}) == " >U");
    CHECK(step(at, one, event::run_present{one.host, run, fence_now}) == "drain >R");
  }
  SECTION("a stream that was taken over goes on under the source of its fire") {
    one.cause.source = run_source::failover;
    one.attempt = 2;
    CHECK(step(at, one, event::stream_moved{}) == "drain >R");
    CHECK(step(at, one, event::finished{run, fence_now, host_outcome::yielded}) == "E6:ok+N >G");
    CHECK(one.attempt == 2);
  }
  SECTION("a wait for a host: the alarm once, then the age of the missed fire") {
    at.host.reset();
    at.now = begin;
    at.rules.misfire_max_age = 40s;
    one = in(item_state::idle);
    CHECK(step(at, one, event::fired{fire_2}) == "m:marked+W >W");
    CHECK(due_at(one) == begin + unowned_after);
    CHECK(pass() == "alarm >W");
    CHECK(due_at(one) == begin + 40s);
    CHECK(pass() == "m:expired E9w >I");
    CHECK_FALSE(one.missed);
  }
}

TEST_CASE("options that are switched off end what they owe", "[unit][elastic]") {
  scenery at;
  at.rules.misfire = false;
  auto one = in(item_state::running);
  CHECK(step(at, one, event::fired{fire_2}) == "m:dropped >R");
  CHECK(step(at, one, event::finished{run, fence}) == "E6:ok >I");
  at.host.reset();
  CHECK(step(at, one, event::fired{fire_2}) == "m:dropped >I");
  // A mark of before is cleared, and the wait for its compensation ends.
  at.rules.misfire = true;
  CHECK(step(at, one, event::fired{fire_2}) == "m:marked+W >W");
  at.rules.misfire = false;
  CHECK(step(at, one, event::misfire_off{}) == "m:cleared E9w >I");
  // A missed fire survives the end of a takeover that is not allowed any more.
  at.rules.misfire = true;
  one = in(item_state::wanted);
  CHECK(step(at, one, event::fired{fire_2}) == "m:marked >W");
  CHECK(step(at, one, event::failover_off{}) == "E9w+W >W");
  CHECK(one.cause.source == run_source::misfire);
  CHECK(step(at, one, event::cancelled{}) == "m:cancelled E9w >I");
  one = in(item_state::idle);
  at.rules.enabled = false;
  CHECK(step(at, one, event::fired{fire_2}) == " >I");
  CHECK(step(at, one, event::requested{request_9, request_policy::queue, begin + 1s}) == "drop:disabled >I");
}

TEST_CASE("an item goes on from its row", "[unit][elastic]") {
  scenery at;
  const item_scene scene{at.now, wall, at.rules, at.choose};
  const auto row_of = [](stored_item_state state, item_run_id of, fence_number at_fence) {
    stored_item out;
    out.state = state;
    out.run = of;
    out.fence = at_fence;
    out.host = own;
    out.attempt = 2;
    out.lease = 500ms;
    out.cause = {run_source::failover, fire_1};
    out.granted_at = begin - 10s;
    return out;
  };
  SECTION("at adoption") {
    auto one = restore(row_of(stored_item_state::open, run, fence), scene);
    CHECK(step(at, one, event::run_present{own, run, fence}) == " >R");
    CHECK(one.began == begin - 10s);
    one = restore(row_of(stored_item_state::wanted, run, fence), scene);
    CHECK(step(at, one, event::host_freed{}) == "E5F >G");
    CHECK(one.attempt == 2);
    one = restore(row_of(stored_item_state::wanted, {}, fence), scene);
    CHECK(one.missed);
    CHECK(step(at, one, event::host_freed{}) == "E5M >G");
    CHECK(restore(row_of(stored_item_state::idle, run, fence), scene).state == item_state::idle);
  }
  SECTION("after a lost guard: the run is still owed") {
    auto one = in(item_state::granting);
    at.host = own;
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::wanted, run, fence)}) == " >W");
    one = in(item_state::granting);
    at.host = other;
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::wanted, run, fence)}) == "E5F >G");
    // A fire becomes a compensation if no other host is free.
    one = in(item_state::granting);
    one.run = {};
    one.cause = {run_source::normal, fire_1};
    at.host.reset();
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::idle, {}, fence)}) == "m:marked+W >W");
  }
  SECTION("after a lost guard: the write had been stored") {
    auto one = in(item_state::granting);
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::open, item_run_id{51}, next_fence(fence))}) == "grant >S");
    CHECK(one.run == item_run_id{51});
  }
  SECTION("after a lost guard: the host was not silent any more when E9 ran") {
    auto one = in(item_state::granting);
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::open, run, fence)}) == "ask >U");
    CHECK(step(at, one, event::run_present{own, run, fence}) == " >R");
  }
  SECTION("after a lost guard: the run that was given up is open still") {
    item one = in(item_state::idle);
    CHECK(step(at, one, event::guard_lost{}) == "reread >I");
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::open, run, fence)}) == "ask >U");
  }
  // Its host had told another node its end, and forgot it.
  SECTION("after a lost guard: the compensation that was given up is open still, and no other is owed") {
    for (const bool has_host : {true, false}) {
      auto one = in(item_state::unreachable);
      one.cause.source = run_source::misfire;
      at.host = has_host ? std::optional{other} : std::nullopt;
      CHECK(step(at, one, event::run_absent{own, begin}) == (has_host ? "E9+M >G" : "E9+W >W"));
      CHECK(step(at, one, event::row_read{row_of(stored_item_state::open, run, fence), one.writes}) == "ask >U");
      CHECK_FALSE(one.missed);
      CHECK(step(at, one, event::finished{run, fence}) == "E6:ok >I");
    }
  }
  SECTION("after a lost guard: the row differs") {
    auto one = in(item_state::granting);
    one.run = {};
    one.cause = {run_source::manual, request_9};
    one.request_until = begin + 60s;
    one.missed = true;
    one.missed_fire = fire_2;
    // Another run is open: the request and the missed fire are owed after it.
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::open, item_run_id{70}, fence_number{9})}) == "ask >U");
    CHECK(step(at, one, event::run_present{own, item_run_id{70}, fence_number{9}}) == " >R");
    CHECK(step(at, one, event::finished{item_run_id{70}, fence_number{9}}) == "E6:ok+M >G");
    CHECK(one.queue.size() == 1);
    // A fire whose grant was not stored is missed, unless the open run is that of the fire.
    one = in(item_state::granting);
    one.run = {};
    one.cause = {run_source::normal, fire_1};
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::open, item_run_id{70}, fence_number{9})}) == "ask >U");
    one = in(item_state::granting);
    one.run = {};
    one.cause = {run_source::normal, fire_2};
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::open, item_run_id{70}, fence_number{9})}) == "m:marked ask >U");
    // A wanted row is granted, an idle one goes on with what is owed.
    one = in(item_state::granting);
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::wanted, item_run_id{70}, fence_number{9})}) == "E5F >G");
    one = in(item_state::granting);
    one.missed = true;
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::idle, {}, fence_number{9})}) == "E5M >G");
    one = in(item_state::idle);
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::wanted, run, fence)}) == "E5F >G");
    // A reading from before a later write is repeated.
    one = in(item_state::running);
    one.writes = 3;
    CHECK(step(at, one, event::row_read{row_of(stored_item_state::idle, {}, fence), 2}) == "reread >R");
  }
  SECTION("after a lost guard: a disabled item whose run is open still keeps the fire of its mark") {
    auto one = in(item_state::unreachable);
    one.missed = one.disabled = true;
    one.missed_fire = fire_2;
    CHECK(step(at, one, event::run_absent{own, begin}) == "m:disabled E9 >I");
    auto row = row_of(stored_item_state::open, run, fence);
    row.missed = true;
    CHECK(step(at, one, event::row_read{row, one.writes}) == "ask >U");
    CHECK(one.missed);
    CHECK(one.missed_fire == fire_2);
  }
  SECTION("after a lost guard: the item was disabled") {
    auto one = in(item_state::granting);
    auto row = row_of(stored_item_state::wanted, run, fence);
    row.disabled = true;
    CHECK(step(at, one, event::row_read{row}) == "E9w >I");
  }
}

} // namespace ringmaster::test::item_table_test
