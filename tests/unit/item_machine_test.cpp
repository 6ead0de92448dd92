// The table of an elastic item, cell by cell: elastic design §4.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/item_scenery.hpp"

namespace ringmaster::test::item_table_test {

namespace {

struct row {
  const char* name;
  item_event what;
  /// Expected actions and next state for I W G S R C U.
  std::array<const char*, 7> cells;
  bool has_host = true;
};

/// The events of the table about the open run: the fence is that of S, R, C, U and of the run before in I, W and G.
std::vector<row> table() {
  return {
    {"fire", event::fired{fire_2},
     {"E5N >G", "m:marked >W", "m:marked >G", "m:marked >S", "m:marked >R", "m:marked >C", "m:marked >U"}},
    {"fire, no host", event::fired{fire_2},
     {"m:marked+W >W", "m:marked >W", "m:marked >G", "m:marked >S", "m:marked >R", "m:marked >C", "m:marked >U"}, false},
    {"compensation", event::fired{{wall, run_source::misfire, {}}},
     {"E5M >G", "m:marked >W", "m:marked >G", "m:marked >S", "m:marked >R", "m:marked >C", "m:marked >U"}},
    {"request, queue", event::requested{request_9, request_policy::queue, begin + 60s},
     {"E5R >G", " >W", " >G", " >S", " >R", " >C", " >U"}},
    {"request, discard", event::requested{request_9, request_policy::discard, begin + 60s},
     {"E5R >G", "drop:busy >W", "drop:busy >G", "drop:busy >S", "drop:busy >R", "drop:busy >C", "drop:busy >U"}},
    {"request, no host", event::requested{request_9, request_policy::queue, begin + 60s},
     {" >W", " >W", " >G", " >S", " >R", " >C", " >U"}, false},
    {"host has a free slot", event::host_freed{}, {"- >I", "E5F >G", "- >G", "- >S", "- >R", "- >C", "- >U"}},
    {"host has no free slot", event::host_freed{}, {"- >I", " >W", "- >G", "- >S", "- >R", "- >C", "- >U"}, false},
    {"stored", event::grant_stored{item_run_id{51}}, {"- >I", "- >W", "grant >S", "- >S", "- >R", "- >C", "- >U"}},
    {"fenced", event::fenced{}, {"stop >I", "stop >W", "stop >G", "stop >S", "stop >R", "stop >C", "stop >U"}},
    {"guard lost", event::guard_lost{},
     {"reread >I", "reread >W", "reread >G", "reread >S", "reread >R", "reread >C", "reread >U"}},
    {"accepted", event::accepted{own, run, fence}, {"close >I", "close >W", "close >G", " >R", " >R", " >C", " >R"}},
    {"started", event::started{own, run, fence}, {"close >I", "close >W", "close >G", " >R", " >R", " >C", " >R"}},
    {"accepted, new fence", event::accepted{own, item_run_id{51}, next_fence(fence)},
     {"close >I", "close >W", "- >G", "close >S", "close >R", "close >C", "close >U"}},
    {"refused", event::refused{run, fence}, {"stale >I", "stale >W", "stale >G", "E9+N >G", "E9+N >G", "E9 >I", "E9+N >G"}},
    {"refused, new fence", event::refused{item_run_id{51}, next_fence(fence)},
     {"stale >I", "stale >W", "- >G", "stale >S", "stale >R", "stale >C", "stale >U"}},
    {"finished", event::finished{run, fence, host_outcome::success},
     {"GONE >I", "GONE >W", "GONE >G", "E6:ok >I", "E6:ok >I", "E6:killed >I", "E6:ok >I"}},
    {"finished with an error", event::finished{run, fence, host_outcome::error},
     {"GONE >I", "GONE >W", "GONE >G", "E6:error >I", "E6:error >I", "E6:killed >I", "E6:error >I"}},
    {"cancelled by a host that leaves", event::finished{run, fence, host_outcome::cancelled, true},
     {"GONE >I", "GONE >W", "GONE >G", "E9+F >G", "E9+F >G", "E6:killed >I", "E9+F >G"}},
    {"cancelled by its host", event::finished{run, fence, host_outcome::cancelled},
     {"GONE >I", "GONE >W", "GONE >G", "E6:killed >I", "E6:killed >I", "E6:killed >I", "E6:killed >I"}},
    {"finished, new fence", event::finished{item_run_id{51}, next_fence(fence)},
     {"GONE >I", "GONE >W", "- >G", "GONE >S", "GONE >R", "GONE >C", "GONE >U"}},
    {"finished, old fence", event::finished{item_run_id{49}, fence_number{3}},
     {"GONE >I", "GONE >W", "GONE >G", "GONE >S", "GONE >R", "GONE >C", "GONE >U"}},
    {"yielded", event::finished{run, fence, host_outcome::yielded},
     {"GONE >I", "GONE >W", "GONE >G", "E6:ok+N >G", "E6:ok+N >G", "E6:killed >I", "E6:ok+N >G"}},
    {"cancel", event::cancelled{}, {"- >I", "E9w >I", " >G", "cancel >C", "cancel >C", "kill ask >C", " >U"}},
    {"cancel of another run", event::cancelled{cancel_reason::asked, item_run_id{3}},
     {"stale >I", "stale >W", "stale >G", "stale >S", "stale >R", "stale >C", "stale >U"}},
    {"link lost", event::link_lost{own}, {"- >I", "- >W", " >G", " >U", " >U", " >U", " >U"}},
    {"link of another process lost", event::link_lost{other},
     {"- >I", "- >W", "stale >G", "stale >S", "stale >R", "stale >C", "stale >U"}},
    {"silent", event::host_silent{own, begin}, {"- >I", "- >W", " >G", " >U", " >U", " >U", " >U"}},
    {"inventory: present", event::run_present{own, run, fence},
     {"close >I", "close >W", "close >G", " >R", " >R", " >C", " >R"}},
    {"inventory: present, new fence", event::run_present{own, item_run_id{51}, next_fence(fence)},
     {"close >I", "close >W", "- >G", "close >S", "close >R", "close >C", "close >U"}},
    {"inventory: absent", event::run_absent{own, begin},
     {"stale >I", "stale >W", "stale >G", "E9+N >G", "E9+N >G", "E9 >I", "E9+N >G"}},
    {"fenced by its host", event::run_absent{own, begin, true},
     {"stale >I", "stale >W", "stale >G", "E9+F >G", "E9+F >G", "E9 >I", "E9+F >G"}},
    {"inventory of before the grant", event::run_absent{own, begin - 1s},
     {"stale >I", "stale >W", "stale >G", "ask >S", "ask >R", "ask >C", "ask >U"}},
    {"dead", event::host_gone{own}, {"- >I", "- >W", " >G", "E9+F >G", "E9+F >G", "E9 >I", "E9+F >G"}},
    {"dead, no host", event::host_gone{own}, {"- >I", "- >W", " >G", "E9+W >W", "E9+W >W", "E9 >I", "E9+W >W"}, false},
    {"another process dead", event::host_gone{other},
     {"- >I", "- >W", "stale >G", "stale >S", "stale >R", "stale >C", "stale >U"}},
    {"disabled", event::disabled_set{}, {" >I", "E9w >I", " >G", " >S", " >R", " >C", " >U"}},
    {"N shrinks", event::surplus_set{}, {"delete >I", "E9w delete >I", " >G", " >S", " >R", " >C", " >U"}},
    {"misfire off", event::misfire_off{}, {" >I", " >W", " >G", " >S", " >R", " >C", " >U"}},
    {"failover off", event::failover_off{}, {" >I", "E9w >I", " >G", " >S", " >R", " >C", " >U"}},
    {"plan moves a stream", event::stream_moved{}, {"- >I", "- >W", " >G", "drain >S", "drain >R", "- >C", " >U"}},
    {"job off", event::job_off{}, {" >I", "E9w >I", " >G", " >S", " >R", " >C", " >U"}},
    {"slot released", event::slot_released{},
     {"forget >I", "forget >W", " >G", "forget >S", "forget >R", "forget >C", "forget >U"}},
    {"time not due", event::time_passed{}, {"stale >I", "stale >W", "stale >G", "stale >S", "stale >R", "stale >C", "stale >U"}},
  };
}

} // namespace

TEST_CASE("each event of an elastic item does in each state what the table says", "[unit][elastic]") {
  for (const auto& each : table())
    for (std::size_t i = 0; i < all_states.size(); ++i) {
      scenery at;
      if (!each.has_host)
        at.host.reset();
      auto one = in(all_states[i]);
      INFO(each.name << " in " << text_of(all_states[i]));
      CHECK(step(at, one, each.what) == each.cells[i]);
    }
}

TEST_CASE("a grant that is stored sends what was noted while it was written", "[unit][elastic]") {
  struct {
    item_event before;
    const char* after;
  } const cases[] = {
    {event::link_lost{own}, "ask >U"},
    {event::host_silent{own, begin}, "ask >U"},
    {event::host_gone{own}, "E9+F >G"},
    {event::cancelled{}, "E6:killed >I"},
    {event::cancelled{cancel_reason::moved}, "E9+F >G"},
    {event::slot_released{}, "grant forget >S"},
    {event::failover_off{}, "grant >S"},
    {event::stream_moved{}, "grant drain >S"},
    {event::disabled_set{}, "grant >S"},
    {event::surplus_set{}, "grant >S"},
    {event::fired{fire_2}, "grant >S"},
  };
  for (const auto& each : cases) {
    scenery at;
    auto one = in(item_state::granting);
    static_cast<void>(at.apply(one, each.before));
    INFO(each.after);
    CHECK(step(at, one, event::grant_stored{item_run_id{51}}) == each.after);
    CHECK(one.fence == next_fence(fence));
  }
}

TEST_CASE("a slot that leaves while a grant is written leaves the rest to its next owner", "[unit][elastic]") {
  struct {
    item_event what;
    const char* after;
  } const cases[] = {
    {event::cancelled{}, "grant cancel forget >C"},
    {event::host_gone{own}, "forget >G"},
    {event::link_lost{own}, "forget >G"},
  };
  for (const auto& each : cases) {
    scenery at;
    auto one = in(item_state::granting);
    static_cast<void>(at.apply(one, event::slot_released{}));
    static_cast<void>(at.apply(one, each.what));
    CHECK(step(at, one, event::grant_stored{item_run_id{51}}) == each.after);
  }
  scenery at;
  auto one = in(item_state::granting);
  static_cast<void>(at.apply(one, event::slot_released{}));
  CHECK(step(at, one, event::guard_lost{}) == "forget >G");
}

TEST_CASE("a run that ends is followed by what the item owes", "[unit][elastic]") {
  scenery at;
  auto one = in(item_state::running);
  CHECK(step(at, one, event::fired{fire_2}) == "m:marked >R");
  CHECK(step(at, one, event::fired{{wall + 4s, run_source::normal, {}}}) == "m:merged >R");
  CHECK(step(at, one, event::requested{request_9, request_policy::queue, begin + 60s}) == " >R");
  SECTION("the compensation, then the request") {
    const auto ended = at.apply(one, event::finished{run, fence, host_outcome::error});
    REQUIRE(text_of(ended) == "E6:error+M");
    const auto& write = std::get<action::write_end>(ended.actions.front());
    CHECK(write.run == run);
    CHECK(write.fence == fence);
    CHECK(write.alarm == alarm_cause::error);
    // Its fire is the newest missed one; the grant is made for the fence as stored.
    CHECK(write.next.grant == item_grant{fence, other, {run_source::misfire, {wall + 4s, run_source::normal, {}}}, 1, 500ms});
    CHECK_FALSE(one.missed);
    CHECK(step(at, one, event::grant_stored{item_run_id{51}}) == "grant >S");
    CHECK(step(at, one, event::finished{item_run_id{51}, fence_number{5}}) == "E6:ok+R >G");
    CHECK(one.queue.empty());
  }
  SECTION("both wait if no host is free") {
    at.host.reset();
    CHECK(step(at, one, event::finished{run, fence}) == "E6:ok+W >W");
    CHECK(one.missed);
    at.host = other;
    CHECK(step(at, one, event::host_freed{}) == "E5M >G");
  }
  SECTION("nothing, if the item was disabled or is surplus") {
    const bool surplus = GENERATE(false, true);
    if (surplus)
      CHECK(step(at, one, event::surplus_set{}) == " >R");
    else
      CHECK(step(at, one, event::disabled_set{}) == " >R");
    CHECK(step(at, one, event::finished{run, fence})
          == std::string{"m:disabled drop:disabled E6:ok"} + (surplus ? " delete" : "") + " >I");
    CHECK_FALSE(one.missed);
  }
  SECTION("a takeover comes first, and keeps them") {
    CHECK(step(at, one, event::host_gone{own}) == "E9+F >G");
    CHECK(one.missed);
    CHECK(one.queue.size() == 1);
    CHECK(one.attempt == 2);
    CHECK(one.cause == run_cause{run_source::failover, fire_1});
  }
}

TEST_CASE("a fire of the instant that the open run serves does not miss the item", "[unit][elastic]") {
  scenery at;
  auto one = in(item_state::running);
  const auto served = one.cause.fire;
  CHECK(step(at, one, event::fired{{served.at, run_source::misfire, {}}}) == " >R");
  CHECK_FALSE(one.missed);
  CHECK(step(at, one, event::fired{{served.at + 1s, run_source::normal, {}}}) != " >R");
  CHECK(one.missed);
}

TEST_CASE("a lost run without failover is closed at once", "[unit][elastic]") {
  scenery at;
  at.rules.failover = false;
  auto one = in(item_state::running);
  CHECK(step(at, one, event::host_gone{own}) == "E9 >I");
  // A refused run never ran: it is repeated on another host, and its attempt does not count.
  one = in(item_state::sent);
  CHECK(step(at, one, event::refused{run, fence}) == "E9+N >G");
  CHECK(one.attempt == 1);
  // The host that refused is not asked again before its pause is over.
  one = in(item_state::sent);
  at.host = own;
  CHECK(step(at, one, event::refused{run, fence}) == "E9+W >W");
  CHECK(step(at, one, event::host_freed{}) == " >W");
  CHECK(due_at(one) == begin + refusal_pause);
  at.now = *due_at(one);
  CHECK(step(at, one, event::time_passed{}) == "E5N >G");
  // A host that was full is asked as soon as it has a slot.
  one = in(item_state::sent);
  CHECK(step(at, one, event::refused{run, fence, false, true}) == "E9+N >G");
}

TEST_CASE("a host that lacks something is asked ever more rarely", "[unit][elastic]") {
  scenery at;
  at.host = own;
  auto one = in(item_state::sent);
  auto pause = refusal_pause;
  for (int i = 0; i < refusal_doublings_max; ++i) {
    CHECK(step(at, one, event::refused{one.run, one.fence, true}) == "E9+W >W");
    CHECK(due_at(one) == at.now + pause);
    at.now = *due_at(one);
    CHECK(step(at, one, event::time_passed{}) == "E5N >G");
    static_cast<void>(step(at, one, event::grant_stored{item_run_id{60 + i}}));
    pause *= 2;
  }
  // The longest pause is longer than the time until the alarm.
  CHECK(step(at, one, event::refused{one.run, one.fence, true}) == "E9+W >W");
  at.now = *due_at(one);
  CHECK(step(at, one, event::time_passed{}) == "alarm >W");
  CHECK(due_at(one) == one.avoided_until);
  at.now = *due_at(one);
  CHECK(step(at, one, event::time_passed{}) == "E5N >G");
  static_cast<void>(step(at, one, event::grant_stored{item_run_id{70}}));
  static_cast<void>(step(at, one, event::accepted{one.host, one.run, one.fence}));
  CHECK(step(at, one, event::refused{one.run, one.fence, true}) == "E9+W >W");
  CHECK(due_at(one) == at.now + refusal_pause);
}

TEST_CASE("hosts that lack something are not asked in turn without a pause", "[unit][elastic]") {
  scenery at;
  at.host = other;
  auto one = in(item_state::sent);
  CHECK(step(at, one, event::refused{one.run, one.fence, true}) == "E9+N >G");
  static_cast<void>(step(at, one, event::grant_stored{item_run_id{60}}));
  at.host = own;
  CHECK(step(at, one, event::refused{one.run, one.fence, true}) == "E9+W >W");
  CHECK(step(at, one, event::host_freed{}) == " >W");
  CHECK(due_at(one) == at.now + 2 * refusal_pause);
  at.now = *due_at(one);
  CHECK(step(at, one, event::time_passed{}) == "E5N >G");
}

TEST_CASE("an idle item has no deadline once its pause after a refusal is over", "[unit][elastic]") {
  scenery at;
  at.rules.lease = 5s;
  auto one = in(item_state::sent);
  CHECK(step(at, one, event::refused{run, fence}) == "E9+N >G");
  static_cast<void>(step(at, one, event::grant_stored{item_run_id{60}}));
  static_cast<void>(step(at, one, event::host_silent{other, at.now}));
  at.rules.enabled = false;
  at.now = *due_at(one);
  REQUIRE(at.now > one.avoided_until);
  CHECK(step(at, one, event::time_passed{}) == "E9 >I");
  CHECK_FALSE(due_at(one));
}

TEST_CASE("an item waits for a free slot whatever the misfire rule is", "[unit][elastic]") {
  scenery at;
  at.rules.misfire = false;
  at.host.reset();
  auto one = in(item_state::idle);
  CHECK(step(at, one, event::fired{fire_2}) == "m:dropped >I");
  at.is_full = true;
  one = in(item_state::idle);
  CHECK(step(at, one, event::fired{fire_2}) == "m:marked+W >W");
  CHECK(one.cause == run_cause{run_source::misfire, fire_2});
  // An overrun is still no reason for another run.
  CHECK(step(at, one, event::fired{{wall + 1min, run_source::normal, {}}}) == "m:dropped >W");
  at.host = own;
  at.is_full = false;
  CHECK(step(at, one, event::host_freed{}) == "E5M >G");
  CHECK_FALSE(one.missed);
  // A fire that is older than the wait may be is dropped at once: its row counts the item.
  at.host.reset();
  at.is_full = true;
  at.now = begin + at.rules.misfire_max_age + 1s;
  one = in(item_state::idle);
  CHECK(step(at, one, event::fired{{wall, run_source::normal, {}}}) == "m:dropped >I");
}

TEST_CASE("takeovers of one run are limited", "[unit][elastic]") {
  scenery at;
  auto one = in(item_state::running);
  for (int attempt = 2; attempt <= 4; ++attempt) {
    CHECK(step(at, one, event::host_gone{one.host}) == "E9+F >G");
    CHECK(one.attempt == attempt);
    static_cast<void>(step(at, one, event::grant_stored{item_run_id{50 + attempt}}));
  }
  const auto last = at.apply(one, event::host_gone{one.host});
  REQUIRE(text_of(last) == "E9:failed");
  CHECK(std::get<action::write_loss>(last.actions.front()).alarm == alarm_cause::takeover_limit);
  CHECK(one.state == item_state::idle);
}

TEST_CASE("a cancelled run that is lost is not taken over", "[unit][elastic]") {
  scenery at;
  auto one = in(item_state::running);
  CHECK(step(at, one, event::cancelled{}) == "cancel >C");
  CHECK(step(at, one, event::link_lost{own}) == " >U");
  CHECK(step(at, one, event::run_present{own, run, fence}) == "cancel >C");
  CHECK(step(at, one, event::host_gone{own}) == "E9 >I");
  // A run that its leaving host cancelled goes to another one, and keeps its attempt, even without failover.
  at.rules.failover = false;
  one = in(item_state::running);
  CHECK(step(at, one, event::cancelled{cancel_reason::moved}) == "cancel >C");
  CHECK(step(at, one, event::finished{run, fence, host_outcome::cancelled}) == "E9+F >G");
  CHECK(one.attempt == 1);
}

} // namespace ringmaster::test::item_table_test
