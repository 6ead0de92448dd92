#include "tests/support/catch.hpp"

#include <string>

#include "tests/actors/user_admin_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using core::errc;

namespace {

struct demo_link : sign_in_fixture {
  explicit demo_link(const std::string& user = "admin")
    : sign_in_fixture{{}, words_of, actors::one_time_link{"digest of link", user, 10min}} {}

  caf::expected<protocol::signed_in> use(const std::string& token, const std::string& remote = "10.0.0.7") {
    return ask<protocol::signed_in>(actor, protocol::one_time_sign_in{token, remote});
  }
  bool is_refused(const std::string& token) { return failure(use(token)).why == core::refusal::sign_in_wrong; }
};

struct demo_link_of_stranger : demo_link {
  demo_link_of_stranger() : demo_link{"stranger"} {}
};

} // namespace

TEST_CASE_METHOD(demo_link, "a one-time link signs its user in once, and the audit log says so", "[actors][access]") {
  const auto answer = use("link");
  REQUIRE(answer);
  CHECK(answer->who.name == "admin");
  CHECK_FALSE(answer->must_change_password);
  CHECK(is_open(answer->session));
  CHECK(is_refused("link"));
  const auto rows = expect(store.inner().audits().list({}, admin));
  REQUIRE_FALSE(rows.empty());
  CHECK(rows.front().action == core::audit_action::sign_in);
  CHECK(rows.front().remote == "10.0.0.7");
  CHECK(rows.front().changes == "one-time link: used");
}

TEST_CASE_METHOD(demo_link, "of two simultaneous uses of a link one signs in", "[actors][access]") {
  auto first = later<protocol::signed_in>(actor, protocol::one_time_sign_in{"link", "10.0.0.7"});
  auto second = later<protocol::signed_in>(actor, protocol::one_time_sign_in{"link", "10.0.0.8"});
  run();
  CHECK(expect(store.inner().sessions().page({{}, 720h}, admin, civil())).total == 1);
}

TEST_CASE_METHOD(demo_link, "a link expires, and other tokens are wrong", "[actors][access]") {
  for (const auto& token : {std::string{}, std::string{"lin"}, std::string{"digest of link"}, std::string(300, 'x')}) {
    CAPTURE(token);
    CHECK(is_refused(token));
  }
  SECTION("it is valid until its end") {
    advance(10min - 1s);
    CHECK(use("link"));
  }
  SECTION("it is not valid afterwards") {
    advance(10min);
    CHECK(is_refused("link"));
  }
}

TEST_CASE_METHOD(demo_link, "wrong links of one address wait as wrong passwords do", "[actors][access]") {
  for (int i = 0; i < 5; ++i)
    CHECK(is_refused("wrong"));
  const auto held = failure(use("link"));
  CHECK(held.code == errc::too_large);
  CHECK(held.subject == "1");
  advance(1s);
  CHECK(use("link"));
}

TEST_CASE_METHOD(demo_link, "a link stays valid when its session could not be stored", "[actors][access]") {
  store.once("open_session", store_fault::away);
  CHECK(failure(use("link")).code == errc::unavailable);
  CHECK(use("link"));
}

TEST_CASE_METHOD(demo_link_of_stranger, "a link of a user who does not exist signs no user in", "[actors][access]") {
  CHECK(is_refused("link"));
}

TEST_CASE_METHOD(sign_in_fixture, "a server without a link refuses every token", "[actors][access]") {
  const auto use = [this](const std::string& token) {
    return failure(ask<protocol::signed_in>(actor, protocol::one_time_sign_in{token, "10.0.0.7"}));
  };
  CHECK(use("link").why == core::refusal::sign_in_wrong);
  CHECK(use("").why == core::refusal::sign_in_wrong);
}
