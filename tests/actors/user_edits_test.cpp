// Changes by administrators and users.

#include "core/editing/edit_tag.hpp"
#include "tests/actors/user_admin_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using core::errc;
using core::refusal;

namespace {

struct office : sign_in_fixture {
  protocol::save_user new_user(const std::string& name, const std::string& password) {
    protocol::save_user command;
    command.name = name;
    command.password = password;
    command.rights.emplace();
    command.by = admin;
    return command;
  }
  caf::expected<protocol::saved_user> save(protocol::save_user command) {
    return ask<protocol::saved_user>(actor, std::move(command));
  }
  caf::expected<protocol::audit_list> audit_log(const core::principal& by) {
    protocol::audit_query query;
    query.by = by;
    return ask<protocol::audit_list>(actor, std::move(query));
  }
  core::error change(const core::principal& by, const std::string& old_password, const std::string& password) {
    auto failed = ask_done(actor, protocol::change_password{old_password, password, by});
    return failed ? protocol::to_core(failed) : core::error{core::errc{}, ""};
  }
};

} // namespace

TEST_CASE_METHOD(office, "a new user signs in with the given password", "[actors][access]") {
  auto saved = save(new_user("  anna ", "a long sentence that is a password"));
  REQUIRE(saved);
  CHECK(who("anna").user == saved->id);
  CHECK(is_open(session("anna", "a long sentence that is a password")));
  CHECK(failure(save(new_user("ANNA", "password one"))).why == refusal::user_repeated);
}

TEST_CASE_METHOD(office, "errors about a new user come in XXL's order", "[actors][access]") {
  CHECK(failure(save(new_user(" ", ""))).why == refusal::user_name_empty);
  CHECK(failure(save(new_user("abc", ""))).why == refusal::name_length);
  CHECK(failure(save(new_user(std::string(21, 'x'), ""))).why == refusal::name_length);
  CHECK(failure(save(new_user("anna", " "))).why == refusal::password_empty);
  CHECK(failure(save(new_user("anna", "1234567"))).why == refusal::password_short);
  CHECK(failure(save(new_user("anna", std::string(1025, 'x')))).why == refusal::too_long);
  CHECK(failure(save(new_user("an\nna", "password one"))).code == errc::invalid_argument);
  store.password_form = core::password_form::md5;
  CHECK(failure(save(new_user("anna", std::string(21, 'x')))).why == refusal::name_length);
  CHECK(failure(save(new_user("anna", "abc"))).why == refusal::name_length);
  CHECK(keeper.record->hashes == 0);
  // Twenty characters, not bytes.
  CHECK(save(new_user("äöüß", std::string(20, 'x'))));
}

TEST_CASE_METHOD(office, "only administrators manage users", "[actors][access]") {
  add("anna", "ours:pass");
  auto command = new_user("berta", "password one");
  command.by = who("anna");
  CHECK(failure(save(command)).why == refusal::not_permitted);
  CHECK(failure(ask<protocol::user_page>(actor, protocol::user_query{{}, who("anna")})).why == refusal::not_permitted);
  CHECK(failure(audit_log(who("anna"))).why == refusal::not_permitted);
  const protocol::changes_query of_none{core::job_id{99}, {}, who("anna")};
  CHECK(failure(ask<protocol::audit_list>(actor, of_none)).why == refusal::job_id_illegal);
  CHECK(protocol::to_core(ask_done(actor, protocol::remove_user{admin.user, who("anna")})).why == refusal::not_permitted);
  CHECK(keeper.record->hashes == 0);
  auto page = ask<protocol::user_page>(actor, protocol::user_query{{}, admin});
  REQUIRE(page);
  CHECK(page->page.total == 2);
  auto rows = audit_log(admin);
  REQUIRE(rows);
  CHECK(rows->rows.size() == 2);
}

TEST_CASE_METHOD(office, "no user changes or removes their own account", "[actors][access]") {
  protocol::save_user command;
  command.id = admin.user;
  command.password = "x"; // too short, but that is not the reported error
  command.by = admin;
  CHECK(failure(save(command)).why == refusal::own_account);
  CHECK(protocol::to_core(ask_done(actor, protocol::remove_user{admin.user, admin})).why == refusal::own_account);
}

TEST_CASE_METHOD(office, "an edit without a password keeps it and its sessions, one with another ends them", "[actors][access]") {
  const auto anna = add("anna", "ours:pass");
  const auto token = session("anna", "pass");
  CHECK(is_open(token));
  protocol::save_user command;
  command.id = anna;
  command.admin = true;
  command.by = admin;
  REQUIRE(save(command));
  // The cached session is not used any more.
  CHECK(identify(token)->who.admin);
  command.password = "another word";
  REQUIRE(save(command));
  CHECK_FALSE(is_open(token));
  CHECK(stored("anna") == "ours:another word");
}

TEST_CASE_METHOD(office, "one user is read, and edited and removed as seen", "[actors][access]") {
  const auto anna = add("anna", "ours:pass");
  CHECK(failure(ask<protocol::user_found>(actor, protocol::user_by_id{anna, who("anna")})).why == refusal::not_permitted);
  CHECK(failure(ask<protocol::user_found>(actor, protocol::user_by_id{core::user_id{99}, admin})).code == errc::not_found);
  auto found = ask<protocol::user_found>(actor, protocol::user_by_id{anna, admin});
  REQUIRE(found);
  CHECK(found->user.name == "anna");
  protocol::save_user command;
  command.id = anna;
  command.admin = true;
  command.by = admin;
  command.seen = core::edit_tag(found->user);
  REQUIRE(save(command));
  CHECK(core::is_edited_meanwhile(failure(save(command))));
  CHECK(core::is_edited_meanwhile(protocol::to_core(ask_done(actor, protocol::remove_user{anna, admin, command.seen}))));
  CHECK(who("anna").admin);
}

TEST_CASE_METHOD(office, "a list in XXL's form keeps finer permissions, another one does not", "[actors][access]") {
  using core::group_right;
  protocol::save_user command;
  command.id = add("anna", "ours:pass");
  command.by = admin;
  const auto pay = expect(store.inner().group_editing().add({"payments", "Pay", 0, {}}, core::local_operator(), start));
  const auto mail = expect(store.inner().group_editing().add({"mails", "Mail", 0, {}}, core::local_operator(), start));
  command.rights.emplace({std::pair{pay, group_right::viewer}});
  REQUIRE(save(command));
  command.rights.emplace({std::pair{mail, group_right::editor}});
  command.keeps_finer = true;
  REQUIRE(save(command));
  CHECK(who("anna").rights.size() == 2);
  command.keeps_finer = false;
  REQUIRE(save(command));
  CHECK(who("anna").rights.size() == 1);
}

TEST_CASE_METHOD(office, "a removed user is signed out at once", "[actors][access]") {
  const auto anna = add("anna", "ours:pass");
  const auto token = session("anna", "pass");
  CHECK(is_open(token));
  CHECK_FALSE(ask_done(actor, protocol::remove_user{anna, admin}));
  CHECK_FALSE(is_open(token));
  CHECK(failure(sign_in("anna", "pass")).why == refusal::sign_in_wrong);
}

TEST_CASE_METHOD(office, "a change of a user's own password ends all their sessions", "[actors][access]") {
  const auto token = session("admin", "secret");
  CHECK(is_open(token));
  CHECK(change(admin, "secret", "another one").code == errc{});
  CHECK_FALSE(is_open(token));
  CHECK(stored("admin") == "ours:another one");
}

TEST_CASE_METHOD(office, "errors in a change of a user's own password are reported", "[actors][access]") {
  CHECK(change(admin, " ", "another word").why == refusal::old_password_empty);
  CHECK(change(admin, "secret", "").why == refusal::password_empty);
  CHECK(change(admin, "secret", "1234567").why == refusal::password_short);
  CHECK(change(admin, "guess", "another word").why == refusal::old_password_wrong);
  CHECK(change(admin, "secret", "123456").code == errc::invalid_argument);
  CHECK(change(core::local_operator(), "secret", "another word").code == errc::not_found);
  store.password_form = core::password_form::sha256;
  CHECK(change(admin, "secret", std::string(21, 'x')).why == refusal::name_length);
  CHECK(stored("admin") == "ours:secret");
}

TEST_CASE_METHOD(office, "the old password cannot be found out by trying", "[actors][access]") {
  for (int i = 0; i < 5; ++i)
    CHECK(change(admin, "guess", "another word").why == refusal::old_password_wrong);
  CHECK(change(admin, "secret", "another word").code == errc::too_large);
  advance(1s);
  CHECK(change(admin, "secret", "another word").code == errc{});
}

TEST_CASE_METHOD(office, "after a lost answer, which may hide a change, the cache is not used", "[actors][access]") {
  const auto anna = add("anna", "ours:pass");
  const auto token = session("anna", "pass");
  CHECK(is_open(token));
  auto reads = count_calls("find_session");
  store.once("remove_user", store_fault::away);
  CHECK(ask_done(actor, protocol::remove_user{anna, admin}));
  CHECK(is_open(token));
  CHECK(*reads == 1);
}

TEST_CASE_METHOD(office, "edits run on the worker for edits, and sign-ins and pages do not", "[actors][access]") {
  const auto read = *worker.tasks;
  REQUIRE(save(new_user("anna", "password one")));
  CHECK(*edits.tasks == 1);
  CHECK(change(who("anna"), "password one", "password two") == core::error{core::errc{}, ""});
  CHECK(*edits.tasks == 2);
  REQUIRE(ask<protocol::added_key>(actor, protocol::add_key{"ci", std::nullopt, std::nullopt, who("anna")}));
  CHECK(*edits.tasks == 3);
  CHECK(is_open(session("anna", "password two")));
  CHECK(*edits.tasks == 3);
  CHECK(*worker.tasks > read);
}
