#include "core/elastic/elastic_dump.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace ringmaster::core;
namespace elastic = ringmaster::core::elastic;

namespace ringmaster::test::elastic_dump_test {

namespace {

elastic::host_row dumped_host(std::int32_t number, const std::string& id, const std::string& ip) {
  elastic::host_row out;
  out.process.host = elastic::host_number{number};
  out.facts.id = id;
  out.facts.ip = ip;
  return out;
}

std::string dumped(const elastic::elastic_dump& dump, const std::string& path) {
  const auto lines = elastic::dump_lines(dump);
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const auto& each) { return each.path == path; });
  return found == lines.end() ? "none" : found->value;
}

} // namespace

TEST_CASE("a masked dump numbers IP addresses by their first appearance", "[elastic]") {
  elastic::elastic_dump dump;
  dump.state.job.what.options.description = "10.0.0.2 and 10.0.0.1:80, not 1.2.3 or 300.1.1.1, but 10.0.0.2";
  dump.state.disabled_servers = {"10.0.0.1", "host-7", "fe80::1", "110.0.0.12"};
  dump.hosts = {dumped_host(1, "10.0.0.1:9999", "10.0.0.1"), dumped_host(2, "b", "fe80::1")};
  CHECK(dumped(dump, "/job/options/description") == "ip1 and ip2:80, not 1.2.3 or 300.1.1.1, but ip1");
  CHECK(dumped(dump, "/disabled_servers/0") == "ip2");
  CHECK(dumped(dump, "/disabled_servers/1") == "host-7");
  CHECK(dumped(dump, "/disabled_servers/2") == "ip3");
  CHECK(dumped(dump, "/disabled_servers/3") == "ip4");
  CHECK(dumped(dump, "/hosts/1").starts_with("id=ip2:9999 "));
  dump.masked = false;
  CHECK(dumped(dump, "/disabled_servers/0") == "10.0.0.1");
  CHECK(dumped(dump, "/hosts/2").find("ip=fe80::1") != std::string::npos);
}

TEST_CASE("a dump shows the size of properties, and a bounded number of items", "[elastic]") {
  elastic::elastic_dump dump;
  dump.state.job.what.props = "password=secret";
  dump.state.items.resize(elastic::dump_items_max + 3);
  CHECK(dumped(dump, "/job/props") == "15 bytes");
  CHECK(dumped(dump, "/items") == "3 more");
  const auto lines = elastic::dump_lines(dump);
  CHECK(
    std::none_of(lines.begin(), lines.end(), [](const auto& line) { return line.value.find("secret") != std::string::npos; }));
}

} // namespace ringmaster::test::elastic_dump_test
