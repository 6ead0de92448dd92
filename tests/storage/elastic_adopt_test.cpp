// Reading of jobs at adoption (E13).

#include <numeric>

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

TEST_CASE("a large fire whose coordinator ended has a rest at adoption", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto added = f.add("large", 300);
  f.job = added.id;
  f.lease = require(f.ej().take_leases(f.me, std::vector{elastic::lease_wish{storage::slot_of(f.job), 0}})).at(0);
  const auto adopted = [&] {
    const std::vector held{f.lease};
    for (auto& each : require(f.ej().adopt(f.me, held, {}, 100)))
      if (each.job.id == f.job)
        return std::move(each);
    FAIL("the job is not in its slot");
    return elastic::adopted_job{};
  };
  CHECK_FALSE(adopted().unfinished);
  std::vector<std::int32_t> first(250);
  std::iota(first.begin(), first.end(), 0);
  auto fire = f.fire(*added.next, added.revision, first);
  fire.fires.front().expected = 300;
  REQUIRE(f.write({fire}).at(0).outcome == elastic::write_outcome::done);
  const auto read = adopted();
  REQUIRE(read.unfinished);
  CHECK(read.unfinished->key == fire.fires.front().key);
  REQUIRE(read.unfinished->items.size() == 50);
  CHECK(core::number(read.unfinished->items.front()) == 250);
  // The rest begins.
  for (std::int32_t item = 250; item < 300; ++item) {
    auto grant = f.grant(0);
    grant.cause.fire.at = *added.next;
    CHECK(f.write_item(item, grant).outcome == elastic::write_outcome::done);
    if (item == 260)
      CHECK(adopted().unfinished->items.size() == 39);
  }
  CHECK_FALSE(adopted().unfinished);
}

TEST_CASE("a next instant before the epoch makes the rows of a job invalid", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("UPDATE ej_schedule SET next_ms = -1");
  const auto checked = elastic::check(require(f.ej().read_job(f.job)));
  REQUIRE_FALSE(checked);
  CHECK(checked.error().context == "ej_schedule.next_ms = -1");
}

TEST_CASE("a page of adopted jobs ends after many items", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto large = f.add("large", 20'000).id;
  const auto small = f.add("small", 1).id;
  std::vector<elastic::lease_wish> wishes;
  for (const auto job : {f.job, large, small})
    wishes.push_back({storage::slot_of(job), 0});
  const auto held = require(f.ej().take_leases(f.me, wishes));
  const auto first = require(f.ej().adopt(f.me, held, {}, 100));
  REQUIRE(first.size() == 2);
  CHECK(first.back().job.id == large);
  const auto second = require(f.ej().adopt(f.me, held, large, 100));
  REQUIRE(second.size() == 1);
  CHECK(second.front().job.id == small);
}
