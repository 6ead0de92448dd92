#include "tests/actors/raw_executor.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using protocol::send_state;
using test::natively_linked;
using test::raw_executor;
using test::worker_address;

TEST_CASE_METHOD(natively_linked, "a link is a registration, renewed while it is up", "[actors][links]") {
  dial();
  CHECK(is_linked());
  REQUIRE(registry.beats->size() == 1);
  CHECK(registry.beats->at(0).registry_group == "EXECUTOR");
  CHECK(registry.beats->at(0).app_name == "pay-worker");
  CHECK(registry.beats->at(0).address == worker_address);
  advance(60s);
  CHECK(registry.beats->size() == 3);
  kill_executor();
  advance(60s);
  CHECK(registry.beats->size() == 3);
  CHECK(registry.removals->empty()); // it expires as usual
}

TEST_CASE_METHOD(natively_linked, "an executor that is refused tries again later", "[actors][links]") {
  dial({"pay-worker", worker_address, "wrong"});
  CHECK_FALSE(is_linked());
  CHECK(ports->dialled_addresses.size() == 1);
  advance(1s);
  CHECK(ports->dialled_addresses.size() >= 2);
  advance(10min);
  // The wait doubles up to 15 s and half of that.
  CHECK(ports->dialled_addresses.size() < 60);
  CHECK(registry.beats->empty());
}

TEST_CASE_METHOD(natively_linked, "a goodbye ends runs and registration, not results", "[actors][links]") {
  dial();
  tell(dialer, protocol::link_goodbye{});
  run();
  CHECK_FALSE(is_linked());
  REQUIRE(registry.removals->size() == 1);
  CHECK(registry.removals->at(0).address == worker_address);
  CHECK_FALSE(ask_done(dialer, protocol::run_reports{{{core::log_id{12}, start, 200, "late"}}}));
  CHECK(callbacks.size() == 1);
  advance(10min);
  CHECK_FALSE(is_linked());
  CHECK(registry.removals->size() == 1);
}

TEST_CASE_METHOD(natively_linked, "a second connection with the same address replaces the first one", "[actors][links]") {
  dial();
  executor->silent = true;
  auto first = native();
  send({1});
  dial(); // another process, or the same one after a cut that this node has not noticed
  CHECK(is_linked());
  CHECK(native() != first);
  CHECK(count(send_state::unknown) == 1);
  executor->silent = false;
  send({2});
  send(first, {run_of(3)}); // was on its way to the former one
  CHECK(count(send_state::answered, 200) == 2);
  CHECK(http->calls.empty());
}

TEST_CASE_METHOD(natively_linked, "a group's token gets only the group's runs", "[actors][links]") {
  http = pool.executor("http://10.0.0.9:9999/");
  ports->remote = "10.0.0.9:41234";
  dial({"mail-worker", "http://10.0.0.9:9999/", "mail-token"});
  REQUIRE(is_linked("http://10.0.0.9:9999/"));
  CHECK(registry.beats->at(0).token == core::token_kind::group);
  send(native("http://10.0.0.9:9999/"), {run_of(1, 9), run_of(2, 4)});
  REQUIRE(executor->runs.size() == 1);
  CHECK(executor->runs[0].run == core::log_id{1});
  CHECK(http->calls == std::vector<std::string>{"run 2/0"});
  CHECK(count(send_state::answered, 200) == 2);
}

TEST_CASE_METHOD(natively_linked, "runs that a link cannot carry cannot reach an executor without HTTP", "[actors][links]") {
  const std::string alone = "ringmaster://mail-worker/one";
  dial({"mail-worker", alone, "mail-token"});
  REQUIRE(is_linked(alone));
  send(native(alone), {run_of(1, 4), run_of(2, 9, std::string(1'100'000, 'x')), run_of(3, 9)});
  REQUIRE(count(send_state::not_sent) == 2);
  CHECK(results[0].message.find("token of another group") != std::string::npos);
  CHECK(results[1].message.find("too large for the native link") != std::string::npos);
  CHECK_FALSE(results[0].unreachable); // it is reachable, so others of its group are not preferred
  CHECK_FALSE(results[1].unreachable);
  CHECK(count(send_state::answered, 200) == 1);
}

TEST_CASE_METHOD(natively_linked, "a token that is no longer valid ends its link at the next beat", "[actors][links]") {
  dial({"mail-worker", worker_address, "mail-token"});
  REQUIRE(is_linked());
  auto changed = std::make_shared<protocol::registry_view>(*view);
  changed->groups.at(9).access_token = "another";
  tell(links, protocol::registry_change{changed});
  advance(30s);
  CHECK_FALSE(is_linked());
}

TEST_CASE_METHOD(natively_linked, "a group's token gets no link with another group's address", "[actors][links]") {
  *registry.taken = worker_address;
  dial({"mail-worker", worker_address, "mail-token"});
  CHECK_FALSE(is_linked());
  CHECK(ports->admitted == 0);
  dial({"mail-worker", worker_address, "secret"});
  CHECK(is_linked());
  CHECK(ports->admitted == 1);
  advance(60s);
  CHECK(is_linked());
  CHECK(ports->guests_ended == 2);
}

TEST_CASE_METHOD(natively_linked, "a link is cut when its address belongs to another group", "[actors][links]") {
  dial({"mail-worker", worker_address, "mail-token"});
  REQUIRE(is_linked());
  *registry.taken = worker_address;
  advance(30s);
  CHECK_FALSE(is_linked());
}

TEST_CASE_METHOD(natively_linked, "with a group's token an address on another host is refused", "[actors][links]") {
  ports->remote = "10.0.0.66:41234";
  dial({"mail-worker", worker_address, "mail-token"});
  CHECK_FALSE(is_linked());
  dial({"mail-worker", "ringmaster://mail-worker/one", "mail-token"});
  CHECK(is_linked("ringmaster://mail-worker/one"));
}

TEST_CASE_METHOD(natively_linked, "a link with a group's token is asked only about the group's runs", "[actors][links]") {
  const auto ask_all = [this](const std::string& address, std::int32_t group) {
    const core::group_id named{group};
    const auto link = native(address);
    const auto known =
      ask<protocol::probe_reply>(link, protocol::probe_request{core::job_id{7}, true, named, core::log_id{12}, start});
    const auto log = ask<protocol::log_reply>(link, protocol::log_request{core::log_id{12}, start, 1, named});
    const auto kill = ask<protocol::probe_reply>(link, protocol::kill_request{core::job_id{7}, named});
    return std::pair{known->code, kill->code};
  };
  dial({"mail-worker", worker_address, "mail-token"});
  ask_all(worker_address, 4);
  CHECK(executor->questions.empty());
  CHECK(http->calls == std::vector<std::string>{"idle 7", "log 12", "kill 7"});
  ask_all(worker_address, 9);
  CHECK(executor->questions == std::vector<std::string>{"taken 12", "log 12 from 1", "kill 7"});
  const std::string alone = "ringmaster://mail-worker/one";
  dial({"mail-worker", alone, "mail-token"});
  executor->questions.clear();
  CHECK(ask_all(alone, 4) == std::pair{0, 0});
  CHECK(executor->questions.empty());
}

TEST_CASE_METHOD(natively_linked, "a second group with its app name also belongs to an executor", "[actors][links]") {
  dial({"mail-worker", worker_address, "mail-token"});
  auto changed = std::make_shared<protocol::registry_view>(*view);
  changed->groups.emplace(11, changed->groups.at(9));
  changed->groups.at(11).id = core::group_id{11};
  tell(links, protocol::registry_change{changed});
  run();
  send(native(), {run_of(1, 11)});
  CHECK(executor->runs.size() == 1);
}

TEST_CASE_METHOD(natively_linked, "a door that a peer has closed is opened again", "[actors][links]") {
  caf::anon_send_exit(ports->door, caf::exit_reason::kill);
  run();
  advance(30s);
  CHECK(ports->published == 2);
  dial();
  CHECK(is_linked());
}

TEST_CASE_METHOD(natively_linked, "a door that cannot be published is retried", "[actors][links]") {
  ports->closed = "no descriptor";
  caf::anon_send_exit(ports->door, caf::exit_reason::kill);
  run();
  ports->door = nullptr;
  advance(60s);
  CHECK(ports->published == 3);
  ports->closed.clear();
  advance(30s);
  CHECK(ports->published == 4);
  advance(60s);
  CHECK(ports->published == 4);
  dial();
  CHECK(is_linked());
}

TEST_CASE_METHOD(natively_linked, "alongside Java admins an executor needs an HTTP address", "[actors][links]") {
  const std::string native_only = "ringmaster://pay-worker/one";
  tell(links, protocol::incarnation_change{core::node_incarnation{}, core::cluster_mode::shared});
  dial({"pay-worker", native_only, "secret"});
  CHECK_FALSE(is_linked(native_only));
  tell(links, protocol::incarnation_change{core::node_incarnation{}, core::cluster_mode::native});
  advance(5s);
  CHECK(is_linked(native_only));
}

TEST_CASE_METHOD(natively_linked, "an executor that is gone when its hello arrives leaves nothing behind", "[actors][links]") {
  auto gone = track(system().spawn([]() -> protocol::executor_gate::behavior_type {
    return {[](const protocol::link_challenge&) {}, [](const protocol::link_welcome&) {}, [](const protocol::link_refusal&) {},
            [](const protocol::link_runs&) {},      [](const protocol::link_question&) {}, [](const protocol::link_receipt&) {}};
  }));
  caf::anon_send_exit(gone, caf::exit_reason::kill);
  run();
  tell(ports->door, protocol::link_hello{protocol::link_version, "pay-worker", worker_address, {}, gone, {1, 2}});
  run();
  CHECK_FALSE(is_linked());
  dial();
  CHECK(is_linked());
}

namespace {

const std::string wrong_token = "the access token is wrong";

} // namespace

TEST_CASE_METHOD(raw_executor, "a node proves that it knows the token, too", "[actors][links]") {
  const auto nonce = greet();
  answer(nonce, "secret");
  REQUIRE(welcomes.size() == 1);
  CHECK(welcomes[0].proof == seal_of(protocol::link_end::node, hello, nonce, "secret"));
  CHECK(welcomes[0].proof != seal_of(protocol::link_end::executor, hello, nonce, "secret"));
}

TEST_CASE_METHOD(raw_executor, "recorded proofs are not accepted", "[actors][links]") {
  const auto nonce = greet();
  const protocol::link_proof recorded{nonce, seal_of(protocol::link_end::executor, hello, nonce, "secret")};
  SECTION("the same proof once more") {
    tell(ports->door, recorded);
    tell(ports->door, recorded);
    run();
    CHECK(welcomes.size() == 1);
    CHECK(refusals.empty());
  }
  SECTION("hello and proof once more") {
    tell(ports->door, recorded);
    run();
    CHECK(welcomes.size() == 1);
    const auto next = greet();
    CHECK(next != nonce);
    tell(ports->door, recorded);
    run();
    tell(ports->door, protocol::link_proof{next, recorded.proof});
    run();
    CHECK(welcomes.size() == 1);
    CHECK(refusals == std::vector{wrong_token});
  }
  SECTION("over another connection") {
    ports->binding = "another";
    tell(ports->door, recorded);
    run();
    CHECK(welcomes.empty());
    CHECK(refusals == std::vector{wrong_token});
  }
  SECTION("with another address") {
    hello.address = "ringmaster://pay-worker/two";
    const auto next = greet();
    hello.address = worker_address;
    answer(next, "secret");
    CHECK(welcomes.empty());
    CHECK(refusals == std::vector{wrong_token});
  }
  SECTION("too late") {
    advance(5s);
    tell(ports->door, recorded);
    run();
    CHECK(welcomes.empty());
  }
}

TEST_CASE_METHOD(raw_executor, "a connection without a channel binding is not trusted", "[actors][links]") {
  const auto nonce = greet();
  const auto proof = seal_of(protocol::link_end::executor, hello, nonce, "secret");
  ports->binding.clear();
  tell(ports->door, protocol::link_proof{nonce, proof});
  run();
  CHECK(welcomes.empty());
  CHECK(refusals == std::vector{wrong_token});
}

TEST_CASE_METHOD(raw_executor, "another version is refused before any proof, with both versions in the text", "[actors][links]") {
  hello.version = 2;
  hello.unused = "secret"; // as in version 2
  tell(ports->door, hello);
  run();
  CHECK(nonces.empty());
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0] == "this node speaks version 5 of the link protocol, and those since 4, not 2");
}

TEST_CASE_METHOD(raw_executor, "beyond 100 wrong proofs a minute only tokens that were right before are accepted",
                 "[actors][links]") {
  try_token("secret");
  REQUIRE(welcomes.size() == 1);
  for (std::size_t i = 0; i < core::failure_rate_limiter::a_minute_max; ++i)
    try_token("guess " + std::to_string(i));
  CHECK(refusals == std::vector<std::string>(core::failure_rate_limiter::a_minute_max, wrong_token));
  hello.app_name = "mail-worker";
  hello.address = "ringmaster://mail-worker/one";
  try_token("mail-token"); // right, but not compared
  CHECK(welcomes.size() == 1);
  CHECK(refusals.back().find("too many wrong access tokens") != std::string::npos);
  try_token("secret");
  CHECK(welcomes.size() == 2);
  ports->remote = "10.0.0.4:41234"; // another host
  try_token("mail-token");
  CHECK(welcomes.size() == 3);
  ports->remote = "10.0.0.3:41234";
  advance(1min);
  try_token("mail-token");
  CHECK(welcomes.size() == 4);
}

TEST_CASE_METHOD(raw_executor, "pending challenges are limited, and the oldest are dropped", "[actors][links]") {
  actors::link_challenges challenges;
  const auto now = actors::link_challenges::time{} + 1h;
  const auto first = challenges.enter({hello, "10.0.0.3"}, now);
  auto last = first;
  for (std::size_t i = 0; i < actors::link_challenges::pending_max; ++i)
    last = challenges.enter({hello, "10.0.0.3"}, now);
  CHECK(challenges.size() == actors::link_challenges::pending_max);
  CHECK_FALSE(challenges.take(first, now));
  CHECK(challenges.take(last, now));
  CHECK_FALSE(challenges.take(last, now));
  CHECK_FALSE(challenges.take(protocol::link_key{}, now + actors::link_challenges::kept_for));
  CHECK(challenges.size() == 0);
}
