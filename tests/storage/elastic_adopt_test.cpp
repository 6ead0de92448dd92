// What a coordinator reads at adoption (E13).

#include "tests/storage/elastic_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

TEST_CASE("an adopted run of a request comes with its parameter", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  elastic::fire_write fire{f.job, std::nullopt, {}, std::nullopt, {}};
  elastic::fire_row row;
  row.key = {noon, elastic::run_source::manual, elastic::request_id{9}};
  row.param = "only now";
  fire.fires.push_back(row);
  auto grant = f.grant(0, elastic::run_source::manual);
  grant.cause.fire = row.key;
  fire.items.push_back({f.job, elastic::item_number{1}, grant});
  const auto run = f.write({fire}).at(0).items.at(0).run;
  const elastic::action::write_end end{run, elastic::fence_number{1}, elastic::item_run_end::finished, {}};
  auto read = require(f.ej().read_job(f.job));
  REQUIRE(read.params.size() == 1);
  CHECK(read.params.front().first == elastic::request_id{9});
  CHECK(read.params.front().second == "only now");
  CHECK(f.write_item(1, end).outcome == elastic::write_outcome::done);
  CHECK(require(f.ej().read_job(f.job)).params.empty());
}
