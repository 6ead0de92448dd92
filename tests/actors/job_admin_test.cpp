#include "actors/console/job_admin.hpp"

#include <algorithm>

#include "core/editing/edit_tag.hpp"
#include "tests/actors/job_admin_fixture.hpp"

using namespace ringmaster;
using test::job_administration;
using namespace std::chrono_literals;
using test::nightly;
using test::with_scripts;
using test::store_fault;

// Sign-ins are read by the same worker as pages.
TEST_CASE_METHOD(job_administration, "an edit of a job that waits delays no page", "[actors]") {
  REQUIRE(apply(nightly()));
  CHECK(*worker.tasks == 0);
  const auto edited = *edits.tasks;
  REQUIRE(ask<protocol::job_page>(actor, protocol::job_page_query{{}, core::local_operator()}));
  CHECK(*worker.tasks == 1);
  CHECK(*edits.tasks == edited);
}

TEST_CASE_METHOD(job_administration, "declared jobs are applied, and planner and router read again", "[actors]") {
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

TEST_CASE_METHOD(job_administration, "an apply without changes notifies no actor", "[actors]") {
  REQUIRE(apply(nightly()));
  auto report = apply(nightly());
  REQUIRE(report);
  CHECK_FALSE(report->changes_anything());
  CHECK(hints() == 2);
}

TEST_CASE_METHOD(job_administration, "a dry run reports its changes and notifies no actor", "[actors]") {
  auto report = apply(nightly(), true);
  REQUIRE(report);
  CHECK(report->changes_anything());
  CHECK(hints() == 0);
  CHECK(test::expect(store.firings().edits_since(0, 10)).empty());
}

TEST_CASE_METHOD(job_administration, "a refused declaration returns its error", "[actors]") {
  auto declared = nightly();
  declared.jobs[0].group = "unknown";
  auto report = apply(declared);
  REQUIRE_FALSE(report);
  CHECK(protocol::to_core(report.error()).code == core::errc::invalid_argument);
  CHECK(hints() == 0);
}

TEST_CASE_METHOD(job_administration, "a lost answer may hide a commit, so all actors read again", "[actors]") {
  store.once("apply", store_fault::answer_lost);
  auto report = apply(nightly());
  REQUIRE_FALSE(report);
  CHECK(protocol::to_core(report.error()).code == core::errc::unavailable);
  CHECK(hints() == 2);
}

// -- one job ---------------------------------------------------------------------------------------------------------------

namespace {

struct one_job : job_administration {
  one_job() {
    REQUIRE(apply(nightly()));
    schedule.record->edit_hints = 0;
    job = test::expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec->id;
    life = test::expect(store.cluster().enter("a", "a:8080"));
  }

  /// Claims the job's next instant; it has not been sent yet.
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
  core::node_incarnation life;
  std::int64_t sequence = 0;
};

} // namespace

TEST_CASE_METHOD(one_job, "stop and start are answered at once when no run is on its way", "[actors]") {
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

TEST_CASE_METHOD(one_job, "an edit waits at most a second and returns the number of runs on their way", "[actors]") {
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

TEST_CASE_METHOD(one_job, "an edit does not claim to be free of runs if the store could not count them", "[actors]") {
  claim();
  store.fault_of = [](std::string_view method) {
    return method == "runs_on_their_way" ? store_fault::away : store_fault::none;
  };
  auto stopped = later<core::job_edit>(actor, protocol::stop_job{job});
  SECTION("never: the edit is durable, and nothing more is known") {
    advance(std::chrono::milliseconds{900});
    CHECK_FALSE(*stopped);
    advance(std::chrono::milliseconds{200});
    REQUIRE(*stopped);
    REQUIRE(**stopped);
    CHECK((**stopped)->on_their_way == std::nullopt);
  }
  SECTION("at first: the store is asked again") {
    advance(std::chrono::milliseconds{500});
    CHECK_FALSE(*stopped);
    store.come_back();
    advance(std::chrono::milliseconds{600});
    REQUIRE(*stopped);
    CHECK((**stopped)->on_their_way == 1);
  }
  CHECK_FALSE(test::expect(store.inner().firings().read_jobs({&job, 1})).at(0).next);
}

TEST_CASE_METHOD(one_job, "a manual run goes to the planner of this node", "[actors]") {
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

TEST_CASE_METHOD(one_job, "the intent of a manual run is read on the worker for pages", "[actors]") {
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

TEST_CASE_METHOD(one_job, "the log of a removed job is deleted chunk by chunk", "[actors]") {
  auto run_done = claim();
  record(run_done);
  CHECK_FALSE(ask<core::job_edit>(actor, protocol::remove_job{job, false})); // declared
  store.once("remove_logs", store_fault::away);
  REQUIRE(ask<core::job_edit>(actor, protocol::remove_job{job, true}));
  advance(std::chrono::seconds{6});
  CHECK(test::expect(store.logs().rows_after(core::log_id{0}, 10)).empty());
  CHECK_FALSE(ask<core::job_edit>(actor, protocol::start_job{job}));
}

TEST_CASE_METHOD(one_job, "when the store fails, the edit is in doubt and the planner reads again", "[actors]") {
  store.once("stop", store_fault::answer_lost);
  auto stopped = ask<core::job_edit>(actor, protocol::stop_job{job});
  REQUIRE_FALSE(stopped);
  CHECK(protocol::to_core(stopped.error()).code == core::errc::unavailable);
  CHECK(schedule.record->edit_hints == 1);
}

// -- jobs as users write them ----------------------------------------------------------------------------------------------

namespace {

struct written_job : job_administration {
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
  core::node_incarnation life;
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
  auto history = ask<protocol::source_list>(actor, protocol::source_query{{job}, us});
  REQUIRE(history);
  CHECK(history->history.versions.size() == 2); // also the first source
  protocol::save_source late{job, "echo 3", "third", us, std::string{"0"}};
  const auto refused = ask<core::job_edit>(actor, late);
  REQUIRE_FALSE(refused);
  CHECK(core::is_edited_meanwhile(protocol::to_core(refused.error())));
  late.seen = history->history.tag;
  const auto saved = ask<core::job_edit>(actor, late);
  REQUIRE(saved);
  CHECK(saved->source_tag == core::source_tag(ask<protocol::job_found>(actor, protocol::job_query{job, us})->job));
}

// Their instants would be as wrong as the clock: a manual run would be due in ten days, or a job silent for as long.
TEST_CASE_METHOD(written_job, "edits whose instants depend on the present time are refused while the wall clock is in doubt",
                 "[actors]") {
  const auto& us = core::local_operator();
  const auto job = add();
  clock().set_verdict(protocol::clock_verdict::distrusted);
  const auto refused = [](const auto& answer) {
    return !answer
           && protocol::to_core(answer.error()).context
                == "the wall clock of this node is not trusted yet: see /readyz, and try again";
  };
  CHECK(refused(ask<core::intent>(actor, protocol::trigger_job{{job, core::trigger_kind::manual, {}, {}, 0}})));
  CHECK(refused(ask<core::job_edit>(actor, protocol::start_job{job})));
  CHECK(refused(ask<core::job_edit>(actor, protocol::update_job{job, draft(), {}, us})));
  CHECK(refused(ask<protocol::added_job>(actor, protocol::add_job{draft(), us})));
  CHECK(refused(apply(nightly())));
  CHECK(schedule.record->intents.empty());
  // A stop does not depend on the present time.
  CHECK(ask<core::job_edit>(actor, protocol::stop_job{job}));
  clock().set_verdict(protocol::clock_verdict::trusted);
  CHECK(ask<core::intent>(actor, protocol::trigger_job{{job, core::trigger_kind::manual, {}, {}, 0}}));
}

TEST_CASE_METHOD(written_job, "CVE-2023-48089: scripts cannot be entered unless the settings allow it", "[actors]") {
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
  // Other kinds of jobs, and all other fields of an existing script.
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

TEST_CASE_METHOD(written_job, "a refused edit returns XXL's refusal and notifies no actor", "[actors]") {
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
  const core::manual_trigger wanted{job, core::trigger_kind::manual, {}, {}, 0};
  CHECK(code_of(ask<core::intent>(actor, protocol::trigger_job{wanted, guest})) == core::errc::forbidden);
  CHECK(code_of(ask<protocol::job_found>(actor, protocol::job_query{job, guest})) == core::errc::forbidden);
  CHECK(schedule.record->edit_hints == 0);
  store.once("update_job", store_fault::answer_lost);
  CHECK(code_of(ask<core::job_edit>(actor, protocol::update_job{job, draft(), {}, core::local_operator()}))
        == core::errc::unavailable);
  CHECK(schedule.record->edit_hints == 1); // the edit may have been made
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

// -- before the first verdict about the wall clock -------------------------------------------------------------------------

namespace {

/// The database has not answered since the start of the node, and the wall clock is ten days ahead.
struct unjudged : written_job {
  unjudged() {
    schedule.record->edit_hints = *registry.hints = 0;
    clock().set_verdict(protocol::clock_verdict::pending);
    step_civil(ahead);
  }
  /// The database answers, and the clock has been set right.
  void judge(protocol::clock_verdict verdict) {
    step_civil(-ahead);
    clock().set_verdict(verdict);
  }
  [[nodiscard]] protocol::trigger_job manual_run() const { return {{job, core::trigger_kind::manual, {}, {}, 0}}; }
  [[nodiscard]] std::string params() {
    return test::expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec->param;
  }
  static core::declared_set nightly_with(const std::string& params) {
    auto declared = nightly();
    declared.jobs[0].params = params;
    return declared;
  }

  static constexpr std::chrono::hours ahead{240};
  core::job_id job = add();
};

/// Returns true if the answer is there and refuses the edit because of the clock.
template <class Answer>
bool refused_by_clock(const Answer& answer) {
  return answer && !*answer && protocol::is_clock_in_doubt(protocol::to_core(answer->error()));
}

} // namespace

TEST_CASE_METHOD(unjudged, "edits that arrive before the first verdict about the wall clock wait for it", "[actors]") {
  const auto& us = core::local_operator();
  const auto added = later<protocol::added_job>(actor, protocol::add_job{draft(), us});
  const auto changed = later<core::job_edit>(actor, protocol::update_job{job, draft(), {}, us});
  const auto started = later<core::job_edit>(actor, protocol::start_job{job});
  const auto triggered = later<core::intent>(actor, manual_run());
  const auto applied = later<core::deploy_report>(actor, protocol::apply_declared{nightly_with("new"), false, false});
  advance(std::chrono::milliseconds{1900});
  CHECK_FALSE((*added || *changed || *started || *triggered || *applied));
  CHECK(apply(nightly(), true)); // a dry run stores no instant
  CHECK(hints() == 0);

  SECTION("trusted: they are made, from the time after the verdict") {
    judge(protocol::clock_verdict::trusted);
    advance(std::chrono::milliseconds{20});
    REQUIRE((*added && *changed && *started && *triggered && *applied));
    CHECK((**added && **changed && **triggered && **applied));
    REQUIRE(**started);
    CHECK((**started)->next == start + std::chrono::hours{13});
    CHECK(params() == "new");
  }
  SECTION("not trusted: they are refused at once") {
    judge(protocol::clock_verdict::distrusted);
    advance(std::chrono::milliseconds{20});
    CHECK((refused_by_clock(*added) && refused_by_clock(*changed) && refused_by_clock(*started) && refused_by_clock(*triggered)
           && refused_by_clock(*applied)));
    CHECK(hints() == 0);
  }
  SECTION("no verdict: they are refused after two seconds") {
    advance(std::chrono::milliseconds{200});
    CHECK((refused_by_clock(*added) && refused_by_clock(*changed) && refused_by_clock(*started) && refused_by_clock(*triggered)
           && refused_by_clock(*applied)));
    CHECK(hints() == 0);
    // The next edit waits again.
    const auto again = later<core::intent>(actor, manual_run());
    advance(std::chrono::milliseconds{1000});
    CHECK_FALSE(*again);
    judge(protocol::clock_verdict::trusted);
    advance(std::chrono::milliseconds{20});
    REQUIRE(*again);
    CHECK(**again);
  }
}

TEST_CASE_METHOD(unjudged, "edits beyond the limit of waiting ones are refused at once", "[actors]") {
  std::vector<std::shared_ptr<std::optional<caf::expected<core::intent>>>> waiting;
  for (std::size_t i = 0; i < actors::held_edits::held_max; ++i)
    waiting.push_back(later<core::intent>(actor, manual_run()));
  run();
  const auto beyond = ask<core::intent>(actor, manual_run());
  REQUIRE_FALSE(beyond);
  CHECK(protocol::is_clock_in_doubt(protocol::to_core(beyond.error())));
  judge(protocol::clock_verdict::trusted);
  advance(std::chrono::milliseconds{20});
  CHECK(schedule.record->intents.size() == waiting.size());
  CHECK(std::all_of(waiting.begin(), waiting.end(), [](const auto& each) { return *each && **each; }));
}

TEST_CASE_METHOD(unjudged, "an edit that arrives after the verdict does not overtake those that waited for it", "[actors]") {
  const auto first = later<core::deploy_report>(actor, protocol::apply_declared{nightly_with("first"), false, false});
  run();
  judge(protocol::clock_verdict::trusted);
  CHECK(apply(nightly_with("second")));
  REQUIRE(*first);
  CHECK(**first);
  CHECK(params() == "second");
}

// -- order of edits --------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(unjudged, "an edit of a job waits behind an edit of the job that waits for the verdict", "[actors]") {
  const auto& us = core::local_operator();
  const auto other = test::expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec->id;
  const auto is_stopped = [this](core::job_id of) { return !test::expect(store.firings().read_jobs({&of, 1})).at(0).next; };
  const auto started = later<core::job_edit>(actor, protocol::start_job{job, us});

  SECTION("all of the job's edits are made in their order, others at once") {
    const auto saved = later<core::job_edit>(actor, protocol::save_source{job, "echo 2", "second", us});
    const auto stopped = later<core::job_edit>(actor, protocol::stop_job{job, us});
    const auto removed = later<core::job_edit>(actor, protocol::remove_job{job, false, us});
    CHECK(ask<core::job_edit>(actor, protocol::stop_job{other, us}));
    advance(1900ms);
    CHECK_FALSE((*started || *saved || *stopped || *removed));
    judge(protocol::clock_verdict::trusted);
    advance(20ms);
    REQUIRE((*started && *saved && *stopped && *removed));
    REQUIRE(**started);
    CHECK((**started)->next == start + 13h);
    CHECK((**saved && **stopped && **removed));
    CHECK_FALSE((**stopped)->next);
  }
  SECTION("after the verdict, the waiting edits come first") {
    run();
    judge(protocol::clock_verdict::trusted);
    CHECK(ask<core::job_edit>(actor, protocol::stop_job{job, us}));
    REQUIRE(*started);
    CHECK(**started);
    CHECK(is_stopped(job));
  }
  SECTION("without a verdict, it is made when the edit before it is refused") {
    advance(500ms);
    const auto stopped = later<core::job_edit>(actor, protocol::stop_job{job, us});
    advance(1490ms);
    CHECK_FALSE((*started || *stopped));
    advance(20ms);
    CHECK(refused_by_clock(*started));
    REQUIRE(*stopped);
    CHECK(**stopped);
    CHECK(ask<core::job_edit>(actor, protocol::stop_job{job, us})); // at once: no edit waits
  }
  SECTION("declared jobs may be any jobs") {
    const auto applied = later<core::deploy_report>(actor, protocol::apply_declared{nightly_with("new"), false, false});
    const auto stopped = later<core::job_edit>(actor, protocol::stop_job{other, us});
    run();
    CHECK_FALSE(*stopped);
    judge(protocol::clock_verdict::distrusted);
    advance(20ms);
    CHECK(refused_by_clock(*applied));
    REQUIRE(*stopped);
    CHECK(**stopped);
  }
}

TEST_CASE_METHOD(unjudged, "an edit waits for the verdict no longer than its caller waits for the answer", "[actors]") {
  const auto hurried = spawn_admin(test::with_scripts(), 1s);
  const auto started = later<core::job_edit>(hurried, protocol::start_job{job, core::local_operator()});
  advance(790ms);
  CHECK_FALSE(*started);
  advance(20ms);
  CHECK(refused_by_clock(*started));
}

TEST_CASE_METHOD(unjudged, "an edit whose wait took too long is not made later, whatever the verdict", "[actors]") {
  const auto& us = core::local_operator();
  const auto hurried = spawn_admin(test::with_scripts(), 105ms); // waits 84 ms, between two looks
  const auto started = later<core::job_edit>(hurried, protocol::start_job{job, us});
  const auto applied = later<core::deploy_report>(hurried, protocol::apply_declared{nightly_with("late"), false, false});
  const auto stopped = later<core::job_edit>(hurried, protocol::stop_job{job, us});
  const auto edits_before = *edits.tasks;
  advance(85ms);
  CHECK_FALSE((*started || *applied || *stopped));
  judge(protocol::clock_verdict::trusted);
  advance(10ms);
  CHECK((refused_by_clock(*started) && refused_by_clock(*applied) && refused_by_clock(*stopped)));
  CHECK(*edits.tasks == edits_before);
  CHECK(ask<core::job_edit>(hurried, protocol::start_job{job, us})); // the caller's repeat is the only one
}

TEST_CASE_METHOD(unjudged, "one timer looks at the verdict, however often edits begin to wait", "[actors]") {
  const auto hurried = spawn_admin(test::with_scripts(), 105ms);
  const auto first = later<core::intent>(hurried, manual_run());
  run();
  CHECK(timers_within(10ms) == 1);
  advance(85ms);
  const auto second = later<core::intent>(hurried, manual_run()); // the first has waited too long, before the next look
  run();
  CHECK(refused_by_clock(*first));
  CHECK_FALSE(*second);
  CHECK(timers_within(10ms) == 1);
  advance(200ms);
  CHECK(refused_by_clock(*second));
  CHECK(timers_within(10ms) == 0);
}
