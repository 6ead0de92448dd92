// Lists of jobs with the conditions, orders and facts of our own API, on every backend.

#include <set>
#include <utility>

#include "tests/storage/editor_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;
using core::errc;
using core::group_right;
using core::job_order;

namespace {

struct ordered_pages : editing<deploy_fixture> {
  using editing::editing;

  core::job_list list(const core::job_search& search, const core::principal& by = core::local_operator()) {
    auto found = require(editor().list(search, by));
    CHECK(found.facts.size() == found.jobs.rows.size());
    return found;
  }
  std::string names(const core::job_search& search, const core::principal& by = core::local_operator()) {
    const auto found = list(search, by);
    std::string out;
    for (const auto& row : found.jobs.rows)
      out += row.name + ' ';
    return out + "of " + std::to_string(found.jobs.total);
  }
  core::job_id add_named(const std::string& name, core::group_id group, const std::string& kind = "BEAN") {
    auto wanted = kind == "BEAN" ? draft() : script();
    wanted.name = name;
    wanted.group = group;
    return add(wanted);
  }
  void declare(core::job_id job, const std::string& key) {
    db->exec("DELETE FROM rm_job_ext WHERE job = " + text_of(job));
    db->exec("INSERT INTO rm_job_ext (job, source, job_key) VALUES (" + text_of(job) + ", 'deploy', '" + key + "')");
  }
  void plan(core::job_id job, const std::string& next, const std::string& last) {
    db->exec("UPDATE rm_schedule SET next_ms = " + next + ", last_ms = " + last + " WHERE job = " + text_of(job));
    // In shared mode the schedule is this table.
    db->exec("UPDATE xxl_job_info SET trigger_status = " + std::string{next == "0" ? "0" : "1"} +
             ", trigger_next_time = " + next + ", trigger_last_time = " + last + " WHERE id = " + text_of(job));
  }
  core::log_id add_run(core::job_id job, core::group_id group, int trigger_code, int handle_code) {
    db->exec("INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_time, handle_code) VALUES (" +
             std::to_string(core::number(group)) + ", " + text_of(job) + ", '2026-01-01 12:00:00', " +
             std::to_string(trigger_code) + ", '2026-01-01 12:00:07', " + std::to_string(handle_code) + ")");
    return core::log_id{std::stoll(db->value("SELECT MAX(id) FROM xxl_job_log"))};
  }
  /// Returns the names of all pages; `between` runs after each page.
  template <class Between>
  std::vector<std::string> all_pages(core::job_search search, std::size_t limit, Between between) {
    std::vector<std::string> out;
    search.window.limit = limit;
    for (int pages = 0; pages < 100; ++pages) {
      const auto found = list(search);
      for (const auto& row : found.jobs.rows)
        out.push_back(row.name);
      if (!found.more)
        return out;
      search.after = core::place_of(found.jobs.rows.back(), search.order);
      between();
    }
    FAIL("a page came no further");
    return out;
  }
};

core::job_search in_order(job_order order, bool descending = false) {
  core::job_search out;
  out.order = order;
  out.descending = descending;
  return out;
}

} // namespace

TEST_CASE("jobs are found by id, name, handler, author and key at once", "[storage][editor]") {
  ordered_pages f{GENERATE(from_range(backends_under_test()))};
  const auto one = f.add_named("One", f.pay);
  const auto two = f.add_named("Two", f.mail, "GLUE_SHELL");
  f.declare(two, "nightly-settle");
  const auto of = [](std::string text) {
    core::job_search out;
    out.text = std::move(text);
    return out;
  };
  CHECK(f.names(of("oNe")) == "One of 1");
  CHECK(f.names(of("Nightly")) == "Two of 1");
  CHECK(f.names(of(text_of(one))) == "One of 1");
  CHECK(f.names(of("settleh")) == "Two One of 2");
  CHECK(f.names(of("ops")) == "Two One of 2");
  CHECK(f.names(of("%")) == "of 0");
  CHECK(f.names(of("9223372036854775807")) == "of 0");
  const auto tom = f.user(f.mail, group_right::viewer);
  CHECK(f.names(of("settleh"), tom) == "Two of 1");
}

TEST_CASE("jobs are filtered by several groups, type, kind and source", "[storage][editor]") {
  ordered_pages f{GENERATE(from_range(backends_under_test()))};
  const auto third = f.add_group("third-worker");
  f.add_named("One", f.pay);
  const auto two = f.add_named("Two", f.mail, "GLUE_SHELL");
  f.add_named("Three", third);
  f.declare(two, "two");
  core::job_search search;
  search.groups = {f.pay, third};
  CHECK(f.names(search) == "Three One of 2");
  CHECK(error_of(f.editor().list(search, f.user(f.pay, group_right::viewer))) == errc::forbidden);
  search.order = job_order::name;
  CHECK(f.names(search) == "One Three of 2");
  CHECK(f.names({.declared = true}) == "Two of 1");
  CHECK(f.names({.declared = false}) == "Three One of 2");
  CHECK(f.names({.source = "deploy"}) == "Two of 1");
  CHECK(f.names({.source = "depl"}) == "of 0");
  CHECK(f.names({.glue_type = "GLUE_SHELL"}) == "Two of 1");
  CHECK(f.names({.schedule_type = "CRON"}) == "Three Two One of 3");
  CHECK(f.names({.schedule_type = "FIX_RATE"}) == "of 0");
  CHECK(f.names({.name_part = "t", .glue_type = "BEAN"}) == "Three of 1");
  CHECK(f.names({.running = true, .glue_type = "BEAN"}) == "of 0");
  CHECK(f.names({.window = {1, 1}, .schedule_type = "CRON"}) == "Two of 3");
  CHECK(f.list({.window = {1, 1}, .schedule_type = "CRON"}).more);
}

TEST_CASE("named jobs are listed without those that the user may not see", "[storage][editor]") {
  ordered_pages f{GENERATE(from_range(backends_under_test()))};
  const auto one = f.add_named("One", f.pay);
  const auto two = f.add_named("Two", f.mail);
  const core::job_search search{.ids = {one, two, core::job_id{99999}}};
  CHECK(f.names(search) == "Two One of 2");
  CHECK(f.names(search, f.user(f.pay, group_right::viewer)) == "One of 1");
  CHECK(f.names(search, f.user(f.pay, group_right::none)) == "of 0");
}

TEST_CASE("jobs are listed by name, next time, last instant and last edit", "[storage][editor]") {
  ordered_pages f{GENERATE(from_range(backends_under_test()))};
  const auto bee = f.add_named("bee", f.pay);
  const auto ant = f.add_named("Ant", f.pay);
  const auto cat = f.add_named("cat", f.mail);
  f.plan(bee, "3000", "9000");
  f.plan(ant, "0", "0");
  f.plan(cat, "2000", "8000");
  f.update(ant, f.draft());
  CHECK(f.names(in_order(job_order::next)) == "cat bee Settle of 3");
  CHECK(f.names(in_order(job_order::next, true)) == "bee cat Settle of 3");
  CHECK(f.names(in_order(job_order::last)) == "Settle cat bee of 3");
  CHECK(f.names(in_order(job_order::last, true)) == "bee cat Settle of 3");
  CHECK(f.names(in_order(job_order::updated, true)) == "Settle cat bee of 3");
  CHECK(f.names(in_order(job_order::updated)) == "bee cat Settle of 3");
  CHECK(f.names(in_order(job_order::name)) == "bee cat Settle of 3");
  CHECK(f.names(in_order(job_order::name, true)) == "Settle cat bee of 3");
}

TEST_CASE("pages of an ordered list skip and repeat nothing while jobs come and go", "[storage][editor]") {
  ordered_pages f{GENERATE(from_range(backends_under_test()))};
  std::multiset<std::string> all;
  for (int number = 0; number < 12; ++number) {
    const auto name = std::string{"job"} + static_cast<char>('a' + number / 3); // three of each name
    const auto job = f.add_named(name, f.pay);
    f.plan(job, number % 4 == 0 ? "0" : std::to_string(1000 + number % 3), "0");
    all.insert(name);
  }
  for (const auto order : {job_order::oldest, job_order::name, job_order::next, job_order::last, job_order::updated})
    for (const bool descending : {false, true}) {
      CAPTURE(static_cast<int>(order), descending);
      const auto found = f.all_pages(in_order(order, descending), 5, [] {});
      CHECK(std::multiset<std::string>(found.begin(), found.end()) == all);
    }
  // A job before the place comes and one goes: the following pages stay.
  int pages = 0;
  const auto found = f.all_pages(in_order(job_order::name), 5, [&] {
    if (pages++ == 0) {
      f.add_named("aaa", f.pay);
      f.db->exec("DELETE FROM xxl_job_info WHERE id = (SELECT id FROM (SELECT MIN(id) AS id FROM xxl_job_info) first_one)");
    }
  });
  CHECK(std::multiset<std::string>(found.begin(), found.end()) == all);
}

TEST_CASE("more than ten thousand jobs are not sorted", "[storage][editor]") {
  ordered_pages f{GENERATE(from_range(backends_under_test()))};
  f.add_named("Job", f.pay);
  for (int rows = 1; rows < 16384; rows *= 2)
    f.db->exec("INSERT INTO xxl_job_info (job_group, job_desc, author, schedule_type, schedule_conf, misfire_strategy, glue_type,"
               " executor_handler, executor_param) SELECT job_group, job_desc, author, schedule_type, schedule_conf,"
               " misfire_strategy, glue_type, executor_handler, executor_param FROM xxl_job_info");
  f.add_named("Mail", f.mail);
  const auto refused = f.editor().list(in_order(job_order::name), core::local_operator());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::invalid_argument);
  CHECK(refused.error().context.find("group") != std::string::npos);
  CHECK(f.list(in_order(job_order::oldest)).more);
  auto narrow = in_order(job_order::name);
  narrow.group = f.mail;
  CHECK(f.names(narrow) == "Mail of 1");
  core::job_search named;
  named.text = "mail";
  CHECK(f.names(named) == "Mail of 1");
}

TEST_CASE("rows of a list tell the newest run, open runs, the group's title and the last editor", "[storage][editor]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  // XXL-JOB's oldest log has no index on jobs, nor has one that was upgraded from it.
  const bool has_index = backend.generation != 4 && !backend.name.ends_with("upgraded");
  ordered_pages f{backend};
  const auto job = f.add_named("One", f.pay);
  const auto other = f.add_named("Two", f.pay);
  f.add_run(job, f.pay, 200, 200);
  f.add_run(job, f.pay, 0, 0);
  f.add_run(job, f.pay, 500, 0);
  const auto last = f.add_run(job, f.pay, 200, 0);
  for (int number = 0; number < 25; ++number)
    f.add_run(other, f.pay, 200, 0);
  const auto ended = f.add_run(other, f.pay, 200, 200);
  const auto found = f.list(in_order(job_order::name));
  REQUIRE(found.facts.size() == 2);
  const auto& one = found.facts[0];
  CHECK(one.group_title == "pay-");
  CHECK(one.updated_by == core::local_operator().name);
  if (!has_index) {
    CHECK_FALSE(one.last_run);
    CHECK_FALSE(one.open_runs);
    return;
  }
  REQUIRE(one.last_run);
  CHECK(one.last_run->id == last);
  CHECK_FALSE(one.last_run->handle_time);
  CHECK(one.open_runs == 2);
  CHECK(found.facts[1].last_run->id == ended);
  CHECK(found.facts[1].open_runs == core::open_runs_seen - 1);

  // Runs of a group that the user may not see stay hidden, and those before them are shown.
  f.add_run(job, f.mail, 200, 200);
  const auto unseen = f.add_run(job, f.mail, 200, 0);
  const auto of = [&](const core::principal& by) { return f.list(in_order(job_order::name), by).facts[0]; };
  const auto viewer = f.user(f.pay, group_right::viewer);
  CHECK(of(core::local_operator()).last_run->id == unseen);
  CHECK(of(core::local_operator()).open_runs == 3);
  REQUIRE(of(viewer).last_run);
  CHECK(of(viewer).last_run->id == last);
  CHECK(of(viewer).open_runs == 2);
  for (std::size_t number = 0; number < core::open_runs_seen; ++number)
    f.add_run(job, f.mail, 200, 0);
  CHECK_FALSE(of(viewer).last_run);
  CHECK(of(viewer).open_runs == 0);
  // Manual runs are no edits.
  f.db->exec("UPDATE rm_audit SET user_name = 'ann'");
  f.db->exec("INSERT INTO rm_audit (at_ms, user_id, user_name, remote, action, object, object_id, object_name, changes) VALUES"
             " (1, 1, 'bob', '', 'trigger', 'job', " + text_of(job) + ", 'One', '')");
  CHECK(f.list(in_order(job_order::name)).facts[0].updated_by == "ann");
}

TEST_CASE("jobs that are due first are found by their next time", "[storage][editor]") {
  ordered_pages f{GENERATE(from_range(backends_under_test()))};
  const auto bee = f.add_named("bee", f.pay);
  const auto ant = f.add_named("ant", f.pay);
  const auto cat = f.add_named("cat", f.mail);
  f.plan(bee, "3000", "0");
  f.plan(ant, "0", "0");
  f.plan(cat, "3000", "0");
  const auto names = [&](const std::optional<core::group_id>& group, std::size_t limit, const core::principal& by) {
    const auto found = require(f.editor().soonest(group, limit, by));
    std::string out;
    for (const auto& row : found.jobs.rows)
      out += row.name + ' ';
    return out + (found.more ? "more" : "all");
  };
  const auto& us = core::local_operator();
  CHECK(names({}, 10, us) == "bee cat all");
  CHECK(names({}, 1, us) == "bee more");
  CHECK(names(f.mail, 10, us) == "cat all");
  CHECK(names({}, 10, f.user(f.mail, group_right::viewer)) == "cat all");
  CHECK(names({}, 10, f.user(f.mail, group_right::none)) == "all");
  CHECK(error_of(f.editor().soonest(f.pay, 10, f.user(f.mail, group_right::viewer))) == errc::forbidden);
}
