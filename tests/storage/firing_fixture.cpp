#include "tests/storage/firing_fixture.hpp"

#include <map>

namespace ringmaster::test {

using namespace std::chrono_literals;

firing_fixture::firing_fixture(const test_backend& backend, const storage::store_options& options)
  : db{fresh_database(backend, options)}, store{db->open()} {
  me = require(store->cluster().enter("node-a", "10.0.0.1:8081"));
}

core::job_ptr firing_fixture::add_job(std::int32_t id, core::time_point next,
                                      const std::vector<std::pair<std::string, std::string>>& values) {
  std::map<std::string, std::string> columns{
    {"id", std::to_string(id)},
    {"job_group", "1"},
    {"job_desc", "'a job'"},
    {"schedule_type", "'CRON'"},
    {"schedule_conf", "'0 * * * * ?'"},
    {"executor_route_strategy", "'FIRST'"},
    {"executor_handler", "'demoJobHandler'"},
    {"executor_param", "'x=1'"},
    {"executor_block_strategy", "'SERIAL_EXECUTION'"},
    {"glue_type", "'BEAN'"},
    {"glue_updatetime", "'2024-01-01 00:00:00'"},
    {"trigger_status", next == core::time_point{} ? "0" : "1"},
  };
  for (const auto& [name, value] : values)
    columns[name] = value;
  std::string names, texts;
  for (const auto& [name, value] : columns) {
    names += (names.empty() ? "" : ", ") + name;
    texts += (texts.empty() ? "" : ", ") + value;
  }
  db->exec("INSERT INTO xxl_job_info (" + names + ") VALUES (" + texts + ")");
  db->exec("INSERT INTO rm_schedule (job, next_ms, last_ms, revision) VALUES (" + std::to_string(id) + ", " +
           std::to_string(core::to_ms(next)) + ", 0, 0)");
  return job(id);
}

core::job_ptr firing_fixture::job(std::int32_t id) {
  core::job_id wanted{id};
  auto jobs = require(firings().read_jobs({&wanted, 1}));
  REQUIRE(jobs.size() == 1);
  return jobs[0].spec;
}

core::claim_batch firing_fixture::batch() {
  core::claim_batch batch;
  batch.owner = me;
  batch.sequence = ++sequence;
  batch.node_host = "10.0.0.1";
  return batch;
}

void firing_fixture::plan(core::claim_batch& batch, const core::job_ptr& spec, core::time_point fire_at) {
  batch.moves.push_back({spec->id, fire_at, fire_at, fire_at + 60s});
  batch.runs.push_back(run_of(spec, fire_at));
}

core::planned_run firing_fixture::run_of(const core::job_ptr& spec, core::time_point fire_at) {
  core::planned_run run;
  run.spec = spec;
  run.fire_at = fire_at;
  run.address = "http://10.0.0.9:9999/";
  run.retry_left = spec->retry_count;
  return run;
}

core::claimed_run firing_fixture::claimed(std::int32_t id, std::int32_t retries,
                                          const std::vector<std::pair<std::string, std::string>>& values) {
  auto all = values;
  all.emplace_back("executor_fail_retry_count", std::to_string(retries));
  auto one = batch();
  plan(one, add_job(id, noon, all));
  auto outcome = require(firings().claim(one, noon));
  REQUIRE(outcome.runs.size() == 1);
  return outcome.runs[0];
}

core::record_batch firing_fixture::results() {
  core::record_batch batch;
  batch.owner = me;
  return batch;
}

core::trigger_result firing_fixture::answer(const core::claimed_run& run, std::int32_t code, std::string message) {
  return {run.id, run.claim, run.plan.spec, code, std::move(message), false};
}

core::callback firing_fixture::callback(const core::claimed_run& run, std::int32_t code, std::string message) {
  return {run.id, code, std::move(message), run.plan.spec};
}

core::record_outcome firing_fixture::record(std::vector<core::trigger_result> triggers, std::vector<core::callback> callbacks) {
  auto batch = results();
  batch.triggers = std::move(triggers);
  batch.callbacks = std::move(callbacks);
  return require(firings().record(batch, noon + 10s));
}

core::result<bool> firing_fixture::permit(const core::node_incarnation& owner, std::int64_t claim, core::log_id run) {
  auto granted = firings().permit_resend(owner, std::vector{core::resend{claim, run}});
  if (!granted)
    return tl::unexpected{std::move(granted.error())};
  REQUIRE(granted->size() == 1);
  return static_cast<bool>(granted->front());
}

core::log_row firing_fixture::row(core::log_id id) {
  auto rows = require(store->logs().rows({&id, 1}));
  REQUIRE(rows.size() == 1);
  return rows[0];
}

std::string firing_fixture::rows(const std::string& table, const std::string& where) {
  return db->value("SELECT count(*) FROM " + table + (where.empty() ? "" : " WHERE " + where));
}

std::string text(core::log_id id) { return std::to_string(core::number(id)); }

} // namespace ringmaster::test
