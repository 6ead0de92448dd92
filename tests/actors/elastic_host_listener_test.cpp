// Listeners and hooks of the elastic jobs of a host.

#include "tests/actors/elastic_host_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::elastic::host_outcome;
using core::elastic::item_order;
using core::elastic::item_run_id;
using protocol::elastic_event_kind;
using test::hosting;

TEST_CASE_METHOD(hosting, "each-node listeners are called before the first and after the last item of a batch",
                 "[actors][elastic]") {
  using enum executor::elastic::listener_call;
  say_batch(enter_with("trace", ""));
  REQUIRE(bodies->calls.size() == 1);
  CHECK(bodies->begun.empty());
  const auto first = bodies->calls[0].work;
  CHECK(first.call == before);
  CHECK(first.names == std::vector<std::string>{"trace"});
  CHECK(first.facts.name_space == "billing");
  CHECK(first.facts.task_id == "settlement@-@0,1@-@READY@-@10.0.0.3@-@41");
  CHECK(first.facts.items.size() == 2);
  CHECK(first.facts.items[1].param == "b");
  CHECK(first.facts.job_param == "a=1");
  CHECK(first.control == nullptr);
  // A listener that fails does not keep the items from running.
  end_call(0, {500, "listener \"trace\": no disk"});
  REQUIRE(bodies->begun.size() == 2);
  end_body(0);
  CHECK(bodies->calls.size() == 1);
  end_body(1);
  REQUIRE(bodies->calls.size() == 2);
  CHECK(bodies->calls[1].work.call == after);
  CHECK(bodies->calls[1].work.facts.task_id == first.facts.task_id);
  CHECK(kinds().back() == elastic_event_kind::finished);
}

TEST_CASE_METHOD(hosting, "THROW ends a fire before the listeners after it", "[actors][elastic]") {
  const auto grants = enter_with("trace", "", "THROW");
  say_batch(grants);
  SECTION("a failed listener cancels the items") {
    end_call(0, {500, "listener \"trace\": no disk"});
    CHECK(bodies->begun.empty());
    const auto all = events();
    REQUIRE(all.size() >= 2);
    for (const auto& each : {all[all.size() - 2], all.back()}) {
      CHECK(each.outcome == host_outcome::cancelled);
      CHECK(each.text.find("a listener before the items has failed on this host") != std::string::npos);
    }
  }
  SECTION("a failed item") {
    end_call(0);
    end_body(0, {500, "no stock"});
    end_body(1);
  }
  CHECK(bodies->calls.size() == 1);
  // The next fire has its listeners.
  auto next = test::good_grants(15);
  next.items[0].fire_at += 1s;
  say(1, next);
  CHECK(bodies->calls.size() == 2);
}

TEST_CASE_METHOD(hosting, "a run of the same fire that comes later is a batch of its own", "[actors][elastic]") {
  say_batch(enter_with("trace", ""));
  end_call(0);
  end_body(0);
  auto late = test::good_grants(14);
  late.items[0].item = core::elastic::item_number{2};
  SECTION("while the batch goes on, it joins") {
    say(1, late);
    CHECK(bodies->calls.size() == 1);
    REQUIRE(bodies->begun.size() == 3);
    end_body(1);
    CHECK(bodies->calls.size() == 1);
    end_body(2);
    REQUIRE(bodies->calls.size() == 2);
    CHECK(bodies->calls[1].work.facts.items.size() == 3);
  }
  SECTION("after its end") {
    end_body(1);
    say(1, late);
    REQUIRE(bodies->calls.size() == 3);
    CHECK(bodies->calls[2].work.call == executor::elastic::listener_call::before);
    CHECK(bodies->calls[2].work.facts.items.size() == 1);
  }
}

TEST_CASE_METHOD(hosting, "a run that is cancelled while listeners are called never begins, and they are called to the end",
                 "[actors][elastic]") {
  auto grants = enter_with("trace", "");
  grants.items.pop_back();
  say_batch(grants);
  order(12, item_order::cancel);
  CHECK(events().back().outcome == host_outcome::cancelled);
  CHECK(bodies->calls.size() == 1);
  end_call(0);
  CHECK(bodies->begun.empty());
  REQUIRE(bodies->calls.size() == 2);
  CHECK(bodies->calls[1].work.call == executor::elastic::listener_call::after);
}

TEST_CASE_METHOD(hosting, "items run without listeners when no thread is free for these", "[actors][elastic]") {
  bodies->refusing = true;
  say_batch(enter_with("trace", ""));
  CHECK(bodies->calls.empty());
  CHECK(events().back().text == "the executor could not start a thread for this run");
  CHECK(kinds().back() == elastic_event_kind::finished);
}

TEST_CASE_METHOD(hosting, "runs arrive at their barrier after the each-node listeners", "[actors][elastic]") {
  auto grants = enter_with("trace", "audit");
  for (auto& each : grants.items)
    each.hold = true;
  say_batch(grants);
  const auto arrived = [this] {
    const auto all = kinds();
    return std::count(all.begin(), all.end(), elastic_event_kind::arrived);
  };
  CHECK(arrived() == 0);
  SECTION("the order to go comes after that") {
    end_call(0);
    CHECK(arrived() == 2);
    order(12, item_order::go);
    CHECK(bodies->begun.size() == 1);
  }
  SECTION("the order to go comes while they are called") {
    order(12, item_order::go);
    CHECK(bodies->begun.empty());
    end_call(0);
    CHECK(bodies->begun.size() == 1);
    CHECK(arrived() == 1);
  }
}

TEST_CASE_METHOD(hosting, "a run of a hook calls the once-listeners with the items of this host", "[actors][elastic]") {
  using enum executor::elastic::listener_call;
  auto grants = enter_with("", "audit");
  for (auto& each : grants.items)
    each.hold = true;
  say_batch(grants);
  auto hook = test::good_grants(14);
  hook.items[0].item = core::elastic::before_hook_item;
  say(1, hook);
  REQUIRE(bodies->calls.size() == 1);
  const auto& work = bodies->calls[0].work;
  CHECK(work.call == before_all);
  CHECK(work.names == std::vector<std::string>{"audit"});
  CHECK(work.facts.task_id == "settlement@-@0,1@-@READY@-@10.0.0.3@-@41@-@14");
  CHECK(work.facts.fence == 4);
  REQUIRE(work.control);
  CHECK(kinds().back() == elastic_event_kind::started);
  end_call(0, {500, "listener \"audit\": no disk"});
  CHECK(events().back().item == core::elastic::before_hook_item);
  CHECK(events().back().outcome == host_outcome::error);
  CHECK(events().back().text == "listener \"audit\": no disk");
  order(12, item_order::go);
  order(13, item_order::go);
  end_body(0);
  end_body(1);
  hook.items[0] = {core::elastic::after_hook_item, item_run_id{15}, core::elastic::fence_number{4}};
  hook.items[0].fire_at = test::sample_time;
  say(1, hook);
  REQUIRE(bodies->calls.size() == 2);
  CHECK(bodies->calls[1].work.call == after_all);
  CHECK(bodies->calls[1].work.facts.items.size() == 2);
}

TEST_CASE_METHOD(hosting, "the error handler gets the failure of a hook, and ends no item for it", "[actors][elastic]") {
  enter();
  auto spec = test::good_spec();
  spec.once_listeners = "audit";
  spec.error_handler = "pager";
  spec.props = R"({"custom.key":"k"})";
  say(1, protocol::elastic_specs{{spec}});
  auto grants = test::good_grants(12);
  grants.items[0].hold = true;
  say(1, grants);
  auto hook = test::good_grants(14);
  hook.items[0].item = core::elastic::before_hook_item;
  say(1, hook);
  end_call(0, {500, "stop"});
  CHECK(end_of(14).run == item_run_id{});
  CHECK(threads->run_one());
  run();
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].item == -1);
  CHECK(end_of(14).outcome == host_outcome::error);
  CHECK(end_of(14).text == "stop");
  order(12, item_order::go);
  CHECK(bodies->begun.size() == 1);
}

TEST_CASE_METHOD(hosting, "a drain waits for each-node listeners", "[actors][elastic]") {
  auto grants = enter_with("trace", "");
  grants.items.pop_back();
  say_batch(grants);
  end_call(0);
  end_body(0);
  const auto drained = later<caf::unit_t>(host, protocol::drain_request{20s});
  receipts();
  pass(200ms);
  CHECK_FALSE(drained->has_value());
  end_call(1);
  pass(100ms);
  CHECK(drained->has_value());
}
