#pragma once

// Hosts A to G of the vectors of elastic jobs, and plans as texts with their letters.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic/host.hpp"
#include "core/elastic/plan.hpp"
#include "core/elastic/planner.hpp"
#include "core/ids.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test {

/// Returns host `letter` of the vectors; A has number 1, B number 2 and so on. It is up, and can run everything.
inline core::elastic::host elastic_host(char letter) {
  static const std::map<char, std::pair<std::string, std::int64_t>> addresses{
      {'A', {"10.0.0.1", 101}}, {'B', {"10.0.0.2", 102}}, {'C', {"10.0.0.3", 103}},  {'D', {"10.0.0.4", 104}},
      {'E', {"10.0.0.10", 110}}, {'F', {"10.0.0.1", 99}},  {'G', {"10.0.0.100", 1}},
  };
  core::elastic::host made;
  made.number = core::elastic::host_number{letter - 'A' + 1};
  made.id = std::string{"host-"} + letter;
  made.ip = addresses.at(letter).first;
  made.pid = addresses.at(letter).second;
  made.linked = true;
  made.handlers = {"demo"};
  return made;
}

inline core::elastic::host_list elastic_hosts(std::string_view letters) {
  std::vector<core::elastic::host> hosts;
  for (const char letter : letters)
    hosts.push_back(elastic_host(letter));
  return core::elastic::host_list::make(hosts).value();
}

/// Returns hosts 1 to `count`, all able to run everything.
inline std::vector<core::elastic::host> many_elastic_hosts(int count) {
  std::vector<core::elastic::host> hosts;
  for (int i = 1; i <= count; ++i) {
    core::elastic::host made;
    made.number = core::elastic::host_number{i};
    made.id = "host-" + std::to_string(i);
    made.ip = "10.1." + std::to_string(i / 250) + '.' + std::to_string(i % 250 + 1);
    made.pid = 1000 + i;
    made.linked = true;
    hosts.push_back(made);
  }
  return hosts;
}

/// Returns the letters of the hosts in an order.
inline std::string letters_of(const core::elastic::host_list& hosts, core::elastic::host_order order) {
  std::string letters;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    letters += static_cast<char>('A' + core::number(hosts.at(order, i).number) - 1);
  return letters;
}

/// Returns the items of a host as `[0,1,6]`.
inline std::string items_of(const core::elastic::item_plan& plan, core::elastic::host_number host) {
  std::string items;
  for (std::int32_t item = 0; item < plan.total(); ++item)
    if (plan.owner_of(item).host == host)
      items += (items.empty() ? "" : ",") + std::to_string(item);
  return '[' + items + ']';
}

/// Returns the items of the hosts of `letters`, e.g. `C=[0,1] B=[2]`.
inline std::string plan_text_of(const core::elastic::item_plan& plan, std::string_view letters) {
  std::string text;
  for (const char letter : letters)
    text += (text.empty() ? "" : " ") + std::string{letter} + '=' + items_of(plan, core::elastic::host_number{letter - 'A' + 1});
  return text;
}

/// Returns the plan of a request with the built-in strategies. Fails the test if there is none.
inline core::elastic::item_plan planned(const core::elastic::host_list& hosts, const core::elastic::plan_request& request) {
  auto made = core::elastic::make_plan(core::elastic::strategy_registry{}, hosts, request);
  INFO((made ? std::string{} : made.error().context));
  REQUIRE(made);
  return *std::move(made);
}

} // namespace ringmaster::test
