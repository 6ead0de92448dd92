// Users and their permissions.

#include "core/editing/edit_tag.hpp"
#include "tests/storage/access_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;
using core::errc;
using core::group_right;
using core::refusal;

TEST_CASE("the first administrator is added once, and only to a database without users", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  CHECK_FALSE(require(f.users().add_first("other", "hash-z", noon)));
  CHECK(error_of(f.users().find("other")) == errc::not_found);
  const auto first = require(f.users().find("admin"));
  CHECK(first.card.admin);
  CHECK(first.password_hash == "hash-a");
  CHECK(first.card.rights.empty());
}

TEST_CASE("users are found by name without case, and names are unique without case", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  CHECK(require(f.users().find("ANNA")).card.id == anna);
  CHECK(require(f.users().find("ANNA")).card.name == "anna");
  CHECK(error_of(f.users().find("ann")) == errc::not_found);
  CHECK(error_of(f.users().find("ann_")) == errc::not_found);
  CHECK(error_of(f.users().find("")) == errc::not_found);
  CHECK(verdict(f.users().add(f.draft("aNNa"), f.admin, noon)) == refused(errc::conflict, refusal::user_repeated));
  CHECK(f.db->value("SELECT COUNT(*) FROM xxl_job_user") == "2");
}

TEST_CASE("permissions are stored in XXL's list, finer ones in a separate table", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  auto draft = f.draft("anna");
  draft.rights = rights{{stock, group_right::editor}, {core::group_id{4}, group_right::viewer}, {pay, group_right::editor},
                        {core::group_id{9}, group_right::operate}, {core::group_id{11}, group_right::none}};
  const auto anna = require(f.users().add(draft, f.admin, noon));
  CHECK(f.db->value("SELECT permission FROM xxl_job_user WHERE username = 'anna'") == "3,5");
  CHECK(require(f.users().read(anna)).card.rights == rights{{pay, group_right::editor},
                                                            {core::group_id{4}, group_right::viewer},
                                                            {stock, group_right::editor},
                                                            {core::group_id{9}, group_right::operate}});
  core::user_draft none;
  none.rights.emplace();
  require(f.users().update(anna, none, {}, f.admin, noon));
  CHECK(require(f.users().read(anna)).card.rights.empty());
  CHECK(f.db->value("SELECT permission FROM xxl_job_user WHERE username = 'anna'") == "NULL");
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_group_right") == "0");
}

TEST_CASE("a permission list of another program is read as XXL reads it", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  f.db->exec("UPDATE xxl_job_user SET permission = ' 5, 3,x,,5,99999999999' WHERE username = 'anna'");
  f.db->exec("INSERT INTO rm_group_right (user_id, group_id, right_name) SELECT id, 3, 'viewer' FROM xxl_job_user"
             " WHERE username = 'anna'");
  f.db->exec("INSERT INTO rm_group_right (user_id, group_id, right_name) SELECT id, 4, 'owner' FROM xxl_job_user"
             " WHERE username = 'anna'");
  // The higher of two permissions counts; an unknown one is ignored.
  CHECK(require(f.users().read(anna)).card.rights == rights{{pay, group_right::editor}, {stock, group_right::editor}});
}

TEST_CASE("only administrators edit users, and no user edits their own account", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  const auto by_anna = f.who("anna");
  const auto not_permitted = refused(errc::forbidden, refusal::not_permitted);
  CHECK(verdict(f.users().add(f.draft("berta"), by_anna, noon)) == not_permitted);
  CHECK(verdict(f.users().update(f.admin.user, f.draft(""), {}, by_anna, noon)) == not_permitted);
  CHECK(verdict(f.users().remove(f.admin.user, {}, by_anna, noon)) == not_permitted);
  CHECK(verdict(f.store->audits().list({}, by_anna)) == not_permitted);
  const auto own_account = refused(errc::forbidden, refusal::own_account);
  CHECK(verdict(f.users().update(f.admin.user, f.draft(""), {}, f.admin, noon)) == own_account);
  CHECK(verdict(f.users().remove(f.admin.user, {}, f.admin, noon)) == refused(errc::forbidden, refusal::own_account));
  CHECK(verdict(f.users().set_password(anna, "hash-b", "hash-c", false, f.admin, noon)) == not_permitted);
  CHECK(require(f.users().find("anna")).password_hash == "hash-b");
  CHECK(f.db->value("SELECT COUNT(*) FROM xxl_job_user") == "2");
}

TEST_CASE("a former administrator edits no user, whatever their session contains", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  auto draft = f.draft("chief");
  draft.admin = true;
  require(f.users().add(draft, f.admin, noon));
  const auto chief = f.who("chief");
  require(f.users().update(chief.user, core::user_draft{}, {}, f.admin, noon));
  CHECK(error_of(f.users().remove(f.admin.user, {}, chief, noon)) == errc::forbidden);
  require(f.users().remove(chief.user, {}, f.admin, noon));
  CHECK(error_of(f.users().add(f.draft("berta"), chief, noon)) == errc::forbidden);
}

TEST_CASE("an update keeps the name and everything that it does not set", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  auto draft = f.draft("anna");
  draft.rights = rights{{pay, group_right::operate}};
  const auto anna = require(f.users().add(draft, f.admin, noon));
  core::user_draft change;
  change.name = "other";
  change.admin = true;
  require(f.users().update(anna, change, {}, f.admin, noon));
  const auto after = require(f.users().read(anna));
  CHECK(after.card.name == "anna");
  CHECK(after.card.admin);
  CHECK(after.card.rights == rights{{pay, group_right::operate}});
  CHECK(after.password_hash == "hash-b");
  CHECK(error_of(f.users().update(core::user_id{99}, change, {}, f.admin, noon)) == errc::not_found);
}

TEST_CASE("an edit based on an outdated version of a user changes nothing", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  const auto seen = core::edit_tag(f.users().read(anna)->card);
  const auto meanwhile = [&](const core::result<void>& outcome) {
    return !outcome && core::is_edited_meanwhile(outcome.error());
  };
  core::user_draft rights;
  rights.rights = {{pay, group_right::viewer}};
  require(f.users().update(anna, rights, seen, f.admin, noon));

  core::user_draft other;
  other.admin = true;
  CHECK(meanwhile(f.users().update(anna, other, seen, f.admin, noon)));
  CHECK(meanwhile(f.users().remove(anna, seen, f.admin, noon)));
  CHECK_FALSE(f.who("anna").admin);
  // Java admins do not know tags.
  const auto finer = core::edit_tag(f.users().read(anna)->card);
  f.db->exec("UPDATE xxl_job_user SET permission = '5' WHERE username = 'anna'");
  CHECK(meanwhile(f.users().update(anna, other, finer, f.admin, noon)));

  // The tag does not depend on the password.
  const auto now = core::edit_tag(f.users().read(anna)->card);
  f.db->exec("UPDATE xxl_job_user SET password = 'hash-z' WHERE username = 'anna'");
  require(f.users().update(anna, other, now, f.admin, noon));
  CHECK(f.who("anna").admin);
  CHECK(meanwhile(f.users().remove(anna, now, f.admin, noon)));
  require(f.users().remove(anna, core::edit_tag(f.users().read(anna)->card), f.admin, noon));
  require(f.users().remove(anna, now, f.admin, noon)); // gone already
}

TEST_CASE("permissions need an existing group, and the last administrator stays one", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  auto draft = f.draft("anna");
  draft.rights = {{pay, group_right::editor}, {core::group_id{99}, group_right::viewer}};
  const auto refused = f.users().add(draft, f.admin, noon);
  REQUIRE(error_of(refused) == errc::invalid_argument);
  CHECK(refused.error().context == "permissions: unknown group 99");
  CHECK(error_of(f.users().find("anna")) == errc::not_found);

  const auto anna = f.add("anna");
  CHECK(error_of(f.users().update(anna, draft, {}, f.admin, noon)) == errc::invalid_argument);
  CHECK(f.who("anna").rights.empty());
  // XXL's form does not check groups.
  draft.keeps_finer = true;
  draft.rights = {{core::group_id{98}, group_right::editor}};
  require(f.users().update(anna, draft, {}, f.admin, noon));
  draft.keeps_finer = false;
  // A permission in a deleted group does no harm.
  f.db->exec("UPDATE xxl_job_user SET permission = '3,99' WHERE username = 'anna'");
  draft.rights = {{pay, group_right::editor}, {stock, group_right::viewer}, {core::group_id{99}, group_right::editor}};
  require(f.users().update(anna, draft, {}, f.admin, noon));

  const auto& local = core::local_operator();
  const auto last = f.users().remove(f.admin.user, {}, local, noon);
  REQUIRE(error_of(last) == errc::conflict);
  CHECK(last.error().context == "user admin is the last administrator: add another one first");
  CHECK(error_of(f.users().update(f.admin.user, core::user_draft{}, {}, local, noon)) == errc::conflict);
  CHECK(f.who("admin").admin);
  draft.admin = true;
  require(f.users().update(anna, draft, {}, local, noon));
  require(f.users().remove(f.admin.user, {}, local, noon));
  CHECK(error_of(f.users().remove(anna, {}, local, noon)) == errc::conflict);
}

TEST_CASE("a list from XXL's form replaces editor permissions and keeps finer ones", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  constexpr core::group_id mail{7};
  auto draft = f.draft("anna");
  draft.rights = rights{{pay, group_right::editor}, {stock, group_right::operate}, {mail, group_right::viewer}};
  const auto anna = require(f.users().add(draft, f.admin, noon));
  require(f.open("d1", anna));
  core::user_draft form;
  form.keeps_finer = true;
  form.rights = rights{{pay, group_right::editor}, {mail, group_right::editor}};
  require(f.users().update(anna, form, {}, f.admin, noon));
  CHECK(require(f.users().read(anna)).card.rights ==
        rights{{pay, group_right::editor}, {stock, group_right::operate}, {mail, group_right::editor}});
  CHECK(f.is_open("d1"));
  form.rights.emplace();
  require(f.users().update(anna, form, {}, f.admin, noon));
  CHECK(require(f.users().read(anna)).card.rights == rights{{stock, group_right::operate}});
  CHECK_FALSE(f.is_open("d1"));
  form.keeps_finer = false;
  require(f.users().update(anna, form, {}, f.admin, noon));
  CHECK(require(f.users().read(anna)).card.rights.empty());
}

TEST_CASE("a value that does not fit its column is refused with the field name", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  auto draft = f.draft("anna");
  for (int i = 0; i < 100; ++i)
    draft.rights->emplace_back(core::group_id{1000 + i}, group_right::editor);
  const auto outcome = f.users().add(draft, f.admin, noon);
  CHECK(verdict(outcome) == refused(errc::invalid_argument, refusal::too_long));
  CHECK(outcome.error().subject == "permission");
  CHECK(verdict(f.users().add(f.draft(std::string(51, 'x')), f.admin, noon))
        == refused(errc::invalid_argument, refusal::too_long));
  CHECK(f.db->value("SELECT COUNT(*) FROM xxl_job_user") == "1");
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit") == "1"); // the row of the first administrator
}

TEST_CASE("removing a user leaves no rows, and may be repeated", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  auto draft = f.draft("anna");
  draft.rights = rights{{pay, group_right::viewer}};
  const auto anna = require(f.users().add(draft, f.admin, noon));
  require(f.open("d1", anna));
  require(f.users().remove(anna, {}, f.admin, noon));
  require(f.users().remove(anna, {}, f.admin, noon));
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_session") == "0");
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_group_right") == "0");
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit WHERE action = 'remove'") == "1");
  CHECK(error_of(f.open("d2", anna)) == errc::not_found);
}

TEST_CASE("users are paged by name and role", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  auto draft = f.draft("Anna");
  draft.rights = rights{{pay, group_right::viewer}};
  require(f.users().add(draft, f.admin, noon));
  f.add("joanna");
  f.add("per_cent");
  const auto names = [&](const core::user_search& search) {
    const auto page = require(f.users().page(search));
    std::string out;
    for (const auto& card : page.rows)
      out += card.name + ' ';
    return out + std::to_string(page.total);
  };
  CHECK(names({"", {}, {0, 10}}) == "admin Anna joanna per_cent 4");
  CHECK(names({"aNN", {}, {0, 10}}) == "Anna joanna 2");
  CHECK(names({"r_c", {}, {0, 10}}) == "per_cent 1");
  CHECK(names({"%", {}, {0, 10}}) == "0");
  CHECK(names({"", true, {0, 10}}) == "admin 1");
  CHECK(names({"a", false, {1, 1}}) == "joanna 2");
  CHECK(require(f.users().page({"anna", {}, {0, 1}})).rows.at(0).rights == rights{{pay, group_right::viewer}});
}
