// E14: results that a node without the slot has heard.

#include "core/elastic/heard_result.hpp"
#include "tests/storage/elastic_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using enum elastic::write_outcome;

namespace {

std::vector<elastic::inbox_row> result_of(elastic::item_run_id run, std::int64_t fence = 1) {
  return {{run, elastic::fence_number{fence}, std::string{"\xff\0ok", 4}}};
}

std::string inbox_rows(elastic_fixture& f) { return f.db->value("SELECT COUNT(*) FROM ej_inbox"); }

elastic::action::write_end end_of(elastic::item_run_id run) {
  return {run, elastic::fence_number{1}, elastic::item_run_end::finished, {}};
}

elastic::action::write_loss loss_of(elastic::item_run_id run, elastic::loss_proof proof) {
  return {run, elastic::fence_number{1}, proof, elastic::item_run_end::lost, {}};
}

} // namespace

TEST_CASE("a result that another node has heard waits in the inbox until its run ends", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.open(0);
  CHECK(require(f.ej().jobs_with_results(10)).empty());
  auto heard = result_of(run);
  heard.push_back({elastic::item_run_id{999}, elastic::fence_number{1}, "unknown"});
  require(f.ej().deliver(f.other, f.host, heard));
  const std::vector<elastic::inbox_row> again{{run, elastic::fence_number{1}, "another"}};
  require(f.ej().deliver(f.other, f.host, again));
  const auto inbox = require(f.ej().read_job(f.job)).inbox;
  REQUIRE(inbox.size() == 1);
  CHECK(inbox[0].outcome == heard[0].outcome);
  CHECK(require(f.ej().jobs_with_results(10)) == std::vector{f.job});
  CHECK(f.write_item(0, end_of(run)).outcome == done);
  CHECK(inbox_rows(f) == "0");
  CHECK(require(f.ej().jobs_with_results(10)).empty());
  require(f.ej().deliver(f.other, f.host, heard));
  CHECK(inbox_rows(f) == "0");
  require(f.store->cluster().leave(f.other));
  CHECK(error_of(f.ej().deliver(f.other, f.host, heard)) == core::errc::fenced);
}

TEST_CASE("the inbox takes results of a host's own runs only", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.open(0);
  auto stranger = f.host;
  stranger.host = elastic::host_number{core::number(stranger.host) + 1};
  require(f.ej().deliver(f.other, stranger, result_of(run)));
  CHECK(inbox_rows(f) == "0");
  require(f.ej().deliver(f.other, f.host, result_of(run, 2)));
  CHECK(inbox_rows(f) == "0");
  const std::vector<elastic::inbox_row> big{{run, elastic::fence_number{1}, std::string(elastic::outcome_bytes + 1, 'x')}};
  CHECK(error_of(f.ej().deliver(f.other, f.host, big)) == core::errc::too_large);
  const std::vector<elastic::inbox_row> full{{run, elastic::fence_number{1}, std::string(elastic::outcome_bytes, 'x')}};
  require(f.ej().deliver(f.other, f.host, full));
  CHECK(require(f.ej().read_job(f.job)).inbox.at(0).outcome.size() == elastic::outcome_bytes);
}

TEST_CASE("the inbox takes results of a host's former process, and no refusals", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.open(0);
  auto again = f.host;
  again.incarnation = elastic::host_incarnation{core::number(again.incarnation) + 1};
  for (const auto how : {elastic::heard_end::refused, elastic::heard_end::fenced}) {
    elastic::heard_result no_body;
    no_body.end = how;
    const std::vector<elastic::inbox_row> row{{run, elastic::fence_number{1}, encode(no_body)}};
    require(f.ej().deliver(f.other, again, row));
    CHECK(inbox_rows(f) == "0");
  }
  const std::vector<elastic::inbox_row> result{{run, elastic::fence_number{1}, encode(elastic::heard_result{})}};
  require(f.ej().deliver(f.other, again, result));
  CHECK(inbox_rows(f) == "1");
}

TEST_CASE("a run with a result in the inbox cannot be lost", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.open(0);
  const auto second = f.open(1);
  const auto given_up = f.open(2);
  require(f.ej().deliver(f.other, f.host, result_of(run)));
  elastic::heard_result fenced;
  fenced.end = elastic::heard_end::fenced;
  const std::vector<elastic::inbox_row> no_result{{given_up, elastic::fence_number{1}, encode(fenced)}};
  require(f.ej().deliver(f.other, f.host, no_result));
  f.set_host_state(elastic::host_state::dead);
  CHECK(f.write_item(0, loss_of(run, elastic::loss_proof::process_ended)).outcome == guard_lost);
  CHECK(f.write_item(0, loss_of(run, elastic::loss_proof::host_answered)).outcome == guard_lost);
  CHECK(f.run_state(run) == "1");
  CHECK(f.write_item(1, loss_of(second, elastic::loss_proof::process_ended)).outcome == done);
  CHECK(f.write_item(2, loss_of(given_up, elastic::loss_proof::host_answered)).outcome == done);
  CHECK(f.write_item(0, end_of(run)).outcome == done);
  CHECK(inbox_rows(f) == "0");
}

TEST_CASE("a run that its host ended early because it leaves moves by its result in the inbox", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.open(0);
  elastic::heard_result cancelled;
  cancelled.outcome = elastic::host_outcome::cancelled;
  const std::vector<elastic::inbox_row> result{{run, elastic::fence_number{1}, encode(cancelled)}};
  require(f.ej().deliver(f.other, f.host, result));
  CHECK(f.write_item(0, loss_of(run, elastic::loss_proof::moved)).outcome == done);
  CHECK(inbox_rows(f) == "0");
}

TEST_CASE("rows of the inbox that end no open run have no effect", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.open(0);
  // Rows as no node writes them: of another fence, and of a run that was never begun.
  const auto number = std::to_string(core::number(run));
  f.db->exec("INSERT INTO ej_inbox (run, fence, outcome) VALUES (" + number + ", 7, 'x'), (4711, 1, 'x')");
  CHECK(require(f.ej().jobs_with_results(10)).empty());
  CHECK(f.write_item(0, loss_of(run, elastic::loss_proof::host_answered)).outcome == done);
  CHECK(inbox_rows(f) == "1");
}
