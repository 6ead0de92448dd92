// Passwords and sessions.

#include "tests/storage/access_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::errc;
using core::group_right;

TEST_CASE("a user's own password is changed only if the stored one is as expected", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  const auto by = f.who("anna");
  CHECK(error_of(f.users().set_password(anna, "hash-x", "hash-c", false, by, noon)) == errc::conflict);
  require(f.open("d1", anna));
  require(f.users().set_password(anna, "hash-b", "hash-c", false, by, noon));
  CHECK(require(f.users().find("anna")).password_hash == "hash-c");
  CHECK_FALSE(f.is_open("d1"));
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit WHERE action = 'password'") == "1");
}

TEST_CASE("storing the same password in another form ends no session", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  require(f.open("d1", anna));
  require(f.users().set_password(anna, "hash-b", "hash-better", true, f.who("anna"), noon));
  CHECK(f.is_open("d1"));
  CHECK(require(f.users().find("anna")).password_hash == "hash-better");
}

TEST_CASE("a better form of a password does not revive sessions of an earlier password", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  require(f.open("d1", anna));
  f.db->exec("UPDATE xxl_job_user SET password = 'hash-c' WHERE username = 'anna'"); // a Java admin
  CHECK_FALSE(f.is_open("d1"));
  require(f.open("d2", anna, "hash-c"));
  require(f.users().set_password(anna, "hash-c", "hash-better", true, f.who("anna"), noon));
  CHECK_FALSE(f.is_open("d1"));
  CHECK(f.is_open("d2"));
}

TEST_CASE("a session returns its user until it expires", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  require(f.open("d1", anna));
  auto found = require(f.sessions().find("d1", noon + 59min));
  CHECK(found.who.user == anna);
  CHECK(found.who.name == "anna");
  CHECK_FALSE(found.who.admin);
  CHECK_FALSE(found.known_password);
  CHECK(found.expires == noon + 1h);
  CHECK(found.lifetime == 1h);
  CHECK_FALSE(f.is_open("d1", noon + 1h));
  CHECK_FALSE(f.is_open("D1"));
  CHECK_FALSE(f.is_open(""));

  require(f.sessions().prolong("d1", noon + 90min));
  require(f.sessions().prolong("d1", noon + 70min)); // a later end stays
  found = require(f.sessions().find("d1", noon + 89min));
  CHECK(found.expires == noon + 90min);
  CHECK(found.lifetime == 1h);
  require(f.sessions().prolong("gone", noon + 90min));

  require(f.sessions().close("d1"));
  require(f.sessions().close("d1"));
  CHECK_FALSE(f.is_open("d1"));
}

TEST_CASE("a session has the user's current permissions and depends on the password", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = require(f.users().add(f.draft("anna", "e10adc3949ba59abbe56e057f20f883e"), f.admin, noon));
  require(f.open("d1", anna, "e10adc3949ba59abbe56e057f20f883e"));
  CHECK(require(f.sessions().find("d1", noon)).known_password);
  core::user_draft more;
  more.rights = rights{{pay, group_right::operate}};
  require(f.users().update(anna, more, {}, f.admin, noon));
  CHECK(require(f.sessions().find("d1", noon)).who.rights == rights{{pay, group_right::operate}});
}

TEST_CASE("a new password or fewer permissions end a user's sessions, more permissions do not", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  const auto berta = f.add("berta");
  require(f.open("other", berta));
  const auto ends = [&](const core::user_draft& draft, const std::string& hash) {
    require(f.open("d", anna, hash));
    require(f.users().update(anna, draft, {}, f.admin, noon));
    const bool open = f.is_open("d");
    require(f.sessions().close("d"));
    return !open;
  };
  core::user_draft draft;
  draft.rights = rights{{pay, group_right::operate}};
  CHECK_FALSE(ends(draft, "hash-b"));
  draft.rights = rights{{pay, group_right::viewer}};
  CHECK(ends(draft, "hash-b"));
  draft.rights = rights{{pay, group_right::editor}, {stock, group_right::viewer}};
  CHECK_FALSE(ends(draft, "hash-b"));
  draft.admin = true;
  CHECK_FALSE(ends(draft, "hash-b"));
  draft.admin = false;
  CHECK(ends(draft, "hash-b"));
  draft.password_hash = "hash-b"; // unchanged
  CHECK_FALSE(ends(draft, "hash-b"));
  draft.password_hash = "hash-c";
  CHECK(ends(draft, "hash-b"));
  CHECK(f.is_open("other"));
}

TEST_CASE("a password changed by another program ends the session", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  require(f.open("d1", anna));
  f.db->exec("UPDATE xxl_job_user SET password = 'by-java' WHERE username = 'anna'");
  CHECK_FALSE(f.is_open("d1"));
  CHECK(error_of(f.open("d2", anna, "hash-b")) == errc::conflict);
  f.db->exec("DELETE FROM xxl_job_user WHERE username = 'anna'");
  CHECK_FALSE(f.is_open("d1"));
}

TEST_CASE("all sessions of a user are ended by the user or an administrator", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  f.add("berta");
  require(f.open("d1", anna));
  require(f.open("d2", anna));
  CHECK(error_of(f.sessions().close_all(anna, f.who("berta"), noon)) == errc::forbidden);
  CHECK(require(f.sessions().close_all(anna, f.who("anna"), noon)) == 2);
  require(f.open("d3", anna));
  CHECK(require(f.sessions().close_all(anna, f.admin, noon)) == 1);
  CHECK(require(f.sessions().close_all(anna, f.admin, noon)) == 0);
}

TEST_CASE("expired sessions are removed with the next sign-in", "[storage][access]") {
  access_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  require(f.open("old", anna));
  require(f.open("new", anna, "hash-b", noon + 30min));
  require(f.open("newest", anna, "hash-b", noon + 1h));
  CHECK(f.rows_of_sessions() == "new newest");
}

TEST_CASE("passwords are stored in the form that the readers of the rows need", "[storage][access]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  access_fixture f{backend};
  const auto form = require(f.users().password_form());
  if (backend.generation == 0)
    CHECK(form == core::password_form::argon2id);
  else
    CHECK(form == (backend.generation < 6 ? core::password_form::md5 : core::password_form::sha256));
  if (backend.generation == 0 && backend.name != "sqlite") {
    f.db->exec("UPDATE rm_mode SET mode = 'shared'");
    CHECK(require(f.users().password_form()) == core::password_form::sha256);
    f.db->exec("ALTER TABLE xxl_job_user MODIFY password varchar(50) NOT NULL");
    f.db->exec("UPDATE rm_mode SET mode = 'native'");
    CHECK(require(f.db->open()->users().password_form()) == core::password_form::md5);
  }
}

TEST_CASE("a new password ends the sign-in that Java admins keep in the row", "[storage][access]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  if (backend.name == "sqlite" || (backend.generation != 0 && backend.generation < 6))
    return;
  access_fixture f{backend};
  const auto anna = f.add("anna");
  f.db->exec("UPDATE xxl_job_user SET token = 'f00d'");
  require(f.users().set_password(anna, "hash-b", "hash-c", false, f.who("anna"), noon));
  CHECK(f.db->value("SELECT token FROM xxl_job_user WHERE username = 'anna'").empty());
  CHECK(f.db->value("SELECT token FROM xxl_job_user WHERE username = 'admin'") == "f00d");
}
