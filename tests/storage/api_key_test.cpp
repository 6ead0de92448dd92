// API keys.

#include <barrier>
#include <thread>

#include "tests/storage/access_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::errc;
using core::group_right;
using core::refusal;

namespace {

struct key_fixture : access_fixture {
  explicit key_fixture(const test_backend& backend) : access_fixture{backend} {
    anna = add("anna");
    berta = add("berta");
    by_anna = who("anna");
    by_berta = who("berta");
  }

  storage::api_key_store& keys() { return store->api_keys(); }
  core::result<core::api_key_id> make(const std::string& digest, core::user_id user, const core::principal& by,
                                      std::optional<core::time_point> expires = {}) {
    return keys().add({"key " + digest, digest, user, expires}, by, noon);
  }
  /// Returns `id name user_name`, one per key.
  std::string listed(const core::principal& by, const core::api_key_search& search = {}) {
    std::string out;
    for (const auto& each : require(keys().list(search, by)))
      out += (out.empty() ? "" : ", ") + each.name + ' ' + each.user_name;
    return out;
  }
  std::string last_audit() {
    return db->value("SELECT changes FROM rm_audit WHERE object = 'api_key' ORDER BY id DESC LIMIT 1");
  }
  std::string count(const std::string& table = "rm_api_key") { return db->value("SELECT COUNT(*) FROM " + table); }

  core::user_id anna{}, berta{};
  core::principal by_anna, by_berta;
};

} // namespace

TEST_CASE("a key acts as its user, with the user's current permissions", "[storage][access][keys]") {
  key_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto id = require(f.make("d1", f.anna, f.by_anna));
  auto found = require(f.keys().find("d1", noon));
  CHECK(found.id == id);
  CHECK(found.who.user == f.anna);
  CHECK(found.who.name == "anna");
  CHECK_FALSE(found.who.admin);
  CHECK(found.who.rights.empty());
  CHECK(found.who.remote.empty());
  CHECK_FALSE(found.expires);
  CHECK_FALSE(found.used);
  core::user_draft more;
  more.rights = {{pay, group_right::operate}};
  require(f.users().update(f.anna, more, {}, f.admin, noon));
  CHECK(require(f.keys().find("d1", noon)).who.may(group_right::operate, pay));
  more.rights = {};
  more.rights.emplace();
  more.password_hash = "another";
  require(f.users().update(f.anna, more, {}, f.admin, noon));
  CHECK(require(f.keys().find("d1", noon)).who.rights.empty());
  for (const auto* other : {"d", "d11", "D2", "", "%", "d_"})
    CHECK(error_of(f.keys().find(other, noon)) == errc::not_found);
}

TEST_CASE("a key expires at its end", "[storage][access][keys]") {
  key_fixture f{GENERATE(from_range(backends_under_test()))};
  require(f.make("d1", f.anna, f.by_anna, noon + 1h));
  CHECK(require(f.keys().find("d1", noon + 59min)).expires == noon + 1h);
  CHECK(error_of(f.keys().find("d1", noon + 1h)) == errc::not_found);
  CHECK(error_of(f.make("d2", f.anna, f.by_anna, noon)) == errc::invalid_argument);
  CHECK(error_of(f.make("d2", f.anna, f.by_anna, noon - 1h)) == errc::invalid_argument);
  // It is still listed, so that users can see why it no longer works.
  CHECK(f.listed(f.by_anna) == "key d1 anna");
}

TEST_CASE("users see their own keys, administrators those of all users", "[storage][access][keys]") {
  key_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto not_permitted = refused(errc::forbidden, refusal::not_permitted);
  const auto first = require(f.make("d1", f.anna, f.by_anna));
  require(f.make("d2", f.berta, f.admin));
  require(f.make("d3", f.admin.user, core::local_operator()));
  CHECK(verdict(f.make("d4", f.berta, f.by_anna)) == not_permitted);
  CHECK(f.listed(f.by_anna) == "key d1 anna");
  CHECK(f.listed(f.by_berta) == "key d2 berta");
  CHECK(f.listed(f.admin) == "key d1 anna, key d2 berta, key d3 admin");
  CHECK(f.listed(f.admin, {f.berta}) == "key d2 berta");
  CHECK(f.listed(f.admin, {{}, first, 1}) == "key d2 berta");
  CHECK(f.listed(f.by_anna, {{}, first}).empty());
  CHECK(verdict(f.keys().list({f.berta}, f.by_anna)) == not_permitted);
  CHECK(verdict(f.keys().remove(first, f.by_berta, noon)) == not_permitted);
  require(f.keys().remove(first, f.by_anna, noon));
  CHECK(error_of(f.keys().remove(first, f.by_anna, noon)) == errc::not_found);
  CHECK(error_of(f.keys().find("d1", noon)) == errc::not_found);
  CHECK(f.count() == "2");
}

TEST_CASE("a former administrator has the permissions of a normal user", "[storage][access][keys]") {
  key_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto not_permitted = refused(errc::forbidden, refusal::not_permitted);
  auto draft = f.draft("chef");
  draft.admin = true;
  const auto chef = require(f.users().add(draft, f.admin, noon));
  const auto by_chef = f.who("chef");
  const auto of_anna = require(f.make("d1", f.anna, f.by_anna));
  require(f.users().update(chef, f.draft(""), {}, f.admin, noon));
  CHECK(verdict(f.make("d2", f.anna, by_chef)) == not_permitted);
  CHECK(verdict(f.keys().remove(of_anna, by_chef, noon)) == not_permitted);
  CHECK(f.listed(by_chef).empty());
  require(f.make("d3", chef, by_chef));
  require(f.users().remove(chef, {}, f.admin, noon));
  CHECK(verdict(f.make("d4", chef, by_chef)) == not_permitted);
  CHECK(error_of(f.make("d4", chef, f.admin)) == errc::not_found);
}

TEST_CASE("keys are removed with their user, also when another program removes the user", "[storage][access][keys]") {
  key_fixture f{GENERATE(from_range(backends_under_test()))};
  require(f.make("d1", f.anna, f.by_anna));
  require(f.make("d2", f.berta, f.by_berta));
  require(f.make("d3", f.admin.user, f.admin));
  require(f.users().remove(f.anna, {}, f.admin, noon));
  CHECK(f.count() == "2");
  f.db->exec("DELETE FROM xxl_job_user WHERE username = 'berta'");
  CHECK(error_of(f.keys().find("d2", noon)) == errc::not_found);
  CHECK(f.listed(f.admin) == "key d2 , key d3 admin");
  CHECK(require(f.store->maintenance().forget_orphans(100)) >= 1);
  CHECK(f.listed(f.admin) == "key d3 admin");
}

TEST_CASE("a use is recorded at most once a minute", "[storage][access][keys]") {
  key_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto id = require(f.make("d1", f.anna, f.by_anna));
  const auto used = [&] { return require(f.keys().find("d1", noon)).used; };
  require(f.keys().used(id, noon));
  CHECK(used() == noon);
  require(f.keys().used(id, noon + 59s));
  CHECK(used() == noon);
  require(f.keys().used(id, noon + 60s));
  CHECK(used() == noon + 60s);
  require(f.keys().used(id, noon));
  CHECK(used() == noon + 60s);
  require(f.keys().used(core::api_key_id{999}, noon));
  CHECK(f.count() == "1");
}

TEST_CASE("each edit of a key is recorded, without the key", "[storage][access][keys]") {
  key_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto id = require(f.make("digest-1", f.anna, f.admin, noon + 1h));
  auto rows = require(f.store->audits().list({{}, core::audit_object::api_key}, f.admin));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].action == core::audit_action::add);
  CHECK(rows[0].user_name == "admin");
  CHECK(rows[0].remote == "10.0.0.7");
  CHECK(rows[0].object_id == core::number(id));
  CHECK(rows[0].object_name == "key digest-1");
  CHECK(rows[0].changes == "user: \"\" -> \"anna\"\nexpires_ms: \"\" -> \"" + std::to_string(core::to_ms(noon + 1h)) + "\"");
  require(f.keys().remove(id, f.by_anna, noon));
  rows = require(f.store->audits().list({{}, core::audit_object::api_key}, f.admin));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].action == core::audit_action::remove);
  CHECK(rows[0].user_name == "anna");
  // Refused edits are not recorded.
  (void) f.make("d2", f.berta, f.by_anna);
  (void) f.keys().remove(id, f.by_anna, noon);
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit WHERE object = 'api_key'") == "2");
}

TEST_CASE("names and numbers of keys are limited", "[storage][access][keys]") {
  key_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto named = [&](const std::string& name) { return verdict(f.keys().add({name, "n" + name, f.anna}, f.by_anna, noon)); };
  CHECK(named("") == "invalid_argument");
  CHECK(named(" \t") == "invalid_argument");
  CHECK(named("a\nb") == "invalid_argument");
  CHECK(named("a\xff") == "invalid_argument");
  CHECK(named({"a\0b", 3}) == "invalid_argument");
  std::string wide;
  for (int i = 0; i < 64; ++i)
    wide += "键";
  CHECK(verdict(f.keys().add({wide, "w", f.anna}, f.by_anna, noon)) == "ok");
  CHECK(f.listed(f.by_anna) == wide + " anna");
  CHECK(verdict(f.keys().add({wide + "x", "v", f.anna}, f.by_anna, noon)) ==
        refused(errc::invalid_argument, refusal::too_long));
  require(f.make("d1", f.anna, f.by_anna));
  CHECK(error_of(f.make("d1", f.berta, f.by_berta)) == errc::conflict);
  for (std::size_t i = 2; i < core::api_keys_max; ++i)
    require(f.make("many" + std::to_string(i), f.anna, f.by_anna));
  CHECK(error_of(f.make("one more", f.anna, f.by_anna)) == errc::too_large);
  CHECK(f.count() == std::to_string(core::api_keys_max));
  require(f.make("of another", f.berta, f.by_berta));
}

TEST_CASE("a key that is added while its user is removed is gone, too", "[storage][access][keys]") {
  key_fixture f{GENERATE(from_range(backends_under_test()))};
  auto other = f.db->open();
  require(other->ping());
  for (int round = 0; round < 12; ++round) {
    const auto user = f.add("user" + std::to_string(round));
    std::barrier start{2};
    core::result<core::api_key_id> made;
    std::thread second{[&] {
      start.arrive_and_wait();
      made = other->api_keys().add({"k", "race" + std::to_string(round), user}, f.admin, noon);
    }};
    start.arrive_and_wait();
    require(f.users().remove(user, {}, f.admin, noon));
    second.join();
    CHECK(f.count() == "0");
    if (!made)
      CHECK(made.error().code == errc::not_found);
  }
}
