// Edits of jobs by users, on every backend.

#include "core/editing/edit_tag.hpp"
#include "tests/storage/editor_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::errc;
using core::group_right;
using core::refusal;

namespace {

using fixture = editing<deploy_fixture>;

const core::principal& us = core::local_operator();

} // namespace

TEST_CASE("a new job is stopped and has all given values", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  auto wanted = f.draft();
  wanted.handler = " settleHandler ";
  wanted.options = core::job_options{.timing = {.time_zone = "Europe/Berlin"},
                                     .on_unknown = core::unknown_policy::skip,
                                     .keep_logs = true,
                                     .description = "Settles the day."};
  const auto job = require(f.editor().add(wanted, fixture::user(f.pay), noon));
  const auto row = f.record(job);
  CHECK(row.group == f.pay);
  CHECK(row.name == "Settle");
  CHECK(row.added == noon);
  CHECK(row.updated == noon);
  CHECK(row.author + ' ' + row.alarm_email == "ops ops@example.com");
  CHECK(row.schedule_type + ' ' + row.schedule_conf == "CRON 0 0 1 * * ?");
  CHECK(row.misfire + ' ' + row.route + ' ' + row.block == "DO_NOTHING FIRST SERIAL_EXECUTION");
  CHECK(row.handler + ' ' + row.param == "settleHandler x=1");
  CHECK(row.timeout_s == 30);
  CHECK(row.retry_count == 2);
  CHECK(row.glue_type == "BEAN");
  CHECK(row.glue_updated == noon); // never NULL: executors compare it
  CHECK_FALSE(row.running);
  CHECK(row.next == core::time_point{});
  CHECK(row.last == core::time_point{});
  CHECK(row.key.empty());
  CHECK(row.timing.time_zone == "Europe/Berlin");
  CHECK(row.on_unknown == core::unknown_policy::skip);
  CHECK(row.keep_logs);
  CHECK(row.description == "Settles the day.");
  CHECK(row.revision == require(f.firings().last_revision()));
  CHECK(f.rows("rm_schedule", "job = " + text_of(job)) == "1");
  CHECK(f.last_audit() == "tom add job " + text_of(job));
  CHECK(f.db->value("SELECT remote FROM rm_audit") == "10.0.0.9");
  CHECK(require(f.store->jobs().start(job, noon)).next == noon + 20h); // 01:00 in Berlin
}

TEST_CASE("a script loses its carriage returns, and a job without options has no row of them", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add(f.script());
  CHECK(f.record(job).glue_source == "echo 1\n");
  CHECK(f.rows("rm_job_ext") == "0");
}

TEST_CASE("a draft that conflicts with the store is refused", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto child = f.add();
  auto wanted = f.draft();
  const auto add = [&](const core::principal& by = us) { return f.editor().add(wanted, by, noon); };
  const auto update = [&](core::job_id job, const core::principal& by = us) {
    return f.editor().update(job, wanted, {}, by, noon);
  };
  SECTION("an unknown group") {
    wanted.group = core::group_id{99};
    CHECK(why(add()) == refusal::choose_group);
    CHECK(why(update(child)) == refusal::group_illegal);
  }
  SECTION("an unknown job") {
    const auto gone = update(core::job_id{999});
    CHECK(why(gone) == refusal::job_missing);
    CHECK(error_of(gone) == errc::not_found);
    CHECK(why(f.editor().read(core::job_id{999}, us)) == refusal::job_id_illegal);
    CHECK(why(f.editor().source_history({core::job_id{999}}, us)) == refusal::job_id_illegal);
    CHECK(why(f.editor().save_source(core::job_id{999}, "echo", "a remark", {}, us, noon)) == refusal::job_id_illegal);
  }
  SECTION("children") {
    wanted.children = text_of(child) + ",998";
    CHECK(why(add()) == refusal::child_missing);
    CHECK(add().error().subject == "998");
    wanted.children = text_of(child);
    require(add());
    CHECK(why(update(child)) == refusal::child_illegal); // its own id
    wanted.group = f.mail;
    CHECK(why(add(fixture::user(f.mail))) == refusal::child_not_permitted);
  }
  SECTION("texts that do not fit a column") {
    wanted.name = std::string(256, 'x');
    CHECK(why(add()) == refusal::too_long);
    CHECK(add().error().subject == "jobDesc");
    CHECK(why(update(child)) == refusal::too_long);
    wanted = f.draft();
    wanted.param = std::string(70'000, 'x');
    CHECK(why(add()) == refusal::too_long);
    wanted.param = "\xff";
    CHECK(error_of(add()) == errc::invalid_argument);
  }
  CHECK(f.rows("xxl_job_info", "job_desc <> 'Settle'") == "0");
}

TEST_CASE("the permission is checked in the job's old and new group", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add();
  const auto before = f.rows("rm_audit");
  auto wanted = f.draft();
  // XXL-JOB checks the permission in the group that was sent: a user could take a foreign job by sending their own group.
  wanted.group = f.mail;
  const auto foreign = f.editor().update(job, wanted, {}, fixture::user(f.mail), noon);
  CHECK(why(foreign) == refusal::not_permitted);
  CHECK(error_of(foreign) == errc::forbidden);
  // Users may not move their own job to a group without permission, either.
  CHECK(error_of(f.editor().update(job, wanted, {}, fixture::user(f.pay), noon)) == errc::forbidden);
  CHECK(error_of(f.editor().add(wanted, fixture::user(f.pay), noon)) == errc::forbidden);
  const auto operates = fixture::user(f.pay, group_right::operate);
  const auto views = fixture::user(f.pay, group_right::viewer);
  const auto foreigner = fixture::user(f.mail);
  auto& jobs = f.store->jobs();
  const core::manual_trigger by_hand{job, core::trigger_kind::manual, {}, {}, -1};
  CHECK(error_of(f.editor().update(job, f.draft(), {}, operates, noon)) == errc::forbidden);
  CHECK(error_of(jobs.remove(job, false, noon, operates)) == errc::forbidden);
  for (const auto& each : {views, foreigner}) {
    CHECK(error_of(jobs.start(job, noon, each)) == errc::forbidden);
    CHECK(error_of(jobs.stop(job, noon, each)) == errc::forbidden);
    CHECK(error_of(jobs.trigger(by_hand, noon, each)) == errc::forbidden);
    CHECK(error_of(f.editor().save_source(job, "echo", "a remark", {}, each, noon)) == errc::forbidden);
  }
  CHECK(error_of(f.editor().read(job, foreigner)) == errc::forbidden);
  CHECK(error_of(f.editor().source_history({job}, foreigner)) == errc::forbidden);
  CHECK(f.rows("rm_audit") == before);
  CHECK(f.rows("rm_intent") == "0");
  CHECK(require(f.editor().read(job, views)).group == f.pay);
  require(jobs.start(job, noon, operates));
  CHECK(f.last_audit() == "tom start job " + text_of(job));
  require(jobs.stop(job, noon, operates));
  CHECK(f.last_audit() == "tom stop job " + text_of(job));
  require(jobs.trigger(by_hand, noon, operates));
  require(jobs.trigger(by_hand, noon, operates)); // the same request: no second change
  CHECK(f.rows("rm_audit", "action = 'trigger'") == "1");
  require(jobs.remove(job, false, noon, fixture::user(f.pay)));
  CHECK(f.last_audit() == "tom remove job " + text_of(job));
  CHECK(why(jobs.start(job, noon, views)) == refusal::job_id_illegal);
  CHECK(why(jobs.trigger(by_hand, noon)) == refusal::job_id_illegal);
}

TEST_CASE("an update keeps status, times and source, and reports the changes", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add(f.script());
  require(f.store->jobs().start(job, noon));
  const auto before = f.record(job);
  REQUIRE(before.next == one_at_night);
  auto wanted = f.draft(); // without a source, and of another kind: an update ignores both
  wanted.name = "Settle all";
  wanted.group = f.mail;
  const auto edit = f.update(job, wanted, noon + 90s);
  CHECK(edit.next == before.next);
  const auto after = f.record(job);
  CHECK(after.running);
  CHECK(after.next == before.next);
  CHECK(after.group == f.mail);
  CHECK(after.name == "Settle all");
  CHECK(after.glue_type + ' ' + after.glue_source == "GLUE_SHELL echo 1\n");
  CHECK(after.glue_updated == noon);
  CHECK(after.added == noon);
  CHECK(after.updated == noon + 90s);
  CHECK(after.revision > before.revision);
  CHECK(f.of("trigger_next_time", job) == ms(one_at_night));
  CHECK(f.last_audit() == "local update job " + text_of(job));
  CHECK(f.db->value("SELECT changes FROM rm_audit WHERE action = 'update'")
        == "name: \"Settle\" -> \"Settle all\"\ngroup: " + std::to_string(core::number(f.pay)) + " -> "
             + std::to_string(core::number(f.mail)));
}

TEST_CASE("another schedule of a running job counts from now or its last instant", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add();
  require(f.store->jobs().start(job, noon));
  f.db->exec("UPDATE rm_schedule SET last_ms = " + ms(noon + 15s));
  f.db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, created_ms)"
             " VALUES ('cron', " + text_of(job) + ", 5, 0, 0, 0, 0, 0)");
  auto wanted = f.draft();
  wanted.schedule_conf = "0/10 * * * * ?";
  CHECK(f.update(job, wanted).next == noon + 20s);
  CHECK(f.stored(job).next == noon + 20s);
  CHECK(f.stored(job).last == noon + 15s);
  CHECK(f.of("trigger_status", job) + ' ' + f.of("trigger_next_time", job) == "1 " + ms(noon + 20s));
  CHECK(f.rows("rm_intent") == "0");
  wanted.options = core::job_options{.timing = {.start_at = noon + 2h}};
  CHECK(f.update(job, wanted).next == noon + 2h);
  wanted.options.reset(); // unchanged
  wanted.param = "y";
  f.update(job, wanted);
  CHECK(f.record(job).timing.start_at == noon + 2h);
  wanted.options = core::job_options{};
  CHECK(f.update(job, wanted).next == noon + 20s);
  wanted.options.reset();
  for (const auto* type : {"NONE", "CRON"}) {
    wanted.schedule_type = type;
    wanted.schedule_conf = "0 0 0 1 1 ? 2020";
    CHECK(why(f.editor().update(job, wanted, {}, us, noon)) == refusal::schedule_type_illegal);
  }
  CHECK(f.stored(job).next == noon + 20s);
  require(f.store->jobs().stop(job, noon));
  f.update(job, wanted); // allowed for a stopped job
  CHECK_FALSE(f.stored(job).next);
}

// The mirror takes a job with a new revision for one of our edits.
TEST_CASE("an edit does not hide a schedule that another program changed since the mirror's check", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add(f.script());
  const bool running = GENERATE(true, false);
  if (running)
    require(f.store->jobs().start(job, noon));
  const auto looks = [&] { return require(f.store->mirror().sync(core::job_id{0}, 100, true, noon)).adopted.size(); };
  CHECK(looks() == 0);
  f.db->exec("UPDATE xxl_job_info SET schedule_conf = '0 0/5 * * * ?' WHERE id = " + text_of(job));
  const auto edit = [&]() -> core::job_edit {
    if (GENERATE(true, false))
      return require(f.editor().save_source(job, "echo 2", "a remark", {}, us, noon));
    auto wanted = f.draft(); // a form shows the row's values
    wanted.schedule_conf = "0 0/5 * * * ?";
    wanted.name = "Settle all";
    return f.update(job, wanted);
  }();
  const auto row = f.record(job);
  CHECK(row.schedule_conf == "0 0/5 * * * ?");
  CHECK(row.next == (running ? noon + 5min : core::time_point{}));
  CHECK(edit.next.value_or(core::time_point{}) == row.next);
  if (running)
    CHECK(f.of("trigger_next_time", job) == ms(noon + 5min));
  CHECK(looks() == 0);
  CHECK(f.record(job).next == row.next);
}

TEST_CASE("an edit without changes writes no audit row, and a removal is recorded", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add(f.script());
  require(f.editor().save_source(job, "echo 2", "a remark", {}, us, noon));
  const auto before = f.rows("rm_audit");
  f.update(job, f.draft(), noon + 1s);
  require(f.editor().save_source(job, "echo 2", "a remark", {}, us, noon + 1s));
  CHECK(f.rows("rm_audit") == before);
  require(f.store->jobs().remove(job, false, noon));
  CHECK(f.last_audit() == "local remove job " + text_of(job));
  const auto was = f.db->value("SELECT changes FROM rm_audit WHERE action = 'remove'");
  CHECK(was.find("name: \"Settle\" -> \"\"") != std::string::npos);
  CHECK(was.find("schedule: \"0 0 1 * * ?\" -> ") != std::string::npos);
  CHECK(was.find("handler: \"settleHandler\" -> \"\"") != std::string::npos);
}

TEST_CASE("an update is refused after another user's edit, or if a file declares the job", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add();
  const auto seen = core::edit_tag(f.record(job));
  auto other = f.draft();
  other.param = "x=2";
  require(f.editor().update(job, other, seen, us, noon));
  const auto late = f.editor().update(job, f.draft(), seen, us, noon);
  CHECK(error_of(late) == errc::conflict);
  CHECK(late.error().why == refusal::none);
  CHECK(core::is_edited_meanwhile(late.error()));
  auto wrong_as_well = f.draft();
  wrong_as_well.name = std::string(2000, 'n');
  CHECK(error_of(f.editor().update(job, wrong_as_well, seen, us, noon)) == errc::invalid_argument);
  const auto now = core::edit_tag(f.record(job));
  const auto removed = f.store->jobs().remove(job, false, noon, us, seen);
  REQUIRE_FALSE(removed);
  CHECK(core::is_edited_meanwhile(removed.error()));
  CHECK(f.record(job).param == "x=2");
  require(f.store->jobs().remove(job, false, noon, us, now));
  f.apply(pay_set());
  const core::job_id declared{std::stoi(f.id_of("settle"))};
  CHECK(f.record(declared).key == "settle");
  CHECK(f.record(declared).source == "pay.toml");
  CHECK(error_of(f.editor().update(declared, f.draft(), {}, us, noon)) == errc::conflict);
  CHECK(error_of(f.editor().save_source(declared, "echo", "a remark", {}, us, noon)) == errc::conflict);
}

TEST_CASE("an update with a tag fails after edits by other programs, and not after the mirror's adoption", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add();
  require(f.store->jobs().start(job, noon));
  const auto looks = [&] { return require(f.store->mirror().sync(core::job_id{0}, 100, true, noon)).adopted.size(); };
  CHECK(looks() == 0);
  const auto seen = core::edit_tag(f.record(job));
  auto other = f.draft();
  other.name = "Settle all";

  SECTION("a console changed a text without raising a revision") {
    const auto revision = f.record(job).revision;
    f.db->exec("UPDATE xxl_job_info SET executor_param = 'by console' WHERE id = " + text_of(job));
    CHECK(f.record(job).revision == revision);
    CHECK(error_of(f.editor().update(job, other, seen, us, noon)) == errc::conflict);
    CHECK(f.of("executor_param", job) == "by console");
  }
  SECTION("another user enabled keep_logs") {
    auto kept = f.draft();
    kept.options = core::job_options{.keep_logs = true};
    require(f.editor().update(job, kept, {}, us, noon));
    CHECK(error_of(f.editor().update(job, other, seen, us, noon)) == errc::conflict);
    CHECK(f.record(job).keep_logs);
    // A form of XXL-JOB, which does not know the option, keeps it.
    require(f.editor().update(job, other, {}, us, noon));
    CHECK(f.record(job).keep_logs);
  }
  SECTION("a form that cannot see on_unknown may choose a block strategy that excludes resend") {
    auto resend = f.draft();
    resend.options = core::job_options{.on_unknown = core::unknown_policy::resend};
    require(f.editor().update(job, resend, {}, us, noon));
    other.block = "COVER_EARLY";
    require(f.editor().update(job, other, {}, us, noon));
    CHECK(f.record(job).on_unknown == core::unknown_policy::resend);
    other.schedule_conf = "0 0 2 * * ?";
    require(f.editor().update(job, other, {}, us, noon));
    CHECK(f.record(job).block == "COVER_EARLY");
  }
  SECTION("it was stopped and started, which is not an edit of form values") {
    require(f.store->jobs().stop(job, noon));
    require(f.store->jobs().start(job, noon));
    require(f.editor().update(job, other, seen, us, noon));
    CHECK(f.record(job).name == "Settle all");
  }
  SECTION("the mirror adopted it as new, without any difference") {
    f.db->exec("UPDATE xxl_job_info SET update_time = '2001-01-01 00:00:00', trigger_status = 0 WHERE id = " + text_of(job));
    looks();
    require(f.editor().update(job, other, seen, us, noon));
    CHECK(f.record(job).name == "Settle all");
  }
}

TEST_CASE("the first source of a new script job is its first version", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add(f.script());
  auto history = require(f.editor().source_history({job}, us)).versions;
  REQUIRE(history.size() == 1);
  CHECK(history[0].source == f.record(job).glue_source);
  CHECK(history[0].remark == "first one");
  CHECK(history[0].glue_type == "GLUE_SHELL");
  CHECK(history[0].added == noon);
  require(f.editor().save_source(job, "echo 2", "second one", {}, us, noon + 5s));
  history = require(f.editor().source_history({job}, us)).versions;
  REQUIRE(history.size() == 2);
  CHECK(history[0].remark == "second one");
  CHECK(history[1].remark == "first one");
  // A job without a script has no versions, and one that is refused leaves none.
  CHECK(require(f.editor().source_history({f.add()}, us)).versions.empty());
  auto bad = f.script();
  bad.name.clear();
  CHECK_FALSE(f.editor().add(bad, us, noon));
  CHECK(f.db->value("SELECT COUNT(*) FROM xxl_job_logglue") == "2");
}

TEST_CASE("a new source is added to the history, which keeps thirty", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add(f.script());
  const auto other = f.add(f.script());
  const auto before = f.record(job).revision;
  const auto save = [&](core::job_id which, const std::string& source, const std::string& remark) {
    return f.editor().save_source(which, source, remark, {}, us, noon + 5s);
  };
  require(save(other, "echo other", "the other"));
  for (int i = 1; i <= 32; ++i)
    require(save(job, "echo " + std::to_string(i), "remark " + std::to_string(i)));
  const auto row = f.record(job);
  CHECK(row.glue_source == "echo 32");
  CHECK(row.glue_remark == "remark 32");
  CHECK(row.glue_updated == noon + 5s);
  CHECK(row.revision > before);
  CHECK(*f.stored(job).spec->glue_source == "echo 32");
  const auto history = require(f.editor().source_history({job}, us)).versions;
  REQUIRE(history.size() == core::source_versions_max);
  CHECK(history.front().source == "echo 32");
  CHECK(history.back().source == "echo 3");
  CHECK(history.front().glue_type == "GLUE_SHELL");
  CHECK(history.front().added == noon + 5s);
  CHECK(require(f.editor().source_history({other}, us)).versions.size() == 2);
  CHECK(f.last_audit() == "local source job " + text_of(job));
  CHECK(why(save(job, " ", "a remark")) == refusal::source_empty);
  CHECK(why(save(job, "echo", "")) == refusal::remark_empty);
  CHECK(why(save(job, "echo", "abc")) == refusal::remark_length);
  CHECK(why(save(job, "echo", std::string(101, 'x'))) == refusal::remark_length);
  CHECK(why(save(job, "echo", "<script>")) == refusal::remark_illegal);
  CHECK(why(save(f.add(), "echo", "a remark")) == refusal::not_glue);
}
