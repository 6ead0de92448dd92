// Lists of jobs by the status of their last run, on every backend.

#include <string>
#include <vector>

#include "tests/storage/editor_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;
using core::errc;
using core::group_right;
using core::job_order;
using enum core::run_status;

namespace {

/// XXL-JOB's oldest log has no index on jobs, nor has one that was upgraded from it.
bool has_job_index(const test_backend& backend) { return backend.generation != 4 && !backend.name.ends_with("upgraded"); }

core::job_search with_last(std::vector<core::run_status> statuses) {
  core::job_search out;
  out.last_statuses = std::move(statuses);
  return out;
}

struct last_run_lists : editing<deploy_fixture> {
  using editing::editing;

  core::job_id add_named(const std::string& name, core::group_id group) {
    auto wanted = draft();
    wanted.name = name;
    wanted.group = group;
    return add(wanted);
  }
  void add_run(core::job_id job, core::group_id group, int trigger_code, int handle_code, const std::string& id = "NULL",
               const std::string& note = "") {
    db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, trigger_msg, handle_code) VALUES (" +
             id + ", " + std::to_string(core::number(group)) + ", " + text_of(job) + ", '2026-01-01 12:00:00', " +
             std::to_string(trigger_code) + ", '" + note + "', " + std::to_string(handle_code) + ")");
  }
  std::string names(const core::job_search& search, const core::principal& by = core::local_operator()) {
    const auto found = require(editor().list(search, by));
    std::string out;
    for (const auto& row : found.jobs.rows)
      out += row.name + ' ';
    CHECK_FALSE(found.jobs.total_is_capped);
    return out + "of " + std::to_string(found.jobs.total);
  }
  /// Adds copies of a job without a run until there are `count` jobs or more.
  void copy_jobs(std::size_t count) {
    for (std::size_t rows = 1; rows < count; rows *= 2)
      db->exec("INSERT INTO xxl_job_info (job_group, job_desc, author, schedule_type, schedule_conf, misfire_strategy, glue_type,"
               " executor_handler, executor_param) SELECT job_group, job_desc, author, schedule_type, schedule_conf,"
               " misfire_strategy, glue_type, executor_handler, executor_param FROM xxl_job_info");
  }
  std::string outcome(std::vector<core::run_status> statuses) {
    auto found = editor().list(with_last(std::move(statuses)), core::local_operator());
    if (found)
      return std::to_string(found->jobs.total);
    CHECK(found.error().code == errc::invalid_argument);
    return found.error().context.substr(0, found.error().context.find(':'));
  }
};

} // namespace

TEST_CASE("jobs are found by the status of their last run only", "[storage][editor]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  last_run_lists f{backend};
  const auto good = f.add_named("good", f.pay);
  const auto bad = f.add_named("bad", f.pay);
  const auto unsent = f.add_named("unsent", f.mail);
  const auto missing = f.add_named("missing", f.pay);
  const auto busy = f.add_named("busy", f.mail);
  const auto queued = f.add_named("queued", f.pay);
  f.add_named("never", f.pay);
  // No row of ours tells of these failures: a Java admin may have written them.
  f.add_run(good, f.pay, 200, 500);
  f.add_run(good, f.pay, 200, 200);
  f.add_run(bad, f.pay, 200, 200);
  f.add_run(bad, f.pay, 200, 500);
  f.add_run(unsent, f.mail, 500, 0);
  f.add_run(missing, f.pay, 500, 0, "NULL", "rm3;missed;1");
  f.add_run(busy, f.mail, 200, 500);
  f.add_run(busy, f.mail, 200, 0);
  f.add_run(queued, f.pay, 0, 0);
  if (!has_job_index(backend)) {
    CHECK(f.outcome({failed}) == "last_status");
    CHECK(f.names({}).ends_with("of 7"));
    return;
  }
  CHECK(f.names(with_last({succeeded})) == "good of 1");
  CHECK(f.names(with_last({failed})) == "missing unsent bad of 3"); // missed ones too, as in lists of runs
  CHECK(f.names(with_last({missed})) == "missing of 1");
  CHECK(f.names(with_last({running})) == "busy of 1");
  CHECK(f.names(with_last({pending})) == "queued of 1");
  CHECK(f.names(with_last({running, pending, succeeded})) == "queued busy good of 3");
  CHECK(f.names(with_last({succeeded, failed, missed, running, pending})) == "queued busy missing unsent bad good of 6");
  for (const auto& status : {succeeded, failed, missed, running, pending})
    for (const auto& fact : require(f.editor().list(with_last({status}), core::local_operator())).facts)
      CHECK(fact.last_run);
  f.add_run(bad, f.pay, 200, 200);
  CHECK(f.names(with_last({failed})) == "missing unsent of 2");
}

TEST_CASE("the status of the last run counts together with other conditions, orders and pages", "[storage][editor]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  if (!has_job_index(backend))
    return;
  last_run_lists f{backend};
  CHECK(f.names(with_last({failed})) == "of 0");
  for (const auto* name : {"bee", "ant", "cat", "dog"})
    f.add_run(f.add_named(name, f.pay), f.pay, 200, 500);
  f.add_run(f.add_named("elk", f.mail), f.mail, 200, 500);
  f.add_run(f.add_named("fox", f.pay), f.pay, 200, 200);
  auto search = with_last({failed});
  search.text = "o";
  search.group = f.pay;
  CHECK(f.names(search) == "dog cat ant bee of 4"); // each has "ops" as its author
  search.text = "dog";
  CHECK(f.names(search) == "dog of 1");

  auto page = with_last({failed});
  page.window = {1, 2};
  CHECK(f.names(page) == "dog cat of 5");
  CHECK(require(f.editor().list(page, core::local_operator())).more);
  page.window = {4, 2};
  CHECK(f.names(page) == "bee of 5");
  page.window = {9, 2};
  CHECK(f.names(page) == "of 5");

  const auto all_pages = [&](job_order order, bool descending) {
    auto wanted = with_last({failed});
    wanted.order = order;
    wanted.descending = descending;
    wanted.window.limit = 2;
    std::string out;
    for (int pages = 0; pages < 10; ++pages) {
      const auto found = require(f.editor().list(wanted, core::local_operator()));
      CHECK(found.jobs.total == 5);
      for (const auto& row : found.jobs.rows)
        out += row.name + ' ';
      if (!found.more)
        return out;
      wanted.after = core::place_of(found.jobs.rows.back(), order);
    }
    return out + "without an end";
  };
  CHECK(all_pages(job_order::oldest, false) == "bee ant cat dog elk ");
  CHECK(all_pages(job_order::name, false) == "ant bee cat dog elk ");
  CHECK(all_pages(job_order::name, true) == "elk dog cat bee ant ");
  CHECK(all_pages(job_order::next, false) == "bee ant cat dog elk ");
}

TEST_CASE("the last run of a job is the newest that the user may see", "[storage][editor]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  if (!has_job_index(backend))
    return;
  last_run_lists f{backend};
  const auto moved = f.add_named("moved", f.pay);
  f.add_run(f.add_named("other", f.mail), f.mail, 200, 500);
  f.add_run(moved, f.pay, 200, 200);
  f.add_run(moved, f.mail, 200, 500);
  const auto viewer = f.user(f.pay, group_right::viewer);
  const bool crowded = GENERATE(false, true); // with many jobs, the newest rows of the log are read first
  if (crowded)
    f.copy_jobs(600);
  CHECK(require(f.editor().list(with_last({failed}), core::local_operator())).jobs.total == 2);
  CHECK(f.names(with_last({failed}), viewer) == "of 0");
  CHECK(f.names(with_last({succeeded}), viewer) == "moved of 1");
  CHECK(f.names(with_last({succeeded, failed}), f.user(f.pay, group_right::none)) == "of 0");
  for (std::size_t number = 0; number < core::open_runs_seen; ++number)
    f.add_run(moved, f.mail, 200, 0);
  CHECK(f.names(with_last({succeeded}), viewer) == "of 0"); // as the row, which tells no last run then
  auto forbidden = with_last({failed});
  forbidden.group = f.mail;
  CHECK(error_of(f.editor().list(forbidden, viewer)) == errc::forbidden);
}

TEST_CASE("a filter by the last run is answered completely or refused", "[storage][editor]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  if (!has_job_index(backend))
    return;
  last_run_lists f{backend};
  f.add_named("copied", f.pay);
  f.copy_jobs(core::last_runs_max + 1);
  const auto old = f.add_named("old", f.pay);
  const auto late = f.add_named("late", f.mail);
  const auto fresh = f.add_named("fresh", f.mail);
  f.add_run(old, f.pay, 200, 500, "5");
  f.add_run(late, f.mail, 500, 0, "6", "rm3;missed;1");
  f.db->exec("INSERT INTO rm_failed_run (log_id, job, fire_ms) VALUES (5, " + text_of(old) + ", 0), (6, " + text_of(late) +
             ", 0)");
  // A short log is read as a whole.
  CHECK(f.outcome({failed}) == "2");
  CHECK(f.outcome({succeeded}) == "0");
  // These rows are too far away from the newest one.
  f.add_run(fresh, f.mail, 200, 500, "300000");
  CHECK(f.outcome({missed}) == "1");
  CHECK(f.outcome({succeeded}) == "last_status");
  CHECK(f.outcome({failed, succeeded}) == "last_status");
  // Failures that a Java admin recorded have no row of ours.
  CHECK(f.outcome({failed}) == (backend.generation == 0 ? "3" : "last_status"));
  if (backend.name == "mysql") { // as after a switch to shared mode and back
    f.db->exec("ALTER TABLE xxl_job_info ADD INDEX rm_due (trigger_status, trigger_next_time)");
    CHECK(f.outcome({failed}) == "last_status");
  }
  const bool has_open_index = backend.generation != 0;
  CHECK(f.outcome({running, pending}) == (has_open_index ? "0" : "last_status"));
  auto narrow = with_last({failed});
  narrow.text = "l";
  narrow.group = f.mail;
  CHECK(f.names(narrow) == "fresh late of 2"); // the handler has an l
}
