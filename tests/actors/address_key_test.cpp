#include "protocol/address_key.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;

TEST_CASE("different spellings of one address have the same key", "[actors]") {
  const auto place = protocol::address_key("http://10.0.0.7:9999/");
  for (const auto* same : {"http://10.0.0.7:9999", "HTTP://10.0.0.7:9999//", " http://10.0.0.7:9999/ ", "10.0.0.7:9999",
                           "http://10.7:9999", "http://167772167:9999", "http://012.0.0.7:9999", "http://[::ffff:10.0.0.7]:9999",
                           "http://10.0.0.7:09999", "https://10.0.0.7:9999", "http://user@10.0.0.7:9999/",
                           "http://10.0.0.7.:9999"}) {
    CAPTURE(same);
    CHECK(protocol::address_key(same) == place);
  }
  CHECK(protocol::address_key("http://b") == protocol::address_key("http://B.:80/"));
  CHECK(protocol::address_key("https://b") == protocol::address_key("https://b:443/"));
  CHECK(protocol::address_key("http://localhost:1") == protocol::address_key("http://127.0.0.2:1"));
  CHECK(protocol::address_key("http://[::1]:1") == protocol::address_key("http://0.0.0.0:1/"));
  CHECK(protocol::address_key("http://[FD00::1]:1") == protocol::address_key("http://[fd00:0::1]:1/"));
  CHECK(protocol::address_key("http://b/x//Y/") == protocol::address_key("http://b/X/y"));
}

TEST_CASE("different addresses have different keys", "[actors]") {
  const auto place = protocol::address_key("http://10.0.0.7:9999/");
  for (const auto* other : {"http://10.0.0.7:9998/", "http://10.0.0.8:9999/", "http://10.0.0.7:9999/x", "http://b:9999/", "",
                            "http://", "ringmaster://10.0.0.7:9999/"}) {
    CAPTURE(other);
    CHECK(protocol::address_key(other) != place);
  }
  CHECK(protocol::address_key("ringmaster://pay/one") != protocol::address_key("http://pay/one"));
  CHECK(protocol::address_key("ringmaster://pay/one") != protocol::address_key("ringmaster://pay/two"));
}

TEST_CASE("the host of an address is found in any form", "[actors]") {
  CHECK(protocol::host_key("http://10.0.0.7:9999/x") == "10.0.0.7");
  CHECK(protocol::host_key("https://[::ffff:10.0.0.7]/") == "10.0.0.7");
  CHECK(protocol::host_key("[fd00::1]:9100") == protocol::host_key("http://[fd00:0:0::1]/"));
  CHECK(protocol::host_key("10.0.0.7:9100") == "10.0.0.7");
  CHECK(protocol::host_key("http://Worker-1.:1/") == "worker-1");
}

TEST_CASE("paths that servers interpret differently are not comparable", "[actors]") {
  for (const auto* plain : {"http://b:1/", "http://b:1", "http://b:1/a/b-c_d.e~f/", "http://b/.well", "http://b/..x"}) {
    CAPTURE(plain);
    CHECK(protocol::incomparable_part(plain).empty());
  }
  for (const auto* odd : {"http://b/run?", "http://b/#", "http://b/%72un", "http://u@b/", "http://b/x/..", "http://b/./x",
                          "http://b/.", "http://b/x;y", "http://b/\\x"}) {
    CAPTURE(odd);
    CHECK_FALSE(protocol::incomparable_part(odd).empty());
  }
}
