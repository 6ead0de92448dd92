#include "actors/admin/job_admin.hpp"

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using test::store_fault;

namespace {

core::declared_set nightly() {
  core::declared_set declared;
  declared.source = "jobs.toml";
  declared.groups.push_back({"pay-worker", "Payments", {}});
  core::declared_job job;
  job.group = "pay-worker";
  job.key = "settle";
  job.name = "Settle";
  job.author = "ops";
  job.schedule = core::schedule_type::cron;
  job.schedule_conf = "0 0 1 * * ?";
  job.handler = "settleHandler";
  declared.jobs.push_back(job);
  return declared;
}

config::security_settings with_scripts() {
  config::security_settings out;
  out.glue = true;
  return out;
}

struct administration : test::virtual_time {
  caf::expected<core::deploy_report> apply(core::declared_set declared, bool dry_run = false) {
    return ask<core::deploy_report>(actor, protocol::apply_declared{std::move(declared), dry_run, false});
  }
  [[nodiscard]] std::size_t hints() const { return schedule.record->edit_hints + *registry.hints; }

  test::memory_database database;
  test::faulty_store store{database.open()};
  test::query_worker_double edits{*this, store};
  test::query_worker_double worker{*this, store};
  test::schedule_double schedule{*this};
  test::registry_monitor_double registry{*this};
  protocol::job_admin spawn_admin(config::security_settings settings) {
    return spawn<actors::job_admin_state, protocol::job_admin>(actors::query_workers{worker.actor, edits.actor}, schedule.actor,
                                                               registry.actor, std::move(settings), clock(), silent_log());
  }
  protocol::job_admin actor = spawn_admin(with_scripts());
};

} // namespace

// Sign-ins read by the same worker as pages do.
TEST_CASE_METHOD(administration, "an edit of a job that waits is in no page's way", "[actors]") {
  REQUIRE(apply(nightly()));
  CHECK(*worker.tasks == 0);
  const auto edited = *edits.tasks;
  REQUIRE(ask<protocol::job_page>(actor, protocol::job_page_query{{}, core::local_operator()}));
  CHECK(*worker.tasks == 1);
  CHECK(*edits.tasks == edited);
}

TEST_CASE_METHOD(administration, "what is declared is applied, and who plans and routes looks again", "[actors]") {
  auto report = apply(nightly());
  REQUIRE(report);
  CHECK(report->changes.size() == 2);
  CHECK(schedule.record->edit_hints == 1);
  CHECK(*registry.hints == 1);
  auto jobs = test::expect(store.firings().edits_since(0, 10));
  REQUIRE(jobs.size() == 1);
  // The clock of the world is at 12:00 UTC.
  CHECK(jobs[0].next == start + std::chrono::hours{13});
}

TEST_CASE_METHOD(administration, "nothing changed wakes nobody", "[actors]") {
  REQUIRE(apply(nightly()));
  auto report = apply(nightly());
  REQUIRE(report);
  CHECK_FALSE(report->changes_anything());
  CHECK(hints() == 2);
}

TEST_CASE_METHOD(administration, "a dry run says what it would do and wakes nobody", "[actors]") {
  auto report = apply(nightly(), true);
  REQUIRE(report);
  CHECK(report->changes_anything());
  CHECK(hints() == 0);
  CHECK(test::expect(store.firings().edits_since(0, 10)).empty());
}

TEST_CASE_METHOD(administration, "a refused declaration comes back as its error", "[actors]") {
  auto declared = nightly();
  declared.jobs[0].group = "nobody";
  auto report = apply(declared);
  REQUIRE_FALSE(report);
  CHECK(protocol::to_core(report.error()).code == core::errc::invalid_argument);
  CHECK(hints() == 0);
}

TEST_CASE_METHOD(administration, "a lost answer may hide a commit: everybody looks again", "[actors]") {
  store.once("apply", store_fault::answer_lost);
  auto report = apply(nightly());
  REQUIRE_FALSE(report);
  CHECK(protocol::to_core(report.error()).code == core::errc::unavailable);
  CHECK(hints() == 2);
}

// -- one job ---------------------------------------------------------------------------------------------------------------

namespace {

struct one_job : administration {
  one_job() {
    REQUIRE(apply(nightly()));
    schedule.record->edit_hints = 0;
    job = test::expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec->id;
    life = test::expect(store.cluster().enter("a", "a:8080"));
  }

  /// Claims the job's next instant; nobody has sent it yet.
  core::claimed_run claim() {
    auto read = test::expect(store.firings().read_jobs({&job, 1})).at(0);
    core::claim_batch batch;
    batch.owner = life;
    batch.sequence = ++sequence;
    batch.seen_revision = 1000;
    batch.moves = {{job, *read.next, *read.next, *read.next + std::chrono::hours{24}}};
    core::planned_run run;
    run.spec = read.spec;
    run.fire_at = *read.next;
    batch.runs = {run};
    return test::expect(store.firings().claim(batch, civil())).runs.at(0);
  }
  void record(const core::claimed_run& run) {
    core::record_batch batch;
    batch.owner = life;
    batch.triggers = {{run.id, run.claim, run.plan.spec, 200, {}, false}};
    test::expect(store.firings().record(batch, civil()));
  }

  core::job_id job{};
  core::node_life life;
  std::int64_t sequence = 0;
};

} // namespace

TEST_CASE_METHOD(one_job, "stop and start are answered at once when nothing is on its way", "[actors]") {
  auto stopped = ask<core::job_edit>(actor, protocol::stop_job{job});
  REQUIRE(stopped);
  CHECK_FALSE(stopped->next);
  CHECK(stopped->on_their_way == 0);
  CHECK(schedule.record->edit_hints == 1);
  auto started = ask<core::job_edit>(actor, protocol::start_job{job});
  REQUIRE(started);
  CHECK(started->next == start + std::chrono::hours{13});
  CHECK(schedule.record->edit_hints == 2);
}

TEST_CASE_METHOD(one_job, "an edit waits for the runs that were claimed before it", "[actors]") {
  auto run_under_way = claim();
  auto stopped = later<core::job_edit>(actor, protocol::stop_job{job});
  advance(std::chrono::milliseconds{300});
  CHECK_FALSE(*stopped);
  CHECK(schedule.record->edit_hints == 1); // the planner need not wait for it
  record(run_under_way);
  advance(std::chrono::milliseconds{100});
  REQUIRE(*stopped);
  CHECK((**stopped)->on_their_way == 0);
}

TEST_CASE_METHOD(one_job, "an edit waits a second at most and says how many are on their way", "[actors]") {
  claim();
  auto changed = nightly();
  changed.jobs[0].params = "new";
  auto applied = later<core::deploy_report>(actor, protocol::apply_declared{changed, false, false});
  auto stopped = later<core::job_edit>(actor, protocol::stop_job{job});
  advance(std::chrono::milliseconds{900});
  CHECK_FALSE(*stopped);
  advance(std::chrono::milliseconds{200});
  REQUIRE(*stopped);
  CHECK((**stopped)->on_their_way == 1);
  REQUIRE(*applied);
  CHECK((**applied)->on_their_way == 1);
}

TEST_CASE_METHOD(one_job, "an edit is not said to be free of runs that the store could not count", "[actors]") {
  claim();
  store.fault_of = [](std::string_view method) {
    return method == "runs_on_their_way" ? store_fault::away : store_fault::none;
  };
  auto stopped = later<core::job_edit>(actor, protocol::stop_job{job});
  SECTION("never: the edit is durable, and more is not known") {
    advance(std::chrono::milliseconds{900});
    CHECK_FALSE(*stopped);
    advance(std::chrono::milliseconds{200});
    REQUIRE(*stopped);
    REQUIRE(**stopped);
    CHECK((**stopped)->on_their_way == std::nullopt);
  }
  SECTION("at first: it is asked again") {
    advance(std::chrono::milliseconds{500});
    CHECK_FALSE(*stopped);
    store.come_back();
    advance(std::chrono::milliseconds{600});
    REQUIRE(*stopped);
    CHECK((**stopped)->on_their_way == 1);
  }
  CHECK_FALSE(test::expect(store.inner().firings().read_jobs({&job, 1})).at(0).next);
}

TEST_CASE_METHOD(one_job, "a run by hand goes to the planner of this node", "[actors]") {
  protocol::trigger_job command{{job, core::trigger_kind::api, "x=1", {"http://10.0.0.1:9999/"}, 0}};
  auto asked = ask<core::intent>(actor, command);
  REQUIRE(asked);
  CHECK(core::number(asked->origin) < 0);
  REQUIRE(schedule.record->intents.size() == 1);
  CHECK(schedule.record->intents[0].id == asked->id);
  CHECK(schedule.record->intents[0].addresses == std::vector<std::string>{"http://10.0.0.1:9999/"});
  auto again = ask<core::intent>(actor, command);
  REQUIRE(again);
  CHECK(again->id != asked->id);
}

TEST_CASE_METHOD(one_job, "what became of a run by hand is read where pages are", "[actors]") {
  const auto asked = ask<core::intent>(actor, protocol::trigger_job{{job, core::trigger_kind::manual, {}, {}, 0}});
  REQUIRE(asked);
  const auto found = ask<protocol::intent_found>(actor, protocol::intent_query{asked->id, core::local_operator()});
  REQUIRE(found);
  CHECK(found->waiting);
  CHECK(found->runs.empty());
  CHECK(*worker.tasks == 1);
  const core::principal guest{core::user_id{3}, "guest"};
  const auto refused = ask<protocol::intent_found>(actor, protocol::intent_query{asked->id, guest});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == core::errc::forbidden);
}

TEST_CASE_METHOD(one_job, "a removed job takes its log with it, chunk by chunk", "[actors]") {
  auto run_done = claim();
  record(run_done);
  CHECK_FALSE(ask<core::job_edit>(actor, protocol::remove_job{job, false})); // declared
  store.once("remove_logs", store_fault::away);
  REQUIRE(ask<core::job_edit>(actor, protocol::remove_job{job, true}));
  advance(std::chrono::seconds{6});
  CHECK(test::expect(store.logs().rows_after(core::log_id{0}, 10)).empty());
  CHECK_FALSE(ask<core::job_edit>(actor, protocol::start_job{job}));
}

TEST_CASE_METHOD(one_job, "a store that goes away: the edit is in doubt and the planner looks again", "[actors]") {
  store.once("stop", store_fault::answer_lost);
  auto stopped = ask<core::job_edit>(actor, protocol::stop_job{job});
  REQUIRE_FALSE(stopped);
  CHECK(protocol::to_core(stopped.error()).code == core::errc::unavailable);
  CHECK(schedule.record->edit_hints == 1);
}

// -- jobs as people write them ---------------------------------------------------------------------------------------------

namespace {

struct written_job : administration {
  written_job() {
    REQUIRE(apply(nightly()));
    schedule.record->edit_hints = 0;
    group = test::expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec->group;
    life = test::expect(store.cluster().enter("a", "a:8080"));
  }

  [[nodiscard]] core::job_draft draft() const {
    core::job_draft out;
    out.group = group;
    out.name = "Report";
    out.author = "ops";
    out.schedule_type = "CRON";
    out.schedule_conf = "0 0 1 * * ?";
    out.misfire = "DO_NOTHING";
    out.route = "FIRST";
    out.block = "SERIAL_EXECUTION";
    out.glue_type = "GLUE_SHELL";
    out.glue_source = "echo";
    return out;
  }
  core::job_id add() { return ask<protocol::added_job>(actor, protocol::add_job{draft(), core::local_operator()})->id; }

  core::group_id group{};
  core::node_life life;
  core::principal guest{core::user_id{3}, "guest"};
};

} // namespace

TEST_CASE_METHOD(written_job, "a job is added, changed, given a source and read", "[actors]") {
  const auto& us = core::local_operator();
  const auto job = add();
  CHECK(schedule.record->edit_hints == 1);
  auto changed = draft();
  changed.name = "Reports";
  REQUIRE(ask<core::job_edit>(actor, protocol::update_job{job, changed, {}, us}));
  REQUIRE(ask<core::job_edit>(actor, protocol::save_source{job, "echo 2", "second", us}));
  CHECK(schedule.record->edit_hints == 3);
  auto found = ask<protocol::job_found>(actor, protocol::job_query{job, us});
  REQUIRE(found);
  CHECK(found->job.name + ' ' + found->job.glue_source == "Reports echo 2");
  CHECK(found->job.added == core::cut_to_second(civil()));
  auto page = ask<protocol::job_page>(actor, protocol::job_page_query{{}, us});
  REQUIRE(page);
  CHECK(page->page.total == 2);
  CHECK(page->page.rows.at(0).id == job);
  auto history = ask<protocol::source_list>(actor, protocol::source_query{job, us});
  REQUIRE(history);
  CHECK(history->versions.size() == 1);
}

TEST_CASE_METHOD(written_job, "CVE-2023-48089: nobody enters scripts unless the settings say so", "[actors]") {
  const auto job = add();
  schedule.record->edit_hints = 0;
  const auto& us = core::local_operator();
  const auto careful = spawn_admin({});
  const auto refused = [](const auto& answer) {
    REQUIRE_FALSE(answer);
    const auto error = protocol::to_core(answer.error());
    CHECK(error.code == core::errc::forbidden);
    CHECK(error.context.starts_with("security.glue is off"));
  };
  for (const char* kind : {"GLUE_GROOVY", "GLUE_SHELL", "GLUE_PYTHON", "GLUE_PYTHON2", "GLUE_PHP", "GLUE_NODEJS",
                           "GLUE_POWERSHELL"}) {
    auto script = draft();
    script.glue_type = kind;
    refused(ask<protocol::added_job>(careful, protocol::add_job{script, us}));
  }
  refused(ask<core::job_edit>(careful, protocol::save_source{job, "echo 2", "second", us}));
  CHECK(schedule.record->edit_hints == 0);
  CHECK(ask<protocol::job_page>(careful, protocol::job_page_query{{}, us})->page.total == 2);
  // Other kinds, and all else about a script that is there.
  auto unknown = draft();
  unknown.glue_type = "SHELL";
  const auto nonsense = ask<protocol::added_job>(careful, protocol::add_job{unknown, us});
  REQUIRE_FALSE(nonsense);
  CHECK(protocol::to_core(nonsense.error()).why == core::refusal::glue_type_illegal);
  auto bean = draft();
  bean.glue_type = "BEAN";
  bean.handler = "report";
  CHECK(ask<protocol::added_job>(careful, protocol::add_job{bean, us}));
  CHECK(ask<core::job_edit>(careful, protocol::update_job{job, draft(), {}, us}));
  CHECK(ask<protocol::job_found>(careful, protocol::job_query{job, us})->job.glue_source == "echo");
  CHECK(ask<core::job_edit>(careful, protocol::start_job{job, us}));
  CHECK(ask<core::intent>(careful, protocol::trigger_job{{job, core::trigger_kind::manual, {}, {}, 0}, us}));
  CHECK(ask<core::job_edit>(careful, protocol::remove_job{job, false, us}));
}

TEST_CASE_METHOD(written_job, "what is refused comes back with XXL's refusal and wakes nobody", "[actors]") {
  const auto job = add();
  schedule.record->edit_hints = 0;
  auto wrong = draft();
  wrong.name = "";
  const auto refused = ask<protocol::added_job>(actor, protocol::add_job{wrong, core::local_operator()});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).why == core::refusal::job_name_empty);
  const auto code_of = [](const auto& answer) { return protocol::to_core(answer.error()).code; };
  CHECK(code_of(ask<protocol::added_job>(actor, protocol::add_job{draft(), guest})) == core::errc::forbidden);
  CHECK(code_of(ask<core::job_edit>(actor, protocol::update_job{job, draft(), {}, guest})) == core::errc::forbidden);
  CHECK(code_of(ask<core::job_edit>(actor, protocol::start_job{job, guest})) == core::errc::forbidden);
  CHECK(code_of(ask<core::job_edit>(actor, protocol::stop_job{job, guest})) == core::errc::forbidden);
  CHECK(code_of(ask<core::job_edit>(actor, protocol::remove_job{job, false, guest})) == core::errc::forbidden);
  const core::manual_trigger wish{job, core::trigger_kind::manual, {}, {}, 0};
  CHECK(code_of(ask<core::intent>(actor, protocol::trigger_job{wish, guest})) == core::errc::forbidden);
  CHECK(code_of(ask<protocol::job_found>(actor, protocol::job_query{job, guest})) == core::errc::forbidden);
  CHECK(schedule.record->edit_hints == 0);
  store.once("update_job", store_fault::answer_lost);
  CHECK(code_of(ask<core::job_edit>(actor, protocol::update_job{job, draft(), {}, core::local_operator()}))
        == core::errc::unavailable);
  CHECK(schedule.record->edit_hints == 1); // it may have happened
}

TEST_CASE_METHOD(written_job, "a change waits for the runs that were claimed before it", "[actors]") {
  const auto job = add();
  REQUIRE(ask<core::job_edit>(actor, protocol::start_job{job}));
  const auto read = test::expect(store.firings().read_jobs({&job, 1})).at(0);
  core::claim_batch batch;
  batch.owner = life;
  batch.sequence = 1;
  batch.seen_revision = 1000;
  batch.moves = {{job, *read.next, *read.next, *read.next + std::chrono::hours{24}}};
  core::planned_run planned;
  planned.spec = read.spec;
  planned.fire_at = *read.next;
  batch.runs = {planned};
  const auto run = test::expect(store.firings().claim(batch, civil())).runs.at(0);
  auto changed = later<core::job_edit>(actor, protocol::update_job{job, draft(), {}, core::local_operator()});
  advance(std::chrono::milliseconds{300});
  CHECK_FALSE(*changed);
  core::record_batch answers;
  answers.owner = life;
  answers.triggers = {{run.id, run.claim, run.plan.spec, 200, {}, false}};
  test::expect(store.firings().record(answers, civil()));
  advance(std::chrono::milliseconds{100});
  REQUIRE(*changed);
  CHECK((**changed)->on_their_way == 0);
}

namespace {

const core::principal chief{core::user_id{1}, "chief", true, {}, "10.0.0.1"};
const core::principal visitor{core::user_id{2}, "vera", false, {}, "10.0.0.2"};

/// Reads the word `nightly`, and writes what it was asked for.
struct with_files : administration {
  static actors::declared_files files() {
    return {[](const std::string& body) -> core::result<actors::apply_wish> {
              if (body != "nightly" && body != "nightly?")
                return core::fail(core::errc::invalid_argument, "a.toml:1: no");
              return actors::apply_wish{nightly(), body.ends_with('?'), false};
            },
            [](storage::store&, const actors::export_wish& wish, core::time_point) -> core::result<std::string> {
              return (wish.group ? "group " + std::to_string(core::number(*wish.group)) : "all") +
                     (wish.source ? " of " + *wish.source : "");
            }};
  }
  protocol::job_admin admin = spawn<actors::job_admin_state, protocol::job_admin>(
    actors::query_workers{worker.actor, edits.actor}, schedule.actor, registry.actor, with_scripts(), clock(), silent_log(),
    files());
};

} // namespace

TEST_CASE_METHOD(with_files, "files that somebody sends are applied under his name, behind no page", "[actors]") {
  const auto tried = ask<protocol::files_applied>(admin, protocol::apply_files{"nightly?", chief});
  REQUIRE(tried);
  CHECK(tried->dry_run);
  CHECK(hints() == 0);
  const auto done = ask<protocol::files_applied>(admin, protocol::apply_files{"nightly", chief});
  REQUIRE(done);
  CHECK_FALSE(done->dry_run);
  CHECK(done->report.changes.size() == 2);
  CHECK(hints() == 2);
  CHECK(*worker.tasks == 0);
  const auto record = store.audits().list({}, chief);
  REQUIRE(record);
  REQUIRE(record->size() == 2);
  for (const auto& row : *record) {
    CHECK(row.user_name == "chief");
    CHECK(row.remote == "10.0.0.1");
  }
}

TEST_CASE_METHOD(with_files, "who is no administrator applies and exports nothing", "[actors]") {
  const auto refused = ask<protocol::files_applied>(admin, protocol::apply_files{"nightly", visitor});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == core::errc::forbidden);
  const auto kept = ask<protocol::exported_file>(admin, protocol::export_query{std::nullopt, visitor});
  REQUIRE_FALSE(kept);
  CHECK(protocol::to_core(kept.error()).code == core::errc::forbidden);
  CHECK(store.audits().list({}, chief)->empty());
}

TEST_CASE_METHOD(with_files, "files with mistakes change nothing and wake nobody", "[actors]") {
  const auto refused = ask<protocol::files_applied>(admin, protocol::apply_files{"nonsense", chief});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).context == "a.toml:1: no");
  CHECK(hints() == 0);
}

TEST_CASE_METHOD(with_files, "an export is written by who edits", "[actors]") {
  CHECK(ask<protocol::exported_file>(admin, protocol::export_query{std::nullopt, chief})->text == "all");
  CHECK(ask<protocol::exported_file>(admin, protocol::export_query{core::group_id{3}, chief})->text == "group 3");
  CHECK(ask<protocol::exported_file>(admin, protocol::export_query{std::nullopt, chief, "ops"})->text == "all of ops");
  CHECK(*worker.tasks == 0);
  // Without who reads and writes files.
  CHECK_FALSE(ask<protocol::exported_file>(actor, protocol::export_query{std::nullopt, chief}));
  CHECK_FALSE(ask<protocol::files_applied>(actor, protocol::apply_files{"nightly", chief}));
}

TEST_CASE_METHOD(administration, "a forecast is read and walked where people read, for whom may see", "[actors]") {
  REQUIRE(apply(nightly()));
  const auto edited = *edits.tasks;
  const auto foreseen = [this](protocol::forecast_query asked) { return ask<protocol::forecast_found>(actor, std::move(asked)); };
  core::principal stranger{core::user_id{5}, "tom", false, {}, "10.0.0.9"};
  const core::upcoming_search days{{civil(), {}, civil()}, civil() + std::chrono::hours{72}, 50};

  const auto all = foreseen({std::nullopt, std::nullopt, days, core::local_operator()});
  REQUIRE(all);
  REQUIRE_FALSE(all->page.firings.empty());
  CHECK_FALSE(all->page.next);
  CHECK(all->page.firings.front().at >= civil());
  const auto job = all->page.firings.front().job;
  const auto one = foreseen({std::nullopt, job, days, core::local_operator()});
  REQUIRE(one);
  CHECK(one->page.firings.size() <= all->page.firings.size());
  CHECK(one->page.firings.front().job == job);

  const auto none = foreseen({std::nullopt, std::nullopt, days, stranger});
  REQUIRE(none);
  CHECK(none->page.firings.empty());
  const auto refused = foreseen({std::nullopt, job, days, stranger});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == core::errc::forbidden);
  CHECK(*edits.tasks == edited);
}
