#pragma once

// A host table of one node on virtual time, with one host.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/elastic/host_table.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test {

namespace elastic = core::elastic;
using namespace std::chrono_literals;
using protocol::host_fate;

/// Node `a` in its incarnation 5, and one host with two possible processes.
struct table_fixture {
  using enum elastic::host_state;
  using standing = actors::host_table::standing;

  table_fixture() { table.begin_life(me, now); }

  /// Lets time pass as ticks do.
  void pass(std::chrono::milliseconds duration) {
    for (const auto end = now + duration; now < end;) {
      now += std::min<std::chrono::milliseconds>(50ms, std::chrono::duration_cast<std::chrono::milliseconds>(end - now));
      table.look(now);
    }
  }
  elastic::host_row row(std::int64_t incarnation = 1, elastic::host_state state = up) {
    elastic::host_row out;
    out.process = {elastic::host_number{3}, elastic::host_incarnation{incarnation}};
    out.facts = {"h3", "app", "p" + std::to_string(incarnation), folder, "boot", pid, 4, 900, "10.0.0.3", "ssd, eu,", 8};
    out.state = state;
    out.keeper = keeper;
    out.keeper_no = keeper_no;
    out.change_no = ++changes;
    return out;
  }
  void admit(std::uint64_t link = 1, std::int64_t incarnation = 1) {
    protocol::host_introduction who;
    who.hello.handlers = {"sum"};
    table.admit(link, row(incarnation), who, now);
  }
  std::optional<protocol::elastic_ack> beat(std::uint64_t number, std::int32_t free = 8, bool asks = false) {
    protocol::elastic_heartbeat sent;
    sent.number = number;
    sent.incarnation = elastic::host_incarnation{1};
    sent.wall = core::time_point{5'020ms};
    sent.free_slots = free;
    sent.asks_keeper = asks;
    sent.keeper_no = keeper_no;
    return table.hear(1, sent, now, core::time_point{5'000ms});
  }
  std::vector<host_fate> fates() {
    std::vector<host_fate> out;
    for (const auto& notice : table.take_notices())
      out.push_back(notice.fate);
    return out;
  }
  /// Answers all verdicts that are due.
  void judge(elastic::write_outcome outcome, const elastic::host_row& after) {
    const auto due = table.begin_verdicts(now);
    const std::vector<elastic::host_answer> answers{{outcome, after}};
    table.end_verdicts(due, answers, now);
  }

  core::node_incarnation me{"a", 5};
  core::node_incarnation keeper = me;
  std::int64_t keeper_no = 2;
  std::int64_t changes = 0;
  std::string folder = "f3";
  std::int64_t pid = 77;
  protocol::elastic_steady now{1h};
  actors::host_table table;
};

} // namespace ringmaster::test
