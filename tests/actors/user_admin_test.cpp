// Signing in and out, and the users of sessions.

#include "tests/actors/user_admin_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using core::errc;
using core::refusal;

namespace {

struct unguarded_fixture : sign_in_fixture {
  unguarded_fixture() : sign_in_fixture{[] {
    config::security_settings settings;
    settings.allow_known_passwords = true;
    return settings;
  }()} {}
};

} // namespace

TEST_CASE_METHOD(sign_in_fixture, "a sign-in returns a session and its user", "[actors][access]") {
  auto answer = sign_in("ADMIN", "secret");
  REQUIRE(answer);
  CHECK(answer->session == "token-1");
  CHECK(answer->who.name == "admin");
  CHECK(answer->who.admin);
  CHECK(answer->who.remote == "10.0.0.7");
  CHECK_FALSE(answer->must_change_password);
  auto found = identify(answer->session);
  REQUIRE(found);
  CHECK(found->who.user == admin.user);
  CHECK_FALSE(found->must_change_password);
  // The stored digest opens nothing.
  CHECK_FALSE(is_open("digest of token-1"));
  CHECK_FALSE(is_open(""));
  CHECK_FALSE(is_open(std::string(10'000, 'x')));
}

TEST_CASE_METHOD(sign_in_fixture, "a wrong password and an unknown name get the same refusal", "[actors][access]") {
  auto wrong = failure(sign_in("admin", "guess"));
  auto unknown = failure(sign_in("stranger", "guess"));
  CHECK(wrong.why == refusal::sign_in_wrong);
  CHECK(wrong == unknown);
  // Both were checked, the unknown one against nothing.
  REQUIRE(keeper.record->checks.size() == 2);
  CHECK(keeper.record->checks[0].stored == "ours:secret");
  CHECK(keeper.record->checks[1].stored.empty());
  CHECK(failure(sign_in("", "x")).why == refusal::sign_in_empty);
  CHECK(failure(sign_in("admin", " ")).why == refusal::sign_in_empty);
  CHECK(failure(sign_in("admin", std::string(2000, 'x'))).why == refusal::sign_in_wrong);
  CHECK(keeper.record->checks.size() == 2);
}

TEST_CASE_METHOD(sign_in_fixture, "after five failures there is a wait, per name and address, that doubles", "[actors][access]") {
  for (int i = 0; i < 5; ++i)
    CHECK(failure(sign_in("admin", "guess")).code == errc::invalid_argument);
  auto held_up = failure(sign_in("admin", "secret"));
  CHECK(held_up.code == errc::too_large);
  CHECK(held_up.subject == "1");
  CHECK(sign_in("admin", "secret", false, "10.0.0.8")); // from elsewhere
  advance(1s);
  CHECK(failure(sign_in("admin", "guess")).code == errc::invalid_argument);
  CHECK(failure(sign_in("admin", "secret")).subject == "2");
  advance(2s);
  CHECK(sign_in("admin", "secret"));
  // Counting begins again.
  CHECK(failure(sign_in("admin", "guess")).code == errc::invalid_argument);
  CHECK(sign_in("admin", "secret"));
}

TEST_CASE_METHOD(sign_in_fixture, "concurrent guesses are limited like consecutive ones", "[actors][access]") {
  keeper.record->delay = 100ms;
  std::vector<std::shared_ptr<std::optional<caf::expected<protocol::signed_in>>>> answers;
  for (int i = 0; i < 20; ++i)
    answers.push_back(later<protocol::signed_in>(actor, protocol::sign_in{"admin", "guess", false, "10.0.0.7"}));
  run();
  advance(100ms);
  CHECK(keeper.record->checks.size() == 5);
  for (const auto& answer : answers)
    REQUIRE((*answer && !**answer));
  // A successful sign-in takes its attempts back, so the user may go on.
  keeper.record->delay = 0ms;
  advance(15min);
  for (int i = 0; i < 30; ++i)
    CHECK(sign_in("admin", "secret"));
}

TEST_CASE_METHOD(sign_in_fixture, "a name with surrounding blanks is unknown, and counts as the name", "[actors][access]") {
  for (const auto* name : {"admin ", " admin", "admin\t", "ADMIN  ", "admin\n"})
    CHECK(failure(sign_in(name, "secret")).why == refusal::sign_in_wrong);
  CHECK(keeper.record->checks.empty());
  CHECK(failure(sign_in("admin", "secret")).code == errc::too_large);
  CHECK(failure(sign_in("Admin", "secret", false, "::ffff:10.0.0.7")).code == errc::too_large);
}

TEST_CASE_METHOD(sign_in_fixture, "an unavailable store or keeper is not a failure of the user", "[actors][access]") {
  store.go_away();
  for (int i = 0; i < 10; ++i)
    CHECK(failure(sign_in("admin", "secret")).code == errc::unavailable);
  CHECK(failure(identify("token-1")).code == errc::unavailable);
  store.come_back();
  CHECK(sign_in("admin", "secret"));
}

TEST_CASE_METHOD(sign_in_fixture, "sign-ins beyond the limit are put off", "[actors][access]") {
  keeper.record->delay = 100ms;
  std::vector<std::shared_ptr<std::optional<caf::expected<protocol::signed_in>>>> answers;
  for (std::size_t i = 0; i < actors::user_admin_state::attempts_max; ++i)
    answers.push_back(
      later<protocol::signed_in>(actor, protocol::sign_in{"admin", "secret", false, "10.0.1." + std::to_string(i)}));
  run();
  CHECK(failure(sign_in("admin", "secret")).code == errc::too_large);
  keeper.record->delay = 0ms;
  advance(100ms);
  for (const auto& answer : answers) {
    REQUIRE(*answer);
    CHECK(**answer);
  }
  CHECK(sign_in("admin", "secret"));
}

TEST_CASE_METHOD(sign_in_fixture, "XXL's form of a password is replaced by Ringmaster's at the first sign-in",
                 "[actors][access]") {
  add("anna", "java:pass");
  const auto first = session("anna", "pass");
  CHECK(stored("anna") == "ours:pass");
  CHECK(is_open(first));
  const auto second = session("anna", "pass");
  CHECK(is_open(first));
  CHECK(is_open(second));
}

TEST_CASE_METHOD(sign_in_fixture, "two concurrent first sign-ins both succeed, whichever writes the better form",
                 "[actors][access]") {
  add("anna", "java:pass");
  keeper.record->delay = 100ms;
  auto a = later<protocol::signed_in>(actor, protocol::sign_in{"anna", "pass", false, ""});
  auto b = later<protocol::signed_in>(actor, protocol::sign_in{"anna", "pass", false, ""});
  run();
  keeper.record->delay = 0ms;
  advance(100ms);
  REQUIRE((*a && **a && *b && **b));
  CHECK(is_open((**a)->session));
  CHECK(is_open((**b)->session));
}

TEST_CASE_METHOD(sign_in_fixture, "a password that changes during a sign-in with the old one opens no session",
                 "[actors][access]") {
  keeper.record->delay = 100ms;
  auto late = later<protocol::signed_in>(actor, protocol::sign_in{"admin", "secret", false, ""});
  run();
  keeper.record->delay = 0ms;
  expect(store.inner().users().set_password(admin.user, "ours:secret", "ours:other", false, admin, civil()));
  advance(100ms);
  REQUIRE(*late);
  CHECK(failure(**late).why == refusal::sign_in_wrong);
}

TEST_CASE_METHOD(sign_in_fixture, "a password stays in XXL's form where Java admins read the rows", "[actors][access]") {
  store.password_form = core::password_form::sha256;
  add("anna", "java:pass");
  CHECK(is_open(session("anna", "pass")));
  CHECK(stored("anna") == "java:pass");
}

TEST_CASE_METHOD(sign_in_fixture, "a user with a well-known password must choose another one", "[actors][access]") {
  add("anna", known_hash);
  auto answer = sign_in("anna", "123456");
  REQUIRE(answer);
  CHECK(answer->must_change_password);
  CHECK(identify(answer->session)->must_change_password);
  CHECK(identify(answer->session)->must_change_password); // from the cache, too
  CHECK(stored("anna") == known_hash);
}

TEST_CASE_METHOD(unguarded_fixture, "a well-known password is accepted if configured for tests", "[actors][access]") {
  add("anna", known_hash);
  auto answer = sign_in("anna", "123456");
  REQUIRE(answer);
  CHECK_FALSE(answer->must_change_password);
  CHECK_FALSE(identify(answer->session)->must_change_password);
}

// -- sessions --------------------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(sign_in_fixture, "a session in use is extended, an unused one ends", "[actors][access]") {
  const auto used = session("admin", "secret");
  const auto unused = session("admin", "secret");
  const auto remembered = session("admin", "secret", true);
  for (int i = 0; i < 5; ++i) {
    advance(11h);
    CHECK(is_open(used));
  }
  CHECK_FALSE(is_open(unused));
  CHECK(is_open(remembered));
  advance(12h);
  CHECK_FALSE(is_open(used));
  advance(24h * 27);
  CHECK(is_open(remembered));
  advance(24h * 30);
  CHECK_FALSE(is_open(remembered));
}

namespace {

struct short_sessions : sign_in_fixture {
  static config::security_settings settings() {
    config::security_settings made;
    made.session_max_age = 20h;
    return made;
  }
  short_sessions() : sign_in_fixture{settings()} {}
};

} // namespace

TEST_CASE_METHOD(short_sessions, "a session has a maximum age, however much it is used", "[actors][access]") {
  const auto answer = sign_in("admin", "secret", true);
  REQUIRE(answer);
  CHECK(answer->max_age == 20h);
  const auto used = session("admin", "secret");
  for (int i = 0; i < 39; ++i) {
    advance(30min);
    CHECK(is_open(answer->session));
    CHECK(is_open(used));
  }
  advance(29min);
  CHECK(is_open(used));
  advance(1min);
  CHECK_FALSE(is_open(answer->session));
  CHECK_FALSE(is_open(used));
}

TEST_CASE_METHOD(short_sessions, "a session from before the setting ends, too", "[actors][access]") {
  const auto opened = civil();
  expect(store.inner().sessions().open({"digest of old", admin.user, opened, opened + 100h, ""}, "ours:secret", admin, opened));
  CHECK(is_open("old"));
  advance(20h);
  CHECK_FALSE(is_open("old"));
}

TEST_CASE_METHOD(sign_in_fixture, "the use of a session is written at most once a minute", "[actors][access]") {
  const auto token = session("admin", "secret");
  auto writes = count_calls("prolong_session");
  advance(59s);
  CHECK(is_open(token));
  CHECK(*writes == 0);
  advance(2s);
  CHECK(is_open(token));
  CHECK(*writes == 1);
  for (int i = 0; i < 29; ++i) {
    advance(2s);
    CHECK(is_open(token));
  }
  CHECK(*writes == 1);
  advance(3s);
  CHECK(is_open(token));
  CHECK(*writes == 2);
}

TEST_CASE_METHOD(sign_in_fixture, "a found session is cached for a second", "[actors][access]") {
  const auto token = session("admin", "secret");
  auto reads = count_calls("find_session");
  for (int i = 0; i < 10; ++i)
    CHECK(is_open(token));
  CHECK(*reads == 1);
  advance(1s);
  CHECK(is_open(token));
  CHECK(*reads == 2);
  // Another node ends it.
  expect(store.inner().sessions().close("digest of " + token));
  advance(1s);
  CHECK_FALSE(is_open(token));
}

TEST_CASE_METHOD(sign_in_fixture, "signing out ends the session at once, and again", "[actors][access]") {
  const auto token = session("admin", "secret");
  CHECK(is_open(token));
  CHECK_FALSE(ask_done(actor, protocol::sign_out{token}));
  CHECK_FALSE(is_open(token));
  CHECK_FALSE(ask_done(actor, protocol::sign_out{token}));
  CHECK_FALSE(ask_done(actor, protocol::sign_out{""}));
}

TEST_CASE_METHOD(sign_in_fixture, "an earlier answer of the store is not cached after a sign-out", "[actors][access]") {
  const auto token = session("admin", "secret");
  // Asked before the sign-out, answered after it.
  auto asked = later<protocol::identified>(actor, protocol::identify{token});
  auto out = later<caf::unit_t>(actor, protocol::sign_out{token});
  run();
  CHECK_FALSE(is_open(token));
}

TEST_CASE_METHOD(sign_in_fixture, "many sessions take no more room than the limit", "[actors][access]") {
  // Each is cached when it is found; the fixture creates any number of tokens.
  const auto first = session("admin", "secret");
  const auto opened = civil();
  for (std::size_t i = 0; i < 50; ++i)
    expect(store.inner().sessions().open({"digest of t" + std::to_string(i), admin.user, opened, opened + 1h, ""}, "ours:secret",
                                         admin, opened));
  for (std::size_t i = 0; i < 50; ++i)
    CHECK(is_open("t" + std::to_string(i)));
  CHECK(is_open(first));
}

TEST_CASE_METHOD(sign_in_fixture, "signing out of an unknown session writes nothing and keeps the cache", "[actors][access]") {
  const auto token = session("admin", "secret");
  REQUIRE(is_open(token));
  const auto closes = count_calls("close");
  CHECK_FALSE(ask_done(actor, protocol::sign_out{"made-up"}));
  CHECK(*closes == 0);
  const auto looks = count_calls("find");
  CHECK(is_open(token)); // from memory
  CHECK(*looks == 0);
}

TEST_CASE_METHOD(sign_in_fixture, "unknown sessions of one address wait, sessions known before do not", "[actors][access]") {
  const auto token = session("admin", "secret");
  const auto look = [this](const std::string& session, const std::string& remote) {
    auto answer = ask<protocol::identified>(actor, protocol::identify{session, remote});
    return answer ? core::errc{} : protocol::to_core(answer.error()).code;
  };
  for (std::size_t i = 0; i < core::failure_rate_limiter::a_minute_max; ++i)
    REQUIRE(look("made-up-" + std::to_string(i), "10.0.0.7") == core::errc::not_found);
  const auto looks = count_calls("find");
  CHECK(look("made-up", "10.0.0.7") == core::errc::too_large);
  CHECK(*looks == 0);
  CHECK(look("made-up", "10.0.0.8") == core::errc::not_found);
  CHECK(look(token, "10.0.0.7") == core::errc{});
  advance(2s); // no longer in memory, but known
  CHECK(look(token, "10.0.0.7") == core::errc{});
  advance(60s);
  CHECK(look("made-up", "10.0.0.7") == core::errc::not_found);
}

// -- sessions by their id --------------------------------------------------------------------------------------------------

namespace {

/// Digests of hexadecimal digits, as real ones, that differ in their first digits.
struct hex_sessions : sign_in_fixture {
  static std::string hex_of(std::string_view token) {
    std::string out;
    for (auto each = token.rbegin(); each != token.rend(); ++each)
      for (const auto half : {static_cast<unsigned char>(*each) / 16, static_cast<unsigned char>(*each) % 16})
        out += "0123456789abcdef"[half];
    out.resize(64, '0');
    return out;
  }
  static core::session_id id_of(const std::string& token) { return core::session_id_of(hex_of(token)); }

  hex_sessions() : sign_in_fixture{{}, hex_of} {}
};

} // namespace

TEST_CASE_METHOD(hex_sessions, "sessions are listed, with that of the request", "[actors][access]") {
  const auto first = session("admin", "secret");
  const auto second = session("admin", "secret");
  const auto listed = ask<protocol::session_page>(actor, protocol::session_query{{}, first, admin});
  REQUIRE(listed);
  CHECK(listed->current == id_of(first));
  CHECK(listed->page.total == 2);
  CHECK(id_of(first) != id_of(second));
  CHECK_FALSE(ask<protocol::session_page>(actor, protocol::session_query{{}, "", admin})->current);
}

TEST_CASE_METHOD(hex_sessions, "a session that is ended by its id is invalid at once, others stay", "[actors][access]") {
  const auto token = session("admin", "secret");
  const auto other = session("admin", "secret");
  CHECK(is_open(token));
  CHECK(is_open(other));
  CHECK_FALSE(ask_done(actor, protocol::end_session{id_of(token), admin}));
  CHECK_FALSE(is_open(token));
  CHECK(is_open(other));
  CHECK(protocol::to_core(ask_done(actor, protocol::end_session{id_of(token), admin})).code == errc::not_found);
}

TEST_CASE_METHOD(hex_sessions, "an earlier answer of the store is not cached after the end of a session", "[actors][access]") {
  const auto token = session("admin", "secret");
  auto asked = later<protocol::identified>(actor, protocol::identify{token});
  auto ended = later<caf::unit_t>(actor, protocol::end_session{id_of(token), admin});
  run();
  CHECK_FALSE(is_open(token));
}

// -- the end of a session --------------------------------------------------------------------------------------------------

TEST_CASE_METHOD(sign_in_fixture, "a session knows its end, and a use that extends it moves the end", "[actors][access]") {
  const auto answer = sign_in("admin", "secret");
  REQUIRE(answer);
  const auto end = civil() + 12h;
  CHECK(answer->expires == end);
  advance(30s);
  CHECK(identify(answer->session)->expires == end);
  advance(1min);
  CHECK(identify(answer->session)->expires == civil() + 12h);
}

TEST_CASE_METHOD(short_sessions, "the end of a session is at its maximum age at the latest", "[actors][access]") {
  const auto end = civil() + 20h;
  const auto answer = sign_in("admin", "secret", true);
  REQUIRE(answer);
  CHECK(answer->expires == end);
  const auto opened = civil();
  expect(store.inner().sessions().open({"digest of old", admin.user, opened, opened + 100h, ""}, "ours:secret", admin, opened));
  CHECK(identify("old")->expires == end);
  advance(19h);
  CHECK(identify(answer->session)->expires == end);
}
