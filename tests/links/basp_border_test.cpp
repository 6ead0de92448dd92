#include "actors/link/basp_border.hpp"

#include <span>
#include <string>

#include "protocol/link_messages.hpp"
#include "tests/links/basp_bytes.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using actors::basp_border;
using test::basp_header;
using operation = caf::io::basp::message_type;
using verdict = basp_border::verdict;

namespace {

struct bordered {
  const caf::node_id here = test::node_of(1);
  const caf::node_id peer = test::node_of(2);
  basp_border border{false, here};

  verdict judge(const std::string& bytes) { return border.judge(std::as_bytes(std::span{bytes})); }
  verdict judge(operation what, const std::string& payload, std::uint8_t flags = 0) {
    const auto head = judge(basp_header(what, static_cast<std::uint32_t>(payload.size()), flags));
    return head == verdict::close || payload.empty() ? head : judge(payload);
  }
  /// Judges a message of links, up to the part that is checked.
  static std::string message(std::size_t size = 20) {
    const auto type = caf::id_block::ringmaster_net::begin;
    std::string text{'\0', '\1', static_cast<char>(type >> 8), static_cast<char>(type & 0xff)};
    return text + std::string(size - text.size(), 'x');
  }
  void greet() { REQUIRE(judge(operation::client_handshake, test::bytes_of(peer)) == verdict::pass); }
};

} // namespace

TEST_CASE_METHOD(bordered, "a connection begins with one handshake of the expected kind", "[links][border]") {
  SECTION("its own") { greet(); }
  SECTION("without a payload") { CHECK(judge(operation::client_handshake, "") == verdict::close); }
  SECTION("of an invalid node") { CHECK(judge(operation::client_handshake, test::bytes_of(caf::node_id{})) == verdict::close); }
  SECTION("of this node") { CHECK(judge(operation::client_handshake, test::bytes_of(here)) == verdict::close); }
  SECTION("unreadable") { CHECK(judge(operation::client_handshake, "\xff") == verdict::close); }
  SECTION("of the other end") { CHECK(judge(operation::server_handshake, test::bytes_of(peer)) == verdict::close); }
  SECTION("another operation") { CHECK(judge(operation::heartbeat, "") == verdict::close); }
  SECTION("twice") {
    greet();
    CHECK(judge(operation::client_handshake, test::bytes_of(peer)) == verdict::close);
  }
  SECTION("the other kind afterwards") {
    greet();
    CHECK(judge(operation::server_handshake, test::bytes_of(peer)) == verdict::close);
  }
}

TEST_CASE_METHOD(bordered, "limits the number of gates that a connection names", "[links][border]") {
  greet();
  for (int i = 0; i < basp_border::hellos_max; ++i)
    CHECK(judge(operation::direct_message, message()) == verdict::pass);
  CHECK(judge(operation::direct_message, message()) == verdict::close);
}

TEST_CASE("the dialling end expects a server handshake", "[links][border]") {
  basp_border border{true, test::node_of(1)};
  const auto judge = [&](const std::string& bytes) { return border.judge(std::as_bytes(std::span{bytes})); };
  SECTION("of a client") { CHECK(judge(basp_header(operation::client_handshake, 20)) == verdict::close); }
  SECTION("of a server") { CHECK(judge(basp_header(operation::server_handshake, 20)) == verdict::pass); }
}

TEST_CASE_METHOD(bordered, "passes CAF's own messages to its peer", "[links][border]") {
  greet();
  CHECK(judge(operation::heartbeat, "") == verdict::pass);
  CHECK(judge(operation::direct_message, message()) == verdict::pass);
  CHECK(judge(operation::monitor_message, test::bytes_of(peer) + test::bytes_of(here)) == verdict::pass);
  CHECK(judge(operation::down_message, test::bytes_of(peer) + test::bytes_of(here) + "why") == verdict::pass);
  CHECK(judge(operation::direct_message, message(basp_border::payload_max)) == verdict::pass);
}

TEST_CASE_METHOD(bordered, "drops messages to CAF's own servers, and reads those after them", "[links][border]") {
  greet();
  const auto named = caf::io::basp::header::named_receiver_flag;
  CHECK(judge(basp_header(operation::direct_message, 3, named)) == verdict::drop);
  CHECK(border.next_size() == 3);
  CHECK(judge("abc") == verdict::drop);
  CHECK(border.next_size() == basp_border::header_size);
  CHECK(judge(operation::direct_message, message()) == verdict::pass);
}

TEST_CASE_METHOD(bordered, "passes only messages of links", "[links][border]") {
  greet();
  const auto of_type = [](unsigned type) {
    return std::string{'\0', '\1', static_cast<char>(type >> 8U), static_cast<char>(type & 0xffU)} + "x";
  };
  using ids = caf::id_block::ringmaster_net;
  CHECK(judge(operation::direct_message, of_type(ids::end - 1)) == verdict::pass);
  for (const unsigned type : {unsigned{ids::end}, ids::begin - 1U, unsigned{caf::type_id_v<caf::exit_msg>},
                              unsigned{caf::type_id_v<caf::link_atom>}}) {
    CAPTURE(type);
    CHECK(judge(operation::direct_message, of_type(type)) == verdict::close);
  }
  auto passed_on = message();
  passed_on[0] = '\1';
  CHECK(judge(operation::direct_message, passed_on) == verdict::close);
  auto two = message();
  two[1] = '\2';
  CHECK(judge(operation::direct_message, two) == verdict::close);
  CHECK(judge(operation::direct_message, "\0") == verdict::close);
  const caf::io::basp::header named_sender{operation::direct_message, 0, 20, 0, 7, 1};
  CHECK(judge(test::bytes_of(named_sender)) == verdict::close);
}

TEST_CASE_METHOD(bordered, "closes the connection on operations that no node or executor sends", "[links][border]") {
  greet();
  const auto other = test::bytes_of(test::node_of(3));
  const auto from_peer = test::bytes_of(peer);
  const auto to_here = test::bytes_of(here);
  CHECK(judge(operation::monitor_message, from_peer + other) == verdict::close);
  CHECK(judge(operation::monitor_message, other + to_here) == verdict::close);
  CHECK(judge(operation::down_message, from_peer + other) == verdict::close);
  CHECK(judge(operation::down_message, from_peer) == verdict::close);
  CHECK(judge(operation::monitor_message, "") == verdict::close);
  CHECK(judge(operation::direct_message, "") == verdict::close);
  CHECK(judge(operation::routed_message, from_peer + to_here + "x") == verdict::close);
  CHECK(judge(operation::down_message, from_peer + to_here + std::string(17, 'x')) == verdict::close);
  CHECK(bordered{}.judge(basp_header(static_cast<operation>(7), 1)) == verdict::close);
  CHECK(bordered{}.judge(basp_header(operation::client_handshake, basp_border::payload_max + 1)) == verdict::close);
  CHECK(bordered{}.judge(basp_header(operation::client_handshake, 0xffffffff)) == verdict::close);
}
