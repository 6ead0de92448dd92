// Metrics of elastic jobs: facts of one job, and the series of a node.

#include "actors/elastic/elastic_metrics.hpp"

#include "tests/actors/elastic_jobs_fixture.hpp"
#include "tests/actors/job_coordination_fixture.hpp"

namespace ringmaster::test::elastic_metrics_test {

namespace {

using namespace std::chrono_literals;
using elastic::item_run_end;
using elastic::run_source;

std::int64_t counter_of(elastic_jobs_world& world, const char* name) {
  return world.system().metrics().counter_singleton("ringmaster", name, "", "1", true)->value();
}

std::int64_t counter_of(elastic_jobs_world& world, const char* name, const char* label, const char* value) {
  auto* family = world.system().metrics().counter_family("ringmaster", name, {label}, "", "1", true);
  return family->get_or_add({{label, value}})->value();
}

std::int64_t gauge_of(elastic_jobs_world& world, const char* name) {
  return world.system().metrics().gauge_singleton("ringmaster", name, "")->value();
}

std::int64_t runs_of(elastic_jobs_world& world, const char* source, const char* result) {
  auto* family = world.system().metrics().counter_family("ringmaster", "elastic-runs", {"source", "result"}, "", "1", true);
  return family->get_or_add({{"source", source}, {"result", result}})->value();
}

} // namespace

TEST_CASE("a fire and the ends of its runs are facts once they are stored", "[actors][elastic]") {
  coordinated_job world{2};
  world.begin("AB");
  CHECK(world.facts_of<actors::fact::plan>().size() == 1);
  world.holds_answers = true;
  world.advance(9'010ms);
  CHECK(world.facts_of<actors::fact::fire>().empty());
  world.answer();
  REQUIRE(world.facts_of<actors::fact::fire>().size() == 1);
  CHECK(world.facts_of<actors::fact::fire>().front().due == coordinated_job::start + 10s);
  CHECK(world.items == actors::item_counts{2, 0});
  world.finished(0);
  world.finished(1, elastic::host_outcome::error);
  const auto ends = world.facts_of<actors::fact::run_end>();
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].end == item_run_end::finished);
  CHECK(ends[1].end == item_run_end::error);
  CHECK(ends[1].source == run_source::normal);
  CHECK(world.items == actors::item_counts{});
}

TEST_CASE("a fire that an edit has overtaken is not counted", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.lose_fires = true;
  world.advance(9'010ms);
  CHECK(world.facts_of<actors::fact::fire>().empty());
}

TEST_CASE("a takeover is counted with its proof and its time", "[actors][elastic]") {
  coordinated_job world{1};
  world.stored.job.what.options.failover = true;
  world.begin("A");
  world.advance(9'010ms);
  world.started(0);
  world.dies('A');
  CHECK(world.items == actors::item_counts{0, 1});
  CHECK(world.facts_of<actors::fact::takeover>().empty());
  REQUIRE(world.facts_of<actors::fact::run_end>().size() == 1);
  CHECK(world.facts_of<actors::fact::run_end>().front().end == item_run_end::lost);
  world.advance(2s);
  world.host_up('B');
  world.view();
  world.advance(300ms);
  const auto takeovers = world.facts_of<actors::fact::takeover>();
  REQUIRE(takeovers.size() == 1);
  CHECK(takeovers[0].proof == elastic::loss_proof::process_ended);
  REQUIRE(takeovers[0].took);
  CHECK(*takeovers[0].took >= 2s);
  CHECK(*takeovers[0].took < 3s);
  CHECK(world.items == actors::item_counts{1, 0});
}

TEST_CASE("results of runs that are over are counted as gone", "[actors][elastic]") {
  coordinated_job world{1};
  world.begin("A");
  world.advance(9'010ms);
  auto late = world.event(0, protocol::elastic_event_kind::finished);
  world.finished(0);
  world.tell(late);
  CHECK(world.facts_of<actors::fact::gone>().size() == 1);
  CHECK(world.facts_of<actors::fact::run_end>().size() == 1);
}

TEST_CASE_METHOD(elastic_jobs_world, "a node counts fires, runs and takeovers of its elastic jobs", "[actors][elastic]") {
  begin(2, "AB", true);
  pass(11s);
  CHECK(gauge_of(*this, "elastic-slots-held") > 0);
  CHECK(gauge_of(*this, "elastic-items-open") == 2);
  CHECK(counter_of(*this, "elastic-fires", "source", "normal") == 1);
  CHECK(counter_of(*this, "elastic-plans") >= 1);
  kill_host('B');
  pass(500ms);
  CHECK(counter_of(*this, "elastic-takeovers", "case", "process_ended") == 1);
  CHECK(runs_of(*this, "normal", "lost") == 1);
  CHECK(gauge_of(*this, "elastic-items-open") == 2);
  finish(0);
  finish(1);
  pass(100ms);
  CHECK(runs_of(*this, "normal", "finished") == 1);
  CHECK(runs_of(*this, "failover", "finished") == 1);
  CHECK(gauge_of(*this, "elastic-items-open") == 0);
  pass(10s);
  CHECK(gauge_of(*this, "elastic-items-open") == 2);
  // The jobs of an incarnation that is over are no longer this node's.
  tell(director, protocol::incarnation_change{});
  pass(100ms);
  CHECK(gauge_of(*this, "elastic-items-open") == 0);
  CHECK(gauge_of(*this, "elastic-slots-held") == 0);
}

} // namespace ringmaster::test::elastic_metrics_test
