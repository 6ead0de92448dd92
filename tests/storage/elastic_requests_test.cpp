// Requests that owe items a run until each has begun or been dropped.

#include "tests/storage/elastic_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;
using enum elastic::write_outcome;

namespace {

struct requested : elastic_fixture {
  explicit requested(const test_backend& backend) : elastic_fixture{backend} {
    elastic::request_row row{id, job};
    row.policy = elastic::request_policy::queue;
    row.param = "once";
    row.at = noon;
    require(ej().add_request(row, noon, core::local_operator()));
  }

  /// The fire of the request, with a grant of item 0, that owes the others.
  [[nodiscard]] elastic::fire_write begin() const {
    elastic::fire_write out{job, std::nullopt, {}, std::nullopt, {}};
    elastic::fire_row row;
    row.key = key;
    row.param = "once";
    out.fires.push_back(row);
    out.items.push_back({job, elastic::item_number{0}, run_of(0)});
    out.owed = {elastic::item_number{1}, elastic::item_number{2}};
    return out;
  }
  [[nodiscard]] elastic::item_grant run_of(std::int64_t fence) const {
    auto out = grant(fence, elastic::run_source::manual);
    out.cause.fire = key;
    return out;
  }
  /// Returns the items that the request owes; unset: it is over.
  std::optional<std::vector<elastic::item_number>> owed() {
    const auto requests = require(ej().read_job(job)).requests;
    return requests.empty() ? std::nullopt : std::optional{requests.at(0).owed};
  }
  static std::vector<elastic::item_number> items(std::initializer_list<std::int32_t> numbers) {
    std::vector<elastic::item_number> out;
    for (const auto number : numbers)
      out.push_back(elastic::item_number{number});
    return out;
  }

  static constexpr elastic::request_id id{77};
  const elastic::fire_key key{noon, elastic::run_source::manual, id};
};

} // namespace

TEST_CASE("a request stays until it owes no item a run", "[storage][elastic]") {
  requested f{GENERATE(from_range(backends_under_test()))};
  CHECK(f.owed() == f.items({}));
  CHECK(f.write({f.begin()}).at(0).outcome == done);
  CHECK(f.owed() == f.items({1, 2}));
  CHECK(f.write({f.begin()}).at(0).outcome == repeated);
  CHECK(f.owed() == f.items({1, 2}));
  SECTION("grants and an end") {
    CHECK(f.write_item(2, f.run_of(0)).outcome == done);
    CHECK(f.write_item(2, f.run_of(0)).outcome == repeated);
    CHECK(f.owed() == f.items({1}));
    f.write({elastic::request_end{f.job, f.id, f.items({1})}});
  }
  SECTION("a grant with the end of the run before") {
    const auto run = f.write_item(1, f.grant(0)).run;
    elastic::item_next next;
    next.grant = f.run_of(1);
    CHECK(
      f.write_item(1, elastic::action::write_end{run, elastic::fence_number{1}, elastic::item_run_end::finished, next}).grant ==
      done);
    CHECK(f.owed() == f.items({2}));
    f.write({elastic::request_end{f.job, f.id, f.items({2})}});
  }
  SECTION("one end of all") { f.write({elastic::request_end{f.job, f.id, f.items({1, 2})}}); }
  CHECK_FALSE(f.owed());
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_request_item") == "0");
}

TEST_CASE("a request owes the items whose first grants are lost", "[storage][elastic]") {
  requested f{GENERATE(from_range(backends_under_test()))};
  f.set_host_state(elastic::host_state::silent);
  const auto answer = f.write({f.begin()}).at(0);
  CHECK(answer.outcome == done);
  CHECK(answer.items.at(0).outcome == guard_lost);
  CHECK(f.owed() == f.items({0, 1, 2}));
  CHECK(f.write_item(1, f.run_of(0)).outcome == guard_lost);
  CHECK(f.owed() == f.items({0, 1, 2}));
}

TEST_CASE("a removed job takes what its requests owe with it", "[storage][elastic]") {
  requested f{GENERATE(from_range(backends_under_test()))};
  auto begin = f.begin();
  begin.items.clear();
  CHECK(f.write({begin}).at(0).outcome == done);
  require(f.ej().remove(f.job, 1, noon, core::local_operator()));
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_request_item") == "0");
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_request") == "0");
}
