#include "tests/support/catch.hpp"

#include <string>

#include "core/access/user_settings.hpp"
#include "protocol/wire/v1/api_users.hpp"

using namespace ringmaster;
using core::errc;

namespace {

/// Returns the settings in their written form, or the error.
std::string read_settings(std::string_view body) {
  const auto read = protocol::wire::parse_api_user_settings(body);
  return read ? protocol::wire::api_user_settings(*read) : std::string{core::to_string(read.error().code)};
}

} // namespace

TEST_CASE("settings of the console are written with null for absent members", "[unit][access]") {
  constexpr auto none = R"({"language":null,"zone":null,"theme":null,"start_page":null,"refresh_s":null,"keys":null})";
  CHECK(read_settings("{}") == none);
  CHECK(read_settings(none) == none);
  constexpr auto all = R"({"language":"zh_TC","zone":"utc","theme":"auto","start_page":"/jobs/7","refresh_s":3600,"keys":false})";
  CHECK(read_settings(all) == all);
}

TEST_CASE("settings of the console with other members or values are refused", "[unit][access]") {
  for (const auto* body :
       {"", "[]", R"({"color":"red"})", R"({"language":"fr"})", R"({"language":""})", R"({"language":7})", R"({"zone":"UTC"})",
        R"({"theme":"blue"})", R"({"theme":""})", R"({"refresh_s":0})", R"({"refresh_s":3601})", R"({"refresh_s":-1})",
        R"({"refresh_s":"5"})", R"({"refresh_s":1.5})", R"({"keys":"yes"})", R"({"keys":1})", R"({"start_page":""})",
        R"({"start_page":"jobs"})", R"({"start_page":"//evil.example"})", R"({"start_page":"/\\evil.example"})",
        R"({"start_page":"https://evil.example/"})", R"({"start_page":"/a b"})", R"({"start_page":"/a\u0000"})",
        R"({"theme":"dark","theme":"dark"})"}) {
    CAPTURE(body);
    CHECK(read_settings(body) == core::to_string(errc::invalid_argument));
  }
  const auto page = [](std::size_t bytes) { return R"({"start_page":"/)" + std::string(bytes - 1, 'a') + R"("})"; };
  CHECK(read_settings(page(core::start_page_bytes_max)).find("aaa") != std::string::npos);
  CHECK(read_settings(page(core::start_page_bytes_max + 1)) == core::to_string(errc::invalid_argument));
}
