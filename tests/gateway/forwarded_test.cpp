#include "tests/support/catch.hpp"

#include "gateway/exchange/forwarded.hpp"

using namespace ringmaster;
using gateway::apply_forwarded_headers;
using gateway::forwarded_address;
using gateway::proxy_list;

namespace {

protocol::http_request from(std::string peer, protocol::http_headers headers) {
  protocol::http_request request;
  request.remote_address = std::move(peer);
  request.headers = std::move(headers);
  return request;
}

std::string client_of(std::string peer, protocol::http_headers headers) {
  auto request = from(std::move(peer), std::move(headers));
  apply_forwarded_headers(request, proxy_list{{"10.0.0.0/8", "::1", "2001:db8::/32"}});
  return request.remote_address;
}

} // namespace

TEST_CASE("an entry of X-Forwarded-For is an address, with or without a port", "[gateway]") {
  struct row {
    const char* entry;
    const char* address;
  };
  const auto given = GENERATE(row{"203.0.113.7", "203.0.113.7"}, row{" 203.0.113.7:4711 ", "203.0.113.7"},
                              row{"2001:DB8::1", "2001:db8::1"},
                              row{"[2001:db8::1]", "2001:db8::1"}, row{"[2001:db8::1]:443", "2001:db8::1"},
                              row{"::ffff:203.0.113.7", "203.0.113.7"}, row{"[::ffff:203.0.113.7]:1", "203.0.113.7"});
  CAPTURE(given.entry);
  CHECK(forwarded_address(given.entry) == given.address);
  const std::string garbage =
    GENERATE("", " ", "unknown", "203.0.113", "203.0.113.256", "203.0.113.7:x", "203.0.113.7:123456", "[::1", "[203.0.113.7]",
             "[]",
             "[::1]443", "::1%eth0", "\"[::1]\"", "203.0.113.7 203.0.113.8", "_hidden", "https://203.0.113.7", "1:2:3");
  CAPTURE(garbage);
  CHECK_FALSE(forwarded_address(garbage));
  CHECK_FALSE(forwarded_address(std::string(100'000, '1')));
}

TEST_CASE("the client is the rightmost address that does not belong to a trusted proxy", "[gateway]") {
  CHECK(client_of("10.0.0.1", {{"X-Forwarded-For", "203.0.113.7"}}) == "203.0.113.7");
  CHECK(client_of("10.0.0.1", {{"X-Forwarded-For", "198.51.100.1, 203.0.113.7, 10.0.0.2"}}) == "203.0.113.7");
  CHECK(client_of("10.0.0.1", {{"X-Forwarded-For", "198.51.100.1"}, {"x-forwarded-for", "10.0.0.3,203.0.113.7"}}) ==
        "203.0.113.7");
  CHECK(client_of("10.0.0.1", {{"X-Forwarded-For", "198.51.100.1"}, {"X-Forwarded-For", "10.0.0.3"}}) == "198.51.100.1");
  CHECK(client_of("::1", {{"X-Forwarded-For", "[2001:db9::1]:443, [2001:db8::2]:80"}}) == "2001:db9::1");
  // When all are trusted, the farthest address is the client.
  CHECK(client_of("10.0.0.1", {{"X-Forwarded-For", "10.0.0.3, 10.0.0.2"}}) == "10.0.0.3");
  CHECK(client_of("10.0.0.1", {}) == "10.0.0.1");
}

TEST_CASE("entries to the left of an invalid entry are ignored", "[gateway]") {
  CHECK(client_of("10.0.0.1", {{"X-Forwarded-For", "203.0.113.7, unknown"}}) == "10.0.0.1");
  CHECK(client_of("10.0.0.1", {{"X-Forwarded-For", "203.0.113.7, x, 10.0.0.2"}}) == "10.0.0.2");
  CHECK(client_of("10.0.0.1", {{"X-Forwarded-For", "203.0.113.7,,"}}) == "10.0.0.1");
  CHECK(client_of("10.0.0.1", {{"X-Forwarded-For", ""}}) == "10.0.0.1");
  std::string many;
  for (int i = 0; i < 1000; ++i)
    many += "10.0.0.9, ";
  CHECK(client_of("10.0.0.1", {{"X-Forwarded-For", "203.0.113.7, " + many + "10.0.0.2"}}) == "203.0.113.7");
}

TEST_CASE("headers of untrusted peers are ignored", "[gateway]") {
  const protocol::http_headers all{{"X-Forwarded-For", "127.0.0.1"}, {"X-Forwarded-Proto", "https"},
                                   {"X-Forwarded-Host", "evil"}};
  for (const auto* peer : {"203.0.113.7", "11.0.0.1", "2001:db9::1", ""}) {
    auto request = from(peer, all);
    apply_forwarded_headers(request, proxy_list{{"10.0.0.0/8", "2001:db8::/32"}});
    CHECK(request.remote_address == peer);
    CHECK_FALSE(request.is_https);
    CHECK(request.forwarded_host.empty());
  }
  auto nobody_is = from("10.0.0.1", all);
  apply_forwarded_headers(nobody_is, proxy_list{{}});
  CHECK(nobody_is.remote_address == "10.0.0.1");
}

TEST_CASE("a trusted proxy determines scheme and host, and whether the client is local", "[gateway]") {
  const proxy_list proxies{{"127.0.0.1"}};
  auto request = from("127.0.0.1", {{"X-Forwarded-For", "203.0.113.7"},
                                    {"X-Forwarded-Proto", "http, HTTPS"},
                                    {"X-Forwarded-Host", "evil"},
                                    {"X-Forwarded-Host", "evil, jobs.example"}});
  request.remote_is_loopback = true;
  apply_forwarded_headers(request, proxies);
  CHECK(request.remote_address == "203.0.113.7");
  CHECK_FALSE(request.remote_is_loopback);
  CHECK(request.is_https);
  CHECK(request.forwarded_host == "jobs.example");
  // Plain HTTP to the proxy counts as plain HTTP, whatever the proxy uses towards us.
  auto plain = from("127.0.0.1", {{"X-Forwarded-Proto", "http"}});
  plain.is_https = true;
  apply_forwarded_headers(plain, proxies);
  CHECK_FALSE(plain.is_https);
}
