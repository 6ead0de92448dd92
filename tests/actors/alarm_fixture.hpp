#pragma once

// A node with jobs that fail, and a notifier that follows the test's script.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/alarms/alarm_actor.hpp"
#include "actors/recovery/fail_monitor.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::test {

/// Notifier that stores its notices and answers at once, or when the test does.
class scripted_notifier final : public protocol::notifier {
public:
  void send(protocol::notice what, done then) override {
    sent.push_back(what);
    if (auto outcome = script ? script(sent.back()) : std::optional{core::result<void>{}})
      then(std::move(*outcome));
    else
      unanswered.push_back(std::move(then));
  }
  [[nodiscard]] std::vector<core::alarm_channel> channels() const override {
    return {{"mail", "mail", "smtp.example.org:587", "ops@example.org"}, {"ops", "slack", "hooks.example.org"}};
  }
  void stop() override {}

  /// Returns the notices to one recipient.
  [[nodiscard]] std::vector<protocol::notice> to(const std::string& channel, const std::string& recipient = {}) const {
    std::vector<protocol::notice> out;
    for (const auto& each : sent)
      if (each.channel == channel && (recipient.empty() || each.recipient == recipient))
        out.push_back(each);
    return out;
  }

  std::vector<protocol::notice> sent;
  std::vector<done> unanswered;
  /// Empty: no answer yet. Null: every notice succeeds.
  std::function<std::optional<core::result<void>>(const protocol::notice&)> script;
};

struct alarm_world : virtual_time {
  explicit alarm_world(config::alarm_settings settings = {}) {
    declared.source = "test";
    declared.groups = {{"pay", "Payments", std::nullopt}};
    life = expect(look->cluster().enter("a", "a:8080"));
    actor = spawn<actors::alarm_actor_state, protocol::alarm_actor>(storage.actor, pool.actor, notifier, settings,
                                                                    core::language::en, clock(), silent_log());
  }

  core::job_id add_job(const std::string& key, const std::string& email, std::int32_t retries = 0) {
    core::declared_job job;
    job.group = "pay";
    job.key = job.name = key;
    job.author = "ops";
    job.handler = "handler";
    job.alarm_email = email;
    job.retry_count = retries;
    job.schedule = core::schedule_type::cron;
    job.schedule_conf = "* * * * * ?";
    declared.jobs.push_back(std::move(job));
    apply();
    return core::job_id{static_cast<std::int32_t>(declared.jobs.size())};
  }

  void add_rule(core::alarm_rule rule) {
    declared.alarms.push_back({std::move(rule), "test:1"});
    apply();
  }

  void apply() { expect(look->deploys().apply(declared, false, false, civil())); }

  /// Adds a run of the job that ends with these codes.
  core::log_id run(core::job_id job, std::int32_t trigger_code, const std::string& message, std::int32_t handle_code = 0) {
    auto known = expect(look->firings().read_jobs({&job, 1})).at(0);
    core::claim_batch batch;
    batch.owner = life;
    batch.sequence = ++sequence;
    batch.seen_revision = 1'000'000;
    batch.moves.push_back({job, *known.next, *known.next, *known.next + 1s});
    core::planned_run planned;
    planned.spec = known.spec;
    planned.fire_at = *known.next;
    planned.address = "http://10.0.0.3:9999/";
    planned.retry_left = known.spec->retry_count;
    batch.runs.push_back(planned);
    auto claimed = expect(look->firings().claim(batch, civil())).runs.at(0);
    core::record_batch record;
    record.owner = life;
    record.triggers.push_back({claimed.id, claimed.claim, known.spec, trigger_code, message, false});
    if (handle_code != 0)
      record.callbacks.push_back({claimed.id, handle_code, message, known.spec});
    record.resolved_claims = {claimed.claim};
    expect(look->firings().record(record, civil()));
    return claimed.id;
  }
  core::log_id fail(core::job_id job, const std::string& message = "refused") { return run(job, 500, message); }

  std::int32_t status(core::log_id id) { return expect(look->logs().rows({&id, 1})).at(0).alarm_status; }

  void live() { tell(actor, protocol::incarnation_change{life}); }

  memory_database database;
  faulty_store store{database.open()};
  std::unique_ptr<storage::store> look = database.open();
  storage_double storage{*this, store};
  pool_double pool{*this};
  std::shared_ptr<scripted_notifier> notifier = std::make_shared<scripted_notifier>();
  core::declared_set declared;
  core::node_incarnation life;
  std::int64_t sequence = 0;
  protocol::alarm_actor actor;
};

} // namespace ringmaster::test
