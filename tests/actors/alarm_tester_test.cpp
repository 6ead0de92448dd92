// Test messages through the channels of alarms.

#include "actors/alarms/alarm_tester.hpp"

#include "tests/actors/alarm_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using core::errc;

namespace {

struct tester_world : virtual_time {
  tester_world()
    : actor{spawn<actors::alarm_tester_state, protocol::alarm_tester>(
        notifier, actors::test_form{"host-1", core::language::en, false}, 8000ms, clock(), silent_log())} {
    admin.user = core::user_id{1};
    admin.name = "admin";
    admin.admin = true;
  }

  protocol::test_channel message(const std::string& channel, const std::string& to = {}) { return {channel, to, admin}; }
  caf::expected<protocol::channel_tested> try_out(const std::string& channel, const std::string& to = {}) {
    return ask<protocol::channel_tested>(actor, message(channel, to));
  }
  core::error refusal(const std::string& channel, const std::string& to = {}) {
    const auto outcome = try_out(channel, to);
    REQUIRE_FALSE(outcome);
    return protocol::to_core(outcome.error());
  }

  std::shared_ptr<scripted_notifier> notifier = std::make_shared<scripted_notifier>();
  core::principal admin;
  protocol::alarm_tester actor;
};

} // namespace

TEST_CASE_METHOD(tester_world, "a test sends one message and answers how it ended", "[actors][alarms]") {
  auto outcome = try_out("ops");
  REQUIRE(outcome);
  CHECK(outcome->delivered);
  CHECK(outcome->detail.empty());
  REQUIRE(notifier->sent.size() == 1);
  CHECK(notifier->sent[0].channel == "ops");
  CHECK(notifier->sent[0].recipient.empty());
  CHECK(notifier->sent[0].message_id.starts_with("ringmaster.test."));
  CHECK(notifier->sent[0].message.title == "[TEST] alarm from host-1");
  notifier->script = [](const protocol::notice&) {
    return std::optional{core::result<void>{core::fail(errc::invalid_argument, "550 no such mailbox")}};
  };
  outcome = try_out("mail", "ann@example.org");
  REQUIRE(outcome);
  CHECK_FALSE(outcome->delivered);
  CHECK(outcome->detail == "550 no such mailbox");
  CHECK(notifier->sent.at(1).recipient == "ann@example.org");
}

TEST_CASE_METHOD(tester_world, "mail without a recipient goes to the sender", "[actors][alarms]") {
  REQUIRE(try_out("mail"));
  CHECK(notifier->sent.at(0).recipient == "ops@example.org");
}

TEST_CASE_METHOD(tester_world, "a test that cannot be sent is refused", "[actors][alarms]") {
  CHECK(refusal("none").code == errc::not_found);
  CHECK(refusal("").code == errc::not_found);
  CHECK(refusal("mail", "not an address").code == errc::invalid_argument);
  CHECK(refusal("ops", "ann@example.org").code == errc::invalid_argument);
  admin.admin = false;
  CHECK(refusal("mail").code == errc::forbidden);
  CHECK(protocol::to_core(ask<protocol::channel_list>(actor, protocol::channels_query{admin}).error()).code == errc::forbidden);
  CHECK(notifier->sent.empty());
  // None of these counts as a test.
  admin.admin = true;
  CHECK(try_out("mail"));
}

TEST_CASE_METHOD(tester_world, "a channel is tested once in ten seconds", "[actors][alarms]") {
  REQUIRE(try_out("ops"));
  advance(1s);
  const auto refused = refusal("ops");
  CHECK(refused.code == errc::too_large);
  CHECK(refused.subject == "9");
  CHECK(try_out("mail"));
  advance(9s);
  CHECK(try_out("ops"));
  CHECK(notifier->sent.size() == 3);
}

TEST_CASE_METHOD(tester_world, "a test without an outcome is answered at its limit", "[actors][alarms]") {
  notifier->script = [](const protocol::notice&) { return std::optional<core::result<void>>{}; };
  auto outcome = later<protocol::channel_tested>(actor, message("ops"));
  run();
  advance(7999ms);
  CHECK_FALSE(*outcome);
  advance(1ms);
  REQUIRE(*outcome);
  REQUIRE(**outcome);
  CHECK_FALSE((**outcome)->delivered);
  CHECK((**outcome)->detail == "no answer within 8 s; the message may still arrive");
  CHECK((**outcome)->took == 8s);
  // The late answer is ignored.
  notifier->unanswered.at(0)(core::result<void>{});
  run();
  advance(10s);
  notifier->script = {};
  CHECK(try_out("ops")->delivered);
}

TEST_CASE_METHOD(tester_world, "channels are listed for administrators", "[actors][alarms]") {
  const auto list = ask<protocol::channel_list>(actor, protocol::channels_query{admin});
  REQUIRE(list);
  REQUIRE(list->channels.size() == 2);
  CHECK(list->channels[0].name == "mail");
  CHECK(list->channels[1].place == "hooks.example.org");
}
