// alarm_actor with alarms of elastic jobs.

#include "core/elastic/store_ops.hpp"
#include "storage/elastic_store.hpp"
#include "tests/actors/alarm_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace elastic = core::elastic;
using elastic::alarm_cause;

namespace {

/// One elastic job of two items, and a host.
struct elastic_alarm_world : alarm_world {
  explicit elastic_alarm_world(config::alarm_settings settings = {}) : alarm_world{std::move(settings)} {
    apply(); // the group
    elastic::elastic_edit edit;
    edit.what.name = "sums";
    edit.what.group = core::group_id{1};
    edit.what.handler = "sum";
    edit.what.total = 2;
    edit.what.options.alarm_email = "a@x.example,b@x.example";
    job = expect(look->elastic().put(edit, civil(), core::local_operator())).id;
    const auto slot = static_cast<std::uint32_t>(core::number(job)) % 256;
    lease = expect(look->elastic().take_leases(life, std::vector{elastic::lease_wish{slot, 0}})).at(0);
    const auto cluster = expect(look->elastic().mark("0123456789abcdef0123456789abcdef")).cluster_id;
    elastic::host_facts facts{"h1", "pay", "p1", "f1", "boot", 1, 2, 3, "10.0.0.1", "", 4};
    host = expect(look->elastic().enter_host(life, cluster, facts)).row.value().process;
  }

  elastic::elastic_answer write(elastic::elastic_op op) {
    return expect(look->elastic().write({life, {lease}, {std::move(op)}}, civil())).at(0);
  }

  /// Runs an item to its end; without a cause it succeeds, which ends its alarm.
  elastic::item_run_id run(std::int32_t item, std::optional<alarm_cause> cause, const std::string& message = {}) {
    auto& fence = fences[item];
    const elastic::run_cause why{elastic::run_source::normal, {civil(), elastic::run_source::normal, {}}};
    const elastic::item_number number{item};
    const auto begun = write(
      elastic::item_write{job, number, elastic::item_grant{elastic::fence_number{fence}, host, why, 1, core::milliseconds{500}}});
    const auto id = begun.items.at(0).run;
    const auto end = cause ? elastic::item_run_end::error : elastic::item_run_end::finished;
    elastic::item_write ended{job, number, elastic::action::write_end{id, elastic::fence_number{++fence}, end, {}, cause}};
    ended.report.message = message;
    ended.ends_alarm = !cause;
    REQUIRE(write(ended).outcome == elastic::write_outcome::done);
    return id;
  }

  elastic::elastic_job_id job{};
  elastic::slot_lease lease;
  elastic::host_process host;
  std::map<std::int32_t, std::int64_t> fences;
};

} // namespace

TEST_CASE("a failed item is reported to each address once", "[actors][alarms][elastic]") {
  elastic_alarm_world w;
  const auto run = w.run(1, alarm_cause::error, "no disk");
  w.live();
  w.advance(5s);
  CHECK(w.notifier->sent.size() == 2);
  REQUIRE(w.notifier->to("mail", "a@x.example").size() == 1);
  const auto& notice = w.notifier->sent[0];
  CHECK(notice.message_id.starts_with("ringmaster.alarm.elastic."));
  CHECK(notice.message.title == "[FAILED] pay/sums, item 1, run " + std::to_string(core::number(run)) + ": no disk");
  CHECK(notice.message.fields.at("kind") == "ej_fail");
  w.advance(2min);
  CHECK(w.notifier->sent.size() == 2);
  CHECK(expect(w.look->searches().open_alarms(10, core::local_operator())).rows.empty());
}

TEST_CASE("equal failures of items are one message with a count", "[actors][alarms][elastic]") {
  elastic_alarm_world w;
  for (int i = 0; i < 5; ++i)
    w.run(i % 2, alarm_cause::error, "row " + std::to_string(i) + " is bad");
  w.live();
  w.advance(10s);
  CHECK(w.notifier->to("mail", "a@x.example").size() == 1);
  w.advance(1min);
  const auto mails = w.notifier->to("mail", "a@x.example");
  REQUIRE(mails.size() == 2);
  CHECK(mails[1].message.fields.at("count") == "4");
}

TEST_CASE("the first success of an item after its alarm is reported if the rule says so", "[actors][alarms][elastic]") {
  elastic_alarm_world w;
  core::alarm_rule rule;
  rule.key = "sums";
  rule.group = "pay";
  rule.job = "sums";
  rule.channels = {"ops"};
  rule.recovered = true;
  w.add_rule(rule);
  w.live();
  w.run(0, alarm_cause::time_limit);
  w.advance(5s);
  REQUIRE(w.notifier->to("ops").size() == 1);
  const auto good = w.run(0, std::nullopt);
  w.run(0, std::nullopt);
  w.advance(5s);
  const auto told = w.notifier->to("ops");
  REQUIRE(told.size() == 2);
  CHECK(told[1].message.title == "[RECOVERED] pay/sums, item 0, run " + std::to_string(core::number(good)));
  CHECK(told[1].message_id.starts_with("ringmaster.recovery.elastic."));
}

TEST_CASE("an elastic alarm is sent again by the next incarnation with the same message id", "[actors][alarms][elastic]") {
  elastic_alarm_world w;
  w.notifier->script = [](const auto&) { return std::nullopt; };
  w.run(0, alarm_cause::lost);
  w.live();
  w.advance(5s);
  REQUIRE(w.notifier->sent.size() == 2);
  w.life = expect(w.look->cluster().enter("a", "a:8080"));
  w.notifier->script = nullptr;
  w.live();
  w.advance(5s);
  REQUIRE(w.notifier->sent.size() == 4);
  CHECK(w.notifier->sent[2].message_id == w.notifier->sent[0].message_id);
  CHECK(expect(w.look->searches().open_alarms(10, core::local_operator())).rows.empty());
}

TEST_CASE("lost answers of the store send no alarm of an elastic job twice", "[actors][alarms][elastic]") {
  elastic_alarm_world w;
  const std::string method = GENERATE("take", "finish");
  const auto fault = GENERATE(store_fault::away, store_fault::answer_lost);
  w.run(0, alarm_cause::error);
  w.store.once(method, fault);
  w.live();
  w.advance(10s);
  CHECK(w.notifier->sent.size() == 2);
  CHECK(expect(w.look->searches().open_alarms(10, core::local_operator())).rows.empty());
}

TEST_CASE("the latest messages name the elastic job, the item and the run", "[actors][alarms][elastic]") {
  elastic_alarm_world w;
  const auto run = w.run(1, alarm_cause::lost);
  w.live();
  w.advance(5s);
  const auto found = w.ask<protocol::sent_messages>(w.actor, protocol::sent_messages_query{core::local_operator()});
  REQUIRE(found);
  REQUIRE(found->rows.size() == 2);
  CHECK(found->rows[0].about.elastic == core::elastic_subject{w.job, alarm_cause::lost, elastic::item_number{1}, run});
  CHECK(found->rows[0].about.job_name == "sums");
}
