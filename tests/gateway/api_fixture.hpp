#pragma once

// Requests to /api/v1, with a session or without.

#include <nlohmann/json.hpp>

#include "gateway/auth/browser_safety.hpp"
#include "tests/gateway/web_fixture.hpp"

namespace ringmaster::test {

class api_fixture : public web_fixture {
public:
  /// Disables the rate limit, because tests send requests as fast as they can.
  api_fixture() { web.settings.requests_per_second = 0; }

  /// Calls a `target` below /api/v1. A body is sent as JSON.
  raw_socket::message call(std::string_view method, const std::string& target, std::string_view body = {},
                           const std::string& session = "admin", const std::string& more = {}) {
    const auto type = body.empty() ? std::string{} : std::string{"Content-Type: application/json\r\n"};
    return ask(text(method, "/api/v1" + target, body, type + cookie_3(session) + csrf(session) + more));
  }
  static std::string csrf(const std::string& session) { return "X-CSRF-Token: " + gateway::csrf_token(session) + "\r\n"; }
  /// Calls with the caller's headers in `more`.
  raw_socket::message call_as(const std::string& more, std::string_view method, const std::string& target,
                              std::string_view body = {}) {
    const auto type = body.empty() ? std::string{} : std::string{"Content-Type: application/json\r\n"};
    return ask(text(method, "/api/v1" + target, body, type + more));
  }

  static nlohmann::json json_of(const raw_socket::message& reply) { return nlohmann::json::parse(reply.body); }
  /// Returns the type of a problem.
  static std::string type_of(const raw_socket::message& reply) {
    REQUIRE(reply.head.find("Content-Type: application/problem+json\r\n") != std::string::npos);
    const auto problem = nlohmann::json::parse(reply.body);
    CHECK(problem["status"] == reply.status());
    CHECK(problem["detail"].get<std::string>().size() > 3);
    return problem["type"];
  }
};

} // namespace ringmaster::test
