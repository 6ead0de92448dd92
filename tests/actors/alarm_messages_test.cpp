// The latest messages about alarms, as administrators list them.

#include <string>
#include <vector>

#include "actors/alarms/message_history.hpp"
#include "tests/actors/alarm_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using core::message_outcome;

namespace {

struct message_world : alarm_world {
  using alarm_world::alarm_world;

  protocol::sent_messages messages() {
    core::principal admin{core::user_id{1}, "admin", true};
    const auto found = ask<protocol::sent_messages>(actor, protocol::sent_messages_query{admin});
    REQUIRE(found);
    return *found;
  }
  std::vector<core::sent_message> rows() { return messages().rows; }
};

core::sent_message history_message(const std::string& id, const std::string& detail = {}) {
  return {.id = id, .channel = "ops", .recipient = {}, .detail = detail};
}

} // namespace

TEST_CASE("a message that was delivered is listed with its job and run", "[actors][alarms]") {
  message_world w;
  CHECK(w.messages().node.empty());
  w.live();
  CHECK(w.rows().empty());
  const auto job = w.add_job("settle", "a@x.example");
  const auto run = w.fail(job);
  w.advance(5s);
  const auto told = w.messages();
  CHECK(told.node == "a");
  REQUIRE(told.rows.size() == 1);
  const auto& row = told.rows[0];
  CHECK(row.channel == "mail");
  CHECK(row.recipient == "a@x.example");
  CHECK(row.about == core::message_subject{core::alarm_kind::failure, job, "settle", run, 1});
  CHECK(row.outcome == message_outcome::delivered);
  CHECK(row.attempts == 1);
  CHECK(row.detail.empty());
}

TEST_CASE("a message that is retried is one entry with its last outcome", "[actors][alarms]") {
  message_world w;
  bool down = true;
  w.notifier->script = [&](const auto&) {
    return down ? core::result<void>{core::fail(core::errc::unavailable, "connection refused")} : core::result<void>{};
  };
  w.live();
  w.fail(w.add_job("settle", "a@x.example"));
  w.advance(10s);
  REQUIRE(w.rows().size() == 1);
  const auto before = w.rows()[0];
  CHECK(before.outcome == message_outcome::will_retry);
  CHECK(before.detail == "connection refused");
  CHECK(before.attempts == w.notifier->sent.size());
  down = false;
  w.advance(1min);
  REQUIRE(w.rows().size() == 1);
  const auto after = w.rows()[0];
  CHECK(after.outcome == message_outcome::delivered);
  CHECK(after.detail.empty());
  CHECK(after.attempts == before.attempts + 1);
  CHECK(after.at > before.at);
}

TEST_CASE("a message that was given up keeps its reason over a change of the incarnation", "[actors][alarms]") {
  message_world w;
  w.notifier->script = [](const auto&) { return core::result<void>{core::fail(core::errc::invalid_argument, "no such user")}; };
  w.live();
  w.fail(w.add_job("settle", "a@x.example"));
  w.advance(5s);
  w.tell(w.actor, protocol::incarnation_change{});
  w.advance(1s);
  const auto told = w.messages();
  CHECK(told.node == "a");
  REQUIRE(told.rows.size() == 1);
  CHECK(told.rows[0].outcome == message_outcome::given_up);
  CHECK(told.rows[0].detail == "no such user");
}

TEST_CASE("a summary names neither a job nor a run", "[actors][alarms]") {
  config::alarm_settings settings;
  settings.per_minute = 1;
  message_world w{settings};
  w.live();
  for (int i = 0; i < 3; ++i)
    w.fail(w.add_job("job-" + std::to_string(i), "a@x.example"));
  w.advance(2min);
  const auto rows = w.rows();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].about == core::message_subject{.count = 2});
  CHECK(rows[1].about.count == 1);
}

TEST_CASE("messages are listed for administrators only", "[actors][alarms]") {
  message_world w;
  const auto refused = w.ask<protocol::sent_messages>(w.actor, protocol::sent_messages_query{{core::user_id{5}, "tom"}});
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == core::errc::forbidden);
}

TEST_CASE("the newest hundred messages are kept, and a long reason is cut", "[actors][alarms]") {
  actors::message_history history;
  for (std::size_t i = 0; i < actors::message_history::messages_max + 5; ++i)
    history.add(history_message(std::to_string(i)));
  CHECK(history.newest_first().size() == actors::message_history::messages_max);
  CHECK(history.newest_first().front().id == "104");
  CHECK(history.newest_first().back().id == "5");
  history.add(history_message("50", std::string(2000, 'x') + "\xff"));
  CHECK(history.newest_first().size() == actors::message_history::messages_max);
  CHECK(history.newest_first().front().id == "50");
  CHECK(history.newest_first().front().detail.size() == actors::message_history::detail_bytes_max);
}
