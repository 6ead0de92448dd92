// Declared files and forecasts requested by users.

#include <set>
#include <string>

#include "tests/actors/job_admin_fixture.hpp"

using namespace ringmaster;
using test::job_administration;
using test::nightly;
using test::with_scripts;

namespace {

const core::principal chief{core::user_id{1}, "chief", true, {}, "10.0.0.1"};
const core::principal visitor{core::user_id{2}, "vera", false, {}, "10.0.0.2"};

/// Fixture that reads the word `nightly`, and writes the request that it got.
struct with_files : job_administration {
  static actors::declared_files files() {
    return {[](const std::string& body) -> core::result<actors::apply_request> {
              if (body != "nightly" && body != "nightly?")
                return core::fail(core::errc::invalid_argument, "a.toml:1: no");
              return actors::apply_request{nightly(), body.ends_with('?'), false};
            },
            [](storage::store&, const actors::export_request& wanted, core::time_point) -> core::result<std::string> {
              return (wanted.group ? "group " + std::to_string(core::number(*wanted.group)) : "all") +
                     (wanted.source ? " of " + *wanted.source : "");
            },
            [] { return std::string{"files"}; },
            [](const std::string& source) -> core::result<std::optional<actors::apply_request>> {
              if (source == "broken")
                return core::fail(core::errc::invalid_argument, "a.toml:1: no");
              return source == nightly().source ? std::optional{actors::apply_request{nightly(), true, false}} : std::nullopt;
            },
            [](storage::store&, const core::job_record& job, const core::principal& by,
               core::time_point) -> core::result<std::string> { return job.name + " for " + by.name; }};
  }
  protocol::job_admin admin = spawn<actors::job_admin_state, protocol::job_admin>(
    actors::query_workers{worker.actor, edits.actor, edits.actor}, schedule.actor, registry.actor, with_scripts(), clock(),
    silent_log(),
    files());
};

} // namespace

TEST_CASE_METHOD(with_files, "files that a user sends are applied in the user's name and delay no page", "[actors]") {
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

TEST_CASE_METHOD(with_files, "rules for alarms are listed for administrators", "[actors]") {
  core::declared_set declared;
  declared.source = "files";
  declared.groups = {{"pay", "Payments", std::nullopt}};
  core::alarm_rule rule;
  rule.key = "night";
  rule.channels = {"ops"};
  declared.alarms.push_back({rule, "files:1"});
  REQUIRE(store.deploys().apply(declared, false, false, civil()));
  const auto rules = ask<protocol::alarm_rules>(admin, protocol::alarm_rules_query{chief});
  REQUIRE(rules);
  REQUIRE(rules->rows.size() == 1);
  CHECK(rules->rows[0].rule == rule);
  CHECK(rules->rows[0].source == "files");
  const auto refused = ask<protocol::alarm_rules>(admin, protocol::alarm_rules_query{visitor});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == core::errc::forbidden);
}

TEST_CASE_METHOD(with_files, "only administrators apply and export", "[actors]") {
  const auto refused = ask<protocol::files_applied>(admin, protocol::apply_files{"nightly", visitor});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == core::errc::forbidden);
  const auto kept = ask<protocol::exported_file>(admin, protocol::export_query{std::nullopt, visitor});
  REQUIRE_FALSE(kept);
  CHECK(protocol::to_core(kept.error()).code == core::errc::forbidden);
  CHECK(store.audits().list({}, chief)->empty());
}

TEST_CASE_METHOD(with_files, "files with mistakes change nothing and notify no actor", "[actors]") {
  const auto refused = ask<protocol::files_applied>(admin, protocol::apply_files{"nonsense", chief});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).context == "a.toml:1: no");
  CHECK(hints() == 0);
}

TEST_CASE_METHOD(with_files, "the drift of a source is a dry run of the node's own files", "[actors]") {
  REQUIRE(apply(nightly()));
  const auto told = hints();
  const auto none = ask<protocol::files_applied>(admin, protocol::drift_query{nightly().source, chief});
  REQUIRE(none);
  CHECK(none->dry_run);
  CHECK_FALSE(none->report.changes_anything());
  auto wider = nightly();
  wider.jobs.push_back(wider.jobs[0]);
  wider.jobs.back().key = "later";
  REQUIRE(apply(wider));
  const auto more = ask<protocol::files_applied>(admin, protocol::drift_query{nightly().source, chief});
  REQUIRE(more);
  CHECK_FALSE(more->report.changes_anything());
  REQUIRE_FALSE(more->report.warnings.empty());
  CHECK(more->report.warnings.back().find("/later is no longer in the files; it stays") != std::string::npos);
  CHECK(hints() - told == 2); // of the apply

  const auto refused = [this](const std::string& source, const core::principal& by) {
    const auto answer = ask<protocol::files_applied>(admin, protocol::drift_query{source, by});
    REQUIRE_FALSE(answer);
    return protocol::to_core(answer.error());
  };
  CHECK(refused("broken", chief).code == core::errc::conflict);
  CHECK(refused("broken", chief).context == "a.toml:1: no");
  CHECK(refused("nowhere", chief).code == core::errc::not_found);
  CHECK(refused(nightly().source, visitor).code == core::errc::forbidden);
  auto foreign = nightly();
  foreign.source = "elsewhere";
  foreign.groups[0].app_name = "other-worker";
  foreign.jobs.clear();
  REQUIRE(apply(foreign));
  CHECK(refused("elsewhere", chief).code == core::errc::conflict);
  CHECK(refused("elsewhere", chief).context.find("this node has no files of the source elsewhere") == 0);
}

TEST_CASE_METHOD(with_files, "sources are listed for administrators", "[actors]") {
  REQUIRE(apply(nightly()));
  const auto found = ask<protocol::declared_sources>(admin, protocol::declared_query{chief});
  REQUIRE(found);
  REQUIRE(found->rows.size() == 1);
  CHECK(found->rows[0].name == nightly().source);
  CHECK(found->own == "files");
  const auto refused = ask<protocol::declared_sources>(admin, protocol::declared_query{visitor});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == core::errc::forbidden);
}

TEST_CASE_METHOD(with_files, "a job is written as a table for users who may see it", "[actors]") {
  REQUIRE(apply(nightly()));
  const auto text = ask<protocol::exported_file>(admin, protocol::declaration_query{core::job_id{1}, chief});
  REQUIRE(text);
  CHECK(text->text.ends_with(" for chief"));
  CHECK(protocol::to_core(ask<protocol::exported_file>(admin, protocol::declaration_query{core::job_id{1}, visitor}).error()).code
        == core::errc::forbidden);
  CHECK(protocol::to_core(ask<protocol::exported_file>(admin, protocol::declaration_query{core::job_id{99}, chief}).error()).code
        == core::errc::not_found);
}

TEST_CASE_METHOD(with_files, "an export runs on the worker for edits", "[actors]") {
  CHECK(ask<protocol::exported_file>(admin, protocol::export_query{std::nullopt, chief})->text == "all");
  CHECK(ask<protocol::exported_file>(admin, protocol::export_query{core::group_id{3}, chief})->text == "group 3");
  CHECK(ask<protocol::exported_file>(admin, protocol::export_query{std::nullopt, chief, "ops"})->text == "all of ops");
  CHECK(*worker.tasks == 0);
  // Without functions that read and write files.
  CHECK_FALSE(ask<protocol::exported_file>(actor, protocol::export_query{std::nullopt, chief}));
  CHECK_FALSE(ask<protocol::files_applied>(actor, protocol::apply_files{"nightly", chief}));
}

TEST_CASE_METHOD(job_administration, "a forecast is read and computed on the worker for pages, for users with permission",
                 "[actors]") {
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

TEST_CASE_METHOD(job_administration, "short pages have the firings of all overdue jobs once", "[actors]") {
  auto declared = nightly();
  const auto settle = declared.jobs.front();
  declared.jobs.clear();
  const std::size_t overdue = 300;
  REQUIRE(overdue > core::first_jobs_read);
  for (std::size_t number = 0; number < overdue; ++number) {
    declared.jobs.push_back(settle);
    declared.jobs.back().key = declared.jobs.back().name = "settle-" + std::to_string(number);
  }
  REQUIRE(apply(declared));
  const auto foreseen = [this](const core::upcoming_search& search) {
    const auto found = ask<protocol::forecast_found>(actor, protocol::forecast_query{{}, {}, search, core::local_operator()});
    REQUIRE(found);
    REQUIRE_FALSE(found->page.firings.empty());
    return found->page;
  };
  const auto due = foreseen({{civil(), {}, civil()}, civil() + std::chrono::hours{72}, 50}).firings.front().at;
  const auto present = due + std::chrono::seconds{1};
  core::upcoming_search search{{present, {}, present}, present + std::chrono::hours{1}, 50};
  std::set<core::job_id> seen;
  std::size_t firings = 0;
  for (std::optional<core::upcoming_place> next = search.from; next; firings += search.limit) {
    REQUIRE(firings < overdue);
    search.from = *next;
    const auto page = foreseen(search);
    for (const auto& each : page.firings) {
      CHECK(each.at == present);
      seen.insert(each.job);
    }
    next = page.next;
  }
  CHECK(firings == overdue);
  CHECK(seen.size() == overdue);
}

TEST_CASE_METHOD(job_administration, "counts of firings equal the list of firings, for users with permission", "[actors]") {
  REQUIRE(apply(nightly()));
  const auto counted = [this](protocol::counts_query asked) { return ask<protocol::counts_found>(actor, std::move(asked)); };
  core::counts_search search;
  search.from = civil();
  search.from_now = true;
  search.until = civil() + std::chrono::hours{72};
  const auto listed = ask<protocol::forecast_found>(
    actor, protocol::forecast_query{{}, {}, {{civil(), {}, civil()}, search.until, 500}, core::local_operator()});
  REQUIRE(listed);
  const auto all = counted({{}, {}, search, {}, core::local_operator()});
  REQUIRE(all);
  CHECK(all->report.before.firings == listed->page.firings.size());
  CHECK_FALSE(all->report.after);
  REQUIRE_FALSE(all->report.before.jobs.empty());
  const auto job = all->report.before.jobs.front().first;
  const auto one = counted({{}, job, search, {}, core::local_operator()});
  REQUIRE(one);
  CHECK(one->report.before.firings == all->report.before.jobs.front().second);

  core::principal stranger{core::user_id{5}, "tom", false, {}, "10.0.0.9"};
  const auto none = counted({{}, {}, search, {}, stranger});
  REQUIRE(none);
  CHECK(none->report.before.firings == 0);
  const auto refused = counted({{}, job, search, {}, stranger});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == core::errc::forbidden);
}

TEST_CASE_METHOD(job_administration, "a changed schedule is counted before and after, and changes nothing", "[actors]") {
  REQUIRE(apply(nightly()));
  const auto edited = *edits.tasks;
  core::counts_search search;
  search.from = civil();
  search.from_now = true;
  search.until = civil() + std::chrono::hours{72};
  const auto counted = [&](std::optional<core::changed_schedule> change, core::principal by) {
    return ask<protocol::counts_found>(actor, protocol::counts_query{{}, {}, search, std::move(change), std::move(by)});
  };
  const auto now = counted(std::nullopt, core::local_operator());
  REQUIRE(now);
  const auto [job, firings] = now->report.before.jobs.front();
  const auto moved = counted(core::changed_schedule{job, core::schedule_type::fixed_rate, "3600", {}}, core::local_operator());
  REQUIRE(moved);
  CHECK(moved->report.before.firings == now->report.before.firings);
  REQUIRE(moved->report.after);
  CHECK(moved->report.after->firings == now->report.before.firings - firings + 71);
  const auto added = counted(core::changed_schedule{{}, core::schedule_type::fixed_rate, "3600", {}}, core::local_operator());
  REQUIRE(added);
  CHECK(added->report.after->firings == now->report.before.firings + 71);

  const auto wrong = counted(core::changed_schedule{job, core::schedule_type::cron, "x", {}}, core::local_operator());
  REQUIRE_FALSE(wrong);
  CHECK(protocol::to_core(wrong.error()).code == core::errc::invalid_argument);
  core::principal stranger{core::user_id{5}, "tom", false, {}, "10.0.0.9"};
  const auto refused = counted(core::changed_schedule{job, core::schedule_type::none, "", {}}, stranger);
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == core::errc::forbidden);
  CHECK(*edits.tasks == edited);
}

TEST_CASE_METHOD(with_files, "files are refused while the wall clock is in doubt, and nothing is written", "[actors]") {
  const auto send = [this](const char* body, const core::principal& by) {
    return ask<protocol::files_applied>(admin, protocol::apply_files{body, by});
  };
  const auto code_of = [](const auto& answer) { return answer ? core::errc{} : protocol::to_core(answer.error()).code; };
  clock().set_verdict(protocol::clock_verdict::distrusted);
  const auto refused = send("nightly", chief);
  REQUIRE_FALSE(refused);
  CHECK(protocol::is_clock_in_doubt(protocol::to_core(refused.error())));
  CHECK(hints() == 0);
  CHECK(store.audits().list({}, chief)->empty());
  CHECK_FALSE(store.jobs().find({std::nullopt, "pay-worker", "settle"}));
  // Mistakes and missing permissions are reported as ever, and a dry run stores no instant.
  CHECK(code_of(send("nonsense", chief)) == core::errc::invalid_argument);
  CHECK(code_of(send("nightly", visitor)) == core::errc::forbidden);
  const auto planned = send("nightly?", chief);
  REQUIRE(planned);

  clock().set_verdict(protocol::clock_verdict::trusted);
  const auto done = send("nightly", chief);
  REQUIRE(done);
  const auto objects_of = [](const core::deploy_report& report) {
    std::vector<std::pair<core::change_kind, std::string>> out;
    for (const auto& change : report.changes)
      out.emplace_back(change.kind, change.object);
    return out;
  };
  CHECK(objects_of(done->report) == objects_of(planned->report));
  CHECK(hints() == 2);
  CHECK(store.jobs().find({std::nullopt, "pay-worker", "settle"}));
}

TEST_CASE_METHOD(with_files, "files that arrive before the first verdict about the wall clock wait for it", "[actors]") {
  clock().set_verdict(protocol::clock_verdict::pending);
  const auto sent = later<protocol::files_applied>(admin, protocol::apply_files{"nightly", chief});
  advance(std::chrono::seconds{1});
  CHECK_FALSE(*sent);
  SECTION("trusted") {
    clock().set_verdict(protocol::clock_verdict::trusted);
    advance(std::chrono::milliseconds{20});
    REQUIRE(*sent);
    REQUIRE(**sent);
    CHECK((**sent)->report.changes.size() == 2);
  }
  SECTION("no verdict") {
    advance(std::chrono::milliseconds{1100});
    REQUIRE(*sent);
    REQUIRE_FALSE(**sent);
    CHECK(protocol::is_clock_in_doubt(protocol::to_core((*sent)->error())));
    CHECK(store.audits().list({}, chief)->empty());
  }
}
