// Results of runs whose slot another node has (E14): both ends over one store.

#include "core/elastic/heard_result.hpp"
#include "tests/actors/elastic_jobs_fixture.hpp"
#include "tests/support/pulse.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

/// Run of item 0.
elastic::item_row open_row(elastic_jobs_world& world) {
  const auto rows = world.rows();
  REQUIRE(rows.at(0).state == elastic::stored_item_state::open);
  return rows[0];
}

/// Another node hears the end of the run.
void hear_elsewhere(elastic_jobs_world& world, const elastic::item_row& row, const std::string& outcome) {
  const std::vector<elastic::inbox_row> results{{row.run, row.fence, outcome}};
  REQUIRE(world.ej().deliver(world.other, row.host, results));
}

std::int64_t inbox_size(elastic_jobs_world& world) {
  return static_cast<std::int64_t>(expect(world.ej().read_job(world.job)).inbox.size());
}

std::vector<elastic::elastic_run> history(elastic_jobs_world& world) {
  elastic::elastic_history_search search;
  search.job = world.job;
  search.limit = 10;
  return expect(world.ej().history(search, core::local_operator())).rows;
}

} // namespace

TEST_CASE_METHOD(elastic_jobs_world, "a node stores the result of another node's run, and the host gets its receipt",
                 "[actors][elastic]") {
  begin(1, "A");
  pass(11s);
  // The other node gets the slot.
  tell(director, protocol::slot_change{});
  pass(200ms);
  REQUIRE(held_leases() == 0);
  const std::vector<elastic::lease_wish> wanted{{static_cast<std::uint32_t>(core::slot_of(core::job_id{core::number(job)})), 0}};
  REQUIRE(expect(ej().take_leases(other, wanted)).size() == 1);
  finish(0);
  CHECK(all['A'].runs.empty());
  CHECK(open_rows() == 1);
  CHECK(inbox_size(*this) == 1);
}

TEST_CASE_METHOD(elastic_jobs_world, "a host keeps a result that the inbox cannot take", "[actors][elastic]") {
  begin(1, "A");
  pass(11s);
  tell(director, protocol::slot_change{});
  pass(200ms);
  store.role.fault_of = [](std::string_view method) { return method == "deliver" ? store_fault::away : store_fault::none; };
  finish(0);
  CHECK(all['A'].runs.size() == 1);
  CHECK(inbox_size(*this) == 0);
  store.role.fault_of = nullptr;
  pass(500ms);
  CHECK(all['A'].runs.empty());
  CHECK(inbox_size(*this) == 1);
}

TEST_CASE_METHOD(elastic_jobs_world, "a result in the inbox ends the run within half a second", "[actors][elastic]") {
  begin(1, "A");
  const auto pulse = start_pulse(*this, worker.actor, director, me);
  pass(11s);
  const auto row = open_row(*this);
  hear_elsewhere(
    *this, row,
    encode(elastic::heard_result{elastic::heard_end::finished, elastic::host_outcome::error, civil(), "no stock", "p7", 3}));
  pass(600ms);
  CHECK(open_rows() == 0);
  CHECK(inbox_size(*this) == 0);
  const auto read = expect(ej().read_job(job));
  REQUIRE(read.cursors.size() == 1);
  CHECK(read.cursors[0].value == "p7");
  const auto ended = history(*this);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].message == "no stock");
  // The job goes on.
  all['A'].runs.clear();
  pass(10s);
  CHECK(grants('A') == 2);
}

TEST_CASE_METHOD(elastic_jobs_world, "an adopted run ends by its result in the inbox", "[actors][elastic]") {
  begin(1, "A");
  pass(11s);
  const auto row = open_row(*this);
  tell(director, protocol::slot_change{});
  pass(200ms);
  hear_elsewhere(*this, row, encode(elastic::heard_result{}));
  all['A'].runs.clear();
  tell(director, protocol::slot_change{core::slot_set{}.set()});
  pass(200ms);
  CHECK(open_rows() == 0);
  CHECK(inbox_size(*this) == 0);
}

TEST_CASE_METHOD(elastic_jobs_world, "a run that was heard to end is not taken over when its host dies", "[actors][elastic]") {
  begin(1, "AB", true);
  pass(11s);
  const auto row = open_row(*this);
  const char host = grants('A') == 1 ? 'A' : 'B';
  hear_elsewhere(*this, row, encode(elastic::heard_result{}));
  kill_host(host);
  pass(1s);
  CHECK(open_rows() == 0);
  CHECK(inbox_size(*this) == 0);
  CHECK(grants('A') + grants('B') == 1);
  // No endless repetition of the loss.
  CHECK(store.role.calls["write"] < 20);
}

TEST_CASE_METHOD(elastic_jobs_world, "a run moves that another node heard cut short by a host that leaves", "[actors][elastic]") {
  begin(1, "AB");
  pass(11s);
  const char host = grants('A') == 1 ? 'A' : 'B';
  elastic::heard_result result;
  result.end = elastic::heard_end::cut_short;
  result.outcome = elastic::host_outcome::cancelled;
  hear_elsewhere(*this, open_row(*this), encode(result));
  all[host].runs.clear();
  pass(600ms);
  CHECK(inbox_size(*this) == 0);
  CHECK(grants('A') + grants('B') == 2);
  const auto runs = history(*this);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].cause.source == elastic::run_source::failover);
  CHECK(runs[0].attempt == 1);
}

TEST_CASE_METHOD(elastic_jobs_world, "a result that cannot be read ends its run as an error", "[actors][elastic]") {
  begin(1, "A");
  pass(11s);
  hear_elsewhere(*this, open_row(*this), "no result");
  pass(600ms);
  CHECK(open_rows() == 0);
  CHECK(inbox_size(*this) == 0);
  const auto ended = history(*this);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].message.value_or("").find("a result in the inbox") == 0);
}

TEST_CASE_METHOD(elastic_jobs_world, "a run that its host gave up elsewhere is taken over", "[actors][elastic]") {
  begin(1, "AB", true);
  pass(11s);
  const auto row = open_row(*this);
  elastic::heard_result given_up;
  given_up.end = elastic::heard_end::fenced;
  hear_elsewhere(*this, row, encode(given_up));
  pass(600ms);
  const auto again = open_row(*this);
  CHECK(again.run != row.run);
  CHECK(again.attempt == 2);
  CHECK(inbox_size(*this) == 0);
}
