#include "executor/elastic/host_book.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "tests/actors/elastic_samples.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::elastic::item_order;
using core::elastic::item_run_id;
using executor::elastic::host_book;
using executor::elastic::host_effects;
using executor::elastic::host_moment;
using executor::elastic::link_number;
using protocol::elastic_event_kind;
using protocol::elastic_phase;
using protocol::elastic_refusal;
using protocol::elastic_verdict;

namespace {

/// A host whose nodes are played by the test.
struct booked {
  booked() {
    auto me = test::good_hello();
    me.process.clear();
    me.cluster.clear();
    me.epochs.clear();
    me.capacity = 2;
    book.emplace(std::move(me), [this] { return std::string(32, "abcdef0123456789"[keys++ % 16]); });
  }

  /// Lets the book go on, and keeps its effects.
  void go_on() {
    book->pass_time(now);
    auto next = book->take_effects();
    for (auto& each : next.messages) {
      CHECK(std::visit([](const auto& what) { return protocol::breach_of(what); }, each.second.what).empty());
      done.messages.push_back(std::move(each));
    }
    const auto keep = [](auto& to, auto& from) { std::move(from.begin(), from.end(), std::back_inserter(to)); };
    keep(done.fenced, next.fenced);
    keep(done.grants, next.grants);
    keep(done.orders, next.orders);
    keep(done.closed, next.closed);
    keep(done.warnings, next.warnings);
    if (next.lease_from)
      done.lease_from = next.lease_from;
  }
  template <class Message>
  void say(link_number link, const Message& message) {
    book->take(link, message, now);
    go_on();
  }
  void pass(core::milliseconds duration) {
    for (core::milliseconds passed{0}; passed < duration; passed += 50ms) {
      now.boot += 50ms;
      now.wall += 50ms;
      go_on();
    }
  }
  void connect(link_number link) {
    book->add_link(link, "10.0.0." + std::to_string(link) + ":9100", now);
    go_on();
  }
  void welcome(link_number link, std::int64_t keeper_no, core::elastic::host_process host = test::sample_host) {
    auto said = test::good_welcome();
    said.keeper_no = keeper_no;
    said.host = host;
    say(link, said);
  }
  void refuse(link_number link, elastic_verdict verdict) {
    protocol::elastic_welcome said;
    said.verdict = verdict;
    say(link, said);
  }
  /// Connects to a node that is the keeper, with a lease from now on and the definition of job 7.
  void enter() {
    connect(1);
    welcome(1, 2);
    lease();
    say(1, protocol::elastic_specs{{test::good_spec()}});
    done = {};
  }
  /// Acknowledges the last heartbeat of link 1.
  void lease() { say(1, protocol::elastic_ack{sent<protocol::elastic_heartbeat>().back().number, 2}); }
  void grant(std::int64_t run, std::int32_t item = 0, std::int64_t fence = 4) {
    auto grants = test::good_grants(run);
    grants.items[0].item = core::elastic::item_number{item};
    grants.items[0].fence = core::elastic::fence_number{fence};
    say(1, grants);
  }
  void order(std::int64_t run, item_order what, std::int64_t epoch = 9) {
    auto orders = test::good_orders();
    orders.epoch = epoch;
    orders.orders = {{item_run_id{run}, core::elastic::fence_number{4}, what}};
    say(1, orders);
  }
  void tell(std::int64_t run, elastic_event_kind kind) {
    auto event = test::good_event(run);
    event.kind = kind;
    book->take_event(event, now);
    go_on();
  }
  /// Confirms all batches of events so far.
  void receipts() {
    for (const auto& batch : sent<protocol::elastic_events>())
      say(1, protocol::elastic_receipt{batch.batch, true});
    std::erase_if(done.messages, [](const auto& each) {
      return std::holds_alternative<protocol::elastic_events>(each.second.what);
    });
  }
  std::vector<protocol::elastic_held_run> inventory(std::uint32_t slot = 7) {
    auto asked = test::good_orders();
    asked.orders.clear();
    asked.slot = slot;
    asked.inventory = 5;
    say(1, asked);
    const auto parts = sent<protocol::elastic_inventory>();
    REQUIRE_FALSE(parts.empty());
    CHECK(parts.back().question == 5);
    CHECK(parts.back().end);
    return parts.back().runs;
  }

  template <class Message>
  [[nodiscard]] std::vector<Message> sent(link_number link = 1) const {
    std::vector<Message> out;
    for (const auto& [to, message] : done.messages)
      if (const auto* what = std::get_if<Message>(&message.what); what && to == link)
        out.push_back(*what);
    return out;
  }
  /// Returns the refusals of all events so far; `none` for an accepted run.
  [[nodiscard]] std::vector<elastic_refusal> refusals() const {
    std::vector<elastic_refusal> out;
    for (const auto& batch : sent<protocol::elastic_events>())
      for (const auto& event : batch.events)
        if (event.kind == elastic_event_kind::accepted || event.kind == elastic_event_kind::refused)
          out.push_back(event.refusal);
    return out;
  }
  [[nodiscard]] std::vector<elastic_event_kind> kinds() const {
    std::vector<elastic_event_kind> out;
    for (const auto& batch : sent<protocol::elastic_events>())
      for (const auto& event : batch.events)
        out.push_back(event.kind);
    return out;
  }

  int keys = 0;
  host_moment now{1000s, test::sample_time};
  std::optional<host_book> book;
  host_effects done;
};

using refused = std::vector<elastic_refusal>;
using event_kinds = std::vector<elastic_event_kind>;

} // namespace

TEST_CASE_METHOD(booked, "a host introduces itself on each link, and acts on nothing before the welcome", "[actors][elastic]") {
  connect(1);
  connect(2);
  REQUIRE(sent<protocol::elastic_hello>(1).size() == 1);
  CHECK(sent<protocol::elastic_hello>(2).back().process == std::string(32, 'a'));
  say(1, protocol::elastic_specs{{test::good_spec()}});
  grant(12);
  pass(1s);
  CHECK(sent<protocol::elastic_heartbeat>().empty());
  CHECK(sent<protocol::elastic_events>().empty());
  welcome(1, 2);
  const auto beats = sent<protocol::elastic_heartbeat>();
  REQUIRE(beats.size() == 1);
  CHECK(beats[0].incarnation == test::sample_host.incarnation);
  CHECK(beats[0].keeper_no == 2);
  CHECK(beats[0].free_slots == 2);
  CHECK(sent<protocol::elastic_heartbeat>(2).empty());
}

TEST_CASE_METHOD(booked, "a hello without an answer is repeated", "[actors][elastic]") {
  connect(1);
  pass(3s);
  CHECK(sent<protocol::elastic_hello>().size() == 2);
  refuse(1, elastic_verdict::unavailable);
  pass(1s);
  CHECK(sent<protocol::elastic_hello>().size() == 2);
  pass(1s);
  CHECK(sent<protocol::elastic_hello>().size() == 3);
  refuse(1, elastic_verdict::too_many_hosts);
  pass(14s);
  CHECK(sent<protocol::elastic_hello>().size() == 3);
  CHECK(done.warnings.size() == 1);
}

TEST_CASE_METHOD(booked, "grants of a lower epoch are refused (H1)", "[actors][elastic]") {
  enter();
  auto newer = test::good_orders();
  newer.epoch = 10;
  newer.orders.clear();
  newer.inventory = 1;
  say(1, newer);
  grant(12);
  CHECK(refusals() == refused{elastic_refusal::old_epoch});
  CHECK(done.grants.empty());
  order(12, item_order::cancel);
  CHECK(done.orders.empty());
  connect(2);
  CHECK(sent<protocol::elastic_hello>(2).back().epochs == std::vector<core::elastic::slot_lease>{{7, 10}});
}

TEST_CASE_METHOD(booked, "grants for another process are refused (H2)", "[actors][elastic]") {
  enter();
  auto grants = test::good_grants(12);
  grants.host.incarnation = core::elastic::host_incarnation{4};
  say(1, grants);
  CHECK(refusals() == refused{elastic_refusal::other_process});
}

TEST_CASE_METHOD(booked, "grants without a valid lease are refused (H2)", "[actors][elastic]") {
  connect(1);
  welcome(1, 2);
  say(1, protocol::elastic_specs{{test::good_spec()}});
  grant(12);
  CHECK(refusals() == refused{elastic_refusal::no_lease});
  lease();
  grant(13);
  CHECK(refusals() == refused{elastic_refusal::no_lease, elastic_refusal::none});
  pass(500ms);
  grant(14, 1);
  CHECK(refusals().back() == elastic_refusal::no_lease);
}

TEST_CASE_METHOD(booked, "a grant that was on its way while the lease was over is refused (I3)", "[actors][elastic]") {
  enter();
  connect(2);
  welcome(2, 0);
  say(2, protocol::elastic_specs{{test::good_spec()}});
  pass(700ms); // the lease of a run ends, and its node takes it away
  say(1, protocol::elastic_ack{sent<protocol::elastic_heartbeat>().back().number, 3});
  const auto last_answer = [&] { return sent<protocol::elastic_events>(2).back().events.back().refusal; };
  say(2, test::good_grants(12));
  CHECK(last_answer() == elastic_refusal::no_lease);
  say(2, protocol::elastic_ack{sent<protocol::elastic_heartbeat>(2).back().number, 0});
  say(2, test::good_grants(13));
  CHECK(last_answer() == elastic_refusal::none);
}

TEST_CASE_METHOD(booked, "grants of unknown handlers, definitions and items are refused", "[actors][elastic]") {
  enter();
  auto grants = test::good_grants(12);
  grants.version = 2;
  say(1, grants);
  auto spec = test::good_spec();
  spec.version = 2;
  spec.handler = "nothing";
  say(1, protocol::elastic_specs{{spec}});
  say(1, grants);
  grant(13, 3);
  grant(14, -1);
  CHECK(refusals() == refused{elastic_refusal::no_definition, elastic_refusal::unknown_handler, elastic_refusal::unknown_handler,
                              elastic_refusal::unknown_listener});
  CHECK(done.grants.empty());
}

TEST_CASE_METHOD(booked, "a grant of a type that the host does not run is refused", "[actors][elastic]") {
  enter();
  auto spec = test::good_spec();
  for (const auto& [kind, handler] :
       {std::pair{"script", "SCRIPT"}, {"script", "settle"}, {"http", "HTTP"}, {"other", "settle"}}) {
    ++spec.version;
    spec.kind = kind;
    spec.handler = handler;
    say(1, protocol::elastic_specs{{spec}});
    auto grants = test::good_grants(static_cast<int>(20 + spec.version));
    grants.version = spec.version;
    say(1, grants);
    CHECK(refusals().back() == elastic_refusal::unknown_handler);
  }
  CHECK(done.grants.empty());
}

TEST_CASE_METHOD(booked, "grants with a pool or an error handler that the process lacks are refused by name",
                 "[actors][elastic]") {
  enter();
  auto spec = test::good_spec();
  spec.pool = "half";
  spec.version = 2;
  say(1, protocol::elastic_specs{{spec}});
  auto grants = test::good_grants(12);
  grants.version = 2;
  say(1, grants);
  CHECK(refusals().back() == elastic_refusal::unknown_pool);
  spec.pool = "SINGLE_THREAD";
  spec.error_handler = "pager";
  spec.version = 3;
  say(1, protocol::elastic_specs{{spec}});
  grants.version = 3;
  say(1, grants);
  CHECK(refusals().back() == elastic_refusal::unknown_error_handler);
  spec.error_handler = "DINGTALK";
  spec.version = 4;
  say(1, protocol::elastic_specs{{spec}});
  grants.version = 4;
  say(1, grants);
  CHECK(refusals().back() == elastic_refusal::none);
  CHECK(done.grants.size() == 1);
}

TEST_CASE_METHOD(booked, "grants of a job with an unknown listener are refused with its name", "[actors][elastic]") {
  enter();
  auto spec = test::good_spec();
  spec.listeners = "trace, absent";
  say(1, protocol::elastic_specs{{spec}});
  grant(12);
  spec.listeners = "trace";
  spec.once_listeners = "audit,gone";
  say(1, protocol::elastic_specs{{spec}});
  grant(13);
  CHECK(refusals() == refused{elastic_refusal::unknown_listener, elastic_refusal::unknown_listener});
  std::vector<std::string> texts;
  for (const auto& batch : sent<protocol::elastic_events>())
    for (const auto& event : batch.events)
      texts.push_back(event.text);
  CHECK(texts == std::vector<std::string>{"the executor has no listener \"absent\"", "the executor has no listener \"gone\""});
}

TEST_CASE_METHOD(booked, "a draining host refuses items, and still calls once-listeners", "[actors][elastic]") {
  enter();
  auto spec = test::good_spec();
  spec.once_listeners = "audit";
  say(1, protocol::elastic_specs{{spec}});
  book->begin_drain();
  grant(12, 0);
  grant(13, -1);
  CHECK(refusals() == refused{elastic_refusal::draining, elastic_refusal::none});
}

TEST_CASE_METHOD(booked, "a call of once-listeners takes no slot", "[actors][elastic]") {
  enter();
  auto spec = test::good_spec();
  spec.once_listeners = "audit";
  say(1, protocol::elastic_specs{{spec}});
  grant(12, 0);
  grant(13, 1);
  grant(14, -1);
  grant(15, 2);
  CHECK(refusals() ==
        refused{elastic_refusal::none, elastic_refusal::none, elastic_refusal::none, elastic_refusal::no_free_slot});
  CHECK(book->runs().free_slots() == 0);
  tell(14, elastic_event_kind::finished);
  receipts();
  CHECK(book->runs().free_slots() == 0);
  tell(13, elastic_event_kind::finished);
  receipts();
  CHECK(book->runs().free_slots() == 1);
}

TEST_CASE_METHOD(booked, "an admitted grant goes to its job, once", "[actors][elastic]") {
  enter();
  grant(12);
  grant(12);
  CHECK(refusals() == refused{elastic_refusal::none, elastic_refusal::none});
  REQUIRE(done.grants.size() == 1);
  CHECK(done.grants[0].spec->handler == "settle");
  CHECK(done.grants[0].param == "a=1");
  grant(13, 0, 5);
  CHECK(refusals().back() == elastic_refusal::busy);
  // A refusal would say that the run is not here.
  auto late = test::good_grants(12);
  late.epoch = 8;
  say(1, late);
  CHECK(refusals().back() == elastic_refusal::none);
  tell(12, elastic_event_kind::finished);
  receipts();
  grant(12);
  CHECK(refusals() == refused{elastic_refusal::busy});
  CHECK(done.grants.size() == 1);
}

TEST_CASE_METHOD(booked, "a slot is free only after the receipt of the result (H3)", "[actors][elastic]") {
  enter();
  grant(12, 0);
  grant(13, 1);
  grant(14, 2);
  CHECK(refusals().back() == elastic_refusal::no_free_slot);
  tell(12, elastic_event_kind::started);
  tell(12, elastic_event_kind::finished);
  CHECK(book->runs().free_slots() == 0);
  receipts();
  CHECK(book->runs().free_slots() == 1);
  CHECK_FALSE(book->idle());
  tell(13, elastic_event_kind::finished);
  receipts();
  CHECK(book->idle());
}

TEST_CASE_METHOD(booked, "a node of another cluster is refused (H4)", "[actors][elastic]") {
  enter();
  connect(2);
  auto other = test::good_welcome();
  other.cluster = std::string(32, 'd');
  say(2, other);
  CHECK(done.warnings.size() == 1);
  CHECK(sent<protocol::elastic_heartbeat>(2).empty());
  connect(3);
  CHECK(sent<protocol::elastic_hello>(3).back().cluster == std::string(32, 'c'));
}

TEST_CASE_METHOD(booked, "an inventory has the runs of the slot with their phase", "[actors][elastic]") {
  enter();
  CHECK(inventory().empty());
  grant(12, 0);
  grant(13, 1);
  tell(13, elastic_event_kind::started);
  const auto runs = inventory();
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].phase == elastic_phase::waiting);
  CHECK(runs[1].phase == elastic_phase::running);
  CHECK(inventory(8).empty());
  tell(12, elastic_event_kind::finished);
  CHECK(inventory()[0].phase == elastic_phase::ended);
  receipts();
  CHECK(inventory().size() == 1);
}

TEST_CASE_METHOD(booked, "orders reach the body of their run, and a closed run is forgotten", "[actors][elastic]") {
  enter();
  grant(12);
  order(12, item_order::cancel, 8);
  CHECK(done.orders.empty());
  order(12, item_order::cancel);
  order(99, item_order::cancel);
  REQUIRE(done.orders.size() == 1);
  CHECK(done.orders[0].order.order == item_order::cancel);
  order(12, item_order::kill);
  CHECK(book->runs().tainted() == 1);
  order(12, item_order::close);
  CHECK(done.closed == std::vector{item_run_id{12}});
  CHECK(done.fenced == std::vector{item_run_id{12}});
  CHECK(inventory().empty());
  // The body keeps its slot and its item until it has ended.
  CHECK(book->runs().free_slots() == 1);
  grant(13, 0, 5);
  CHECK(refusals().back() == elastic_refusal::busy);
  done.messages.clear();
  tell(12, elastic_event_kind::finished);
  CHECK(kinds().empty());
  CHECK(book->runs().free_slots() == 2);
  CHECK(book->runs().tainted() == 0);
}

TEST_CASE_METHOD(booked, "a run whose lease is over is reported as fenced, and its result is void", "[actors][elastic]") {
  enter();
  grant(12);
  tell(12, elastic_event_kind::started);
  done.messages.clear();
  book->take_lease_end({item_run_id{12}}, now);
  go_on();
  CHECK(kinds() == event_kinds{elastic_event_kind::fenced});
  CHECK(done.fenced == std::vector{item_run_id{12}});
  // A run that is not in it has never begun.
  REQUIRE(inventory().size() == 1);
  CHECK(inventory()[0].phase == elastic_phase::ended);
  tell(12, elastic_event_kind::finished);
  CHECK(kinds() == event_kinds{elastic_event_kind::fenced});
  receipts();
  CHECK(inventory().empty());
  CHECK(book->idle());
}

TEST_CASE_METHOD(booked, "a result without a receipt outlives the lease", "[actors][elastic]") {
  enter();
  grant(12);
  tell(12, elastic_event_kind::finished);
  book->take_lease_end({item_run_id{12}}, now);
  go_on();
  CHECK(done.fenced.empty());
  CHECK(inventory().size() == 1);
}

TEST_CASE_METHOD(booked, "results are repeated over another link", "[actors][elastic]") {
  enter();
  connect(2);
  welcome(2, 0);
  grant(12);
  tell(12, elastic_event_kind::finished);
  book->end_link(1, now);
  go_on();
  const auto batches = sent<protocol::elastic_events>(2);
  REQUIRE_FALSE(batches.empty());
  CHECK(batches.back().events.back().kind == elastic_event_kind::finished);
  CHECK(book->keepers().asked() == 2);
  CHECK(sent<protocol::elastic_heartbeat>(2).back().asks_keeper);
}

// The slot of the job went from the node of link 1 to that of link 3.
TEST_CASE_METHOD(booked, "a result that a node refuses is offered to the other nodes in turn", "[actors][elastic]") {
  enter();
  for (const executor::elastic::link_number link : {2U, 3U}) {
    connect(link);
    welcome(link, 0);
  }
  grant(12);
  receipts();
  tell(12, elastic_event_kind::finished);
  for (const executor::elastic::link_number link : {1U, 2U, 3U, 1U}) {
    CAPTURE(link);
    const auto batches = sent<protocol::elastic_events>(link);
    REQUIRE_FALSE(batches.empty());
    CHECK(batches.back().events.back().kind == elastic_event_kind::finished);
    done.messages.clear();
    say(link, protocol::elastic_receipt{batches.back().batch, false});
    pass(600ms);
  }
}

TEST_CASE_METHOD(booked, "a process that counts as dead ends its runs and enters as a new one", "[actors][elastic]") {
  enter();
  grant(12);
  connect(2);
  done = {};
  refuse(2, elastic_verdict::dead_process);
  CHECK(done.fenced == std::vector{item_run_id{12}});
  CHECK_FALSE(book->process());
  // A late welcome of the earlier process has no effect.
  welcome(1, 2);
  CHECK_FALSE(book->process());
  pass(1'200ms);
  REQUIRE(sent<protocol::elastic_hello>().size() == 1);
  CHECK(sent<protocol::elastic_hello>()[0].process == std::string(32, 'b'));
  welcome(1, 2);
  CHECK_FALSE(book->process());
  const core::elastic::host_process next{test::sample_host.host, core::elastic::host_incarnation{6}};
  welcome(1, 3, next);
  CHECK(book->process() == next);
  CHECK(kinds() == event_kinds{elastic_event_kind::fenced});
  grant(13);
  CHECK(refusals() == refused{elastic_refusal::other_process});
}

TEST_CASE_METHOD(booked, "a refusal of the process before does not stop a process that entered again", "[actors][elastic]") {
  enter();
  connect(2);
  refuse(2, elastic_verdict::dead_process);
  pass(1'200ms); // the hello of the new process has left
  protocol::elastic_welcome late;
  late.verdict = GENERATE(elastic_verdict::replaced, elastic_verdict::dead_process);
  late.host = test::sample_host;
  say(2, late);
  const core::elastic::host_process next{test::sample_host.host, core::elastic::host_incarnation{6}};
  welcome(1, 3, next);
  CHECK(book->process() == next);
  late.host = next;
  say(1, late);
  CHECK_FALSE(book->process());
}

TEST_CASE_METHOD(booked, "a process enters that a restored database counts from an earlier number on", "[actors][elastic]") {
  enter();
  const core::elastic::host_process older{test::sample_host.host, core::elastic::host_incarnation{4}};
  connect(2);
  welcome(2, 1, older); // the database has forgotten this process
  CHECK_FALSE(book->process());
  pass(1'200ms);
  done = {};
  const bool is_refused = GENERATE(false, true);
  if (is_refused) {
    protocol::elastic_welcome dead;
    dead.verdict = elastic_verdict::dead_process;
    dead.host = test::sample_host;
    say(2, dead);
    CHECK(done.warnings.empty());
    say(2, dead);
    CHECK(done.warnings.size() == 2);
    pass(1'200ms);
  }
  // The next number is that of a process that has ended here: the answer could be a late one.
  welcome(2, 1, test::sample_host);
  if (!is_refused) {
    CHECK_FALSE(book->process());
    pass(3s);
    REQUIRE_FALSE(sent<protocol::elastic_hello>(2).empty());
    welcome(2, 1, test::sample_host);
  }
  CHECK(book->process() == test::sample_host);
}

TEST_CASE_METHOD(booked, "a process that was replaced ends its runs and enters again after growing pauses", "[actors][elastic]") {
  enter();
  grant(12);
  connect(2);
  const auto first = sent<protocol::elastic_hello>(2).at(0).process;
  refuse(2, elastic_verdict::replaced);
  CHECK(done.fenced == std::vector{item_run_id{12}});
  CHECK_FALSE(book->process());
  REQUIRE(done.warnings.size() == 1);
  CHECK(done.warnings[0].find("another process uses the id of this executor") != std::string::npos);
  for (auto pause = host_book::replaced_pause; pause < 40s; pause *= 2) {
    done = {};
    connect(3); // a new link is no reason
    pass(std::chrono::duration_cast<core::milliseconds>(pause) - 50ms);
    CHECK(done.messages.empty());
    pass(50ms);
    REQUIRE(sent<protocol::elastic_hello>(2).size() == 1);
    CHECK(sent<protocol::elastic_hello>(2)[0].process != first);
    refuse(2, elastic_verdict::replaced);
    CHECK(done.warnings.empty());
    book->end_link(3, now);
  }
  pass(65s); // the other one has ended meanwhile
  REQUIRE_FALSE(sent<protocol::elastic_hello>(1).empty());
  const core::elastic::host_process next{test::sample_host.host, core::elastic::host_incarnation{7}};
  welcome(1, 3, next);
  CHECK(book->process() == next);
  // The next time, the pause is short again.
  refuse(2, elastic_verdict::replaced);
  done = {};
  pass(2s);
  CHECK_FALSE(sent<protocol::elastic_hello>(2).empty());
}

TEST_CASE_METHOD(booked, "a draining host refuses grants and cancels its runs when asked", "[actors][elastic]") {
  enter();
  grant(12, 0);
  book->begin_drain();
  grant(13, 1);
  CHECK(refusals() == refused{elastic_refusal::none, elastic_refusal::draining});
  pass(150ms);
  CHECK(sent<protocol::elastic_heartbeat>().back().free_slots == 0);
  book->begin_drain();
  book->cancel_all();
  go_on();
  REQUIRE(done.orders.size() == 2);
  CHECK(done.orders[0].order.order == item_order::drain);
  CHECK(done.orders[1].order.order == item_order::cancel);
  CHECK_FALSE(book->idle());
  tell(12, elastic_event_kind::finished);
  receipts();
  CHECK(book->idle());
}
