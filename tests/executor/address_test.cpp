#include "executor/host/address.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using executor::address_to_register;
using strings = std::vector<std::string>;

TEST_CASE("picks the address that others can reach", "[executor]") {
  CHECK(executor::reachable_address({"127.0.0.1", "::1", "fe80::1", "2001:db8::7", "169.254.1.1", "10.1.2.3", "10.9.9.9"})
        == "10.1.2.3");
  CHECK(executor::reachable_address({"127.0.0.1", "fe80::1", "2001:db8::7"}) == "2001:db8::7");
  CHECK(executor::reachable_address({"127.0.0.1", "", "0.0.0.0"}).empty());
}

TEST_CASE("makes the address to register", "[executor]") {
  executor::own_address said{"127.0.0.1"};
  const strings machine{"127.0.0.1", "10.1.2.3"};
  CHECK(address_to_register(said, 9999, false, machine) == "http://127.0.0.1:9999/");
  said.listen = "0.0.0.0";
  CHECK(address_to_register(said, 9999, false, machine) == "http://10.1.2.3:9999/");
  CHECK(address_to_register(said, 9999, true, machine) == "https://10.1.2.3:9999/");
  CHECK(address_to_register(said, 9999, false, {"127.0.0.1"}).error().context ==
        "this machine has no address that others can reach: set executor.ip or executor.address");
  said.listen = "::";
  CHECK(address_to_register(said, 1, false, {"2001:db8::7"}) == "http://[2001:db8::7]:1/");
  said.ip = "executor-7.example";
  CHECK(address_to_register(said, 9999, false, machine) == "http://executor-7.example:9999/");
  said.address = "http://pub.example:80/x/";
  CHECK(address_to_register(said, 9999, true, machine) == "http://pub.example:80/x/");
}

TEST_CASE("ports are tried upward from 9999, then downward", "[executor]") {
  CHECK(executor::ports_to_try(7007) == std::vector<std::uint16_t>{7007});
  const auto all = executor::ports_to_try(0);
  CHECK(all.front() == 9999);
  CHECK(all[1] == 10000);
  CHECK(all[65535 - 9999] == 65535);
  CHECK(all[65536 - 9999] == 9998);
  CHECK(all.back() == 1024);
}

TEST_CASE("finds an address of this machine", "[executor]") {
  const auto all = executor::machine_addresses();
  CHECK(std::find(all.begin(), all.end(), "127.0.0.1") != all.end());
}
