#include "actors/executors/link_admission.hpp"

#include "tests/actors/native_fixture.hpp"

using namespace ringmaster;

namespace {

struct admitting {
  actors::link_rules rules() const {
    const core::common_tokens tokens{token, former, former_until};
    return {std::make_shared<const core::common_tokens>(tokens), now, mode, judge, peer};
  }
  actors::link_admission of(const protocol::link_hello& hello, const std::string& shown = "secret") const {
    return actors::admit_link(hello, shown, *view, rules());
  }
  /// Returns the admission of an executor of `mail-worker`.
  actors::link_admission with(const std::string& shown, const std::string& address = "http://10.0.0.9:9999/") const {
    return of({protocol::link_version, "mail-worker", address, {}, {}}, shown);
  }

  std::shared_ptr<protocol::registry_view> view = test::natively_linked::view_of_groups();
  std::string token = "secret";
  std::string former;
  std::optional<core::time_point> former_until;
  std::string peer = "10.0.0.9";
  core::time_point now = test::virtual_time::start;
  core::cluster_mode mode = core::cluster_mode::native;
  std::function<std::string(std::string_view)> judge = [](std::string_view address) {
    return address.starts_with("http://8.") ? std::string{"a public address"} : std::string{};
  };
};

} // namespace

TEST_CASE_METHOD(admitting, "the token is the common one, the group's, or the group's former one for a limited time",
                 "[actors][links]") {
  CHECK(with("secret").refusal.empty());
  CHECK(with("secret").token == core::token_kind::common);
  CHECK(with("mail-token").token == core::token_kind::group);
  CHECK(*with("mail-token").groups == std::vector{core::group_id{9}});
  CHECK_FALSE(with("").refusal.empty());
  CHECK_FALSE(with("secre").refusal.empty());
  CHECK_FALSE(of({protocol::link_version, "pay-worker", "http://10.0.0.9:9999/", {}, {}}, "mail-token").refusal.empty());
  view->groups.at(9).previous_token = "former";
  view->groups.at(9).previous_until = now + std::chrono::hours{1};
  CHECK(with("former").token == core::token_kind::previous);
  now += std::chrono::hours{1};
  CHECK_FALSE(with("former").refusal.empty());
  token = " ";
  CHECK(with("anything").refusal.empty());
}

TEST_CASE_METHOD(admitting, "an executor may know the common token and those of its groups", "[actors][links]") {
  using tokens = std::vector<std::string>;
  const auto of_app = [this](const std::string& app_name) {
    const auto with = rules();
    const auto found = actors::tokens_for(app_name, *view, with);
    return std::vector<std::string>(found.begin(), found.end());
  };
  CHECK(of_app("pay-worker") == tokens{"secret"});
  CHECK(of_app("unknown") == tokens{"secret"});
  CHECK(of_app("mail-worker") == tokens{"secret", "mail-token"});
  view->groups.at(9).previous_token = "former";
  view->groups.at(9).previous_until = now + std::chrono::hours{1};
  CHECK(of_app("mail-worker") == tokens{"secret", "mail-token", "former"});
  now += std::chrono::hours{1};
  CHECK(of_app("mail-worker") == tokens{"secret", "mail-token"});
  former = "old secret";
  former_until = now + std::chrono::hours{1};
  CHECK(of_app("pay-worker") == tokens{"secret", "old secret"});
  CHECK(with("old secret").token == core::token_kind::common);
  now += std::chrono::hours{1};
  CHECK(of_app("pay-worker") == tokens{"secret"});
  CHECK_FALSE(with("old secret").refusal.empty());
}

TEST_CASE_METHOD(admitting, "an unknown version or app name is distinguished from a wrong token", "[actors][links]") {
  for (const auto version : {protocol::link_version_min - 1, protocol::link_version + 1})
    CHECK(of({version, "mail-worker", "http://a/", {}, {}}).refusal.find("version") != std::string::npos);
  CHECK(of({protocol::link_version_min, "mail-worker", "http://a/", {}, {}}).refusal.empty());
  CHECK(of({protocol::link_version, "unknown", "http://a/", {}, {}}).refusal.find("unknown") != std::string::npos);
  // A client without a token does not learn which groups exist.
  CHECK(of({protocol::link_version, "unknown", "http://a/", {}, {}}, "wrong").refusal
        == of({protocol::link_version, "mail-worker", "http://a/", {}, {}}, "wrong").refusal);
}

TEST_CASE_METHOD(admitting, "an HTTP address is judged as over HTTP, a native address must match the app name",
                 "[actors][links]") {
  CHECK_FALSE(with("secret", "http://8.8.8.8/").refusal.empty());
  CHECK(with("secret", "ringmaster://mail-worker/one").refusal.empty());
  CHECK_FALSE(with("secret", "ringmaster://pay-worker/one").refusal.empty());
  CHECK_FALSE(with("secret", "ringmaster://mail-worker/").refusal.empty());
  CHECK_FALSE(with("secret", "ringmaster://mail-workers").refusal.empty());
  CHECK_FALSE(with("secret", "ringmaster://mail-worker/a,b").refusal.empty());
  CHECK_FALSE(with("secret", "ringmaster://").refusal.empty());
  mode = core::cluster_mode::shared;
  CHECK_FALSE(with("secret", "ringmaster://mail-worker/one").refusal.empty());
  CHECK(with("secret").refusal.empty());
}

TEST_CASE_METHOD(admitting, "with a group's token an address must be at the other end of the connection", "[actors][links]") {
  CHECK(with("mail-token", "http://10.0.0.9:9998/x").refusal.empty());
  CHECK(with("mail-token", "http://[::ffff:10.0.0.9]:9999").refusal.empty());
  CHECK(with("mail-token", "ringmaster://mail-worker/one").refusal.empty());
  for (const auto* elsewhere : {"http://10.0.0.8:9999/", "http://worker:9999/"}) {
    CAPTURE(elsewhere);
    CHECK(with("mail-token", elsewhere).refusal.find("10.0.0.9") != std::string::npos);
    CHECK(with("secret", elsewhere).refusal.empty());
  }
  peer.clear();
  CHECK_FALSE(with("mail-token").refusal.empty());
  CHECK_FALSE(with("mail-token").serves(core::group_id{9}));
  CHECK(with("secret").serves(core::group_id{4}));
}
