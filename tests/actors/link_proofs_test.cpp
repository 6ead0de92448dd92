// Proofs that executor and node show each other before any other message is accepted.

#include "tests/actors/raw_node.hpp"

using namespace ringmaster;
using test::raw_node;
using test::reports;

TEST_CASE_METHOD(raw_node, "a node that does not prove the token is not trusted", "[actors][links]") {
  challenges = false;
  welcomes = false;
  dial();
  auto done = later<caf::unit_t>(dialer, reports(1));
  run();
  auto forged = welcome();
  SECTION("it has not sent a challenge") {}
  SECTION("it knows no token") {
    say(protocol::link_challenge{nonce});
    run();
    forged.proof.clear();
  }
  SECTION("it knows another one") {
    say(protocol::link_challenge{nonce});
    run();
    forged.proof = seal_of(protocol::link_end::node, hellos.back(), nonce, "another");
  }
  SECTION("it sends the executor's proof back") {
    say(protocol::link_challenge{nonce});
    run();
    forged.proof = proofs.at(0).proof;
  }
  SECTION("its proof is of another connection") {
    ports->binding = "another";
    forged = welcome();
    ports->binding = "binding";
    say(protocol::link_challenge{nonce});
    run();
  }
  SECTION("its proof is of another challenge") {
    say(protocol::link_challenge{{7, 8}});
    run();
  }
  say(forged);
  say(protocol::link_runs{1, {{.job = core::job_id{7}, .run = core::log_id{1}}}});
  say(protocol::link_question{1, protocol::link_topic::kill, core::job_id{8}});
  run();
  CHECK(executor->runs.empty());
  CHECK(executor->questions.empty());
  CHECK(batches.empty());
  REQUIRE(*done); // results stay with the executor
  CHECK_FALSE(**done);
}

TEST_CASE_METHOD(raw_node, "an executor answers one challenge of a connection, and none without its key", "[actors][links]") {
  challenges = false;
  dial();
  for (const auto key : {protocol::link_key{}, own_key}) {
    tell(gate_there(), protocol::link_challenge{nonce, key});
    run();
  }
  CHECK(proofs.empty());
  welcomes = false;
  for (std::uint64_t i = 1; i <= 3; ++i)
    say(protocol::link_challenge{{i, i}});
  run();
  CHECK(proofs.size() == 1);
}
