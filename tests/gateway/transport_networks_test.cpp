#include "tests/support/catch.hpp"

#include <string>

#include "config/settings.hpp"
#include "gateway/transport/io/networks.hpp"

using namespace ringmaster;
using gateway::http::asio::ip::make_address;
using gateway::http::network_list;
using gateway::http::parse_origin;

TEST_CASE("origins are split into their parts", "[gateway]") {
  auto plain = parse_origin("http://10.0.0.3:9999");
  REQUIRE(plain);
  CHECK(plain->host == "10.0.0.3");
  CHECK(plain->port == 9999);
  CHECK(plain->authority == "10.0.0.3:9999");
  auto name = parse_origin("http://exec-1.example_x.org");
  REQUIRE(name);
  CHECK(name->port == 80);
  CHECK(name->authority == "exec-1.example_x.org");
  auto v6 = parse_origin("http://[fd00::1]:65535");
  REQUIRE(v6);
  CHECK(v6->host == "fd00::1");
  CHECK(v6->port == 65535);
  CHECK(v6->authority == "[fd00::1]:65535");
}

TEST_CASE("an invalid origin is refused with its reason", "[gateway]") {
  auto text = GENERATE("", "http://", "http://:80", "http://not an url", "http://h:0", "http://h:70000", "http://h:65536",
                       "http://h:", "http://h:8x", "http://h:-1", "http://h:+1", "http://u:p@h:80", "http://h:80:80",
                       "http://[::1", "http://[]:80", "http://[::1]80", "http://[x]:80", "http://[fe80::1%eth0]:80",
                       "http://h\r\nX: 1", "ringmaster://app", "ftp://h", "h:80", "http://h\xc3\xa4:1");
  CAPTURE(text);
  auto parsed = parse_origin(text);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code == core::errc::invalid_argument);
  CHECK(parsed.error().context.starts_with("invalid executor address"));
  CHECK(parsed.error().context.find_first_of("\r\n") == std::string::npos);
}

TEST_CASE("an IPv6 address without brackets is refused as such", "[gateway]") {
  for (const auto* text : {"http://::1:9999", "http://2001:db8::1", "https://fd00::7:443"}) {
    const auto parsed = parse_origin(text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().context.ends_with(": an IPv6 address must be in brackets"));
  }
  CHECK(parse_origin("http://h:80:80").error().context.find("the port must be") != std::string::npos);
}

TEST_CASE("https is supported, with its own default port", "[gateway]") {
  auto parsed = parse_origin("https://h");
  REQUIRE(parsed);
  CHECK(parsed->tls);
  CHECK(parsed->port == 443);
  CHECK(parsed->authority == "h");
  CHECK(parse_origin("https://[::1]:8443")->port == 8443);
  CHECK_FALSE(parse_origin("http://h")->tls);
}

TEST_CASE("a very long origin makes a short message", "[gateway]") {
  auto parsed = parse_origin("http://" + std::string(100000, 'a'));
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().context.size() < 250);
}

TEST_CASE("the default networks are private ones", "[gateway]") {
  network_list list{config::security_settings{}.executor_networks};
  for (auto text : {"127.0.0.1", "127.255.255.254", "::1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
                    "fd12:3456::1", "::ffff:10.0.0.1"}) {
    CAPTURE(text);
    CHECK(list.allows(make_address(text)));
  }
  for (auto text : {"8.8.8.8", "172.32.0.1", "172.15.255.255", "192.169.0.1", "11.0.0.1", "0.0.0.0", "::", "2001:db8::1", "::2",
                    "224.0.0.1", "::ffff:8.8.8.8", "100.64.0.1"}) {
    CAPTURE(text);
    CHECK_FALSE(list.allows(make_address(text)));
  }
}

TEST_CASE("link-local and metadata addresses are never allowed", "[gateway]") {
  network_list list{{"0.0.0.0/0", "::/0"}};
  CHECK(list.allows(make_address("8.8.8.8")));
  CHECK(list.allows(make_address("2001:db8::1")));
  for (auto text : {"169.254.169.254", "169.254.0.1", "::ffff:169.254.169.254", "fe80::1", "fe80::1%1", "febf::1",
                    "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd20:ce::254",
                    "::169.254.169.254", "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::1", "64:ff9b::100.100.100.200"}) {
    CAPTURE(text);
    CHECK_FALSE(list.allows(make_address(text)));
  }
}

TEST_CASE("networks may be single addresses; invalid ones match nothing", "[gateway]") {
  network_list list{{"10.0.0.7", "10.1.2.3/16", "fd00::7", "fd01::/33", "", "x", "1.2.3.4/99", "::/129", "10.0.0.0/", "1.2.3/8"}};
  CHECK(list.allows(make_address("10.0.0.7")));
  CHECK_FALSE(list.allows(make_address("10.0.0.8")));
  CHECK(list.allows(make_address("10.1.255.255")));
  CHECK(list.allows(make_address("fd00::7")));
  CHECK_FALSE(list.allows(make_address("fd00::8")));
  CHECK(list.allows(make_address("fd01:0:7fff::1")));
  CHECK_FALSE(list.allows(make_address("fd01:0:8000::1")));
  CHECK_FALSE(network_list{{}}.allows(make_address("127.0.0.1")));
}
