#include "tests/links/link_world.hpp"

#include <array>
#include <future>
#include <poll.h>
#include <numeric>
#include <set>
#include <sys/socket.h>

#include "actors/link/channel_bindings.hpp"
#include "actors/link/sockets.hpp"
#include "actors/link/system_config.hpp"
#include "actors/link/tls_stream.hpp"
#include "protocol/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/raw_socket.hpp"
#include "tests/support/tcp_relay.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/tls_peer.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::tls_world;

namespace {

std::vector<std::int64_t> ids(std::int64_t first, std::size_t count) {
  std::vector<std::int64_t> made(count);
  std::iota(made.begin(), made.end(), first);
  return made;
}

} // namespace

TEST_CASE("a connection that ends in the turn in which it begins is released", "[links]") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  actors::socket_handle peer{ends[1]};
  const auto trouble = std::make_shared<actors::tls_trouble>();
  {
    actors::system_config config{true};
    caf::actor_system system{config};
    auto& loop = dynamic_cast<caf::io::network::default_multiplexer&>(system.middleman().backend());
    const auto context = *protocol::make_tls_context(TLS_method());
    auto scribe = actors::make_scribe(loop, ends[0], actors::await_hands(context, ends[0]), trouble,
                                      std::make_shared<actors::channel_bindings>());
    std::promise<void> ended;
    system.middleman().spawn_broker([&](caf::io::broker* self) {
      const auto handle = scribe->hdl();
      self->add_scribe(std::move(scribe));
      self->configure_read(handle, caf::io::receive_policy::exactly(1));
      self->close(handle);
      ended.set_value();
    });
    ended.get_future().get();
    peer = {};
  }
  CHECK(trouble.use_count() == 1);
}

TEST_CASE_METHOD(tls_world, "runs and results cross a link over TLS", "[links]") {
  test::linked_node node{facts, of("node")};
  test::linked_executor executor{facts, of("executor"), {node.address}};
  REQUIRE(facts->await("link up", 1));
  send(node, ids(1, 5000));
  const bool all = facts->await("ended", 5000);
  INFO(facts->text());
  REQUIRE(all);
  CHECK(facts->count("answered 200") == 5000);
  REQUIRE(facts->await("results", 5000));
  CHECK(facts->count("executed") == 5000);
  CHECK(facts->count("result 5000") == 1);
  CHECK(facts->count("ended") == 5000);
}

TEST_CASE_METHOD(tls_world, "reports a refused token in plain words", "[links]") {
  test::linked_node node{facts, of("node")};
  test::linked_executor executor{facts, of("executor"), {node.address}, "wrong"};
  CHECK(facts->await_words("the node refuses the link: the access token is wrong"));
  CHECK(facts->await_words("refused a native link of pay-worker at http://127.0.0.1:9999/: the access token is wrong"));
  CHECK(facts->count("link up") == 0);
}

TEST_CASE_METHOD(tls_world, "rejects an executor's certificate as a node's, and a node's as an executor's", "[links]") {
  const auto with = [this](const std::string& name, const std::string& usage) {
    return test::ports_of(authority.issue(name, "DNS:" + name, 3600, usage), authority.file());
  };
  SECTION("each in its place") {
    test::linked_node node{facts, with("node", "serverAuth")};
    test::linked_executor executor{facts, with("executor", "clientAuth"), {node.address}};
    CHECK(facts->await("link up", 1));
  }
  SECTION("an executor's as a node's") {
    test::linked_node node{facts, with("node", "clientAuth")};
    test::linked_executor executor{facts, with("executor", "clientAuth"), {node.address}};
    CHECK(facts->await_words("the node's certificate is not accepted"));
    CHECK(facts->count("link up") == 0);
  }
  SECTION("a node's as an executor's") {
    test::linked_node node{facts, with("node", "serverAuth")};
    test::linked_executor executor{facts, with("executor", "serverAuth"), {node.address}};
    CHECK(facts->await_words("its certificate is not accepted"));
    CHECK(facts->count("link up") == 0);
  }
}

TEST_CASE_METHOD(tls_world, "reports another link version in plain words", "[links]") {
  test::linked_node node{facts, of("node")};
  test::linked_executor executor{facts, of("executor"), {node.address}, "secret", "ringmaster.link.v0"};
  CHECK(facts->await_words("speaks another version of the link"));
  CHECK(facts->count("link up") == 0);
}

TEST_CASE_METHOD(tls_world, "rejects peers without a certificate of the authority", "[links]") {
  test::linked_node node{facts, of("node")};
  SECTION("the executor's is of another authority") {
    test::linked_executor executor{facts, test::ports_of(stranger.issue("executor"), authority.file()), {node.address}};
    CHECK(facts->await_words("accept this executor's certificate"));
    // The node logs the address and the reason.
    CHECK(facts->await_words("no native link from 127.0.0.1:"));
    CHECK(facts->await_words(": link.ca does not know who signed its certificate: "));
    CHECK(facts->count("link up") == 0);
  }
  SECTION("the executor's has expired") {
    test::linked_executor executor{facts, test::ports_of(authority.issue("late", "DNS:late", -60), authority.file()),
                                   {node.address}};
    CHECK(facts->await_words("accept this executor's certificate"));
    CHECK(facts->await_words(": its certificate is not accepted: certificate has expired"));
    CHECK(facts->count("link up") == 0);
  }
  SECTION("the node's is of another authority") {
    test::linked_executor executor{facts, test::ports_of(authority.issue("executor"), stranger.file()), {node.address}};
    CHECK(facts->await_words(": link.ca does not know who signed the node's certificate: "));
    CHECK(facts->await_words(": it does not accept this node's certificate: "));
    CHECK(facts->count("link up") == 0);
  }
  SECTION("a peer does not speak TLS at all") {
    auto peer = test::raw_socket::connect(node.address);
    (void)peer.try_send(std::string(100'000, 'x'));
    (void)peer.read_to_end(); // closed, possibly after an alert
    CHECK(facts->await_words(": it does not speak TLS"));
  }
  // The node still works.
  test::linked_executor good{facts, of("good"), {node.address}};
  CHECK(facts->await("link up", 1));
}

TEST_CASE_METHOD(tls_world, "a probe reports whether a node accepts links", "[links]") {
  test::linked_node node{facts, of("node")};
  CHECK(of("executor")->probe(node.address, 20s));
  const auto refused = test::ports_of(stranger.issue("stranger"), authority.file())->probe(node.address, 20s);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().context.find("accept this executor's certificate") != std::string::npos);
  const auto unknown = test::ports_of(authority.issue("doubter"), stranger.file())->probe(node.address, 20s);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().context.find("link.ca does not know") == 0);
  auto silent = actors::listen_at("127.0.0.1:0");
  REQUIRE(silent);
  const auto nobody = of("another")->probe(actors::local_address(*silent), 200ms);
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error().context == "no TLS handshake in time");
}

TEST_CASE_METHOD(tls_world, "reports an address that does not speak TLS", "[links]") {
  auto server = actors::listen_at("127.0.0.1:0");
  REQUIRE(server);
  auto answer = std::async(std::launch::async, [&server] {
    (void)actors::await(server->get(), POLLIN, std::chrono::steady_clock::now() + 20s);
    const actors::socket_handle accepted{::accept(server->get(), nullptr, nullptr)};
    const std::string refusal = "HTTP/1.1 400 Bad Request\r\n\r\n";
    return ::send(accepted.get(), refusal.data(), refusal.size(), MSG_NOSIGNAL);
  });
  test::linked_executor executor{facts, of("executor"), {actors::local_address(*server)}};
  CHECK(facts->await_words(": the address does not speak TLS"));
  CHECK(answer.get() > 0);
}

TEST_CASE_METHOD(tls_world, "many failed peers do not flood the log, and port checks are not logged", "[links]") {
  test::linked_node node{facts, of("node")};
  const auto speak = [&node](int times) {
    for (int i = 0; i < times; ++i) {
      auto peer = test::raw_socket::connect(node.address);
      (void)peer.try_send("GET / HTTP/1.1\r\n\r\n");
      (void)peer.read_to_end();
    }
  };
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i)
    (void)test::raw_socket::connect(node.address);
  speak(200);
  while (!facts->await_words(" similar messages suppressed)", 0s) && std::chrono::steady_clock::now() - begun < 20s)
    speak(1);
  CHECK(facts->await_words(" similar messages suppressed)", 0s));
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() - begun).count();
  CHECK(facts->count_words("no native link from") <= static_cast<std::size_t>(seconds) + 1);
  CHECK_FALSE(facts->await_words("the connection was closed", 0s));
}

TEST_CASE_METHOD(tls_world, "silent peers do not keep others out", "[links]") {
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

TEST_CASE_METHOD(tls_world, "names unusable files", "[links]") {
  const auto good = authority.issue("node");
  const auto other = authority.issue("other");
  auto missing = actors::tls_ports::make({folder.path() + "/nowhere.pem", good.key, authority.file()});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().context.find("nowhere.pem") != std::string::npos);
  auto mismatch = actors::tls_ports::make({good.certificate, other.key, authority.file()});
  REQUIRE_FALSE(mismatch);
  CHECK(mismatch.error().context.find("other.key") != std::string::npos);
}

TEST_CASE_METHOD(tls_world, "every run ends once when the link is cut during a run", "[links]") {
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
  CHECK(facts->count("executed") == count); // no duplicates
  for (const auto id : ids(1, count))
    if (!facts->await("result " + std::to_string(id), 1))
      FAIL("run " << id << " has no result");
}

TEST_CASE_METHOD(tls_world, "reconnects to a restarted node", "[links]") {
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

TEST_CASE_METHOD(tls_world, "either of two nodes accepts every result", "[links]") {
  test::linked_node one{facts, of("one")};
  test::linked_node other{facts, of("other")};
  test::linked_executor executor{facts, of("executor"), {one.address, other.address}};
  REQUIRE(facts->await("link up", 2));
  const auto runs = ids(test::first_by_hand, 8);
  for (const auto id : runs) { // one by one: the nodes alternate
    one.send({id});
    REQUIRE(facts->await("result " + std::to_string(id), 1));
  }
  CHECK(facts->count("executed") == runs.size());
}

TEST_CASE_METHOD(tls_world, "delivers the result of a run that ends after a cut", "[links]") {
  test::linked_node node{facts, of("node")};
  test::tcp_relay relay{actors::port_of(node.address)};
  test::linked_executor executor{facts, of("executor"), {relay.address()}};
  REQUIRE(facts->await("link up", 1));
  executor.holds = true;
  node.send({test::first_by_hand});
  REQUIRE(facts->await("answered 200", 1));
  relay.cut();
  REQUIRE(facts->await("link down", 1));
  REQUIRE(facts->await("link up", 2));
  executor.holds = false;
  CHECK(facts->await("result " + std::to_string(test::first_by_hand), 1));
}

TEST_CASE("reports the end of an actor without CAF's names", "[links]") {
  const auto is_plain = [](const caf::error& reason) {
    const auto words = protocol::end_in_words(reason);
    CAPTURE(words);
    CHECK_FALSE(words.empty());
    CHECK(words.find_first_of("_:") == std::string::npos);
  };
  for (int code = 0; code <= 255; ++code) { // a peer may send any code
    is_plain(caf::error{static_cast<caf::sec>(code)});
    is_plain(caf::error{static_cast<caf::exit_reason>(code)});
  }
  CHECK(protocol::end_in_words({}) == "it has ended");
  CHECK(protocol::end_in_words(caf::exit_reason::remote_link_unreachable) == "the connection is lost");
  CHECK(protocol::end_in_words(protocol::to_caf({core::errc::unavailable, "away"})) == "away");
}

TEST_CASE_METHOD(tls_world, "warns of an executor that ends without a goodbye, in plain words", "[links]") {
  test::linked_node node{facts, of("node")};
  auto executor = std::make_unique<test::linked_executor>(facts, of("executor"), std::vector{node.address});
  REQUIRE(facts->await("link up", 1));
  const std::string link = "the native link of pay-worker at http://127.0.0.1:9999/ ";
  SECTION("with a goodbye") {
    executor->say_goodbye();
    REQUIRE(facts->await("link down", 1));
    executor.reset();
    CHECK(facts->await(link + "has ended", 1));
    CHECK_FALSE(facts->await_words("was cut", 0s));
  }
  SECTION("without a goodbye") {
    executor.reset();
    CHECK(facts->await_words(link + "was cut: "));
  }
  CHECK_FALSE(facts->await_words("caf::", 0s));
  CHECK_FALSE(facts->await_words("exit_reason", 0s));
}

TEST_CASE_METHOD(tls_world, "a node ends although a peer has stopped reading", "[links]") {
  auto node = std::make_unique<test::linked_node>(facts, of("node"));
  test::tcp_relay relay{actors::port_of(node->address)};
  test::linked_executor executor{facts, of("executor"), {relay.address()}};
  REQUIRE(facts->await("link up", 1));
  relay.swallow();
  node->send(ids(1, 8), std::string(1'000'000, 'x')); // more than the socket buffers hold
  REQUIRE(facts->await("ended", 1)); // the node has tried
  auto end = std::async(std::launch::async, [&] { node.reset(); });
  const auto ended = end.wait_for(30s);
  relay.cut(); // so that the test itself ends
  CHECK(ended == std::future_status::ready);
}

TEST_CASE_METHOD(tls_world, "a peer cannot close the door", "[links]") {
  test::linked_node node{facts, of("node")};
  test::linked_executor stranger{facts, of("stranger"), {node.address}, "wrong"};
  REQUIRE(facts->await_words("the access token is wrong"));
  stranger.close_door(node.address);
  test::linked_executor good{facts, of("good"), {node.address}};
  REQUIRE(facts->await("link up", 1));
  node.send({1});
  CHECK(facts->await("result 1", 1));
  CHECK_FALSE(facts->await_words("native links are not accepted any more", 0s));
}

TEST_CASE_METHOD(tls_world, "a slow network does not prevent a link", "[links]") {
  test::linked_node node{facts, of("node")};
  test::tcp_relay relay{actors::port_of(node.address)};
  relay.hold();
  test::linked_executor executor{facts, of("executor"), {relay.address()}};
  CHECK_FALSE(facts->await("link up", 1, 2s)); // more than one heartbeat
  relay.go_on();
  CHECK(facts->await("link up", 1));
  CHECK_FALSE(facts->await_words("no native link", 0s)); // with the first attempt
}

TEST_CASE_METHOD(tls_world, "a peer that completes the handshake and stays silent keeps no other out", "[links]") {
  test::linked_node node{facts, of("node")};
  const auto shown = authority.issue("silent");
  std::vector<std::unique_ptr<test::tls_peer>> silent;
  for (std::size_t i = 0; i <= actors::visitors::guests_max; ++i) {
    silent.push_back(std::make_unique<test::tls_peer>(node.address, shown));
    REQUIRE(silent.back()->shake_hands());
  }
  while (silent.front()->read_some()) // the oldest was closed
    ;
  test::linked_executor good{facts, of("good"), {node.address}};
  CHECK(facts->await("link up", 1));
}
