// job_admin: jobs as users write them.

#include "core/editing/edit_tag.hpp"
#include "tests/actors/job_admin_fixture.hpp"

using namespace ringmaster;
using test::nightly;
using test::store_fault;
using test::written_job;

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
