// host_book: grants.

#include "tests/actors/elastic_host_book_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using namespace ringmaster::test::host_book_test;

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
