#include "tests/links/link_world.hpp"

#include <numeric>
#include <set>

#include "actors/link/sockets.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/raw_socket.hpp"
#include "tests/support/tcp_relay.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

std::vector<std::int64_t> ids(std::int64_t first, std::size_t count) {
  std::vector<std::int64_t> made(count);
  std::iota(made.begin(), made.end(), first);
  return made;
}

struct tls_world {
  test::temp_folder folder;
  test::test_authority authority{folder, "links"};
  test::test_authority stranger{folder, "strangers"};
  test::board_ptr facts = std::make_shared<test::board>();

  std::shared_ptr<actors::tls_ports> of(const std::string& name) {
    return test::ports_of(authority.issue(name), authority.file());
  }

  /// Sends those that had no answer again, with the same log ids, until each has one: what recovery would do, without its
  /// questions.
  bool send_until_answered(test::linked_node& node, std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (facts->count("answered 200") < count && std::chrono::steady_clock::now() < until) {
      if (!facts->await("ended", ended_, 20s))
        return false;
      auto again = node.take_unanswered();
      ended_ += again.size();
      if (!again.empty() && facts->await("link up", facts->count("link down") + 1))
        node.send(std::move(again));
    }
    return facts->count("answered 200") == count;
  }
  void send(test::linked_node& node, std::vector<std::int64_t> runs) {
    ended_ += runs.size();
    node.send(std::move(runs));
  }
  std::size_t ended_ = 0;
};

} // namespace

TEST_CASE_METHOD(tls_world, "runs and results cross a link over TLS", "[links]") {
  test::linked_node node{facts, of("node")};
  test::linked_executor executor{facts, of("executor"), {node.address}};
  REQUIRE(facts->await("link up", 1));
  send(node, ids(1, 5000));
  const bool all = facts->await("answered 200", 5000);
  INFO(facts->text());
  REQUIRE(all);
  REQUIRE(facts->await("results", 5000));
  CHECK(facts->count("executed") == 5000);
  CHECK(facts->count("result 5000") == 1);
  CHECK(facts->count("ended") == 5000);
}

TEST_CASE_METHOD(tls_world, "a wrong token is refused in words", "[links]") {
  test::linked_node node{facts, of("node")};
  test::linked_executor executor{facts, of("executor"), {node.address}, "wrong"};
  CHECK(facts->await_words("the node refuses the link: the access token is wrong"));
  CHECK(facts->count("link up") == 0);
}

TEST_CASE_METHOD(tls_world, "another version of the link is refused in words", "[links]") {
  test::linked_node node{facts, of("node")};
  test::linked_executor executor{facts, of("executor"), {node.address}, "secret", "ringmaster.link.v0"};
  CHECK(facts->await_words("speaks another version of the link"));
  CHECK(facts->count("link up") == 0);
}

TEST_CASE_METHOD(tls_world, "nobody links without a certificate of the authority", "[links]") {
  test::linked_node node{facts, of("node")};
  SECTION("the executor's is another's") {
    test::linked_executor executor{facts, test::ports_of(stranger.issue("executor"), authority.file()), {node.address}};
    CHECK(facts->await_words("no native link to"));
    CHECK(facts->count("link up") == 0);
  }
  SECTION("the node's is another's") {
    test::linked_executor executor{facts, test::ports_of(authority.issue("executor"), stranger.file()), {node.address}};
    CHECK(facts->await_words("TLS: "));
    CHECK(facts->count("link up") == 0);
  }
  SECTION("a peer does not speak TLS at all") {
    auto peer = test::raw_socket::connect(node.address);
    (void)peer.try_send(std::string(100'000, 'x'));
    (void)peer.read_to_end(); // closed, after an alert at the most
  }
  // The node is as it was.
  test::linked_executor good{facts, of("good"), {node.address}};
  CHECK(facts->await("link up", 1));
}

TEST_CASE_METHOD(tls_world, "silent strangers do not keep others out", "[links]") {
  test::linked_node node{facts, of("node")};
  std::vector<actors::socket_handle> strangers;
  for (int i = 0; i < 400; ++i) {
    auto one = actors::connect_to(node.address, 5s);
    REQUIRE(one);
    strangers.push_back(std::move(*one));
  }
  test::linked_executor good{facts, of("good"), {node.address}};
  CHECK(facts->await("link up", 1));
}

TEST_CASE_METHOD(tls_world, "files that cannot be used are named", "[links]") {
  const auto good = authority.issue("node");
  const auto other = authority.issue("other");
  auto missing = actors::tls_ports::make({folder.path() + "/nowhere.pem", good.key, authority.file()});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().context.find("nowhere.pem") != std::string::npos);
  auto mismatch = actors::tls_ports::make({good.certificate, other.key, authority.file()});
  REQUIRE_FALSE(mismatch);
  CHECK(mismatch.error().context.find("other.key") != std::string::npos);
}

TEST_CASE_METHOD(tls_world, "every run ends once when the link is cut in the middle", "[links]") {
  test::linked_node node{facts, of("node")};
  test::tcp_relay relay{actors::port_of(node.address)};
  test::linked_executor executor{facts, of("executor"), {relay.address()}};
  REQUIRE(facts->await("link up", 1));
  std::size_t count = 20'000;
  SECTION("closed") {
    send(node, ids(1, count));
    REQUIRE(facts->await("executed", 2000));
    relay.cut();
  }
  SECTION("swallowed") {
    count = 1500;
    send(node, ids(1, 100));
    REQUIRE(facts->await("executed", 100));
    relay.swallow();
    send(node, ids(101, count - 100));
  }
  REQUIRE(facts->await("link down", 1));
  REQUIRE(facts->await("link up", 2));
  REQUIRE(send_until_answered(node, count));
  REQUIRE(facts->await("executed", count));
  CHECK(facts->count("executed") == count); // none doubled
  for (const auto id : ids(1, count))
    if (!facts->await("result " + std::to_string(id), 1))
      FAIL("run " << id << " has no result");
}

TEST_CASE_METHOD(tls_world, "a node that comes back is found again", "[links]") {
  auto ports = of("executor");
  auto node = std::make_unique<test::linked_node>(facts, of("node"));
  const auto address = node->address;
  test::linked_executor executor{facts, ports, {address}};
  REQUIRE(facts->await("link up", 1));
  node.reset();
  node = std::make_unique<test::linked_node>(facts, of("node"), address);
  REQUIRE(facts->await("link up", 2));
  send(*node, {1});
  CHECK(facts->await("answered 200", 1));
}
