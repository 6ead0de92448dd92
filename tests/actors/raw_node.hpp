#pragma once

// An executor that connects to a node whose gate belongs to the test.

#include <cstddef>
#include <string>
#include <vector>

#include "tests/actors/native_fixture.hpp"

namespace ringmaster::test {

inline protocol::run_reports reports(std::size_t count, const std::string& message = "ok") {
  protocol::run_reports made;
  for (std::size_t i = 1; i <= count; ++i)
    made.reports.push_back({core::log_id{static_cast<std::int64_t>(i)}, natively_linked::start, 200, message});
  return made;
}

/// Node whose gate belongs to the test: it welcomes the executor and then sends the test's messages.
struct raw_node : natively_linked {
  raw_node() {
    node = track(system().spawn([this]() -> protocol::link_gate::behavior_type {
      return {
        [this](const protocol::link_verdicts& told) { verdicts.push_back(told); },
        [this](const protocol::link_answer& told) { answers.push_back(told); },
        [this](const protocol::link_reports& told) { batches.push_back(told); },
        [this](const protocol::link_goodbye& told) {
          ++goodbyes;
          last_key = told.key;
        },
      };
    }));
    ports->door = track(system().spawn([this]() -> protocol::link_door::behavior_type {
      return {
        [this](const protocol::link_hello& hello) {
          hellos.push_back(hello);
          if (challenges)
            tell(hello.gate, protocol::link_challenge{nonce, hello.gate_key});
        },
        [this](const protocol::link_proof& proof) {
          proofs.push_back(proof);
          if (welcomes)
            say(welcome());
        },
      };
    }));
  }
  ~raw_node() {
    hellos.clear();
    end_all();
  }
  protocol::executor_gate gate_there() { return hellos.back().gate; }
  [[nodiscard]] protocol::link_welcome welcome() const {
    return {node, own_key, seal_of(protocol::link_end::node, hellos.back(), nonce, "secret")};
  }
  /// Sends a message to the executor, with its key.
  template <class Message>
  void say(Message message) {
    message.key = hellos.back().gate_key;
    tell(gate_there(), std::move(message));
  }

  static constexpr protocol::link_key own_key{3, 4};
  static constexpr protocol::link_key nonce{5, 6};
  protocol::link_gate node;
  bool challenges = true;
  bool welcomes = true;
  std::vector<protocol::link_hello> hellos;
  std::vector<protocol::link_proof> proofs;
  std::vector<protocol::link_verdicts> verdicts;
  std::vector<protocol::link_answer> answers;
  std::vector<protocol::link_reports> batches;
  std::size_t goodbyes = 0;
  protocol::link_key last_key;
};

} // namespace ringmaster::test
