#include "executor/elastic/elastic_host.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "tests/actors/elastic_samples.hpp"
#include "tests/actors/executor_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/virtual_time.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::elastic::host_outcome;
using core::elastic::item_order;
using core::elastic::item_run_id;
using executor::elastic::item_work;
using protocol::elastic_event_kind;
using protocol::elastic_refusal;

namespace {

/// Bodies that end when the test says so.
class played_bodies final : public executor::elastic::item_bodies {
public:
  bool start(item_work work, std::function<void(core::run_outcome&&)> done) override {
    if (refusing)
      return false;
    begun.push_back({std::move(work), std::move(done)});
    return true;
  }

  bool call_listeners(executor::elastic::listener_work work, std::function<void(core::run_outcome&&)> done) override {
    if (refusing)
      return false;
    calls.push_back({std::move(work), std::move(done)});
    return true;
  }

  struct call {
    executor::elastic::listener_work work;
    std::function<void(core::run_outcome&&)> done;
  };
  std::vector<call> calls;
  struct body {
    item_work work;
    std::function<void(core::run_outcome&&)> done;
  };
  bool refusing = false;
  std::vector<body> begun;
};

/// A host with links to nodes that the test plays.
struct hosting : test::virtual_time {
  hosting() {
    auto me = test::good_hello();
    me.cluster.clear();
    me.epochs.clear();
    const auto boot_time_now = [this] { return executor::elastic::boot_time{boot_now()}; };
    board = std::make_shared<executor::elastic::fence_board>(boot_time_now);
    executor::elastic::job_host_tools tools{board, bodies, threads, [this] { return civil(); }, "10.0.0.3", 41};
    tools.processors = 4;
    tools.pools = std::make_shared<const std::map<std::string, std::size_t, std::less<>>>(
      std::map<std::string, std::size_t, std::less<>>{{"two", 2}});
    tools.error_handlers = std::make_shared<const executor::elastic::error_handler_factories>(
      executor::elastic::error_handler_factories{{"pager", [this] { return std::make_shared<paging_handler>(*this); }}});
    host = spawn<executor::elastic::elastic_host_state, protocol::elastic_host>(executor::elastic::elastic_host_parts{
      me, [] { return std::string(32, 'a'); }, boot_time_now, std::move(tools), silent_log()});
  }
  ~hosting() { end_all(); }

  void connect(std::uint64_t link) {
    auto node = track(system().spawn([this, link]() -> protocol::node_link::behavior_type {
      return {[this, link](const protocol::node_message& message) { heard.emplace_back(link, message); }};
    }));
    protocol::anon_send(host, protocol::link_offer{link, "10.0.0.1:9100", std::move(node)});
    run();
  }
  void cut(std::uint64_t link) {
    protocol::anon_send(host, protocol::link_offer{link, "10.0.0.1:9100", protocol::node_link{}});
    run();
  }
  template <class Message>
  void say(std::uint64_t link, Message message) {
    protocol::anon_send(host, protocol::node_said{link, now(), std::move(message)});
    run();
  }
  void enter() {
    connect(1);
    say(1, test::good_welcome());
    acknowledge();
    say(1, protocol::elastic_specs{{test::good_spec()}});
  }
  /// Replaces the definition of the job.
  void define(const std::string& pool, const std::string& error_handler = {}, const std::string& props = {}) {
    auto spec = test::good_spec();
    spec.version = ++version;
    spec.pool = pool;
    spec.error_handler = error_handler;
    spec.props = props;
    say(1, protocol::elastic_specs{{spec}});
  }
  /// Grants runs 12, 13 and so on, of the items 0, 1 and so on.
  void grant_items(int items, core::milliseconds later = {}) {
    auto grants = test::good_grants(12);
    const auto first = grants.items.front();
    grants.version = version;
    grants.items.clear();
    for (int item = 0; item < items; ++item) {
      grants.items.push_back(first);
      auto& made = grants.items.back();
      made.item = core::elastic::item_number{item};
      made.run = item_run_id{next_run++};
      made.fire_at += later;
    }
    say(1, grants);
  }
  void end_body(std::size_t which, core::run_outcome outcome = {}) {
    bodies->begun.at(which).done(std::move(outcome));
    run();
  }
  [[nodiscard]] protocol::elastic_event end_of(std::int64_t number) const {
    for (const auto& event : events())
      if (event.kind == elastic_event_kind::finished && event.run == item_run_id{number})
        return event;
    return {};
  }

  void acknowledge() { say(1, protocol::elastic_ack{sent<protocol::elastic_heartbeat>(1).back().number, 2}); }
  /// Lets time pass, with acknowledgements of the keeper.
  void pass(std::chrono::milliseconds duration) {
    for (std::chrono::milliseconds passed{0}; passed < duration; passed += 50ms) {
      advance(50ms);
      acknowledge();
    }
  }
  void order(std::int64_t run_number, item_order what) {
    auto orders = test::good_orders();
    orders.orders = {{item_run_id{run_number}, core::elastic::fence_number{4}, what}};
    say(1, orders);
  }
  /// As `enter`, with listeners. Returns grants of the items 0 and 1.
  protocol::elastic_grants enter_with(const std::string& listeners, const std::string& once_listeners) {
    enter();
    auto spec = test::good_spec();
    spec.name_space = "billing";
    spec.listeners = listeners;
    spec.once_listeners = once_listeners;
    say(1, protocol::elastic_specs{{spec}});
    auto grants = test::good_grants(12);
    grants.items.push_back(grants.items[0]);
    grants.items[1].item = core::elastic::item_number{1};
    grants.items[1].run = item_run_id{13};
    return grants;
  }
  void say_batch(const protocol::elastic_grants& grants) { say(1, grants); }
  void end_call(std::size_t index, core::run_outcome outcome = {}) {
    bodies->calls.at(index).done(std::move(outcome));
    run();
  }
  void receipts() {
    for (const auto& batch : sent<protocol::elastic_events>(1))
      say(1, protocol::elastic_receipt{batch.batch, true});
  }

  template <class Message>
  [[nodiscard]] std::vector<Message> sent(std::uint64_t link) const {
    std::vector<Message> out;
    for (const auto& [to, message] : heard)
      if (const auto* what = std::get_if<Message>(&message.what); what && to == link)
        out.push_back(*what);
    return out;
  }
  [[nodiscard]] std::vector<protocol::elastic_event> events(std::uint64_t link = 1) const {
    std::vector<protocol::elastic_event> out;
    for (const auto& batch : sent<protocol::elastic_events>(link))
      out.insert(out.end(), batch.events.begin(), batch.events.end());
    return out;
  }
  [[nodiscard]] std::vector<elastic_event_kind> kinds(std::uint64_t link = 1) const {
    std::vector<elastic_event_kind> out;
    for (const auto& event : events(link))
      out.push_back(event.kind);
    return out;
  }

  std::shared_ptr<played_bodies> bodies = std::make_shared<played_bodies>();
  std::shared_ptr<test::hand_threads> threads = std::make_shared<test::hand_threads>();
  std::shared_ptr<executor::elastic::fence_board> board;
  std::vector<std::pair<std::uint64_t, protocol::node_message>> heard;
  protocol::elastic_host host;
  std::int64_t version = 1;
  std::int64_t next_run = 12;

  /// Error handler of the program. It obeys the test.
  struct paging_handler final : executor::elastic::error_handler {
    explicit paging_handler(hosting& test) : of{test} {}
    core::result<void> configure(const executor::elastic::job_props& props) override {
      ++of.handlers_made;
      const auto key = props.find("custom.key");
      return key == props.end() ? core::fail(core::errc::invalid_argument, "custom.key: missing") : core::result<void>{};
    }
    executor::elastic::error_verdict handle(const executor::elastic::item_failure& failure) override {
      of.failures.push_back(failure);
      if (failure.text == "odd")
        throw std::runtime_error{"no network"};
      return failure.text == "stop" ? executor::elastic::error_verdict::abort : executor::elastic::error_verdict::proceed;
    }
    hosting& of;
  };
  int handlers_made = 0;
  std::vector<executor::elastic::item_failure> failures;
};

using kinds_of_events = std::vector<elastic_event_kind>;

} // namespace

TEST_CASE_METHOD(hosting, "a host sends heartbeats every 150 ms to each node that has welcomed it", "[actors][elastic]") {
  connect(1);
  connect(2);
  CHECK(sent<protocol::elastic_hello>(1).size() == 1);
  say(1, test::good_welcome());
  advance(1500ms);
  const auto beats = sent<protocol::elastic_heartbeat>(1).size();
  CHECK(beats >= 10);
  CHECK(beats <= 11);
  CHECK(sent<protocol::elastic_heartbeat>(2).empty());
}

TEST_CASE_METHOD(hosting, "a granted item runs with its facts, and its result is repeated until the receipt",
                 "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  const auto& work = bodies->begun[0].work;
  CHECK(work.handler == "settle");
  CHECK(work.facts.job == "settlement");
  CHECK(work.facts.task_id == "settlement@-@0@-@READY@-@10.0.0.3@-@41@-@12");
  CHECK(work.facts.total == 3);
  CHECK(work.facts.job_param == "a=1");
  CHECK(work.facts.item_param == "a");
  CHECK(work.facts.fence == 4);
  CHECK(work.control->still_mine());
  bodies->begun[0].done({});
  run();
  const auto told = events();
  REQUIRE_FALSE(told.empty());
  CHECK(told.back().kind == elastic_event_kind::finished);
  CHECK(told.back().outcome == host_outcome::success);
  const auto before = told.size();
  pass(2100ms);
  CHECK(events().size() > before);
  receipts();
  const auto after = events().size();
  pass(3s);
  CHECK(events().size() == after);
}

TEST_CASE_METHOD(hosting, "a failure is reported with its text", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  bodies->begun[0].done({500, "no stock"});
  run();
  CHECK(events().back().outcome == host_outcome::error);
  CHECK(events().back().text == "no stock");
  bodies->refusing = true;
  auto grants = test::good_grants(13);
  grants.items[0].item = core::elastic::item_number{1};
  say(1, grants);
  CHECK(events().back().outcome == host_outcome::error);
  CHECK(events().back().text == "the executor could not start a thread for this run");
}

TEST_CASE_METHOD(hosting, "a cancelled body is asked to stop on a thread that may block", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  order(12, item_order::drain);
  CHECK(bodies->begun[0].work.control->drain_requested());
  order(12, item_order::cancel);
  const auto token = bodies->begun[0].work.control->stop_token();
  CHECK_FALSE(token.stop_requested());
  CHECK(threads->run_one());
  CHECK(token.stop_requested());
  bodies->begun[0].done({500, "stopped"});
  run();
  CHECK(events().back().outcome == host_outcome::cancelled);
}

TEST_CASE_METHOD(hosting, "a stream that was drained reports that it has yielded", "[actors][elastic]") {
  enter();
  auto spec = test::good_spec();
  spec.version = 2;
  spec.kind = "dataflow";
  spec.streaming = true;
  say(1, protocol::elastic_specs{{spec}});
  auto grants = test::good_grants(12);
  grants.version = 2;
  say(1, grants);
  REQUIRE(bodies->begun.size() == 1);
  CHECK(bodies->begun[0].work.facts.streaming);
  order(12, item_order::drain);
  bodies->begun[0].work.control->yield();
  bodies->begun[0].done({});
  run();
  CHECK(events().back().outcome == host_outcome::yielded);
}

TEST_CASE_METHOD(hosting, "a run with a barrier arrives and waits for the order to go", "[actors][elastic]") {
  enter();
  auto grants = test::good_grants(12);
  grants.items[0].hold = true;
  say(1, grants);
  CHECK(bodies->begun.empty());
  CHECK(kinds().back() == elastic_event_kind::arrived);
  order(12, item_order::go);
  CHECK(bodies->begun.size() == 1);
  order(12, item_order::go);
  CHECK(bodies->begun.size() == 1);
  CHECK(kinds().back() == elastic_event_kind::started);
}

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
  auto grants = enter_with("", "audit, open");
  for (auto& each : grants.items)
    each.hold = true;
  say_batch(grants);
  auto hook = test::good_grants(14);
  hook.items[0].item = core::elastic::before_hook_item;
  say(1, hook);
  REQUIRE(bodies->calls.size() == 1);
  const auto& work = bodies->calls[0].work;
  CHECK(work.call == before_all);
  CHECK(work.names == std::vector<std::string>{"audit", "open"});
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

TEST_CASE_METHOD(hosting, "the each-node listeners are called after a batch that THROW has cut short", "[actors][elastic]") {
  auto grants = enter_with("trace", "");
  auto spec = test::good_spec();
  spec.listeners = "trace";
  spec.error_handler = "THROW";
  spec.pool = "SINGLE_THREAD";
  spec.version = 2;
  say(1, protocol::elastic_specs{{spec}});
  grants.version = 2;
  say_batch(grants);
  end_call(0);
  REQUIRE(bodies->begun.size() == 1);
  CHECK(bodies->calls.size() == 1);
  end_body(0, {500, "no stock"});
  CHECK(end_of(12).outcome == host_outcome::error);
  CHECK(end_of(13).outcome == host_outcome::cancelled);
  REQUIRE(bodies->calls.size() == 2);
  CHECK(bodies->calls[1].work.call == executor::elastic::listener_call::after);
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

TEST_CASE_METHOD(hosting, "a run that waits at a barrier frees its slot at the end of its lease", "[actors][elastic]") {
  enter();
  auto grants = test::good_grants(12);
  grants.items[0].hold = true;
  say(1, grants);
  protocol::anon_send(host, protocol::lease_end{{item_run_id{12}}});
  pass(200ms);
  CHECK(sent<protocol::elastic_heartbeat>(1).back().free_slots == 8);
  CHECK(bodies->begun.empty());
}

TEST_CASE_METHOD(hosting, "acknowledgements of the keeper extend the lease of a run, and its end is reported",
                 "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  const auto control = bodies->begun[0].work.control;
  pass(3s);
  CHECK(control->still_mine());
  advance(600ms);
  CHECK_FALSE(control->still_mine());
  CHECK(board->end_due().size() == 1);
  protocol::anon_send(host, protocol::lease_end{{item_run_id{12}}});
  run();
  CHECK(kinds().back() == elastic_event_kind::fenced);
  bodies->begun[0].done({});
  run();
  CHECK(kinds().back() == elastic_event_kind::fenced);
}

TEST_CASE_METHOD(hosting, "a body that returns because its lease has ended has no result", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  advance(600ms);
  CHECK(board->end_due().size() == 1);
  bodies->begun[0].done({});
  run();
  CHECK(kinds().back() == elastic_event_kind::fenced);
  protocol::anon_send(host, protocol::lease_end{{item_run_id{12}}});
  pass(200ms);
  CHECK(kinds().back() == elastic_event_kind::fenced);
  CHECK(sent<protocol::elastic_heartbeat>(1).back().free_slots == 8);
}

TEST_CASE_METHOD(hosting, "a sleep of the machine ends the lease", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  sleep_machine(1s);
  CHECK_FALSE(bodies->begun[0].work.control->still_mine());
}

TEST_CASE_METHOD(hosting, "the result of a run leaves over another link when its own is cut", "[actors][elastic]") {
  enter();
  connect(2);
  auto other = test::good_welcome();
  other.keeper_no = 0;
  say(2, other);
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  cut(1);
  CHECK(sent<protocol::elastic_heartbeat>(2).back().asks_keeper);
  bodies->begun[0].done({});
  run();
  CHECK(kinds(2).back() == elastic_event_kind::finished);
  say(2, protocol::elastic_ack{sent<protocol::elastic_heartbeat>(2).back().number, 3});
  advance(400ms);
  CHECK(sent<protocol::elastic_heartbeat>(2).back().keeper_no == 3);
}

TEST_CASE_METHOD(hosting, "an inventory follows the grants before it", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  auto asked = test::good_orders();
  asked.orders.clear();
  asked.inventory = 1;
  say(1, asked);
  const auto parts = sent<protocol::elastic_inventory>(1);
  REQUIRE(parts.size() == 1);
  REQUIRE(parts[0].runs.size() == 1);
  CHECK(parts[0].runs[0].run == item_run_id{12});
}

TEST_CASE_METHOD(hosting, "a drain refuses grants and waits for the receipt of the last result", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  const auto drained = later<caf::unit_t>(host, protocol::drain_request{5s});
  run();
  auto grants = test::good_grants(13);
  grants.items[0].item = core::elastic::item_number{1};
  say(1, grants);
  CHECK(events().back().refusal == elastic_refusal::draining);
  pass(1s);
  CHECK_FALSE(drained->has_value());
  bodies->begun[0].done({});
  pass(100ms);
  CHECK_FALSE(drained->has_value());
  receipts();
  pass(100ms);
  CHECK(drained->has_value());
}

TEST_CASE_METHOD(hosting, "a drain cancels bodies after its limit, and ends although they ignore it", "[actors][elastic]") {
  enter();
  say(1, test::good_grants(12));
  REQUIRE(bodies->begun.size() == 1);
  const auto drained = later<caf::unit_t>(host, protocol::drain_request{1s});
  pass(1100ms);
  CHECK(threads->run_one());
  CHECK(bodies->begun[0].work.control->stop_token().stop_requested());
  CHECK_FALSE(drained->has_value());
  pass(5100ms);
  CHECK(drained->has_value());
}

TEST_CASE_METHOD(hosting, "a host without links and runs has no timer", "[actors][elastic]") {
  enter();
  CHECK(timers_within(1s) > 0);
  cut(1);
  advance(1s);
  CHECK(timers_within(1h) == 0);
}

TEST_CASE_METHOD(hosting, "a pool of one thread runs one item of the job at a time, in order", "[actors][elastic]") {
  enter();
  define("SINGLE_THREAD");
  grant_items(3);
  REQUIRE(bodies->begun.size() == 1);
  CHECK(bodies->begun[0].work.facts.item == 0);
  CHECK(kinds() == kinds_of_events{elastic_event_kind::accepted, elastic_event_kind::accepted, elastic_event_kind::accepted,
                                   elastic_event_kind::started});
  auto asked = test::good_orders();
  asked.orders.clear();
  asked.inventory = 1;
  say(1, asked);
  const auto held = sent<protocol::elastic_inventory>(1).back().runs;
  REQUIRE(held.size() == 3);
  CHECK(held[1].phase == protocol::elastic_phase::waiting);
  pass(3s);
  CHECK(board->find(item_run_id{14})->still_mine());
  end_body(0);
  REQUIRE(bodies->begun.size() == 2);
  CHECK(bodies->begun[1].work.facts.item == 1);
  end_body(1, {500, "no stock"});
  REQUIRE(bodies->begun.size() == 3);
  CHECK(bodies->begun[2].work.facts.item == 2);
}

TEST_CASE_METHOD(hosting, "an item that waits for room is cancelled, and loses its lease, without a body", "[actors][elastic]") {
  enter();
  define("SINGLE_THREAD");
  grant_items(3);
  order(13, item_order::cancel);
  CHECK(end_of(13).outcome == host_outcome::cancelled);
  protocol::anon_send(host, protocol::lease_end{{item_run_id{14}}});
  run();
  CHECK(kinds().back() == elastic_event_kind::fenced);
  end_body(0);
  CHECK(bodies->begun.size() == 1);
  receipts();
  pass(200ms);
  CHECK(sent<protocol::elastic_heartbeat>(1).back().free_slots == 8);
}

TEST_CASE_METHOD(hosting, "pools are those of the newest definition, and a smaller one ends no item", "[actors][elastic]") {
  enter();
  define("two");
  grant_items(3);
  CHECK(bodies->begun.size() == 2);
  define("SINGLE_THREAD");
  end_body(0);
  CHECK(bodies->begun.size() == 3);
  // The definition changes with the next grant.
  auto grants = test::good_grants(20);
  grants.version = version;
  say(1, grants);
  end_body(1);
  CHECK(bodies->begun.size() == 3);
  end_body(2);
  CHECK(bodies->begun.size() == 4);
}

TEST_CASE_METHOD(hosting, "a run at a barrier takes no room, and waits for it after the order to go", "[actors][elastic]") {
  enter();
  define("SINGLE_THREAD");
  grant_items(1);
  auto grants = test::good_grants(20);
  grants.version = version;
  grants.items[0].item = core::elastic::item_number{1};
  grants.items[0].hold = true;
  say(1, grants);
  order(20, item_order::go);
  order(20, item_order::go);
  CHECK(bodies->begun.size() == 1);
  end_body(0);
  CHECK(bodies->begun.size() == 2);
  end_body(1);
  CHECK(bodies->begun.size() == 2);
}

TEST_CASE_METHOD(hosting, "THROW cancels the items of the fire that have not begun", "[actors][elastic]") {
  enter();
  define("two", "THROW");
  grant_items(3);
  end_body(0, {500, "no stock"});
  CHECK(end_of(12).outcome == host_outcome::error);
  CHECK(end_of(12).text == "no stock");
  CHECK(end_of(14).outcome == host_outcome::cancelled);
  CHECK(end_of(14).text.find("another item of this fire has failed on this host") != std::string::npos);
  CHECK(bodies->begun.size() == 2);
  // The running one goes on, and a grant of the fire that comes late does not begin.
  end_body(1);
  CHECK(end_of(13).outcome == host_outcome::success);
  receipts();
  auto late = test::good_grants(20);
  late.version = version;
  say(1, late);
  CHECK(end_of(20).outcome == host_outcome::cancelled);
  // A takeover and the next fire run.
  receipts();
  late = test::good_grants(21);
  late.version = version;
  late.items[0].source = core::elastic::run_source::failover;
  late.items[0].attempt = 2;
  say(1, late);
  CHECK(bodies->begun.size() == 3);
  late.items[0].item = core::elastic::item_number{1};
  late.items[0].run = item_run_id{22};
  late.items[0].source = core::elastic::run_source::normal;
  late.items[0].fire_at += 1s;
  say(1, late);
  CHECK(bodies->begun.size() == 4);
}

TEST_CASE_METHOD(hosting, "LOG and IGNORE let the other items run", "[actors][elastic]") {
  enter();
  for (const std::string name : {"LOG", "IGNORE", "EMAIL"}) {
    INFO(name);
    define("SINGLE_THREAD", name);
    const auto first = next_run;
    const auto before = bodies->begun.size();
    grant_items(2);
    end_body(before, {500, "no stock"});
    CHECK(end_of(first).outcome == host_outcome::error);
    REQUIRE(bodies->begun.size() == before + 2);
    end_body(before + 1);
    CHECK(end_of(first + 1).outcome == host_outcome::success);
    receipts();
  }
}

TEST_CASE_METHOD(hosting, "an error handler of the program gets each failure on a thread, before the result leaves",
                 "[actors][elastic]") {
  enter();
  define("two", "pager", R"({"custom.key":"k"})");
  grant_items(3);
  end_body(0, {500, "no stock"});
  CHECK(end_of(12).run == item_run_id{});
  CHECK(bodies->begun.size() == 2);
  CHECK(threads->run_one());
  run();
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].job == "settlement");
  CHECK(failures[0].item == 0);
  CHECK(failures[0].text == "no stock");
  CHECK(failures[0].task_id.ends_with("@-@12"));
  CHECK(end_of(12).text == "no stock");
  CHECK(bodies->begun.size() == 3);
  end_body(1, {500, "odd"});
  CHECK(threads->run_one());
  run();
  CHECK(end_of(13).text == "odd (error handler \"pager\" failed: no network)");
  CHECK(handlers_made == 1);
  // A cancelled run is no failure of the job.
  order(14, item_order::cancel);
  CHECK(threads->run_one());
  end_body(2, {500, "stopped"});
  CHECK(failures.size() == 2);
}

TEST_CASE_METHOD(hosting, "an error handler of the program may end the fire, and is made again for other props",
                 "[actors][elastic]") {
  enter();
  define("SINGLE_THREAD", "pager", R"({"custom.key":"k"})");
  grant_items(2);
  end_body(0, {500, "stop"});
  CHECK(threads->run_one());
  run();
  CHECK(end_of(13).outcome == host_outcome::cancelled);
  receipts();
  define("SINGLE_THREAD", "pager");
  grant_items(1, 1000ms);
  end_body(1, {500, "no stock"});
  CHECK(threads->run_one());
  run();
  CHECK(handlers_made == 2);
  CHECK(failures.size() == 1);
  CHECK(end_of(14).outcome == host_outcome::error);
  CHECK(end_of(14).text == "no stock (error handler \"pager\": it refuses the props of the job: custom.key: missing)");
}

TEST_CASE_METHOD(hosting, "a save of a cursor waits until a node has stored its value or a newer one", "[actors][elastic]") {
  enter();
  auto grants = test::good_grants(12);
  grants.items[0].cursor = "p0";
  say(1, grants);
  REQUIRE(bodies->begun.size() == 1);
  CHECK(bodies->begun[0].work.facts.cursor == "p0");
  const auto control = bodies->begun[0].work.control;
  std::vector<std::string> told;
  const auto save = [&](std::string value) {
    control->save_cursor(std::move(value), [&told](const core::result<void>& saved) {
      told.emplace_back(saved ? "stored" : core::to_string(saved.error().code));
    });
    run();
  };
  using words = std::vector<std::string>;
  save("p1");
  CHECK(events().back().cursor == "p1");
  const auto before = events().size();
  save("p2");
  save("p3");
  CHECK(events().size() == before);
  CHECK(told.empty());
  receipts();
  CHECK(told == words{"stored"});
  CHECK(events().back().cursor == "p3");
  receipts();
  CHECK(told == words{"stored", "stored", "stored"});
  save(std::string(core::elastic::cursor_bytes + 1, 'x'));
  CHECK(told.back() == "too_large");

  SECTION("no node stores it") {
    save("p4");
    pass(29s);
    CHECK(told.size() == 4);
    pass(2s);
    CHECK(told.back() == "unavailable");
  }
  SECTION("the run is closed") {
    save("p4");
    order(12, item_order::close);
    CHECK(told.back() == "fenced");
    save("p5");
    CHECK(told.back() == "fenced");
    CHECK(told.size() == 6);
  }
  SECTION("the lease ends") {
    save("p4");
    advance(600ms);
    CHECK(board->end_due().size() == 1);
    CHECK(told.back() == "fenced");
  }
  SECTION("the body has ended") {
    bodies->begun[0].done({});
    run();
    save("p4");
    CHECK(told.back() == "unavailable");
  }
}
