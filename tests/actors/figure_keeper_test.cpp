#include "actors/node/figure_keeper.hpp"

#include "actors/firing/run_counter.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

/// node_actor that answers a list of nodes, or nothing.
struct node_list_double {
  static inline const char* name = "test.node_list";
  struct script {
    std::vector<core::seen_node> nodes;
    std::size_t asked = 0;
    bool silent = false;
  };
  node_list_double(protocol::node_actor::pointer self, std::shared_ptr<script> of) : self_{self}, script_{std::move(of)} {}
  protocol::node_actor::behavior_type make_behavior() {
    return {
      [](protocol::status_query) { return protocol::node_status{}; },
      [this](protocol::nodes_query) -> caf::result<protocol::node_list> {
        ++script_->asked;
        if (!script_->silent)
          return protocol::node_list{script_->nodes};
        held_.push_back(self_->make_response_promise<protocol::node_list>());
        return held_.back();
      },
      [](protocol::hand_over) { return false; },
      [](protocol::stop_request) {},
      [](protocol::tick_atom) {},
    };
  }
  protocol::node_actor::pointer self_;
  std::shared_ptr<script> script_;
  std::vector<caf::typed_response_promise<protocol::node_list>> held_;
};

core::seen_node node_seen(const std::string& id, bool self, std::size_t slots,
                          core::node_health health = core::node_health::alive) {
  core::seen_node out;
  out.row.id = id;
  out.health = health;
  out.self = self;
  out.slots = slots;
  return out;
}

struct figure_fixture : test::virtual_time {
  figure_fixture() {
    script->nodes = {node_seen("a", true, 256)};
  }
  std::shared_ptr<const core::live_figures> told() {
    auto answer = ask<protocol::figures_told>(actor, protocol::figures_query{});
    REQUIRE(answer);
    return answer->figures;
  }

  test::memory_database database;
  test::faulty_store store{database.open()};
  test::query_worker_double reads{*this, store};
  test::registry_monitor_double registry{*this};
  std::shared_ptr<node_list_double::script> script = std::make_shared<node_list_double::script>();
  protocol::node_actor nodes = spawn<node_list_double, protocol::node_actor>(script);
  actors::trigger_metrics sending{system()};
  caf::telemetry::int_counter* sent =
    actors::make_counter(system(), "runs-sent", "Runs handed to executor links.");
  protocol::figure_keeper actor =
    spawn<actors::figure_keeper_state, protocol::figure_keeper>(nodes, registry.actor, reads.actor, clock());
};

} // namespace

TEST_CASE_METHOD(figure_fixture, "figures of an idle node", "[actors][figures]") {
  const auto seen = told();
  CHECK(seen->at == civil());
  REQUIRE(seen->nodes.size() == 1);
  CHECK(seen->nodes[0].id == "a");
  CHECK(seen->nodes[0].slots == 256);
  REQUIRE(seen->nodes[0].load);
  CHECK(seen->nodes[0].load->lanes[0].lane == "fast");
  CHECK(seen->nodes[0].load->firings_per_s == 0);
  CHECK_FALSE(seen->partial);
  REQUIRE(seen->stored);
  CHECK(seen->stored->jobs == 0);
  CHECK(seen->stored->failed_last_hour == 0);
  REQUIRE(seen->executors);
  CHECK(seen->executors->online == 0);
}

TEST_CASE_METHOD(figure_fixture, "figures are made once a second at most, and only when asked", "[actors][figures]") {
  advance(60s);
  CHECK(script->asked == 0);
  CHECK(*reads.tasks == 0);
  const auto first = told();
  advance(999ms);
  CHECK(told() == first);
  CHECK(script->asked == 1);
  advance(1ms);
  CHECK(told() != first);
  CHECK(script->asked == 2);
  // The counts of the store are read less often.
  CHECK(*reads.tasks == 1);
  advance(10s);
  told();
  CHECK(*reads.tasks == 2);
}

TEST_CASE_METHOD(figure_fixture, "requests during one making share its answer", "[actors][figures]") {
  script->silent = true;
  auto one = later<protocol::figures_told>(actor, protocol::figures_query{});
  auto two = later<protocol::figures_told>(actor, protocol::figures_query{});
  run();
  CHECK(script->asked == 1);
  CHECK_FALSE(*one);
  advance(1s);
  REQUIRE(*one);
  REQUIRE(*two);
  CHECK((**one)->figures == (**two)->figures);
  // Which nodes there are is unknown.
  CHECK((**one)->figures->partial);
  CHECK((**one)->figures->nodes.empty());
}

TEST_CASE_METHOD(figure_fixture, "the series counts what was fired and failed", "[actors][figures]") {
  auto* failed = actors::run_end_counters(system())->get_or_add({{"group", "pay"}, {"result", "failed"}});
  auto* unsent = actors::run_end_counters(system())->get_or_add({{"group", "mail"}, {"result", "not_sent"}});
  auto* fine = actors::run_end_counters(system())->get_or_add({{"group", "mail"}, {"result", "succeeded"}});
  sent->inc(10);
  failed->inc();
  unsent->inc();
  fine->inc(5);
  sending.late(core::group_id{3}, protocol::registry_view{}, 1500us);
  advance(5s);
  sent->inc(20);
  advance(5s);
  const auto seen = told();
  CHECK(seen->series.fired == std::vector<std::int64_t>{10, 20});
  CHECK(seen->series.failed == std::vector<std::int64_t>{2, 0});
  CHECK(seen->series.from == start);
  CHECK(seen->lateness[1] == 1);
  CHECK(seen->nodes.at(0).load->firings_per_s == 4);
}

TEST_CASE_METHOD(figure_fixture, "other nodes are listed without figures of their own", "[actors][figures]") {
  script->nodes = {node_seen("a", true, 100), node_seen("b", false, 156), node_seen("c", false, 0, core::node_health::stopped)};
  const auto seen = told();
  REQUIRE(seen->nodes.size() == 2);
  CHECK(seen->nodes[1].id == "b");
  CHECK(seen->nodes[1].slots == 156);
  CHECK_FALSE(seen->nodes[1].load);
  CHECK(seen->partial);
}

TEST_CASE_METHOD(figure_fixture, "without the store its counts are unset, and come back", "[actors][figures]") {
  store.fault_of = [](std::string_view) { return test::store_fault::away; };
  CHECK_FALSE(told()->stored);
  store.fault_of = {};
  advance(10s);
  // This answer does not wait for the store.
  told();
  advance(1s);
  CHECK(told()->stored);
}

TEST_CASE_METHOD(figure_fixture, "executors are counted by the registry, for all groups", "[actors][figures]") {
  registry.listed->reset();
  CHECK_FALSE(told()->executors);
  protocol::executor_list list;
  list.totals = {2, 1};
  *registry.listed = list;
  advance(1s);
  const auto seen = told();
  REQUIRE(seen->executors);
  CHECK(seen->executors->online == 2);
  CHECK(seen->executors->without_group == 1);
}
