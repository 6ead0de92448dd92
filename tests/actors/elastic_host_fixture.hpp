#pragma once

// A host of elastic jobs with played nodes, bodies and threads, on virtual time.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "executor/elastic/elastic_host.hpp"
#include "tests/actors/elastic_samples.hpp"
#include "tests/actors/executor_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::test {

using namespace std::chrono_literals;
using core::elastic::host_outcome;
using core::elastic::item_order;
using core::elastic::item_run_id;
using executor::elastic::item_work;
using protocol::elastic_event_kind;
using protocol::elastic_refusal;

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
struct hosting : virtual_time {
  hosting() {
    auto me = good_hello();
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
    say(1, good_welcome());
    acknowledge();
    say(1, protocol::elastic_specs{{good_spec()}});
  }
  /// Replaces the definition of the job.
  void define(const std::string& pool, const std::string& error_handler = {}, const std::string& props = {}) {
    auto spec = good_spec();
    spec.version = ++version;
    spec.pool = pool;
    spec.error_handler = error_handler;
    spec.props = props;
    say(1, protocol::elastic_specs{{spec}});
  }
  /// Grants runs 12, 13 and so on, of the items 0, 1 and so on.
  void grant_items(int items, core::milliseconds later = {}) {
    auto grants = good_grants(12);
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
    auto orders = good_orders();
    orders.orders = {{item_run_id{run_number}, core::elastic::fence_number{4}, what}};
    say(1, orders);
  }
  /// As `enter`, with listeners. Returns grants of the items 0 and 1.
  protocol::elastic_grants enter_with(const std::string& listeners, const std::string& once_listeners,
                                      const std::string& error_handler = {}) {
    enter();
    auto spec = good_spec();
    spec.name_space = "billing";
    spec.listeners = listeners;
    spec.once_listeners = once_listeners;
    spec.error_handler = error_handler;
    say(1, protocol::elastic_specs{{spec}});
    auto grants = good_grants(12);
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
  std::shared_ptr<hand_threads> threads = std::make_shared<hand_threads>();
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

} // namespace ringmaster::test
