// host_book: entry, processes, results and orders.

#include "tests/actors/elastic_host_book_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using namespace ringmaster::test::host_book_test;

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
