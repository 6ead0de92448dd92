// How much of the log a page of runs looks at, whatever the log is like.

#include "storage/run_paging.hpp"

#include "storage/edit_store.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using storage::run_path;

namespace {

/// A log with many jobs, each with more runs than anybody asks for; the newest stretch has none of them.
struct busy_log final : storage::run_paths {
  core::log_span span() override { return {core::log_id{1}, core::log_id{10'000'000}}; }
  std::optional<glance> look_at(core::log_id) override { return std::nullopt; }
  bool has(run_path path) const override { return path == run_path::primary || path == run_path::job; }
  stretch look_along(run_path path, const storage::run_terms& terms, const core::log_range& range, std::size_t limit,
                     std::int64_t rows) override {
    CHECK(path == run_path::job);
    CHECK(rows <= storage::run_reader::rows_fetched / jobs);
    looked_at += rows;
    asked_for += limit;
    return {{core::log_id{core::number(*terms.job)}}, core::log_id{core::number(range.through) - rows}};
  }
  std::vector<core::log_id> newest(run_path path, const storage::run_terms&, const core::log_range&, std::size_t) override {
    CHECK(path == run_path::primary);
    return {};
  }
  std::vector<core::log_id> oldest(run_path, const storage::run_terms&, const core::log_range&, std::size_t) override {
    return {};
  }
  std::vector<core::job_id> jobs_of(const storage::run_terms&, std::size_t limit) override {
    std::vector<core::job_id> out;
    for (std::int32_t job = 1; job <= jobs && out.size() < limit; ++job)
      out.push_back(core::job_id{job});
    return out;
  }

  std::int32_t jobs = 200;
  std::int64_t looked_at = 0;
  std::size_t asked_for = 0;
};

} // namespace

TEST_CASE("a page far behind looks at no more rows of many jobs than of one", "[storage][runs]") {
  busy_log log;
  core::run_search search;
  search.group = core::group_id{3};
  search.status = GENERATE(core::run_status::any, core::run_status::succeeded);
  search.window = {100'000, 1000};
  storage::datetime_text dates{core::zone{}};
  storage::run_terms terms;
  terms.group = search.group;
  terms.status = search.status;
  SECTION("many jobs") {
    CHECK(storage::find_runs(log, terms, search, 1000, dates).ids.empty());
    CHECK(log.asked_for <= static_cast<std::size_t>(storage::run_reader::rows_fetched));
    CHECK(log.looked_at <= storage::run_reader::rows_fetched);
  }
  SECTION("none") {
    log.jobs = 0;
    CHECK(storage::find_runs(log, terms, search, 1000, dates).total == 0);
    CHECK(log.asked_for == 0);
  }
}

TEST_CASE("newest runs of a group come from all of its jobs", "[storage][runs]") {
  busy_log log;
  core::run_search search;
  search.group = core::group_id{3};
  search.window = {0, 2};
  storage::datetime_text dates{core::zone{}};
  storage::run_terms terms;
  terms.group = search.group;
  const auto found = storage::find_runs(log, terms, search, 1000, dates);
  CHECK(found.ids == std::vector{core::log_id{200}, core::log_id{199}});
  CHECK(found.total_is_capped);
  CHECK(log.asked_for == 400);
}
