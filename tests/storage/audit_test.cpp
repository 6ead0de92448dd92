// The audit log: its filters, the changes of one job or group, and the values before and after.

#include "core/rules/audit_rules.hpp"
#include "tests/storage/access_fixture.hpp"
#include "tests/storage/editor_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::errc;
using core::group_right;

namespace {

struct audit_fixture : editing<deploy_fixture> {
  using editing::editing;

  storage::audit_store& audits() { return store->audits(); }
  /// Returns the actions of the found rows.
  std::string actions(const core::result<std::vector<core::audit_row>>& found) {
    std::string out;
    for (const auto& row : require(found))
      out.append(out.empty() ? "" : " ").append(core::stored_name(row.action));
    return out;
  }
  std::string listed(const core::audit_search& search) { return actions(audits().list(search, core::local_operator())); }
  std::string history_of(const core::audited_object& object) {
    return actions(audits().history(object, {}, core::local_operator()));
  }
  static std::vector<core::field_change> fields(const core::audit_row& row) {
    return core::fields_of(row.field_values, row.changes);
  }
};

} // namespace

TEST_CASE("the audit log is filtered by time, action and text", "[storage][audit]") {
  audit_fixture f{GENERATE(from_range(backends_under_test()))};
  auto wanted = f.draft();
  wanted.name = "100% of_it";
  const auto job = require(f.editor().add(wanted, core::local_operator(), noon));
  wanted.param = "Weekday";
  f.update(job, wanted, noon + 1h);
  require(f.store->jobs().start(job, noon + 2h));
  CHECK(f.listed({}) == "start update add");
  core::audit_search search;
  search.action = core::audit_action::update;
  CHECK(f.listed(search) == "update");
  search = {};
  search.from = noon + 1h;
  CHECK(f.listed(search) == "start update");
  search.to = noon + 1h;
  CHECK(f.listed(search) == "update");
  search.from = noon + 1h + 1ms;
  CHECK(f.listed(search) == "");
  search = {};
  search.to = noon;
  CHECK(f.listed(search) == "add");
  search = {};
  search.text_part = "weekDAY";
  CHECK(f.listed(search) == "update");
  for (const auto* name : {"0% OF_I", "100%", "of_"}) {
    search.text_part = name;
    CHECK(f.listed(search) == "start update add");
  }
  // Wildcards of patterns are plain characters.
  for (const auto* none : {"1%t", "of it", "_____", "' OR 1 = 1 --", "\\", "100\\%"}) {
    search.text_part = none;
    CHECK(f.listed(search) == "");
  }
  search.text_part = "of_it";
  search.action = core::audit_action::start;
  search.object = core::audit_object::job;
  search.object_id = core::number(job);
  search.user_name = "local";
  search.from = noon + 2h;
  search.to = noon + 2h;
  CHECK(f.listed(search) == "start");
}

TEST_CASE("viewers see the changes of their jobs and groups only, without addresses", "[storage][audit]") {
  audit_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto editor = audit_fixture::user(f.pay);
  const auto viewer = audit_fixture::user(f.pay, group_right::viewer);
  const auto job = require(f.editor().add(f.draft(), editor, noon));
  auto wanted = f.draft();
  wanted.timeout_s = 60;
  require(f.editor().update(job, wanted, {}, editor, noon + 1s));
  f.add(); // another one
  const auto seen = require(f.audits().history(job, {}, viewer));
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].user_name == "tom");
  CHECK(seen[0].at == noon + 1s);
  CHECK(audit_fixture::fields(seen[0]) == std::vector<core::field_change>{{"timeout", "30", "60"}});
  for (const auto& row : seen)
    CHECK(row.remote.empty());
  CHECK(require(f.audits().history(job, {}, core::local_operator())).at(0).remote == "10.0.0.9");
  core::audit_search page;
  page.limit = 1;
  CHECK(require(f.audits().history(job, page, viewer)).at(0).id == seen[0].id);
  page.before = seen[0].id;
  CHECK(require(f.audits().history(job, page, viewer)).at(0).id == seen[1].id);
  page.before = seen[1].id;
  CHECK(require(f.audits().history(job, page, viewer)).empty());

  CHECK(error_of(f.audits().history(job, {}, audit_fixture::user(f.mail))) == errc::forbidden);
  CHECK(error_of(f.audits().history(f.pay, {}, audit_fixture::user(f.mail))) == errc::forbidden);
  CHECK(error_of(f.audits().list({}, editor)) == errc::forbidden);
  CHECK(error_of(f.audits().history(core::job_id{9999}, {}, viewer)) == errc::not_found);
  CHECK(error_of(f.audits().history(core::group_id{9999}, {}, core::local_operator())) == errc::not_found);
}

TEST_CASE("the changes of a group have no token", "[storage][audit]") {
  audit_fixture f{GENERATE(from_range(backends_under_test()))};
  core::group_draft draft;
  draft.app_name = "pay-worker";
  draft.title = "Money";
  draft.access_token = "a-secret-token";
  require(f.store->group_editing().update(f.pay, draft, {}, core::local_operator(), noon));
  const auto seen = require(f.audits().history(f.pay, {}, audit_fixture::user(f.pay, group_right::viewer)));
  REQUIRE(seen.size() == 1);
  CHECK(audit_fixture::fields(seen[0]) ==
        std::vector<core::field_change>{{"title", "pay-", "Money"}, {"access_token: replaced"}});
  CHECK(f.rows("rm_audit", "changes LIKE '%secret%' OR field_values LIKE '%secret%'") == "0");
}

TEST_CASE("a job does not show the changes of a removed one that had its id", "[storage][audit]") {
  audit_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add();
  f.db->exec("UPDATE rm_audit SET action = 'remove'");
  CHECK(f.history_of(job) == "");
  f.update(job, f.script(), noon); // its name and schedule are the same: no row
  auto wanted = f.draft();
  wanted.name = "Settle all";
  f.update(job, wanted, noon);
  CHECK(f.history_of(job) == "update");
  f.db->exec("UPDATE rm_audit SET action = 'apply', changes = 'source: a\nkind: remove'");
  CHECK(f.history_of(job) == "");
}

TEST_CASE("values before and after are exact, whatever they contain", "[storage][audit]") {
  audit_fixture f{GENERATE(from_range(backends_under_test()))};
  const std::string odd = "a\" -> \"b\n\t\\ \xc3\xa4 " + std::string(200, 'x');
  const auto job = f.add();
  auto wanted = f.draft();
  wanted.param = odd;
  f.update(job, wanted, noon);
  auto seen = require(f.audits().history(job, {}, core::local_operator()));
  CHECK(audit_fixture::fields(seen.at(0)) == std::vector<core::field_change>{{"params", "x=1", odd}});

  auto set = pay_set();
  f.apply(set);
  set.jobs[0].params = odd;
  f.apply(set);
  seen = require(f.audits().history(core::job_id{std::stoi(f.id_of("settle"))}, {}, core::local_operator()));
  CHECK(audit_fixture::fields(seen.at(0)) ==
        std::vector<core::field_change>{{"source: pay.toml"}, {"kind: update"}, {"params", "", odd}});
  CHECK(audit_fixture::fields(seen.at(1)) == std::vector<core::field_change>{{"source: pay.toml"}, {"kind: create"}});
  // A row of a former release has only its lines.
  f.db->exec("UPDATE rm_audit SET field_values = NULL, changes = 'retry: 0 -> 2'");
  seen = require(f.audits().history(job, {}, core::local_operator()));
  CHECK(audit_fixture::fields(seen.at(0)) == std::vector<core::field_change>{{"retry", "0", "2"}});
}

TEST_CASE("changes of users are recorded without any secret", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  core::user_draft change;
  change.password_hash = "hash-c";
  change.rights = rights{{pay, group_right::viewer}, {stock, group_right::editor}};
  require(f.users().update(anna, change, {}, f.admin, noon + 1min));
  require(f.users().update(anna, change, {}, f.admin, noon + 2min)); // nothing changes: nothing is recorded
  require(f.open("d1", anna, "hash-c", noon + 3min));
  require(f.users().remove(anna, {}, f.admin, noon + 4min));

  auto rows = require(f.store->audits().list({}, f.admin));
  REQUIRE(rows.size() == 5); // including that of the first administrator
  CHECK(rows[0].action == core::audit_action::remove);
  CHECK(rows[1].action == core::audit_action::sign_in);
  CHECK(rows[1].remote == "10.0.0.8");
  CHECK(rows[2].action == core::audit_action::update);
  CHECK(rows[2].object == core::audit_object::user);
  CHECK(rows[2].object_id == core::number(anna));
  CHECK(rows[2].object_name == "anna");
  CHECK(rows[2].user_name == "admin");
  CHECK(rows[2].remote == "10.0.0.7");
  CHECK(rows[2].at == noon + 1min);
  CHECK(rows[2].changes == "groups: \"\" -> \"3 viewer, 5\"\npassword: changed");
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit WHERE changes LIKE '%hash-%'") == "0");

  core::audit_search search;
  search.limit = 1;
  search.before = rows[1].id;
  CHECK(require(f.store->audits().list(search, f.admin)) .at(0).id == rows[2].id);
  search = {};
  search.user_name = "ADMIN";
  CHECK(require(f.store->audits().list(search, f.admin)).size() == 3);
  search.user_name = ""; // as unset
  CHECK(require(f.store->audits().list(search, f.admin)).size() == rows.size());
  search.user_name = " ";
  CHECK(require(f.store->audits().list(search, f.admin)).empty());
  search = {};
  search.object = core::audit_object::user;
  search.object_id = core::number(anna);
  CHECK(require(f.store->audits().list(search, f.admin)).size() == 4);
  search.object = core::audit_object::job;
  CHECK(require(f.store->audits().list(search, f.admin)).empty());
  search.object.reset();
  CHECK(require(f.store->audits().list(search, f.admin)).size() == 4);

  // A reload of the configuration records the names of its settings.
  const std::vector<core::audit_row> settings{
    core::audit_of(core::local_operator(), core::audit_action::update, core::audit_object::setting, 0, "mail.host", {}, noon),
    core::audit_of(core::local_operator(), core::audit_action::update, core::audit_object::setting, 0, "log.level", {}, noon)};
  require(f.store->audits().record(settings));
  search = {};
  search.object = core::audit_object::setting;
  const auto recorded = require(f.store->audits().list(search, f.admin));
  REQUIRE(recorded.size() == 2);
  CHECK(recorded[1].object_name == "mail.host");
  require(f.store->audits().record({}));
}
