#include "core/text/ip_bytes.hpp"

#include <arpa/inet.h>

#include "tests/support/catch.hpp"

using namespace ringmaster::core;

namespace {

template <class Bytes>
Bytes ip_of(const char* text) {
  Bytes out{};
  REQUIRE(inet_pton(out.size() == 4 ? AF_INET : AF_INET6, text, out.data()) == 1);
  return out;
}

} // namespace

TEST_CASE("the IPv4 address inside an IPv6 address is found in each form", "[unit]") {
  const auto inner = ip_of<ip4_bytes>("10.1.2.3");
  for (const auto* text : {"::ffff:10.1.2.3", "::10.1.2.3", "64:ff9b::10.1.2.3", "2002:a01:203::1"}) {
    CAPTURE(text);
    CHECK(inner_ip4(ip_of<ip6_bytes>(text)) == inner);
  }
  CHECK(inner_ip4(ip_of<ip6_bytes>("::")) == ip4_bytes{});
  for (const auto* text : {"::1", "fd00::10.1.2.3", "2001:db8::1", "64:ff9b:0:1::10.1.2.3", "::1:0:10.1.2.3"}) {
    CAPTURE(text);
    CHECK_FALSE(inner_ip4(ip_of<ip6_bytes>(text)));
  }
}

TEST_CASE("link-local and metadata addresses are found in each form", "[unit]") {
  for (const auto* text : {"169.254.0.1", "169.254.169.254", "100.100.100.200", "192.0.0.192", "168.63.129.16"}) {
    CAPTURE(text);
    CHECK(is_link_local_or_metadata(ip_of<ip4_bytes>(text)));
  }
  for (const auto* text : {"127.0.0.1", "10.0.0.1", "100.100.100.201", "169.253.0.1", "0.0.0.0"}) {
    CAPTURE(text);
    CHECK_FALSE(is_link_local_or_metadata(ip_of<ip4_bytes>(text)));
  }
  for (const auto* text : {"fe80::1", "febf::1", "fd00:ec2::254", "fd20:ce::254", "::ffff:169.254.169.254", "::168.63.129.16",
                           "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1"}) {
    CAPTURE(text);
    CHECK(is_link_local_or_metadata(ip_of<ip6_bytes>(text)));
  }
  for (const auto* text : {"::1", "::", "fec0::1", "fd00:ec2::255", "2001:db8::1", "64:ff9b::10.0.0.1", "2002:a00:1::1"}) {
    CAPTURE(text);
    CHECK_FALSE(is_link_local_or_metadata(ip_of<ip6_bytes>(text)));
  }
}
