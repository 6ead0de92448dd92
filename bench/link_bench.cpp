// Measures runs without work over a native link, both ends in this process: accepted and reported runs per second. One JSON line.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>

#include "protocol/meta_objects.hpp"
#include "tests/links/link_world.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000;
  protocol::init_meta_objects();
  actors::init_link_meta_objects();
  test::temp_folder folder;
  test::test_authority authority{folder, "links"};
  auto facts = std::make_shared<test::board>();
  const auto ports = [&](const std::string& name) {
    auto own = authority.issue(name);
    return actors::tls_ports::make({own.certificate, own.key, authority.file()}).value();
  };
  test::linked_node node{facts, ports("node")};
  test::linked_executor executor{facts, ports("executor"), {node.address}};
  if (!facts->await("link up", 1))
    return 1;
  const auto begin = std::chrono::steady_clock::now();
  // As many runs in progress as a full lane has.
  constexpr std::size_t lane = 16'384;
  for (std::size_t sent = 0; sent < count;) {
    std::vector<std::int64_t> ids(std::min(lane / 4, count - sent));
    std::iota(ids.begin(), ids.end(), static_cast<std::int64_t>(sent) + 1);
    sent += ids.size();
    node.send(std::move(ids));
    if (sent > lane && !facts->await("ended", sent - lane))
      return 1;
  }
  if (!facts->await("ended", count, std::chrono::seconds{120}))
    return 1;
  const std::chrono::duration<double> answered = std::chrono::steady_clock::now() - begin;
  if (!facts->await("results", count, std::chrono::seconds{120}))
    return 1;
  const std::chrono::duration<double> reported = std::chrono::steady_clock::now() - begin;
  std::printf("{\"bench\":\"link\",\"runs\":%zu,\"accepted\":%zu,\"answered_per_s\":%.0f,\"cycles_per_s\":%.0f}\n", count,
              facts->count("answered 200"), static_cast<double>(count) / answered.count(),
              static_cast<double>(count) / reported.count());
  return facts->count("answered 200") == count ? 0 : 1;
}
