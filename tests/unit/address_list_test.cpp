// Address lists in one text.

#include "core/job/address_list.hpp"

#include <string>
#include <vector>

#include "core/job/group.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;

TEST_CASE("address lists are split and joined as XXL reads them", "[unit]") {
  using core::split_addresses;
  CHECK(split_addresses("").empty());
  CHECK(split_addresses(",,").empty());
  CHECK(split_addresses("a") == std::vector<std::string>{"a"});
  CHECK(split_addresses(",a,,b,,") == std::vector<std::string>{"", "a", "", "b"});
  CHECK(core::join_addresses({}) == std::nullopt);
  CHECK(core::join_addresses({"", "a", "", "b"}) == ",a,,b");
}

TEST_CASE("the fitting part of an address list", "[unit]") {
  using core::addresses_that_fit;
  CHECK(addresses_that_fit({}) == 0);
  CHECK(core::address_column({}) == std::nullopt);
  CHECK(addresses_that_fit({std::string(65535, 'a')}) == 1);
  CHECK(addresses_that_fit({std::string(65536, 'a'), "b"}) == 0);
  CHECK(core::address_column({std::string(65536, 'a')}) == std::nullopt);
  CHECK(addresses_that_fit({std::string(65533, 'a'), "b"}) == 2);
  CHECK(addresses_that_fit({std::string(65534, 'a'), "b"}) == 1);
}
