#pragma once

// Fixture for the whole firing path: complete nodes with their supervisor, on virtual time. Actors and store are real, the
// executor is simulated.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "actors/node/supervisor.hpp"
#include "core/run/trigger_note.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"
#include "tests/support/scripted_client.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::test {

/// Stores and network of a node, so that a test can break them.
struct path_node {
  std::function<store_fault(std::string_view method)> fault;
  std::shared_ptr<scripted_client> client;
  std::shared_ptr<protocol::send_gate> gate;
  protocol::supervisor actor;
  protocol::job_admin jobs;
  std::vector<std::string> failed;
};

struct execution {
  std::int32_t job;
  core::time_point at;
};

struct firing_path : virtual_time {
  ~firing_path() {
    for (const auto& [name, one] : nodes)
      kill(name);
    end_all(); // before what they refer to
  }

  // -- executor

  /// Reaction of the executor to a `/run`. `loses`: the first request of a run never arrives.
  enum class mood { works, refuses, executes_silently, loses, executes_pending };

  std::optional<protocol::http_result> play(const std::string& name, const protocol::http_call& call) {
    auto body = nlohmann::json::parse(call.body);
    asked.push_back(call.target);
    if (call.target == "/run")
      return play_run(name, body["logId"].get<std::int64_t>(), body["jobId"].get<std::int32_t>());
    if (call.target != "/log")
      return http_answer(R"({"code":200})");
    auto known = executions.contains(body["logId"].get<std::int64_t>());
    nlohmann::json chunk{{"fromLineNum", 1}, {"toLineNum", known ? 1 : 0}, {"isEnd", true}};
    chunk["logContent"] = known ? "job execute start" : "readLog fail, logFile not exists";
    return http_answer(nlohmann::json{{"code", 200}, {"content", chunk}}.dump());
  }
  std::optional<protocol::http_result> play_run(const std::string& name, std::int64_t id, std::int32_t job) {
    if (feels == mood::loses && lost.insert(id).second)
      return http_failure(protocol::delivery::unknown, "no answer");
    if (feels == mood::refuses)
      return http_answer(R"({"code":500,"msg":"job handler [handler] not found."})");
    executions[id].push_back({job, civil()});
    finish_later(name, id);
    if (feels == mood::executes_silently)
      return http_failure(protocol::delivery::unknown, "no answer");
    if (feels == mood::executes_pending)
      return std::nullopt;
    return http_answer(R"({"code":200})");
  }

  /// Makes the executor call back; after a failure it calls again, possibly another node.
  void finish_later(const std::string& name, std::int64_t id, std::chrono::milliseconds wait = 80ms) {
    track(caf::actor{system().spawn([this, name, id, wait](caf::event_based_actor* self) -> caf::behavior {
      protocol::send_at(self, caf::actor{self}, self->clock().now() + wait, protocol::tick_atom{});
      return {[this, name, id, self](protocol::tick_atom) {
        call_back(name, id);
        self->quit();
      }};
    })});
  }
  void call_back(const std::string& name, std::int64_t id) {
    auto to = completions.find(name);
    if (to == completions.end())
      to = completions.begin();
    if (to == completions.end())
      return finish_later(name, id, 1s);
    protocol::callback_batch batch;
    auto code = result_of ? result_of(executions.at(id).front().job, id) : 200;
    batch.items.push_back({core::log_id{id}, code, code == 200 ? "done" : "failed", nullptr});
    for (int copy = 0; copy < callback_copies; ++copy)
      track(caf::actor{system().spawn([this, name, id, actor = to->second, batch](caf::event_based_actor* self) {
        protocol::request(self, actor, 30s, batch)
          .then([](protocol::callbacks_stored&) {}, [this, name, id](const caf::error&) { finish_later(name, id, 1s); });
      })});
  }

  // -- nodes

  core::declared_job& declare(const std::string& key, core::misfire_policy misfire = core::misfire_policy::do_nothing) {
    core::declared_job job;
    job.group = "pay";
    job.key = job.name = key;
    job.author = "ops";
    job.schedule = core::schedule_type::cron;
    job.schedule_conf = "* * * * * ?";
    job.handler = "handler";
    job.misfire = misfire;
    return declared.jobs.emplace_back(std::move(job));
  }
  void declare_many(int count) {
    for (int i = 0; i < count; ++i)
      declare("job-" + std::to_string(i));
  }

  void begin(const std::string& name = "a") {
    declared.source = "test";
    declared.groups = {{"pay", "Payments", std::vector<std::string>{"http://10.0.0.3:9999/"}}};
    expect(look->deploys().apply(declared, false, false, civil()));
    auto& one = nodes[name];
    one.gate = std::make_shared<protocol::send_gate>();
    one.client = std::make_shared<scripted_client>(boot());
    one.client->answers = [this, name](const protocol::http_call& call) { return play(name, call); };
    one.actor = spawn<actors::supervisor_state, protocol::supervisor>(parts_of(name, one));
    run();
    auto handles = ask<protocol::node_handles>(one.actor, protocol::handles_query{});
    REQUIRE(handles);
    completions[name] = handles->completion;
    one.jobs = handles->jobs;
    // The address belongs to a single process, so its denials count.
    if (registers)
      tell(handles->registry, protocol::registry_beat{"EXECUTOR", "pay-worker", "http://10.0.0.3:9999/"});
    run();
  }

  actors::node_parts parts_of(const std::string& name, path_node& one) {
    auto open = [this, &one]() -> core::result<std::unique_ptr<storage::store>> {
      auto store = std::make_unique<faulty_store>(database.open());
      store->fault_of = [&one](std::string_view method) { return one.fault ? one.fault(method) : store_fault::none; };
      store->shared = shared;
      return std::unique_ptr<storage::store>{std::move(store)};
    };
    return {.settings = settings,
            .schedule_zone = {},
            .identity = {name, name + ":8080", "process of " + name},
            .host = "host of " + name,
            .open_store = open,
            .store_writers = 1,
            .shares_schedule = shared != nullptr,
            .detached_workers = false,
            .client = one.client,
            .notifier = nullptr,
            .gate = one.gate,
            .clocks = {clock(), boot(), false},
            .hand_over_ahead = core::milliseconds{0}, // the scripted client sends at once
            .random_seed = 42,
            .log = silent_log(),
            .fail_stop = [&one](const std::string& what) { one.failed.push_back(what); }};
  }

  /// Ends the process without notifying any other.
  void kill(const std::string& name) {
    completions.erase(name);
    nodes.at(name).client->forget();
    if (nodes.at(name).actor)
      caf::anon_send_exit(nodes.at(name).actor, caf::exit_reason::kill);
    nodes.at(name).actor = nullptr;
    run();
  }

  protocol::node_status status(const std::string& name = "a") {
    auto told = ask<protocol::node_status>(nodes.at(name).actor, protocol::status_query{});
    return told ? *told : protocol::node_status{};
  }

  // -- checks

  /// Returns the runs, without rows of missed instants.
  [[nodiscard]] std::vector<core::log_row> rows() {
    auto all = expect(look->logs().rows_after(core::log_id{0}, 100'000));
    std::erase_if(all, [](const auto& row) { return core::missed_in(row.trigger_msg).has_value(); });
    return all;
  }

  /// Returns the number of open claims of any incarnation of any node.
  [[nodiscard]] std::size_t open_claims() {
    std::size_t open = 0;
    for (const auto& [name, one] : nodes)
      for (std::int64_t life = 1; life < 20; ++life)
        open += expect(look->firings().open_claims({name, life})).size();
    return open;
  }

  /// Checks that no instant has two rows, and no log id was executed twice or before its instant.
  void check_nothing_twice() {
    std::set<std::pair<std::int32_t, core::time_point>> seen;
    for (const auto& row : rows()) {
      CAPTURE(core::number(row.job), core::to_ms(row.trigger_time));
      CHECK(seen.emplace(core::number(row.job), row.trigger_time).second);
      if (auto done = executions.find(core::number(row.id)); done != executions.end())
        CHECK(done->second.front().at >= row.trigger_time);
    }
    for (const auto& [id, done] : executions) {
      CAPTURE(id);
      CHECK(done.size() == 1);
    }
  }

  /// Checks that every job has one row for every second in (from, to], executed once and recorded as success.
  void check_all_ran(core::time_point from, core::time_point to) {
    check_nothing_twice();
    std::map<std::pair<std::int32_t, core::time_point>, core::log_row> by_instant;
    for (const auto& row : rows())
      by_instant[{core::number(row.job), row.trigger_time}] = row;
    for (std::int32_t job = 1; job <= static_cast<std::int32_t>(declared.jobs.size()); ++job)
      for (auto at = from + 1s; at <= to; at += 1s) {
        CAPTURE(job, core::to_ms(at - start.time_since_epoch()));
        auto found = by_instant.find({job, at});
        REQUIRE(found != by_instant.end());
        CHECK(found->second.trigger_code == 200);
        CHECK(found->second.handle_code == 200);
        CHECK(executions.contains(core::number(found->second.id)));
      }
  }

  /// Stops all jobs and waits for runs on their way.
  void stop_jobs_and_settle() {
    for (auto& job : declared.jobs)
      job.enabled = false;
    expect(look->deploys().apply(declared, false, false, civil()));
    advance(10s);
  }

  [[nodiscard]] std::size_t runs_sent(const std::string& name = "a") const {
    const auto& sent = nodes.at(name).client->sent();
    auto is_run = [](const auto& call) { return call.target == "/run"; };
    return static_cast<std::size_t>(std::count_if(sent.begin(), sent.end(), is_run));
  }

  memory_database database;
  std::unique_ptr<storage::store> look = database.open();
  config::settings settings;
  /// Set before a node begins if others plan on this database, too.
  storage::reservation_store* shared = nullptr;
  core::declared_set declared;
  /// The executor registers itself with each node, in addition to the address in its group.
  bool registers = true;
  mood feels = mood::works;
  /// Code with which a run ends; null: 200.
  std::function<std::int32_t(std::int32_t job, std::int64_t id)> result_of;
  /// Number of times that the executor sends each callback.
  int callback_copies = 1;
  /// Paths of all requests, in order.
  std::vector<std::string> asked;
  std::set<std::int64_t> lost;
  std::map<std::int64_t, std::vector<execution>> executions;
  std::map<std::string, protocol::completion_actor> completions;
  std::map<std::string, path_node> nodes;
};

} // namespace ringmaster::test
