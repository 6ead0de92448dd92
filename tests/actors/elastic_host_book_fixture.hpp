#pragma once

// A host of elastic jobs whose nodes are played by the test.

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "executor/elastic/host_book.hpp"
#include "tests/actors/elastic_samples.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test::host_book_test {

using namespace std::chrono_literals;
using ringmaster::core::elastic::item_order;
using ringmaster::core::elastic::item_run_id;
using ringmaster::executor::elastic::host_book;
using ringmaster::executor::elastic::host_effects;
using ringmaster::executor::elastic::host_moment;
using ringmaster::executor::elastic::link_number;
using ringmaster::protocol::elastic_event_kind;
using ringmaster::protocol::elastic_phase;
using ringmaster::protocol::elastic_refusal;
using ringmaster::protocol::elastic_verdict;

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


} // namespace ringmaster::test::host_book_test
