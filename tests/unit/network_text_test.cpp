// Text forms of networks and listen addresses, and the file of a SQLite URL.

#include "core/text/network_text.hpp"
#include "core/text/sqlite_url.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;

TEST_CASE("a network has a prefix or is a single address", "[unit]") {
  const auto v4 = split_network("10.0.0.0/8");
  REQUIRE(v4);
  CHECK(v4->address == "10.0.0.0");
  CHECK(v4->prefix == 8);
  CHECK_FALSE(v4->v6);
  const auto v6 = split_network("fc00::/7");
  REQUIRE(v6);
  CHECK(v6->address == "fc00::");
  CHECK(v6->prefix == 7);
  CHECK(v6->v6);
  CHECK(split_network("10.0.0.7")->prefix == 32);
  CHECK(split_network("::1")->prefix == 128);
  CHECK(split_network("::/0")->prefix == 0);
  for (const char* bad :
       {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+1", "10.0.0.0/8x", "10.0.0.0/8/8", "::/129", "::/999"}) {
    CAPTURE(bad);
    CHECK_FALSE(split_network(bad));
  }
}

TEST_CASE("a listen address has a host and a port", "[unit]") {
  const auto v4 = split_listen("127.0.0.1:8080");
  REQUIRE(v4);
  CHECK(v4->host == "127.0.0.1");
  CHECK(v4->port == 8080);
  CHECK_FALSE(v4->v6);
  const auto v6 = split_listen("[::1]:0");
  REQUIRE(v6);
  CHECK(v6->host == "::1");
  CHECK(v6->port == 0);
  CHECK(v6->v6);
  CHECK(split_listen("localhost:65535")->port == 65535);
  for (const char* bad : {"", "8080", ":8080", "h", "h:", "h:65536", "h:-1", "h:+1", "h:80x", "::1:80", "[::1:80", "::1]:80",
                          "[]:80", "http://h:80", "a b:1"}) {
    CAPTURE(bad);
    CHECK_FALSE(split_listen(bad));
  }
}

TEST_CASE("a SQLite URL is a scheme and a path", "[unit]") {
  CHECK(sqlite_path("sqlite:/var/x.db") == "/var/x.db");
  CHECK(sqlite_path("sqlite::memory:") == sqlite_memory);
  CHECK(sqlite_path("sqlite:") == "");
  CHECK_FALSE(sqlite_path("mysql://u@h/x"));
  CHECK_FALSE(sqlite_path("sqlite"));
  CHECK(sqlite_url("x.db") == "sqlite:x.db");
}

TEST_CASE("the network of a client: 64 bits for IPv6, one address for IPv4", "[core]") {
  CHECK(client_network("10.0.0.1") == "10.0.0.1");
  CHECK(client_network("2001:db8::1") == "2001:db8:0:0::/64");
  CHECK(client_network("2001:db8::ffff:1:2") == client_network("2001:db8:0:0:1:2:3:4"));
  CHECK(client_network("2001:db8:0:1::1") != client_network("2001:db8::1"));
  CHECK(client_network("1::3:4:5:6:7:8") == "1:0:3:4::/64");
  CHECK(client_network("fe80::1%eth0") == "fe80:0:0:0::/64");
  CHECK(client_network("::1") == "0:0:0:0::/64");
  CHECK(client_network("::ffff:10.0.0.1") == "10.0.0.1");
  for (const std::string odd : {"", "unix", "1:2:3:4:5:6:7:8:9", ":1", "1:::2", "::1:"})
    CHECK(client_network(odd) == odd);
}

TEST_CASE("a Host header is recognised as loopback or not", "[core]") {
  for (const auto* own : {"localhost", "LocalHost:8080", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:8080"})
    CHECK(is_loopback_host(own));
  for (const auto* other : {"", "localhost.example", "127.0.0.1.example", "128.0.0.1", "[::2]", "[::1]x", "rebound.example:8080"})
    CHECK_FALSE(is_loopback_host(other));
}
