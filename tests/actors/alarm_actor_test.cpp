#include "actors/alarms/alarm_actor.hpp"

#include "tests/actors/alarm_fixture.hpp"
#include "tests/support/pulse.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using core::alarm_status::claimed;
using core::alarm_status::failed;
using core::alarm_status::sent;

namespace {

core::alarm_rule rule(std::vector<std::string> channels) {
  core::alarm_rule rule;
  rule.key = "all";
  rule.channels = std::move(channels);
  return rule;
}

core::result<void> later() { return core::fail(core::errc::unavailable, "not now"); }
core::result<void> never() { return core::fail(core::errc::invalid_argument, "no such user"); }

} // namespace

TEST_CASE("each address and each webhook is notified of a failure once", "[actors]") {
  alarm_world w;
  auto job = w.add_job("settle", "a@x.example,b@x.example, a@x.example");
  w.add_rule(rule({"ops", "pay"}));
  auto id = w.fail(job);
  w.live();
  w.advance(5s);
  CHECK(w.notifier->sent.size() == 4);
  CHECK(w.notifier->to("mail", "a@x.example").size() == 1);
  CHECK(w.notifier->to("mail", "b@x.example").size() == 1);
  CHECK(w.notifier->to("ops").size() == 1);
  CHECK(w.notifier->to("pay").size() == 1);
  const auto& notice = w.notifier->sent[0];
  CHECK(notice.message_id == "ringmaster.alarm." + std::to_string(core::number(id)));
  CHECK(notice.message.fields.at("job") == "settle");
  CHECK(notice.message.fields.at("group") == "Payments");
  CHECK(w.status(id) == sent);
  w.advance(2min);
  CHECK(w.notifier->sent.size() == 4);
}

TEST_CASE("without an incarnation no alarm is taken", "[actors]") {
  alarm_world w;
  auto id = w.fail(w.add_job("settle", "a@x.example"));
  w.advance(10s);
  CHECK(w.notifier->sent.empty());
  CHECK(w.status(id) == claimed);
}

TEST_CASE("a temporary refusal is retried with back-off for an hour; then the alarm has failed", "[actors]") {
  alarm_world w;
  w.notifier->script = [](const auto&) { return later(); };
  auto id = w.fail(w.add_job("settle", "a@x.example"));
  w.live();
  w.advance(30s);
  CHECK(w.notifier->sent.size() >= 4);
  CHECK(w.notifier->sent.size() <= 6);
  CHECK(w.status(id) == claimed);
  w.advance(70min);
  CHECK(w.notifier->sent.size() >= 15);
  CHECK(w.notifier->sent.size() <= 25);
  CHECK(w.status(id) == failed);
  for (const auto& each : w.notifier->sent)
    CHECK(each.message_id == w.notifier->sent[0].message_id);
}

TEST_CASE("a permanent refusal is not retried, and the other recipients are still notified", "[actors]") {
  alarm_world w;
  w.notifier->script = [](const protocol::notice& notice) {
    return notice.recipient == "bad@x.example" ? never() : core::result<void>{};
  };
  auto id = w.fail(w.add_job("settle", "bad@x.example,good@x.example"));
  w.live();
  w.advance(2h);
  CHECK(w.notifier->sent.size() == 2);
  CHECK(w.status(id) == failed);
}

TEST_CASE("a channel that hangs does not delay other channels", "[actors]") {
  alarm_world w;
  w.notifier->script = [](const protocol::notice& notice) {
    return notice.channel == "mail" ? std::nullopt : std::optional{core::result<void>{}};
  };
  w.add_rule(rule({"ops"}));
  for (int i = 0; i < 20; ++i)
    w.fail(w.add_job("job-" + std::to_string(i), "a@x.example"));
  w.live();
  w.advance(10s);
  CHECK(w.notifier->to("mail").size() == actors::alarm_deliveries::on_their_way_max);
  CHECK(w.notifier->to("ops").size() == 20);
  for (auto& done : std::exchange(w.notifier->unanswered, {}))
    done({});
  w.advance(5s);
  CHECK(w.notifier->to("mail").size() == 2 * actors::alarm_deliveries::on_their_way_max);
}

TEST_CASE("equal failures within a window become one message with their count, and all alarms end as sent", "[actors]") {
  alarm_world w;
  auto job = w.add_job("settle", "a@x.example");
  std::vector<core::log_id> runs;
  for (int i = 0; i < 5; ++i)
    runs.push_back(w.fail(job, "refused by 10.0.0." + std::to_string(i)));
  auto other = w.fail(job, "out of memory");
  w.live();
  w.advance(10s);
  CHECK(w.notifier->sent.size() == 2);
  CHECK(w.status(runs[0]) == sent);
  CHECK(w.status(other) == sent);
  CHECK(w.status(runs[1]) == claimed);
  w.advance(1min);
  REQUIRE(w.notifier->sent.size() == 3);
  CHECK(w.notifier->sent[2].message.fields.at("count") == "4");
  CHECK(w.notifier->sent[2].message.fields.at("log_id") == std::to_string(core::number(runs[4])));
  for (auto id : runs)
    CHECK(w.status(id) == sent);
}

TEST_CASE("a window of zero sends each failure separately", "[actors]") {
  config::alarm_settings settings;
  settings.dedup = 0ms;
  alarm_world w{settings};
  auto job = w.add_job("settle", "a@x.example");
  for (int i = 0; i < 5; ++i)
    w.fail(job);
  w.live();
  w.advance(10s);
  CHECK(w.notifier->sent.size() == 5);
}

TEST_CASE("messages beyond a channel's limit are sent in one summary, and none is lost", "[actors]") {
  config::alarm_settings settings;
  settings.per_minute = 3;
  alarm_world w{settings};
  std::vector<core::log_id> runs;
  for (int i = 0; i < 10; ++i)
    runs.push_back(w.fail(w.add_job("job-" + std::to_string(i), "a@x.example")));
  w.live();
  w.advance(10s);
  CHECK(w.notifier->sent.size() == 3);
  CHECK(w.status(runs[9]) == claimed);
  w.advance(1min);
  REQUIRE(w.notifier->sent.size() == 4);
  CHECK(w.notifier->sent[3].message.fields.at("kind") == "summary");
  CHECK(w.notifier->sent[3].message.fields.at("count") == "7");
  CHECK(w.notifier->sent[3].message.text.find("job-9: 1") != std::string::npos);
  for (auto id : runs)
    CHECK(w.status(id) == sent);
}

TEST_CASE("a summary that cannot be sent fails all of its alarms", "[actors]") {
  config::alarm_settings settings;
  settings.per_minute = 1;
  alarm_world w{settings};
  w.notifier->script = [](const protocol::notice& notice) {
    return notice.message.fields.at("kind") == "summary" ? never() : core::result<void>{};
  };
  auto first = w.fail(w.add_job("a", "a@x.example"));
  auto second = w.fail(w.add_job("b", "a@x.example"));
  w.live();
  w.advance(2min);
  CHECK(w.status(first) == sent);
  CHECK(w.status(second) == failed);
}

TEST_CASE("the first success after an alarm is reported if the rule says so", "[actors]") {
  alarm_world w;
  auto job = w.add_job("settle", "");
  auto told = rule({"ops"});
  told.recovered = true;
  w.add_rule(told);
  schedule_double schedule{w};
  auto monitor = w.spawn<actors::fail_monitor_state, protocol::fail_monitor>(
    w.storage.actor, protocol::intent_listener{schedule.actor}, w.clock(), w.silent_log());
  w.tell(monitor, protocol::incarnation_change{w.life});
  w.fail(job);
  w.live();
  w.advance(30s);
  REQUIRE(w.notifier->sent.size() == 1);
  w.run(job, 200, "", 200);
  w.run(job, 200, "", 200);
  w.advance(30s);
  REQUIRE(w.notifier->sent.size() == 2);
  CHECK(w.notifier->sent[1].message.fields.at("kind") == "recovery");
  w.advance(5min);
  CHECK(w.notifier->sent.size() == 2);
}

TEST_CASE("a new incarnation resends alarms that the previous one had not ended, with the same message id", "[actors]") {
  alarm_world w;
  w.notifier->script = [](const auto&) { return std::nullopt; };
  auto id = w.fail(w.add_job("settle", "a@x.example"));
  w.live();
  w.advance(5s);
  REQUIRE(w.notifier->sent.size() == 1);
  w.life = expect(w.look->cluster().enter("a", "a:8080"));
  w.notifier->script = nullptr;
  w.live();
  w.advance(5s);
  REQUIRE(w.notifier->sent.size() == 2);
  CHECK(w.notifier->sent[1].message_id == w.notifier->sent[0].message_id);
  CHECK(w.status(id) == sent);
  // The answer to the first message comes now and has no effect any more.
  for (auto& done : w.notifier->unanswered)
    done(never());
  w.advance(5s);
  CHECK(w.status(id) == sent);
}

TEST_CASE("lost answers and an unavailable store do not change the outcome", "[actors]") {
  alarm_world w;
  std::string method = GENERATE("take", "finish");
  auto fault = GENERATE(store_fault::away, store_fault::answer_lost);
  auto id = w.fail(w.add_job("settle", "a@x.example"));
  w.store.once(method, fault);
  w.live();
  w.advance(10s);
  CHECK(w.notifier->sent.size() == 1);
  CHECK(w.status(id) == sent);
}

TEST_CASE("a node without channels keeps an alarm for a day, then marks it as failed", "[actors]") {
  alarm_world w;
  auto id = w.fail(w.add_job("settle", "a@x.example"));
  auto bare = w.spawn<actors::alarm_actor_state, protocol::alarm_actor>(w.storage.actor, protocol::trigger_pool{}, nullptr,
                                                                        config::alarm_settings{}, core::language::en, w.clock(),
                                                                        w.silent_log());
  w.tell(bare, protocol::incarnation_change{w.life});
  w.advance(23h);
  CHECK(w.status(id) == claimed);
  w.advance(2h);
  CHECK(w.status(id) == failed);
}

TEST_CASE("an alarm quotes the last lines of the run's log", "[actors]") {
  alarm_world w;
  auto executor = w.pool.executor("http://10.0.0.3:9999/");
  executor->log.answered = true;
  executor->log.to_line = 12;
  for (int line = 1; line <= 12; ++line)
    executor->log.content += "line " + std::to_string(line) + '\n';
  w.live();
  w.run(w.add_job("settle", "a@x.example"), 200, "no such account", 500);
  w.advance(2s);
  REQUIRE(w.notifier->sent.size() == 1);
  CHECK(w.notifier->sent[0].message.text.find("its log:\nline 3\nline 4\n") != std::string::npos);
  CHECK(w.notifier->sent[0].message.text.ends_with("\nline 12"));
  // A run that never reached an executor has no log.
  w.fail(w.add_job("close", "a@x.example"));
  w.advance(2s);
  REQUIRE(w.notifier->sent.size() == 2);
  CHECK(w.notifier->sent[1].message.text.find("its log:") == std::string::npos);
}

TEST_CASE("an alarm waits at most two seconds for an executor that does not answer the log request", "[actors]") {
  alarm_world w;
  auto executor = w.pool.executor("http://10.0.0.3:9999/");
  executor->silent = true;
  w.live();
  const auto run = w.run(w.add_job("settle", "a@x.example"), 200, "no such account", 500);
  w.advance(1s);
  CHECK(w.notifier->sent.empty());
  w.advance(3s);
  REQUIRE(w.notifier->sent.size() == 1);
  CHECK(w.notifier->sent[0].message.text.find("its log:") == std::string::npos);
  w.advance(2s);
  CHECK(w.status(run) == sent);
}

TEST_CASE("of many alarms at once only a few wait for logs", "[actors]") {
  config::alarm_settings settings;
  settings.per_minute = 1000;
  alarm_world w{settings};
  auto executor = w.pool.executor("http://10.0.0.3:9999/");
  executor->silent = true;
  w.live();
  for (int i = 0; i < 20; ++i)
    w.run(w.add_job("job-" + std::to_string(i), "a@x.example"), 200, "no", 500);
  w.advance(1s);
  CHECK(w.notifier->sent.size() == 20 - actors::log_tails::under_way_max);
  w.advance(4s);
  CHECK(w.notifier->sent.size() == 20);
}

TEST_CASE("with pulses alarms are seldom looked for without need", "[actors]") {
  alarm_world w;
  const auto job = w.add_job("settle", "a@x.example");
  w.live();
  const auto pulse = start_pulse(w, w.storage.actor, w.actor, w.life);
  w.advance(3s);
  call_counter counter{w.store};
  w.advance(1min);
  CHECK(counter.of("take") <= 2);

  const auto id = w.fail(job);
  w.advance(600ms);
  CHECK(w.notifier->sent.size() == 1);
  w.advance(1s);
  CHECK(w.status(id) == sent);
}

TEST_CASE("with pulses an answer with alarms that was lost is asked for again", "[actors]") {
  alarm_world w;
  const auto job = w.add_job("settle", "a@x.example");
  w.live();
  const auto pulse = start_pulse(w, w.storage.actor, w.actor, w.life);
  w.advance(3s);
  w.store.once("take", store_fault::answer_lost);
  w.fail(job);
  w.advance(5s);
  CHECK(w.notifier->sent.size() == 1);
}

TEST_CASE("alarms that another node has taken are not looked for", "[actors]") {
  alarm_world w;
  w.fail(w.add_job("settle", "a@x.example"));
  const auto other = expect(w.look->cluster().enter("b", "b:8080"));
  REQUIRE(expect(w.look->alarms().take(other, false, w.civil() + 1min, 10)).size() == 1);
  w.live();
  const auto pulse = start_pulse(w, w.storage.actor, w.actor, w.life);
  w.advance(3s);
  call_counter counter{w.store};
  w.advance(1min);
  CHECK(counter.of("take") <= 2);
  CHECK(w.notifier->sent.empty());
  expect(w.look->cluster().leave(other));
  w.advance(600ms);
  CHECK(w.notifier->sent.size() == 1);
}
