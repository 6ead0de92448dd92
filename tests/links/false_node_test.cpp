// A peer that has a valid node certificate, but no token.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include <caf/binary_serializer.hpp>

#include "actors/link/channel_bindings.hpp"
#include "protocol/link_border.hpp"
#include "tests/links/link_world.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

const std::string common_token = "the-token-that-nobody-else-may-see";

/// A relay between executors and a node: passes messages on and records all of them. Notes `heard hello`, `heard proof`, `relayed
/// challenge`, `node welcomed`, `node refused: ...`.
class false_node {
public:
  /// `node`: address of the real node; empty: none, and the relay itself welcomes the executor.
  false_node(test::board_ptr facts, std::shared_ptr<actors::tls_ports> ports, std::string node = {})
    : facts_{std::move(facts)}, ports_{std::move(ports)}, node_{std::move(node)} {
    ports_->attach(system_);
    auto bound = ports_->bind("127.0.0.1:0", test::log_to(facts_));
    if (!bound)
      throw std::runtime_error{bound.error().context};
    address = *bound;
    make_actors();
    if (auto open = ports_->publish(door_); !open)
      throw std::runtime_error{open.error().context};
  }
  ~false_node() {
    {
      std::lock_guard guard{mutex_};
      is_closing_ = true;
      node_door_ = nullptr;
      hello_.gate = nullptr;
    }
    test::end_actors(system_, {caf::actor_cast<caf::actor>(door_), caf::actor_cast<caf::actor>(gate_),
                               caf::actor_cast<caf::actor>(link_)});
  }

  /// Returns all bytes that executors sent.
  [[nodiscard]] std::string heard() {
    std::lock_guard guard{mutex_};
    return heard_;
  }

  std::string address;

private:
  template <class Message>
  void keep(const Message& message) {
    caf::byte_buffer bytes;
    caf::binary_serializer sink{system_, bytes};
    // Serialized as on the link.
    if (!caf::make_message(message).save(sink))
      facts_->note("not kept");
    std::lock_guard guard{mutex_};
    heard_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  void make_actors() {
    link_ = system_.spawn([]() -> protocol::link_gate::behavior_type {
      return {[](const protocol::link_verdicts&) {}, [](const protocol::link_answer&) {}, [](const protocol::link_reports&) {},
              [](const protocol::link_goodbye&) {}};
    });
    door_ = system_.spawn([this]() -> protocol::link_door::behavior_type {
      return {
        [this](const protocol::link_hello& hello) { take(hello); },
        [this](const protocol::link_proof& proof) { take(proof); },
      };
    });
    // The actor that the node takes for the executor.
    gate_ = system_.spawn([this]() -> protocol::executor_gate::behavior_type {
      return {
        [this](const protocol::link_challenge& challenge) {
          facts_->note("relayed challenge");
          challenge_executor(challenge.nonce);
        },
        [this](const protocol::link_welcome&) { facts_->note("node welcomed"); },
        [this](const protocol::link_refusal& refusal) { facts_->note("node refused: " + refusal.reason); },
        [](const protocol::link_runs&) {},
        [](const protocol::link_question&) {},
        [](const protocol::link_receipt&) {},
      };
    });
  }

  void challenge_executor(const protocol::link_key& nonce) {
    std::lock_guard guard{mutex_};
    protocol::anon_send(hello_.gate, protocol::link_challenge{nonce, hello_.gate_key});
  }

  void take(const protocol::link_hello& hello) {
    keep(hello);
    facts_->note("heard hello");
    {
      std::lock_guard guard{mutex_};
      hello_ = hello;
    }
    if (node_.empty())
      return challenge_executor({1, 2});
    ports_->dial(node_, 5s, [this](core::result<protocol::link_door>&& door) {
      std::lock_guard guard{mutex_};
      if (!door || is_closing_)
        return;
      node_door_ = *door;
      auto passed = hello_;
      passed.gate = gate_;
      protocol::anon_send(node_door_, std::move(passed));
    });
  }

  void take(const protocol::link_proof& proof) {
    keep(proof);
    facts_->note("heard proof");
    std::lock_guard guard{mutex_};
    if (node_door_)
      protocol::anon_send(node_door_, proof);
    // Answered like a node that knows the token.
    protocol::anon_send(hello_.gate, protocol::link_welcome{link_, {3, 4}, proof.proof, hello_.gate_key});
    protocol::anon_send(hello_.gate, protocol::link_runs{1, {{.job = core::job_id{7}, .run = core::log_id{1}}}, hello_.gate_key});
  }

  test::board_ptr facts_;
  std::shared_ptr<actors::tls_ports> ports_;
  std::string node_;
  std::mutex mutex_;
  std::string heard_;
  protocol::link_hello hello_;
  protocol::link_door node_door_;
  bool is_closing_ = false;
  test::link_config config_;
  caf::actor_system system_{config_};
  protocol::link_gate link_;
  protocol::executor_gate gate_;
  protocol::link_door door_;
};

const std::string not_proved = "the peer did not prove that it knows the access token";

} // namespace

TEST_CASE_METHOD(test::tls_world, "a false node never sees the token, and no executor works for it", "[links]") {
  false_node node{facts, of("false")};
  test::linked_executor executor{facts, of("executor"), {node.address}, common_token};
  REQUIRE(facts->await("heard proof", 2)); // it retries
  REQUIRE(facts->await_words(not_proved));
  CHECK(facts->count("not kept") == 0);
  CHECK(node.heard().find("pay-worker") != std::string::npos);
  CHECK(node.heard().find(common_token) == std::string::npos);
  CHECK(node.heard().find(common_token.substr(0, 8)) == std::string::npos);
  CHECK(facts->count("executed") == 0);
}

TEST_CASE_METHOD(test::tls_world, "a relay between executor and node is trusted by neither", "[links]") {
  test::linked_node node{facts, of("node"), "127.0.0.1:0", common_token};
  false_node relay{facts, of("false"), node.address};
  {
    test::linked_executor executor{facts, of("executor"), {relay.address}, common_token};
    REQUIRE(facts->await("relayed challenge", 1));
    CHECK(facts->await("node refused: the access token is wrong", 1));
    CHECK(facts->await_words(not_proved));
  }
  CHECK(relay.heard().find(common_token) == std::string::npos);
  CHECK(facts->count("node welcomed") == 0);
  CHECK(facts->count("link up") == 0);
  CHECK(facts->count("executed") == 0);
  // Without the relay this executor is welcome.
  test::linked_executor executor{facts, of("executor"), {node.address}, common_token};
  CHECK(facts->await("link up", 1));
}

TEST_CASE("a seal depends on the key, the connection and the text", "[links]") {
  const std::string binding(32, 'b');
  // HMAC-SHA256 of RFC 4231, test case 2, with its text in two parts.
  const auto known = actors::sealed("Jefe", "what do ya want ", "for nothing?");
  REQUIRE(known.size() == protocol::link_limits::proof_bytes);
  CHECK(known.substr(0, 4) == "\x5b\xdc\xc1\x46");
  CHECK(known.substr(28) == "\x64\xec\x38\x43");
  CHECK(actors::sealed("key", binding, "text") != actors::sealed("kez", binding, "text"));
  CHECK(actors::sealed("key", binding, "text") != actors::sealed("key", std::string(32, 'c'), "text"));
  CHECK(actors::sealed("key", binding, "text") != actors::sealed("key", binding, "texu"));
  CHECK(actors::sealed("", binding, "text").size() == protocol::link_limits::proof_bytes);
}
