// A graceful stop alongside Java admins: the instants that the node reserved, and everything else that waits to be claimed.

#include "tests/actors/firing_path_fixture.hpp"
#include "tests/support/reservation_double.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

constexpr core::job_id parent{1}, child{2}, failing{3};

struct stopping : firing_path {
  stopping() {
    java.state.mode = core::cluster_mode::shared;
    shared = &java;
    // Longer than any wait in these tests: no result may depend on an expired lease.
    settings.cluster.dead_after = 30s;
    declare("parent").children = {{"", "child"}};
    declare("child");
    declare("failing").retry_count = 1;
    result_of = [](std::int32_t job, std::int64_t) { return job == core::number(failing) ? 500 : 200; };
  }

  /// Triggers a manual run at a node, which takes the run at once.
  void trigger(const std::string& name, core::job_id job) {
    core::manual_trigger wanted;
    wanted.job = job;
    wanted.token = -core::number(job);
    tell(nodes.at(name).jobs, protocol::trigger_job{wanted});
    run();
  }
  /// Adds an intent that no node holds, as left by a node that has stopped.
  void leave_waiting(core::job_id job, core::trigger_kind kind) {
    core::manual_trigger wanted;
    wanted.job = job;
    wanted.kind = kind;
    wanted.token = -100 - core::number(job);
    expect(look->jobs().trigger(wanted, civil()));
  }
  /// Makes the node reserve an instant that is due in `ahead`.
  void reserve(std::chrono::milliseconds ahead) {
    core::intent one;
    one.id = core::intent_id{1'000'000};
    one.kind = core::trigger_kind::cron;
    one.job = child;
    one.fire_at = civil() + ahead;
    java.outcomes.emplace_back().intents = {one};
    advance(1s);
    REQUIRE(java.outcomes.empty());
  }
  /// Returns the time that the stop takes, up to a minute.
  std::chrono::milliseconds stop(const std::string& name) {
    const auto begun = now();
    auto stopped = later<caf::unit_t>(nodes.at(name).actor, protocol::stop_request{});
    while (!*stopped && now() - begun < 1min)
      advance(10ms);
    REQUIRE(*stopped);
    completions.erase(name);
    nodes.at(name).actor = nullptr;
    return std::chrono::duration_cast<std::chrono::milliseconds>(now() - begun);
  }
  [[nodiscard]] std::size_t executions_of(core::job_id job) const {
    std::size_t count = 0;
    for (const auto& [id, done] : executions)
      for (const auto& one : done)
        count += one.job == core::number(job) ? 1 : 0;
    return count;
  }
  [[nodiscard]] std::size_t waiting() { return expect(look->firings().waiting_intents(civil() + 1h, 100)).size(); }
  /// Stops `a` while a run of each job is on its way; the intents that follow from their results wait.
  void stop_in_the_middle() {
    trigger("a", parent);
    trigger("a", failing);
    advance(30ms);
    REQUIRE(executions_of(parent) == 1);
    REQUIRE(executions_of(failing) == 1);
    nodes.at("a").fault = [done = std::size_t{0}](std::string_view method) mutable {
      // The results arrive while the node has stopped claiming and not yet left.
      return method == "leave" && done++ < 5 ? store_fault::away : store_fault::none;
    };
    auto stopped = later<caf::unit_t>(nodes.at("a").actor, protocol::stop_request{});
    advance(100ms);
  }

  reservation_double java;
};

} // namespace

TEST_CASE_METHOD(stopping, "a stop puts reserved instants back before the node leaves", "[actors]") {
  begin();
  advance(1s);
  java.on_put_back = [this] {
    const auto rows = expect(look->cluster().nodes());
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].state == core::node_state::up);
  };
  CHECK(stop("a") < 1s);
  REQUIRE(java.put_back_for.size() == 1);
  CHECK(java.put_back_for[0].node == "a");
}

TEST_CASE_METHOD(stopping, "a stop claims reserved instants, reserves nothing more and then puts the rest back", "[actors]") {
  begin();
  advance(1s);
  reserve(6s);
  const auto reservations = java.windows.size();
  std::size_t claimed = 0;
  nodes.at("a").fault = [&claimed](auto method) {
    claimed += method == "claim" ? 1 : 0;
    return store_fault::none;
  };
  java.on_put_back = [&claimed] { CHECK(claimed == 1); };
  const auto took = stop("a");
  CHECK(took > 4s);
  CHECK(took < 5s + 100ms);
  CHECK(java.windows.size() == reservations);
  CHECK(java.put_back_for.size() == 1);
  CHECK(claimed == 1);
}

TEST_CASE_METHOD(stopping, "a second request does not wait for reserved instants", "[actors]") {
  begin();
  advance(1s);
  reserve(6s);
  auto first = later<caf::unit_t>(nodes.at("a").actor, protocol::stop_request{});
  advance(500ms);
  CHECK_FALSE(*first);
  CHECK(java.put_back_for.empty());
  CHECK(stop("a") < 1s);
  CHECK(java.put_back_for.size() == 1);
}

TEST_CASE_METHOD(stopping, "reserved instants that cannot be claimed delay a stop by seven seconds", "[actors]") {
  begin();
  advance(1s);
  reserve(2s);
  nodes.at("a").fault = [](auto method) { return method == "claim" ? store_fault::away : store_fault::none; };
  const auto took = stop("a");
  CHECK(took > 7s);
  CHECK(took < 7s + settings.drain_timeout + 1s);
  CHECK(java.put_back_for.size() == 1);
}

TEST_CASE_METHOD(stopping, "a drain that takes too long does not prevent reserved instants from being put back", "[actors]") {
  begin();
  advance(1s);
  nodes.at("a").fault = [](auto method) { return method == "claim" ? store_fault::away : store_fault::none; };
  trigger("a", parent);
  advance(100ms);
  const auto took = stop("a");
  CHECK(took >= settings.drain_timeout);
  CHECK(took < settings.drain_timeout + 1s);
  CHECK(java.put_back_for.size() == 1);
  CHECK(executions_of(parent) == 0);
  CHECK(waiting() == 1); // the manual run is not lost: the next node has it
}

TEST_CASE_METHOD(stopping, "instants that cannot be put back do not delay the node's end", "[actors]") {
  begin();
  advance(1s);
  java.put_back_trouble = core::error{core::errc::unavailable, "a Java admin holds the lock"};
  CHECK(stop("a") < 1s);
  CHECK(java.put_back_for.size() == 1);
  CHECK(expect(look->cluster().nodes())[0].state == core::node_state::down);
}

TEST_CASE_METHOD(stopping, "waiting intents of a stopped node go to another one within seconds, whatever its lease", "[actors]") {
  begin("a");
  begin("b");
  advance(2s);
  stop("a");
  leave_waiting(child, core::trigger_kind::misfire);
  leave_waiting(failing, core::trigger_kind::manual);
  advance(2500ms);
  CHECK(executions_of(child) == 1);
  CHECK(executions_of(failing) == 2); // with its retry
  CHECK(waiting() == 0);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(stopping, "children and retries of a stopping node go to another one at once", "[actors]") {
  begin("a");
  begin("b");
  advance(2s);
  stop_in_the_middle();
  advance(2500ms);
  CHECK(executions_of(child) == 1);
  CHECK(executions_of(failing) == 2);
  CHECK(waiting() == 0);
}

TEST_CASE_METHOD(stopping, "without another node, waiting intents are kept for the next start", "[actors]") {
  begin("a");
  advance(2s);
  stop("a");
  leave_waiting(child, core::trigger_kind::misfire);
  leave_waiting(failing, core::trigger_kind::manual);
  advance(1min);
  CHECK(executions.empty());
  CHECK(waiting() == 2);
  begin("a");
  advance(2500ms);
  CHECK(executions_of(child) == 1); // a decided misfire runs, however late
  CHECK(executions_of(failing) == 2);
  CHECK(waiting() == 0);
}
