// Peers with a valid certificate that are neither nodes nor executors.

#include <chrono>
#include <csignal>
#include <string>

#include "actors/link/basp_border.hpp"
#include "tests/links/basp_bytes.hpp"
#include "tests/links/link_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/tls_peer.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::basp_header;
using test::bytes_of;
using operation = caf::io::basp::message_type;

TEST_CASE_METHOD(test::tls_world, "a connection without an admitted hello is closed, even if it is active", "[links]") {
  test::linked_node node{facts, of("node")};
  test::linked_executor good{facts, of("good"), {node.address}};
  REQUIRE(facts->await("link up", 1));
  test::tls_peer peer{node.address, authority.issue("peer")};
  REQUIRE(peer.shake_hands());
  const auto me = bytes_of(test::node_of(9));
  peer.send(basp_header(operation::client_handshake, static_cast<std::uint32_t>(me.size())) + me);
  std::signal(SIGPIPE, SIG_IGN);
  const auto until = std::chrono::steady_clock::now() + 30s;
  bool is_open = true;
  try {
    // The node's own heartbeats come once a second.
    while (is_open && std::chrono::steady_clock::now() < until) {
      peer.send(basp_header(operation::heartbeat, 0));
      is_open = peer.read_some();
    }
  } catch (const std::exception&) {
    is_open = false;
  }
  CHECK_FALSE(is_open);
  node.send({1});
  CHECK(facts->await("result 1", 1));
  CHECK(facts->count("link down") == 0);
}

TEST_CASE_METHOD(test::tls_world, "a node survives bytes that would end CAF", "[links]") {
  test::linked_node node{facts, of("node")};
  test::tls_peer peer{node.address, authority.issue("peer")};
  REQUIRE(peer.shake_hands());
  const auto me = bytes_of(test::node_of(9));
  const auto greeting = basp_header(operation::client_handshake, static_cast<std::uint32_t>(me.size())) + me;
  SECTION("a handshake without a payload") { peer.send(basp_header(operation::client_handshake, 0)); }
  SECTION("the other end's handshake without a payload") { peer.send(basp_header(operation::server_handshake, 0)); }
  SECTION("an endless payload") { peer.send(basp_header(operation::client_handshake, 0xffffffff)); }
  SECTION("an endless message") { peer.send(greeting + basp_header(operation::direct_message, 0xffffffff, 0, 1)); }
  SECTION("another handshake") { peer.send(greeting + greeting); }
  SECTION("a message for others") {
    const auto text = me + bytes_of(test::node_of(10)) + "x";
    peer.send(greeting + basp_header(operation::routed_message, static_cast<std::uint32_t>(text.size()), 0, 1) + text);
  }
  SECTION("unreadable bytes") { peer.send(std::string(100, '\xff')); }
  while (peer.read_some())
    ;
  test::linked_executor good{facts, of("good"), {node.address}};
  REQUIRE(facts->await("link up", 1));
  node.send({1});
  CHECK(facts->await("result 1", 1));
}
