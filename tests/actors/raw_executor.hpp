#pragma once

// An executor that speaks the link protocol message by message.

#include <string>
#include <vector>

#include "tests/actors/native_fixture.hpp"

namespace ringmaster::test {

/// Executor whose gate belongs to the test: sends the test's messages, and keeps those it gets.
struct raw_executor : natively_linked {
  raw_executor() {
    gate_there = track(system().spawn([this]() -> protocol::executor_gate::behavior_type {
      return {
        [this](const protocol::link_challenge& challenge) { nonces.push_back(challenge.nonce); },
        [this](const protocol::link_welcome& told) { welcomes.push_back(told); },
        [this](const protocol::link_refusal& told) { refusals.push_back(told.reason); },
        [](const protocol::link_runs&) {},
        [](const protocol::link_question&) {},
        [](const protocol::link_receipt&) {},
      };
    }));
    hello = {protocol::link_version, "pay-worker", worker_address, {}, gate_there, {1, 2}};
  }
  ~raw_executor() {
    hello.gate = nullptr;
    end_all();
  }
  /// Sends a hello and returns the challenge.
  protocol::link_key greet() {
    tell(ports->door, hello);
    run();
    REQUIRE_FALSE(nonces.empty());
    return nonces.back();
  }
  void answer(const protocol::link_key& nonce, const std::string& token) {
    prove(ports->door, hello, nonce, token);
    run();
  }
  void try_token(const std::string& token) { answer(greet(), token); }

  protocol::executor_gate gate_there;
  protocol::link_hello hello;
  std::vector<protocol::link_key> nonces;
  std::vector<protocol::link_welcome> welcomes;
  std::vector<std::string> refusals;
};

} // namespace ringmaster::test
