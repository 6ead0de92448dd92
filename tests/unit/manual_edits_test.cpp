#include "core/editing/manual_edits.hpp"

#include <string>
#include <vector>

#include "core/columns.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;

TEST_CASE("addresses of a run: accepted in the forms that executors register", "[core]") {
  const std::vector<std::string> wanted{"http://10.0.0.1:9999/", "https://worker/x", "10.0.0.2:8081/job", "localhost:1"};
  const auto found =
    parse_addresses({" http://10.0.0.1:9999/ ,https://worker/x", "10.0.0.2:8081/job,localhost:1,,10.0.0.2:8081/job"});
  REQUIRE(found);
  CHECK(*found == wanted);
}

TEST_CASE("addresses of a run: invalid ones are refused", "[core]") {
  for (const std::string bad : {"worker", "worker/x:1", ":80", "worker:", "worker:http", "worker:0", "worker:65536", "worker:+1",
                                "http://", "https://", "ftp://worker:21/", "file:///etc/passwd", "worker:80/<b>", "a b:80"}) {
    CAPTURE(bad);
    const auto found = parse_addresses({bad});
    REQUIRE_FALSE(found);
    CHECK(found.error().code == errc::invalid_argument);
  }
  CHECK_FALSE(parse_addresses({"worker:80/" + std::string(address_chars, 'x')}));
}
