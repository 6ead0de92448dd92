// API keys: their owners, the time for which these are cached, and the limit of failures.

#include "tests/actors/user_admin_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using core::errc;

namespace {

struct key_fixture : sign_in_fixture {
  key_fixture() {
    tokens_made = std::make_shared<int>(0);
    anna = add("anna", "ours:pass");
    by_anna = who("anna");
  }

  /// Creates a key as programs have it, stored by its digest.
  std::string make(core::user_id user, std::optional<core::time_point> expires = {}) {
    auto key = key_text(++*tokens_made);
    expect(store.inner().api_keys().add({"ci", "digest of " + key, user, expires}, core::local_operator(), civil()));
    return key;
  }
  static std::string key_text(int number) {
    auto digits = std::to_string(number);
    return "rmk_" + std::string(43 - digits.size(), 'k') + digits;
  }
  caf::expected<protocol::identified> show(const std::string& key, const std::string& remote = "10.0.0.9") {
    return ask<protocol::identified>(actor, protocol::identify_key{key, remote});
  }
  core::api_key_id id_of(const std::string& key) {
    return expect(store.inner().api_keys().find("digest of " + key, civil())).id;
  }

  std::shared_ptr<int> tokens_made;
  core::user_id anna{};
  core::principal by_anna;
};

} // namespace

TEST_CASE_METHOD(key_fixture, "a key acts as its user", "[actors][keys]") {
  const auto found = show(make(anna));
  REQUIRE(found);
  CHECK(found->who.name == "anna");
  CHECK(found->who.user == anna);
  CHECK_FALSE(found->must_change_password);
}

TEST_CASE_METHOD(key_fixture, "an invalid key is refused without asking the store", "[actors][keys]") {
  const auto looks = count_calls("find_api_key");
  for (const std::string odd : {"", "rmk_", "rmk_short", "RMK_kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
                                "rmk_kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
                                "rmk_kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk+",
                                "rmk_kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\n"})
    CHECK(failure(show(odd)).code == errc::not_found);
  CHECK(failure(show("rmk_" + std::string(100'000, 'k'))).code == errc::not_found);
  CHECK(*looks == 0);
}

TEST_CASE_METHOD(key_fixture, "a found key is cached for a second", "[actors][keys]") {
  const auto key = make(anna);
  const auto looks = count_calls("find_api_key");
  for (int i = 0; i < 50; ++i)
    CHECK(show(key));
  CHECK(*looks == 1);
  expect(store.inner().api_keys().remove(id_of(key), admin, civil()));
  advance(999ms);
  CHECK(show(key));
  advance(1ms);
  CHECK(failure(show(key)).code == errc::not_found);
  CHECK(*looks == 2);
}

TEST_CASE_METHOD(key_fixture, "a key expires at its end, not a second later", "[actors][keys]") {
  const auto key = make(anna, civil() + 300ms);
  CHECK(show(key));
  advance(299ms);
  CHECK(show(key));
  advance(1ms);
  CHECK(failure(show(key)).code == errc::not_found);
}

TEST_CASE_METHOD(key_fixture, "a key that is removed here is invalid at once", "[actors][keys]") {
  const auto key = make(anna);
  CHECK(show(key));
  CHECK_FALSE(ask_done(actor, protocol::remove_key{id_of(key), by_anna}));
  CHECK(failure(show(key)).code == errc::not_found);
  const auto other = make(anna);
  CHECK(show(other));
  CHECK_FALSE(ask_done(actor, protocol::remove_user{anna, admin}));
  CHECK(failure(show(other)).code == errc::not_found);
}

TEST_CASE_METHOD(key_fixture, "permissions that change here count at once", "[actors][keys]") {
  const auto key = make(anna);
  REQUIRE(show(key));
  protocol::save_user more{anna, "", "", true, {}, admin};
  REQUIRE(ask<protocol::saved_user>(actor, std::move(more)));
  CHECK(show(key)->who.admin);
}

TEST_CASE_METHOD(key_fixture, "an answer from before a removal is not cached", "[actors][keys]") {
  const auto key = make(anna);
  auto late = later<protocol::identified>(actor, protocol::identify_key{key, "10.0.0.9"});
  auto gone = later<caf::unit_t>(actor, protocol::remove_key{id_of(key), by_anna});
  run();
  REQUIRE((*late && **late && *gone && **gone));
  CHECK(failure(show(key)).code == errc::not_found);
}

TEST_CASE_METHOD(key_fixture, "a use is written at most once a minute", "[actors][keys]") {
  const auto key = make(anna);
  const auto writes = count_calls("api_key_used");
  const auto first = civil();
  for (int i = 0; i < 59; ++i) {
    CHECK(show(key));
    advance(1s);
  }
  CHECK(*writes == 1);
  CHECK(expect(store.inner().api_keys().list({}, admin)).at(0).used == first);
  advance(1s);
  CHECK(show(key));
  CHECK(*writes == 2);
}

TEST_CASE_METHOD(key_fixture, "a use that cannot be written does not refuse the key", "[actors][keys]") {
  const auto key = make(anna);
  store.once("api_key_used", store_fault::away);
  CHECK(show(key));
}

TEST_CASE_METHOD(key_fixture, "wrong keys of one address wait, keys known before do not", "[actors][keys]") {
  const auto good = make(anna);
  const auto fresh = make(anna);
  CHECK(show(good));
  for (std::size_t i = 0; i < core::login_rate_limiter::failures_of_remote; ++i)
    CHECK(failure(show(key_text(1000 + static_cast<int>(i)))).code == errc::not_found);
  const auto looks = count_calls("find_api_key");
  const auto held = failure(show(key_text(2000)));
  CHECK(held.code == errc::too_large);
  CHECK(held.subject == "1");
  CHECK(failure(show(fresh)).code == errc::too_large);
  CHECK(*looks == 0);
  CHECK(show(good));
  // Other addresses, and users at this one, are not delayed.
  CHECK(show(fresh, "10.0.0.10"));
  CHECK(sign_in("admin", "secret", false, "10.0.0.9"));
  advance(1s);
  CHECK(show(good));
  CHECK(failure(show(key_text(2001))).code == errc::not_found);
  CHECK(failure(show(key_text(2002))).subject == "2");
}

TEST_CASE_METHOD(key_fixture, "only a wrong key that is repeated is delayed", "[actors][keys]") {
  const auto fresh = make(anna);
  for (std::size_t i = 0; i < core::login_rate_limiter::failures_of_name; ++i)
    CHECK(failure(show(key_text(1000))).code == errc::not_found);
  CHECK(failure(show(key_text(1000))).code == errc::too_large);
  CHECK(show(fresh));
}

TEST_CASE_METHOD(key_fixture, "an unavailable store does not count as a wrong key", "[actors][keys]") {
  const auto key = make(anna);
  store.go_away();
  for (int i = 0; i < 30; ++i)
    CHECK(failure(show(key)).code == errc::unavailable);
  store.come_back();
  CHECK(show(key));
}

TEST_CASE_METHOD(key_fixture, "a user creates a key for themselves, sees it once, and it is stored as a digest",
                 "[actors][keys]") {
  const auto made = ask<protocol::added_key>(actor, protocol::add_key{" ci ", {}, civil() + 1h, by_anna});
  REQUIRE(made);
  CHECK(made->key == "rmk_token-1");
  const auto rows = ask<protocol::key_list>(actor, protocol::key_query{{}, by_anna});
  REQUIRE(rows);
  REQUIRE(rows->rows.size() == 1);
  CHECK(rows->rows[0].id == made->id);
  CHECK(rows->rows[0].name == "ci");
  CHECK(rows->rows[0].user == anna);
  CHECK(rows->rows[0].expires == civil() + 1h);
  CHECK(expect(store.inner().api_keys().find("digest of rmk_token-1", civil())).who.name == "anna");
  CHECK(failure(ask<protocol::added_key>(actor, protocol::add_key{"x", admin.user, {}, by_anna})).code == errc::forbidden);
  CHECK(failure(ask<protocol::added_key>(actor, protocol::add_key{"", {}, {}, by_anna})).code == errc::invalid_argument);
  CHECK(ask<protocol::added_key>(actor, protocol::add_key{"x", anna, {}, admin}));
  CHECK(protocol::to_core(ask_done(actor, protocol::remove_key{core::api_key_id{99}, admin})).code == errc::not_found);
}
