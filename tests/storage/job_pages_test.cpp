// Pages of jobs, on every backend.

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "tests/storage/editor_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;
using core::errc;
using core::group_right;

namespace {

using fixture = editing<deploy_fixture>;

struct pages : fixture {
  using fixture::fixture;

  core::page<core::job_record> page(const core::job_search& search, const core::principal& by = core::local_operator()) {
    return require(editor().page(search, by));
  }
  /// Returns the names of the rows and the total.
  std::string names(const core::job_search& search, const core::principal& by = core::local_operator()) {
    const auto found = page(search, by);
    std::string out;
    for (const auto& row : found.rows)
      out += row.name + ' ';
    CHECK_FALSE(found.total_is_capped);
    return out + "of " + std::to_string(found.total);
  }
  void add_named(const std::string& name, core::group_id group, const std::string& handler, const std::string& author) {
    auto wanted = draft();
    wanted.name = name;
    wanted.group = group;
    wanted.handler = handler;
    wanted.author = author;
    add(wanted);
  }
};

} // namespace

TEST_CASE("the total of a list follows each edit", "[storage][editor]") {
  pages f{GENERATE(from_range(backends_under_test()))};
  f.add_named("One", f.pay, "h", "ann");
  CHECK(f.page({}).total == 1);
  f.add_named("Two", f.pay, "h", "ann");
  CHECK(f.page({}).total == 2);
  CHECK(f.page({.group = f.pay}).total == 2);
  CHECK(f.page({.group = f.mail}).total == 0);
}

TEST_CASE("a page of jobs: newest first, filtered, of the visible groups", "[storage][editor]") {
  pages f{GENERATE(from_range(backends_under_test()))};
  f.add_named("One", f.pay, "payHandler", "ann");
  f.add_named("Two_%", f.pay, "payHandler", "bob");
  f.add_named("Three", f.mail, "mailHandler", "ann");
  f.add_named("Four", f.mail, "payHandler", "bob");
  CHECK(f.names({}) == "Four Three Two_% One of 4");
  CHECK(f.names({.window = {1, 2}}) == "Three Two_% of 4");
  CHECK(f.names({.window = {9, 2}}) == "of 4");
  CHECK(f.names({.window = {0, 0}}) == "of 4");
  CHECK(f.names({.group = f.pay}) == "Two_% One of 2");
  CHECK(f.names({.name_part = "o"}) == "Four Two_% One of 3");
  CHECK(f.names({.name_part = "ON"}) == "One of 1");
  CHECK(f.names({.name_part = "_%"}) == "Two_% of 1"); // as typed, not a pattern
  CHECK(f.names({.handler_part = "payh"}) == "Four Two_% One of 3");
  CHECK(f.names({.author_part = "ann"}) == "Three One of 2");
  CHECK(f.names({.group = f.mail, .handler_part = "pay", .author_part = "b"}) == "Four of 1");
  CHECK(f.names({.running = true}) == "of 0");
  require(f.store->jobs().start(f.page({}).rows.at(1).id, noon));
  CHECK(f.names({.running = true}) == "Three of 1");
  CHECK(f.names({.group = f.mail, .running = false}) == "Four of 1");
  CHECK(f.page({.running = true}).rows.at(0).next == one_at_night);

  const auto tom = fixture::user(f.mail, group_right::viewer);
  CHECK(f.names({}, tom) == "Four Three of 2");
  CHECK(f.names({.group = f.mail}, tom) == "Four Three of 2");
  CHECK(error_of(f.editor().page({.group = f.pay}, tom)) == errc::forbidden);
  CHECK(f.names({.visible = std::vector{f.pay}}, tom) == "of 0");
  CHECK(f.names({.visible = std::vector{f.pay}}) == "Two_% One of 2");
  CHECK(f.names({}, fixture::user(f.mail, group_right::none)) == "of 0");
  auto many = fixture::user(f.pay);
  for (int id = 1000; id < 1700; ++id)
    many.rights.emplace_back(core::group_id{id}, group_right::viewer);
  CHECK(f.names({}, many) == "Two_% One of 2");
}

TEST_CASE("jobs of a group are found by a separate index", "[storage][editor]") {
  auto db = fresh_database(sqlite_backend());
  std::string plan;
  for (const auto& row : db->query("EXPLAIN QUERY PLAN SELECT count(*) FROM xxl_job_info WHERE job_group IN "
                                   "(SELECT value FROM json_each('[1,2]'))"))
    plan += row.back() + '\n';
  CHECK(plan.find("rm_job_group") != std::string::npos);
}

TEST_CASE("a sparse row of another program is included in the page", "[storage][editor]") {
  pages f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, misfire_strategy, glue_type) "
             "VALUES (7, 1, 'x', 'SOMETHING', 'NEW', 'BEAN')");
  const auto row = f.page({}).rows.at(0);
  CHECK(row.schedule_type + ' ' + row.misfire == "SOMETHING NEW");
  CHECK_FALSE(row.added);
  CHECK_FALSE(row.glue_updated);
  CHECK(row.route.empty());
  CHECK(row.revision == 0);
  CHECK_FALSE(row.running);
}

TEST_CASE("a page of jobs with long texts ends early, but never before its first row", "[storage][editor]") {
  pages f{GENERATE(from_range(backends_under_test()))};
  for (const char* name : {"One", "Two", "Three", "Four"})
    f.add_named(name, f.pay, "payHandler", "ann");
  // Such scripts cannot be entered here, but XXL-JOB keeps them. A packet has 4 MiB.
  const std::string text(3 * 1024 * 1024, 'x');
  const auto written = [&](const std::string& sql) {
    try {
      f.db->exec(sql);
      return true;
    } catch (const std::runtime_error&) {
      return false; // its error text contains the whole text
    }
  };
  const auto write = [&](const std::string& name) {
    REQUIRE(written("UPDATE xxl_job_info SET glue_source = '" + text + "' WHERE job_desc = '" + name + "'"));
  };
  write("Four");
  write("Two");
  CHECK(f.names({}) == "Four Three Two One of 4");
  write("One");
  CHECK(f.names({}) == "Four Three Two of 4");
  CHECK(f.names({.group = f.pay}) == "Four Three Two of 4");
  CHECK(f.names({.window = {3, 10}}) == "One of 4");
  const auto job = f.page({}).rows.at(0).id;
  for (int i = 0; i < 4; ++i)
    REQUIRE(written("INSERT INTO xxl_job_logglue (job_id, glue_type, glue_source, glue_remark) VALUES (" + text_of(job) +
                    ", 'GLUE_SHELL', '" + text + "', 'old')"));
  CHECK(require(f.editor().source_history({job}, core::local_operator())).versions.size() == 2);
}

TEST_CASE("a script has at most 256 KiB, and a longer existing one stays through updates", "[storage][editor]") {
  pages f{GENERATE(from_range(backends_under_test()))};
  const auto& us = core::local_operator();
  const std::string most(256 * 1024, 'x');
  auto wanted = f.script();
  wanted.glue_source = most + 'x';
  CHECK(why(f.editor().add(wanted, us, noon)) == core::refusal::too_long);
  wanted.glue_source = most;
  const auto job = f.add(wanted);
  CHECK(why(f.editor().save_source(job, most + 'x', "too long", {}, us, noon)) == core::refusal::too_long);
  require(f.editor().save_source(job, most, "long enough", {}, us, noon));
  f.db->exec("UPDATE xxl_job_info SET glue_source = '" + most + most + "' WHERE id = " + text_of(job));
  f.update(job, f.draft());
  CHECK(f.record(job).glue_source.size() == 2 * most.size());
}

// Manually, with `[measure]`: the duration of a page at 100 000 jobs.
TEST_CASE("pages of a hundred thousand jobs", "[.][measure]") {
  pages f{GENERATE(from_range(backends_under_test()))};
  f.add_named("Job", f.pay, "payHandler", "ann");
  for (int rows = 1; rows < 131072; rows *= 2)
    f.db->exec("INSERT INTO xxl_job_info (job_group, job_desc, author, schedule_type, schedule_conf, misfire_strategy, glue_type,"
               " executor_handler, executor_param) SELECT job_group + 1, job_desc, author, schedule_type, schedule_conf,"
               " misfire_strategy, glue_type, executor_handler, executor_param FROM xxl_job_info");
  core::job_search none;
  core::job_search by_group;
  by_group.group = core::group_id{core::number(f.pay) + 5};
  core::job_search by_name;
  by_name.name_part = "unknown";
  core::job_search deep;
  deep.window = {100'000, 10};
  int number = 0;
  for (const auto& search : {none, by_group, by_name, deep}) {
    std::vector<std::int64_t> micros;
    for (int i = 0; i < 30; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      (void) f.page(search);
      micros.push_back(
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(micros.begin(), micros.end());
    WARN("search " << number++ << ": median " << micros[15] << " us, longest " << micros.back() << " us");
  }
}
