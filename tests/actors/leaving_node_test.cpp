// Graceful stops of a node among others, with all actors.

#include "tests/actors/firing_path_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

struct leaving : firing_path {
  void begin_all(std::initializer_list<std::string> names) {
    declare_many(40);
    for (const auto& name : names) {
      begin(name);
      nodes.at(name).fault = [this, name](std::string_view method) {
        updates[name] += method == "tend" ? 1 : 0;
        return store_fault::none;
      };
    }
    advance(2900ms);
  }
  [[nodiscard]] core::node_row row_of(const std::string& name) {
    for (auto& row : expect(look->cluster().nodes()))
      if (row.id == name)
        return row;
    return {};
  }
  /// Returns the largest lateness of an execution whose instant is after `from`.
  [[nodiscard]] std::chrono::milliseconds lateness(core::time_point from) {
    std::chrono::milliseconds most{0};
    for (const auto& row : rows())
      if (const auto done = executions.find(core::number(row.id)); row.trigger_time > from && done != executions.end())
        most = std::max(most, std::chrono::duration_cast<std::chrono::milliseconds>(done->second.front().at - row.trigger_time));
    return most;
  }
  /// Returns the number of runs of instants after `from`.
  [[nodiscard]] std::size_t runs_after(core::time_point from) {
    const auto all = rows();
    return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const auto& row) { return row.trigger_time > from; }));
  }

  /// Steps in which a node updated displayed times.
  std::map<std::string, std::size_t> updates;
};

} // namespace

TEST_CASE_METHOD(leaving, "the others plan the slots of a node that waits for a hung executor", "[actors]") {
  begin_all({"a", "b"});
  feels = mood::executes_pending;
  advance(200ms); // the instants of the third second are sent
  feels = mood::works;
  const auto asked = civil();
  const auto stopped = later<caf::unit_t>(nodes.at("a").actor, protocol::stop_request{});
  advance(4s);
  CHECK_FALSE(*stopped);
  CHECK(row_of("a").state == core::node_state::up);
  CHECK_FALSE(row_of("a").serves);
  CHECK(runs_after(asked) >= 160);
  CHECK(lateness(asked) <= 10ms);
  advance(settings.drain_timeout);
  REQUIRE(*stopped);
  CHECK(row_of("a").state == core::node_state::down);
  CHECK(updates["a"] <= 1); // of the leader's rounds, if any
  check_nothing_twice();
}

TEST_CASE_METHOD(leaving, "a node among others stops soon if its executors answer", "[actors]") {
  begin_all({"a", "b"});
  const auto stopped = later<caf::unit_t>(nodes.at("a").actor, protocol::stop_request{});
  advance(700ms);
  REQUIRE(*stopped);
  CHECK(row_of("a").state == core::node_state::down);
  advance(3s);
  CHECK(lateness(core::time_point{}) <= 10ms);
  kill("b");
}

TEST_CASE_METHOD(leaving, "a second request ends a hand-over early", "[actors]") {
  begin_all({"a", "b"});
  const auto first = later<caf::unit_t>(nodes.at("a").actor, protocol::stop_request{});
  run();
  const auto second = later<caf::unit_t>(nodes.at("a").actor, protocol::stop_request{});
  advance(300ms);
  CHECK(*first);
  CHECK(*second);
  CHECK(row_of("a").state == core::node_state::down);
}

TEST_CASE_METHOD(leaving, "a node that is alone stops as ever, and its displayed times are exact", "[actors]") {
  begin_all({"a"});
  updates.clear();
  const auto stopped = later<caf::unit_t>(nodes.at("a").actor, protocol::stop_request{});
  advance(200ms);
  REQUIRE(*stopped);
  CHECK(updates["a"] == 1);
}

TEST_CASE_METHOD(leaving, "nodes that stop at the same time leave exact displayed times", "[actors]") {
  begin_all({"a", "b"});
  advance(2s);
  updates.clear();
  const auto first = later<caf::unit_t>(nodes.at("a").actor, protocol::stop_request{});
  const auto second = later<caf::unit_t>(nodes.at("b").actor, protocol::stop_request{});
  advance(1500ms);
  REQUIRE(*first);
  REQUIRE(*second);
  CHECK(updates["a"] + updates["b"] >= 1);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(leaving, "nodes that are replaced one by one delay no instant", "[actors]") {
  begin_all({"a", "b", "c"});
  const auto begun = civil();
  for (const auto* name : {"a", "b", "c"}) {
    const auto stopped = later<caf::unit_t>(nodes.at(name).actor, protocol::stop_request{});
    advance(1300ms);
    REQUIRE(*stopped);
    nodes.at(name).actor = nullptr;
    begin(name);
    advance(1300ms);
    CHECK(row_of(name).serves);
  }
  const auto ended = civil();
  advance(1s);
  CHECK(lateness(begun) <= 10ms);
  stop_jobs_and_settle();
  check_all_ran(std::chrono::ceil<std::chrono::seconds>(begun), std::chrono::floor<std::chrono::seconds>(ended));
  CHECK(open_claims() == 0);
}
