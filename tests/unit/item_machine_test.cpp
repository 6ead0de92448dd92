// The table of an elastic item, cell by cell: elastic design §4.

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "core/elastic/item_machine.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/elastic_text.hpp"

namespace ringmaster::test::item_table_test {

namespace {

using namespace ringmaster::core::elastic;
using namespace std::chrono_literals;
using ringmaster::core::from_ms;
using ringmaster::core::number;
using ringmaster::test::text_of;

constexpr steady_time begin{1000h};
constexpr auto wall = from_ms(1'000'000);
constexpr host_process own{host_number{1}, host_incarnation{7}};
constexpr host_process other{host_number{2}, host_incarnation{3}};
constexpr item_run_id run{50};
constexpr fence_number fence{4};
constexpr fire_key fire_1{wall - 10s, run_source::normal, {}};
constexpr fire_key fire_2{wall, run_source::normal, {}};
constexpr fire_key request_9{wall, run_source::manual, request_id{9}};

constexpr std::array all_states{item_state::idle,    item_state::wanted,     item_state::granting,   item_state::sent,
                                item_state::running, item_state::cancelling, item_state::unreachable};

/// Returns an item in a state, as it comes there: the wait and the grant are those of a takeover of run 50.
item in(item_state state) {
  item one;
  one.state = state;
  one.fence = fence;
  one.cause = {run_source::normal, fire_1};
  one.lease = 500ms;
  one.sent_at = begin - 1s;
  if (state == item_state::idle)
    return one;
  one.run = run;
  one.host = own;
  one.wanted_since = begin - 1s;
  one.sent_once = is_open(state) && state != item_state::granting;
  if (state == item_state::wanted || state == item_state::granting) {
    one.cause.source = run_source::failover;
    one.attempt = 2;
  }
  if (state == item_state::running || state == item_state::cancelling)
    one.began = begin - 1s;
  if (state == item_state::cancelling) {
    one.cancel = cancel_reason::asked;
    one.cancel_sent = true;
  }
  return one;
}

/// Surroundings with a job's options and a host for every run, or none.
struct scenery {
  item_rules rules = [] {
    item_rules out;
    out.failover = true;
    return out;
  }();
  std::optional<host_process> host = other;
  steady_time now = begin;
  host_choice choose = [this](const run_cause&, const std::optional<host_process>& avoided) {
    return host == avoided ? std::nullopt : host;
  };

  item_decision apply(item& one, const item_event& what) {
    return ringmaster::core::elastic::apply(one, what, {now, wall + (now - begin) / 1ms * 1ms, rules, choose});
  }
};

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
    {"finished, new fence", event::finished{item_run_id{51}, next_fence(fence)},
     {"GONE >I", "GONE >W", "- >G", "GONE >S", "GONE >R", "GONE >C", "GONE >U"}},
    {"finished, old fence", event::finished{item_run_id{49}, fence_number{3}},
     {"GONE >I", "GONE >W", "GONE >G", "GONE >S", "GONE >R", "GONE >C", "GONE >U"}},
    {"yielded", event::finished{run, fence, host_outcome::yielded},
     {"GONE >I", "GONE >W", "GONE >G", "E6:ok+N >G", "E6:ok+N >G", "E6:killed >I", "E6:ok+N >G"}},
    {"cancel", event::cancelled{}, {"- >I", "E9w >I", " >G", "cancel >C", "cancel >C", "kill >C", " >U"}},
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

std::string step(scenery& at, item& one, const item_event& what) {
  const auto decision = at.apply(one, what);
  return text_of(decision) + " >" + text_of(one.state);
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
    CHECK(write.alarm == item_alarm::failure);
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
  CHECK(std::get<action::write_loss>(last.actions.front()).alarm == item_alarm::takeovers);
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
    CHECK(pass() == "kill >C");
    CHECK(pass() == "taint E6:failed >I");
    CHECK(step(at, one, event::finished{run, fence_now}) == "GONE >I");
  }
  SECTION("a host that is silent: its lease and the margin") {
    CHECK(step(at, one, event::host_silent{one.host, at.now - 750ms}) == " >U");
    CHECK(due_at(one) == at.now - 750ms + 500ms + lease_margin);
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
    // A fire whose grant was not stored is missed.
    one = in(item_state::granting);
    one.run = {};
    one.cause = {run_source::normal, fire_1};
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
  SECTION("after a lost guard: the item was disabled") {
    auto one = in(item_state::granting);
    auto row = row_of(stored_item_state::wanted, run, fence);
    row.disabled = true;
    CHECK(step(at, one, event::row_read{row}) == "E9w >I");
  }
}

} // namespace ringmaster::test::item_table_test
