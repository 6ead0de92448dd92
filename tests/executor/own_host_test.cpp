#include "executor/host/own_host.hpp"

#include "tests/support/catch.hpp"

using ringmaster::executor::is_own_host;

TEST_CASE("Host may be an address, localhost or the executor's own name", "[executor]") {
  for (const auto* header : {"127.0.0.1", "10.0.0.7:9999", "[::1]", "[2001:db8::1]:80", "localhost", "LocalHost:1", "exec",
                             "EXEC:9999", "exec:"}) {
    CAPTURE(header);
    CHECK(is_own_host(header, "http://exec:9999/"));
  }
  CHECK(is_own_host("exec:1", "exec:9999"));
  CHECK_FALSE(is_own_host("other:9999", "http://exec:9999/"));
  CHECK_FALSE(is_own_host("exec.example", "http://exec:9999/"));
}

TEST_CASE("Host of another form is refused", "[executor]") {
  for (const auto* header : {"", ":80", "::1", "::1:9999", "http://::1:9999/", "http://exec:9999/", "127.0.0.1?x", "127.0.0.1/x",
                             "80#.", "exec//", "exec:80/x", "exec:x", "exec:65536", "[::1", "[::1]x", "[]:80", "a@exec", "exec "})
    for (const auto* own : {"", "exec:9999", "http://exec:9999/", "http://::1:9999/", "http://:9999/"}) {
      CAPTURE(header, own);
      CHECK_FALSE(is_own_host(header, own));
    }
}
