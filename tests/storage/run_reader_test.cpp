// Reads and ends of runs by users, and random searches and clearings.

#include <algorithm>
#include <array>
#include <random>

#include "tests/storage/run_reader_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::group_right;
using core::run_status;

namespace {

core::run_search of_status(run_status status) {
  core::run_search search;
  search.status = status;
  return search;
}

} // namespace

TEST_CASE("a page of runs has the newest ids first, and counts them all", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  CHECK(f.found({}).empty());
  CHECK(f.page({}).total == 0);
  for (int id = 1; id <= 25; ++id)
    f.add({.id = id});
  auto first = f.page({});
  CHECK(f.ids_of(first) == id_list{25, 24, 23, 22, 21, 20, 19, 18, 17, 16});
  CHECK(first.total == 25);
  CHECK_FALSE(first.total_is_capped);
  CHECK(f.found({.window = {20, 10}}) == id_list{5, 4, 3, 2, 1});
  CHECK(f.found({.window = {25, 10}}).empty());
  CHECK(f.found({.window = {1'000'000'000'000, 10}}).empty());
  CHECK(f.page({.window = {0, 0}}).total == 25);
  CHECK(f.found({.before = core::log_id{4}}) == id_list{3, 2, 1});
  CHECK(f.page({.before = core::log_id{4}}).total == 3);
  CHECK(f.found({.before = core::log_id{1}}).empty());
}

TEST_CASE("counting stops at its limit, and rows beyond it can still be read", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id = 1; id <= 12; ++id)
    f.add({.id = id});
  auto capped = f.page({.window = {10, 10}}, admin(), 5);
  CHECK(capped.total == 5);
  CHECK(capped.total_is_capped);
  CHECK(f.ids_of(capped) == id_list{2, 1});
  CHECK_FALSE(f.page({}, admin(), 12).total_is_capped);
  CHECK(f.page({}, admin(), 11).total_is_capped);
}

TEST_CASE("no page has more rows than the maximum", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  std::string values;
  for (int id = 1; id <= 1010; ++id)
    values += (id > 1 ? ", (" : "(") + std::to_string(id) + ", 1, 7, '2024-03-01 12:00:00', 200, 200)";
  f.db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code) VALUES " + values);
  CHECK(f.page({.window = {0, 5000}}).rows.size() == core::page_rows_max);
  CHECK(f.found({.window = {core::page_rows_max, 5000}}).size() == 10);
}

TEST_CASE("the status of a run is that of XXL's log page", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add({.id = 1, .trigger_code = 0, .handle_code = 0});
  f.add({.id = 2, .trigger_code = 200, .handle_code = 0});
  f.add({.id = 3, .trigger_code = 200, .handle_code = 200});
  f.add({.id = 4, .trigger_code = 500, .handle_code = 0});
  f.add({.id = 5, .trigger_code = 200, .handle_code = 500});
  f.add({.id = 6, .trigger_code = 200, .handle_code = 502});
  f.add({.id = 7, .trigger_code = 500, .handle_code = 200});
  f.add({.id = 8, .trigger_code = 0, .handle_code = 200});
  f.add({.id = 9, .trigger_code = 0, .handle_code = 500});
  CHECK(f.found(of_status(run_status::any)).size() == 9);
  CHECK(f.found(of_status(run_status::succeeded)) == id_list{8, 7, 3});
  CHECK(f.found(of_status(run_status::failed)) == id_list{9, 7, 6, 5, 4});
  CHECK(f.found(of_status(run_status::running)) == id_list{2});
}

TEST_CASE("both time bounds are inclusive, regardless of the ids", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add({.id = 3, .when = "2024-03-01 11:00:00"});
  f.add({.id = 4, .when = ""});
  f.add({.id = 900, .when = "2024-03-01 11:59:59"});
  f.add({.id = 901, .when = "2024-03-01 12:00:00"});
  f.add({.id = 902, .when = "2024-03-01 12:00:04"});
  f.add({.id = 903, .when = "2024-03-01 12:00:01"});
  f.add({.id = 50'000, .when = "2024-03-01 12:30:00"});
  // It repeats an earlier one.
  f.add({.id = 50'001, .when = "2024-03-01 12:00:00"});
  f.add({.id = 50'002, .when = "2024-03-01 12:30:01"});
  const auto between = [&](core::time_point from, core::time_point to) { return f.found({.from = from, .to = to}); };
  CHECK(between(noon, noon) == id_list{901});
  CHECK(between(noon, noon + 4s) == id_list{903, 902, 901});
  CHECK(between(noon + 1s, noon + 3s) == id_list{903});
  CHECK(between(noon - 1h, noon - 1s) == id_list{900, 3});
  CHECK(between(noon + 30min, noon + 30min) == id_list{50'000});
  CHECK(between(noon + 1h, noon + 2h).empty());
  CHECK(between(noon - 3h, noon - 2h).empty());
  CHECK(between(noon, noon - 1s).empty());
  CHECK(f.found({.from = noon + 30min}) == id_list{50'002, 50'000});
  CHECK(f.found({.from = noon}) == id_list{50'002, 50'001, 50'000, 903, 902, 901});
  CHECK(f.found({.to = noon - 1h}) == id_list{3});
  CHECK(f.page({.from = noon, .to = noon + 4s}).total == 3);
}

TEST_CASE("a group and a job both narrow a page", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job_of(7, 1);
  f.add_job_of(8, 2);
  f.add({.id = 1, .group = 1, .job = 7});
  f.add({.id = 2, .group = 2, .job = 8});
  f.add({.id = 3, .group = 2, .job = 7});
  f.add({.id = 4, .group = 1, .job = 99});
  CHECK(f.found({.group = core::group_id{1}}) == id_list{4, 1});
  CHECK(f.found({.job = core::job_id{7}}) == id_list{3, 1});
  CHECK(f.found({.group = core::group_id{2}, .job = core::job_id{7}}) == id_list{3});
  CHECK(f.found({.group = core::group_id{1}, .job = core::job_id{8}}).empty());
  CHECK(f.found({.job = core::job_id{99}}) == id_list{4});
  CHECK(f.found({.visible = std::vector{core::group_id{2}}}) == id_list{3, 2});
}

TEST_CASE("users see no runs of other groups", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job_of(7, 1);
  f.add_job_of(8, 2);
  f.add({.id = 1, .group = 1, .job = 7});
  f.add({.id = 2, .group = 2, .job = 8});
  f.add({.id = 3, .group = 12, .job = 9});
  f.add({.id = 4, .group = 2, .job = 7});
  const auto viewer = user({{core::group_id{1}, group_right::viewer}, {core::group_id{2}, group_right::none}});
  CHECK(f.found({}, viewer) == id_list{1});
  CHECK(f.page({}, viewer).total == 1);
  CHECK(f.found({}, user({})).empty());
  CHECK(f.found({}, user({{core::group_id{2}, group_right::editor}, {core::group_id{12}, group_right::operate}}))
        == id_list{4, 3, 2});
  // The request cannot extend what the user may see.
  CHECK(f.found({.visible = std::vector{core::group_id{2}}}, viewer) == id_list{1});
  // A run of their job from the time when the job was in another group.
  CHECK(f.found({.job = core::job_id{7}}, viewer) == id_list{1});
  CHECK(f.found({.job = core::job_id{9}}, viewer).empty());
  const auto refused = [&](const core::run_search& search) {
    auto answer = f.reader().page(search, 10, viewer);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().why == core::refusal::not_permitted);
    return answer.error().code;
  };
  CHECK(refused({.group = core::group_id{2}}) == core::errc::forbidden);
  CHECK(refused({.job = core::job_id{8}}) == core::errc::forbidden);
  CHECK(refused({.group = core::group_id{1}, .job = core::job_id{8}}) == core::errc::forbidden);
}

TEST_CASE("a filter without matches reads a bounded part of the log", "[storage][runs]") {
  const test_backend backend = GENERATE(from_range(backends_under_test()));
  reader_fixture f{backend};
  // XXL's oldest log has no index on jobs, nor has a log upgraded from it.
  const bool by_job = backend.generation != 4 && !backend.name.ends_with("upgraded");
  const auto far = storage::run_reader::rows_looked_at + 1000;
  f.add_job_of(8, 2);
  f.add({.id = 1, .trigger_code = 200, .handle_code = 500});
  f.add({.id = 2, .group = 2, .job = 8});
  f.add({.id = 3, .trigger_code = 200, .handle_code = 0});
  f.add({.id = 4, .trigger_code = 200, .handle_code = 500, .group = 2, .job = 8});
  f.db->exec("INSERT INTO rm_failed_run (log_id, job, fire_ms) VALUES (1, 7, 0), (4, 8, 0)");
  f.add({.id = far});
  // Recorded failures are found regardless of their age, and so are the runs of a group with few runs.
  CHECK(f.found(of_status(run_status::failed)) == id_list{4, 1});
  CHECK(f.found({.group = core::group_id{2}, .status = run_status::failed}) == id_list{4});
  const auto quiet = f.page({.group = core::group_id{2}});
  CHECK(f.ids_of(quiet) == (by_job ? id_list{4, 2} : id_list{}));
  CHECK((by_job || quiet.total_is_capped));
  CHECK(f.found({.group = core::group_id{2}, .status = run_status::succeeded}) == (by_job ? id_list{2} : id_list{}));
  CHECK(f.found({}, user({{core::group_id{2}, group_right::viewer}})) == (by_job ? id_list{4, 2} : id_list{}));
  if (by_job)
    CHECK(f.found({.job = core::job_id{7}, .status = run_status::running}) == id_list{3});
  CHECK(f.found({}) == id_list{far, 4, 3, 2, 1});
  auto running = f.page(of_status(run_status::running));
  // With an index on the result it is found; without one the page reports that there may be more.
  CHECK(running.total_is_capped == running.rows.empty());
}

TEST_CASE("one run is read with permission, as far as it has progressed", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add({.id = 5, .trigger_code = 200, .handle_code = 0, .group = 3});
  f.db->exec("UPDATE xxl_job_log SET handle_time = '2024-03-01 12:00:00', handle_msg = 'x', executor_address = 'http://a/',"
             " trigger_msg = 'sent'");
  const auto row = require(f.reader().read(core::log_id{5}, group_right::viewer, admin()));
  CHECK(row.trigger_time == noon);
  CHECK(row.executor_address == "http://a/");
  CHECK(row.trigger_msg == "sent");
  CHECK_FALSE(row.handle_time);
  CHECK(row.handle_msg.empty());
  const auto viewer = user({{core::group_id{3}, group_right::viewer}});
  CHECK(require(f.reader().read(core::log_id{5}, group_right::viewer, viewer)).id == core::log_id{5});
  CHECK(error_of(f.reader().read(core::log_id{5}, group_right::operate, viewer)) == core::errc::forbidden);
  CHECK(error_of(f.reader().read(core::log_id{5}, group_right::viewer, user({}))) == core::errc::forbidden);
  const auto missing = f.reader().read(core::log_id{6}, group_right::viewer, viewer);
  CHECK(error_of(missing) == core::errc::not_found);
  CHECK(missing.error().why == core::refusal::run_id_illegal);
  f.db->exec("UPDATE xxl_job_log SET handle_code = 500");
  const auto ended = f.page({}).rows.at(0);
  CHECK(ended.handle_time == noon);
  CHECK(ended.handle_msg == "x");
}

TEST_CASE("the user who ends a run is recorded, and a run with a result stays unchanged", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add({.id = 5, .trigger_code = 200, .handle_code = 0, .group = 3});
  f.add({.id = 6, .trigger_code = 200, .handle_code = 200, .group = 3});
  const auto viewer = user({{core::group_id{3}, group_right::viewer}});
  CHECK(error_of(f.reader().end_run(core::log_id{5}, "m", viewer, noon)) == core::errc::forbidden);
  CHECK(error_of(f.reader().end_run(core::log_id{9}, "m", admin(), noon)) == core::errc::not_found);
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit") == "0");
  const auto may = user({{core::group_id{3}, group_right::operate}});
  CHECK(require(f.reader().end_run(core::log_id{5}, "killed", may, noon)));
  CHECK_FALSE(require(f.reader().end_run(core::log_id{6}, "killed", may, noon)));
  CHECK(f.db->query("SELECT user_name, remote, action, object, object_id, object_name, changes FROM rm_audit ORDER BY id")
        == table{{"carol", "10.1.1.1", "kill", "run", "5", "job 7", "message: killed"}});
  // The firing path ends the run, by a callback like any other.
  CHECK(f.record({}, {{core::log_id{5}, 500, "killed", nullptr}}).callbacks_stored == 1);
  CHECK(f.row(core::log_id{5}).handle_code == 500);
  CHECK(f.ids("log_id", "rm_failed_run") == id_list{5});
  CHECK_FALSE(require(f.reader().end_run(core::log_id{5}, "again", may, noon)));
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit") == "1");
}

TEST_CASE("days of the report are returned in order, from the first to before the last", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto midnight = noon - 12h;
  std::vector<core::day_report> days{{midnight - 24h, {10, 1, 8}}, {midnight, {7, 2, 3}}, {midnight + 24h, {1, 0, 1}}};
  require(f.store->maintenance().write_report(days, noon));
  for (auto& each : days)
    each.changed = noon;
  CHECK(require(f.reader().report(midnight - 48h, midnight + 48h)) == days);
  CHECK(require(f.reader().report(midnight - 24h, midnight + 24h)) == std::vector{days[0], days[1]});
  CHECK(require(f.reader().report(midnight + 1s, midnight + 24h)).empty());
}

TEST_CASE("any page follows the rules, for any log", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  const auto below = [&](int n) { return std::uniform_int_distribution{0, n - 1}(random); };
  constexpr std::array codes{0, 200, 500};
  struct known : log_entry {
    core::time_point at{};
  };
  std::vector<known> all;
  std::int64_t id = 0;
  auto at = noon;
  for (int i = 0; i < 150; ++i) {
    id += 1 + below(5) * below(5);
    at += std::chrono::seconds{below(20)};
    known row;
    row.id = id;
    row.at = at;
    row.when = core::zone::find("Asia/Shanghai")->format(at);
    row.trigger_code = codes[static_cast<std::size_t>(below(3))];
    row.handle_code = codes[static_cast<std::size_t>(below(3))];
    row.group = 1 + below(3);
    row.job = 1 + below(4);
    f.add(row);
    all.push_back(row);
  }
  const auto fits = [](const known& row, const core::run_search& search) {
    const auto ok = [](int code) { return code == 0 || code == 200; };
    const bool status = search.status == run_status::any       ? true
                        : search.status == run_status::failed    ? !ok(row.trigger_code) || !ok(row.handle_code)
                        : search.status == run_status::succeeded ? row.handle_code == 200
                                                                 : row.trigger_code == 200 && row.handle_code == 0;
    return status && (!search.group || core::number(*search.group) == row.group)
           && (!search.job || core::number(*search.job) == row.job) && (!search.from || row.at >= *search.from)
           && (!search.to || row.at <= *search.to) && (!search.before || row.id < core::number(*search.before));
  };
  const auto any_search = [&] {
    core::run_search search;
    if (below(3) == 0)
      search.group = core::group_id{1 + below(3)};
    if (below(3) == 0)
      search.job = core::job_id{1 + below(4)};
    search.status = static_cast<run_status>(below(4));
    if (below(2) == 0)
      search.from = noon + std::chrono::seconds{below(1500)};
    if (below(2) == 0)
      search.to = noon + std::chrono::seconds{below(1500)};
    if (below(4) == 0)
      search.before = core::log_id{below(600)};
    return search;
  };
  for (int i = 0; i < 100; ++i) {
    auto search = any_search();
    search.window = {static_cast<std::size_t>(below(20)), static_cast<std::size_t>(below(60))};
    id_list expected;
    for (auto row = all.rbegin(); row != all.rend(); ++row)
      if (fits(*row, search))
        expected.push_back(row->id);
    const auto page = f.page(search);
    INFO("search " << i);
    CHECK(page.total == static_cast<std::int64_t>(expected.size()));
    CHECK_FALSE(page.total_is_capped);
    const auto skipped = std::min(search.window.offset, expected.size());
    expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(skipped));
    expected.resize(std::min(expected.size(), search.window.limit));
    CHECK(f.ids_of(page) == expected);
  }
  for (int i = 0; i < 8; ++i) {
    auto search = any_search();
    core::clear_search clearing{search.group, search.job, search.to, {}};
    if (below(2) == 0)
      clearing.keep_newest = static_cast<std::size_t>(below(30));
    search.status = run_status::any;
    search.from.reset();
    search.before.reset();
    auto keep = clearing.keep_newest.value_or(0);
    id_list expected;
    for (auto row = all.rbegin(); row != all.rend(); ++row)
      if (fits(*row, search) && (keep == 0 || keep-- == 0))
        expected.push_back(row->id);
    INFO("clearing " << i);
    CHECK(f.clear(clearing, static_cast<std::size_t>(1 + below(20))) == expected.size());
    std::erase_if(all, [&](const known& row) { return std::find(expected.begin(), expected.end(), row.id) != expected.end(); });
  }
  id_list left;
  for (const auto& row : all)
    left.push_back(row.id);
  CHECK(f.ids() == left);
}
