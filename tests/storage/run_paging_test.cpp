// The number of log rows that a page of runs reads, for various logs.

#include "storage/rows/run_paging.hpp"

#include <map>
#include <set>
#include <vector>

#include "storage/edit_store.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using storage::run_path;

namespace {

/// A log with many jobs, each with more runs than a page; the newest stretch has none of them.
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

TEST_CASE("a page far from the newest run reads no more rows of many jobs than of one", "[storage][runs]") {
  busy_log log;
  core::run_search search;
  search.group = core::group_id{3};
  search.status = GENERATE(core::run_status::any, core::run_status::succeeded);
  search.window = {100'000, 1000};
  storage::datetime_text dates{core::zone{}};
  storage::seen_totals totals;
  storage::run_terms terms;
  terms.group = search.group;
  terms.status = search.status;
  SECTION("many jobs") {
    CHECK(storage::find_runs(log, terms, search, 1000, dates, totals).ids.empty());
    CHECK(log.asked_for <= static_cast<std::size_t>(storage::run_reader::rows_fetched));
    CHECK(log.looked_at <= storage::run_reader::rows_fetched);
  }
  SECTION("none") {
    log.jobs = 0;
    CHECK(storage::find_runs(log, terms, search, 1000, dates, totals).total == 0);
    CHECK(log.asked_for == 0);
  }
}

TEST_CASE("newest runs of a group come from all of its jobs", "[storage][runs]") {
  busy_log log;
  core::run_search search;
  search.group = core::group_id{3};
  search.window = {0, 2};
  storage::datetime_text dates{core::zone{}};
  storage::seen_totals totals;
  storage::run_terms terms;
  terms.group = search.group;
  const auto found = storage::find_runs(log, terms, search, 1000, dates, totals);
  CHECK(found.ids == std::vector{core::log_id{200}, core::log_id{199}});
  CHECK(found.total_is_capped);
  CHECK(log.asked_for == 400);
}

TEST_CASE("a search among jobs continues where the search of all rows ended", "[storage][runs]") {
  busy_log log;
  log.jobs = 2;
  core::run_search search;
  search.group = core::group_id{3};
  search.window = {0, 10};
  storage::datetime_text dates{core::zone{}};
  storage::seen_totals totals;
  storage::run_terms terms;
  terms.group = search.group;
  const auto found = storage::find_runs(log, terms, search, 1000, dates, totals);
  CHECK(found.rest == core::log_id{10'000'000 - storage::run_reader::rows_looked_at});
  CHECK_FALSE(found.is_full);
  // The rows of the jobs were part of the first page.
  search.before = core::log_id{core::number(*found.rest) + 1};
  log.asked_for = 0;
  CHECK(storage::find_runs(log, terms, search, 1000, dates, totals).ids.empty());
  CHECK(log.asked_for == 0);
}

TEST_CASE("a first page for a reader who continues reads nothing that it leaves out", "[storage][runs]") {
  busy_log log;
  core::run_search search;
  search.group = core::group_id{3};
  search.window = {0, 10};
  storage::datetime_text dates{core::zone{}};
  storage::seen_totals totals;
  storage::run_terms terms;
  terms.group = search.group;
  const auto whole = storage::find_runs(log, terms, search, 1000, dates, totals);
  CHECK(whole.ids.size() == 10);
  log.asked_for = 0;
  search.only_complete = true;
  const auto found = storage::find_runs(log, terms, search, 1000, dates, totals);
  CHECK(found.ids.empty());
  CHECK(found.rest == whole.rest);
  // The total of the other search is not that of this one.
  CHECK(found.total == 0);
  CHECK(found.total_is_capped);
  CHECK(log.asked_for == 0);
}

TEST_CASE("messages are searched in fewer rows than columns", "[storage][runs]") {
  busy_log log;
  core::run_search search;
  storage::datetime_text dates{core::zone{}};
  storage::seen_totals totals;
  storage::run_terms terms;
  terms.words = "%disk%";
  CHECK(storage::find_runs(log, terms, search, 1000, dates, totals).rest
        == core::log_id{10'000'000 - storage::run_reader::rows_searched});
  terms.words.clear();
  terms.address = "http://a";
  CHECK(storage::find_runs(log, terms, search, 1000, dates, totals).rest
        == core::log_id{10'000'000 - storage::run_reader::rows_looked_at});
}

namespace {

/// A log with this many runs of one job, without a gap.
struct long_log final : storage::run_paths {
  explicit long_log(std::int64_t runs) : runs{runs} {}

  core::log_span span() override { return {core::log_id{1}, core::log_id{runs}}; }
  std::optional<glance> look_at(core::log_id) override { return std::nullopt; }
  bool has(run_path path) const override { return path == run_path::primary; }
  stretch look_along(run_path, const storage::run_terms&, const core::log_range&, std::size_t, std::int64_t) override {
    return {};
  }
  std::vector<core::log_id> newest(run_path, const storage::run_terms&, const core::log_range& range,
                                   std::size_t limit) override {
    std::vector<core::log_id> out;
    for (auto id = core::number(range.through); id > core::number(range.after) && out.size() < limit; --id)
      out.push_back(core::log_id{id});
    looked_at += out.size();
    return out;
  }
  std::vector<core::log_id> oldest(run_path, const storage::run_terms&, const core::log_range&, std::size_t) override {
    return {};
  }
  std::vector<core::job_id> jobs_of(const storage::run_terms&, std::size_t) override { return {}; }

  std::int64_t runs;
  std::size_t looked_at = 0;
};

} // namespace

TEST_CASE("a total that is too large to count is cached for a while", "[storage][runs]") {
  long_log log{5000};
  core::run_search search;
  search.window = {0, 20};
  storage::datetime_text dates{core::zone{}};
  storage::seen_totals totals;
  const auto page = [&] { return storage::find_runs(log, {}, search, 1000, dates, totals); };
  const auto first = page();
  CHECK(first.total == 1000);
  CHECK(log.looked_at == 1001);
  log.looked_at = 0;
  const auto second = page();
  CHECK(second.ids == first.ids);
  CHECK(second.total == 1000);
  CHECK(second.total_is_capped);
  CHECK(log.looked_at == 20);
  SECTION("for this search only") {
    search.status = core::run_status::failed;
    const auto others = storage::find_runs(log, {.status = search.status}, search, 1000, dates, totals);
    CHECK(log.looked_at > 1000);
    CHECK(others.total == 1000);
  }
  SECTION("not when the page is not full") {
    log.runs = 7;
    const auto emptied = page();
    CHECK(emptied.total == 7);
    CHECK_FALSE(emptied.total_is_capped);
  }
}

TEST_CASE("a short log is counted each time", "[storage][runs]") {
  long_log log{900};
  core::run_search search;
  search.window = {0, 20};
  storage::datetime_text dates{core::zone{}};
  storage::seen_totals totals;
  CHECK(storage::find_runs(log, {}, search, 1000, dates, totals).total == 900);
  log.runs = 901;
  CHECK(storage::find_runs(log, {}, search, 1000, dates, totals).total == 901);
}

namespace {

/// A log of which one search matches few rows; indexes lead to a part of them.
struct sparse_log final : storage::run_paths {
  core::log_span span() override { return {core::log_id{1}, core::log_id{350'000}}; }
  std::optional<glance> look_at(core::log_id id) override { return glance{id, "2024-03-01 12:00:00"}; }
  bool has(run_path path) const override { return path == run_path::primary || path == run_path::job; }
  stretch look_along(run_path path, const storage::run_terms& terms, const core::log_range& range, std::size_t limit,
                     std::int64_t rows) override {
    stretch out;
    for (const auto id : newest(run_path::primary, {}, range, matching.size())) {
      if (path == run_path::failed ? !recorded.contains(id) : matching.at(id) != terms.job)
        continue;
      if (out.ids.size() == limit)
        break;
      if (rows-- == 0) {
        out.floor = id;
        break;
      }
      out.ids.push_back(id);
    }
    return out;
  }
  std::vector<core::log_id> newest(run_path, const storage::run_terms&, const core::log_range& range,
                                   std::size_t limit) override {
    std::vector<core::log_id> out;
    for (auto at = matching.rbegin(); at != matching.rend() && out.size() < limit; ++at)
      if (at->first > range.after && at->first <= range.through)
        out.push_back(at->first);
    return out;
  }
  std::vector<core::log_id> oldest(run_path, const storage::run_terms&, const core::log_range&, std::size_t) override {
    return {};
  }
  std::vector<core::job_id> jobs_of(const storage::run_terms&, std::size_t limit) override {
    std::vector<core::job_id> out;
    for (const auto job : jobs)
      if (out.size() < limit)
        out.push_back(job);
    return out;
  }

  /// Rows that match, with their jobs.
  std::map<core::log_id, core::job_id> matching;
  std::set<core::log_id> recorded;
  std::set<core::job_id> jobs;
};

/// Returns the runs of all pages, continued as our own API does.
std::vector<core::log_id> followed(sparse_log& log, const storage::run_terms& terms, core::run_search search) {
  storage::datetime_text dates{core::zone{}};
  storage::seen_totals totals;
  std::vector<core::log_id> out;
  for (int pages = 0; pages < 1000; ++pages) {
    auto page = storage::find_runs(log, terms, search, 1000, dates, totals);
    if (page.rest)
      std::erase_if(page.ids, [&](core::log_id id) { return id <= *page.rest; });
    out.insert(out.end(), page.ids.begin(), page.ids.end());
    if (page.ids.size() >= search.window.limit) {
      search.before = page.ids.back();
    } else if (page.rest) {
      CHECK(page.searched_to);
      search.before = core::log_id{core::number(*page.rest) + 1};
    } else {
      return out;
    }
  }
  FAIL("a page came no further");
  return out;
}

} // namespace

TEST_CASE("the pages of a search have every row once, also rows to which no index leads", "[storage][runs]") {
  const auto limit = GENERATE(3u, 20u, 200u);
  sparse_log log;
  core::run_search search;
  search.window = {0, limit};
  storage::run_terms terms;
  SECTION("of more jobs than are looked at one by one") {
    for (std::int64_t id = 1000; id <= 300'000; id += 500)
      log.matching.emplace(core::log_id{id}, core::job_id{static_cast<std::int32_t>(id / 500 % 250 + 1)});
    for (std::int32_t job = 1; job <= 250; ++job)
      log.jobs.insert(core::job_id{job});
    terms.group = core::group_id{3};
  }
  SECTION("of a job that has moved to another group") {
    for (std::int64_t id = 1000; id <= 200'000; id += 1000)
      log.matching.emplace(core::log_id{id}, core::job_id{id % 3000 == 0 ? 8 : 7});
    log.jobs = {core::job_id{7}};
    terms.group = core::group_id{3};
  }
  SECTION("failures without a record") {
    for (std::int64_t id = 1000; id <= 200'000; id += 1000) {
      log.matching.emplace(core::log_id{id}, core::job_id{7});
      if (id % 3000 != 0)
        log.recorded.insert(core::log_id{id});
    }
    terms.status = core::run_status::failed;
  }
  search.group = terms.group;
  search.status = terms.status;
  std::vector<core::log_id> all;
  for (auto at = log.matching.rbegin(); at != log.matching.rend(); ++at)
    all.push_back(at->first);
  CHECK(followed(log, terms, search) == all);
}
