// The caller's settings of the console in /api/v1.

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

using asked_of_settings = std::vector<std::string>;

TEST_CASE_METHOD(api_fixture, "a user reads and replaces their own settings", "[gateway][api][settings]") {
  open();
  const auto found = json_of(call("GET", "/users/me/settings", {}, "viewer"));
  CHECK(found == json::parse(R"({"language":null,"zone":null,"theme":"dark","start_page":null,"refresh_s":10,"keys":null})"));
  CHECK(script->take_asked() == asked_of_settings{"user_settings_query() by vera@127.0.0.1"});
  const auto* all = R"({"language":"zh_CN","zone":"utc","theme":"light","start_page":"/jobs","refresh_s":30,"keys":true})";
  CHECK(call("PUT", "/users/me/settings", all, "viewer").status() == 204);
  CHECK(script->take_asked()
        == asked_of_settings{"save_user_settings('zh_CN', 'utc', 'light', '/jobs', 30, true) by vera@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "settings that are wrong or too long are refused", "[gateway][api][settings]") {
  open();
  CHECK(type_of(call("PUT", "/users/me/settings", R"({"theme":"blue"})")) == "urn:ringmaster:invalid_argument");
  CHECK(type_of(call("PUT", "/users/me/settings", R"({"colour":"blue"})")) == "urn:ringmaster:invalid_argument");
  CHECK(call("PUT", "/users/me/settings", "{" + std::string(4096, ' ') + "}").status() == 413);
  CHECK(call("GET", "/users/me/settings?user=4").status() == 400);
  CHECK(call("PUT", "/users/me/settings", R"({"theme":"dark"})", "admin", "If-Match: \"a\"\r\n").status() == 400);
  CHECK(script->take_asked().empty());
}
