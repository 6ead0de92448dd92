// The whole firing path of a node, supervisor and all, on virtual time: real actors, a real store, an executor that is played.

#include "actors/admin/supervisor.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"
#include "tests/support/scripted_client.hpp"
#include "tests/support/virtual_time.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using protocol::delivery;
using test::http_answer;
using test::http_failure;
using test::store_fault;

namespace {

/// What a node's stores and its network share, so that a test can break them.
struct node {
  std::function<store_fault(std::string_view method)> fault;
  std::shared_ptr<test::scripted_client> client;
  std::shared_ptr<protocol::send_gate> gate;
  protocol::supervisor actor;
  std::vector<std::string> failed;
};

struct execution {
  std::int32_t job;
  core::time_point at;
};

struct firing_path : test::virtual_time {
  ~firing_path() {
    for (const auto& [name, one] : nodes)
      kill(name);
  }

  // -- the executor

  /// What becomes of a `/run`. `loses`: the first request of a run never arrives.
  enum class mood { works, refuses, executes_silently, loses, executes_pending };

  std::optional<protocol::http_result> play(const std::string& name, const protocol::http_call& call) {
    auto body = nlohmann::json::parse(call.body);
    asked.push_back(call.target);
    if (call.target == "/run") {
      auto id = body["logId"].get<std::int64_t>();
      if (feels == mood::loses && lost.insert(id).second)
        return http_failure(delivery::unknown, "no answer");
      if (feels == mood::refuses)
        return http_answer(R"({"code":500,"msg":"job handler [handler] not found."})");
      executions[id].push_back({body["jobId"].get<std::int32_t>(), civil()});
      finish_later(name, id);
      if (feels == mood::executes_silently)
        return http_failure(delivery::unknown, "no answer");
      if (feels == mood::executes_pending)
        return std::nullopt;
      return http_answer(R"({"code":200})");
    }
    if (call.target == "/log") {
      auto known = executions.contains(body["logId"].get<std::int64_t>());
      nlohmann::json chunk{{"fromLineNum", 1}, {"toLineNum", known ? 1 : 0}, {"isEnd", true}};
      chunk["logContent"] = known ? "job execute start" : "readLog fail, logFile not exists";
      return http_answer(nlohmann::json{{"code", 200}, {"content", chunk}}.dump());
    }
    return http_answer(R"({"code":200})");
  }

  /// The executor calls back; whom it cannot reach it tells again, another node perhaps.
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
    batch.items.push_back({core::log_id{id}, 200, "done", nullptr});
    track(caf::actor{system().spawn([this, name, id, actor = to->second, batch](caf::event_based_actor* self) {
      protocol::request(self, actor, 30s, batch).then([](protocol::callbacks_stored&) {}, [this, name, id](const caf::error&) {
        finish_later(name, id, 1s);
      });
    })});
  }

  // -- nodes

  void declare(const std::string& key, core::misfire_policy misfire = core::misfire_policy::do_nothing) {
    core::declared_job job;
    job.group = "pay";
    job.key = job.name = key;
    job.author = "ops";
    job.schedule = core::schedule_type::cron;
    job.schedule_conf = "* * * * * ?";
    job.handler = "handler";
    job.misfire = misfire;
    declared.jobs.push_back(std::move(job));
  }
  void declare_many(int count) {
    for (int i = 0; i < count; ++i)
      declare("job-" + std::to_string(i));
  }

  void begin(const std::string& name = "a") {
    declared.source = "test";
    declared.groups = {{"pay", "Payments", std::vector<std::string>{"http://10.0.0.3:9999/"}}};
    test::expect(look->deploys().apply(declared, false, false, civil()));
    auto& one = nodes[name];
    one.gate = std::make_shared<protocol::send_gate>();
    one.client = std::make_shared<test::scripted_client>(boot());
    one.client->answers = [this, name](const protocol::http_call& call) { return play(name, call); };
    actors::node_parts parts{.settings = {}, .schedule_zone = {}, .identity = {name, name + ":8080"}, .host = name,
                             .open_store = [this, &one]() -> core::result<std::unique_ptr<storage::store>> {
                               auto store = std::make_unique<test::faulty_store>(database.open());
                               store->fault_of = [&one](std::string_view method) { return one.fault ? one.fault(method) : store_fault::none; };
                               return std::unique_ptr<storage::store>{std::move(store)};
                             },
                             .store_writers = 1, .detached_workers = false, .client = one.client, .gate = one.gate,
                             .clocks = {clock(), boot(), false}, .random_seed = 42, .log = silent_log(),
                             .fail_stop = [&one](const std::string& what) { one.failed.push_back(what); }};
    one.actor = spawn<actors::supervisor_state, protocol::supervisor>(std::move(parts));
    run();
    auto handles = ask<protocol::node_handles>(one.actor, protocol::handles_query{});
    REQUIRE(handles);
    completions[name] = handles->completion;
  }

  /// The process is gone: nothing is said to anybody.
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

  // -- accounts

  [[nodiscard]] std::vector<core::log_row> rows() { return test::expect(look->logs().rows_after(core::log_id{0}, 100'000)); }

  /// Claims that any life of any node has open.
  [[nodiscard]] std::size_t open_claims() {
    std::size_t open = 0;
    for (const auto& [name, one] : nodes)
      for (std::int64_t life = 1; life < 20; ++life)
        open += test::expect(look->firings().open_claims({name, life})).size();
    return open;
  }

  /// No instant has two rows and no log id was executed twice.
  void check_nothing_twice() {
    std::set<std::pair<std::int32_t, core::time_point>> seen;
    for (const auto& row : rows()) {
      CAPTURE(core::number(row.job), core::to_ms(row.trigger_time));
      CHECK(seen.emplace(core::number(row.job), row.trigger_time).second);
    }
    for (const auto& [id, done] : executions) {
      CAPTURE(id);
      CHECK(done.size() == 1);
    }
  }

  /// Every job has one row for every second in (from, to], executed once and recorded as success.
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

  /// Nothing is claimed any more; what is on its way ends.
  void stop_jobs_and_settle() {
    for (auto& job : declared.jobs)
      job.enabled = false;
    test::expect(look->deploys().apply(declared, false, false, civil()));
    advance(10s);
  }

  [[nodiscard]] std::size_t runs_sent(const std::string& name = "a") const {
    const auto& sent = nodes.at(name).client->sent();
    return static_cast<std::size_t>(std::count_if(sent.begin(), sent.end(), [](const auto& call) { return call.target == "/run"; }));
  }

  test::memory_database database;
  std::unique_ptr<storage::store> look = database.open();
  core::declared_set declared;
  mood feels = mood::works;
  std::vector<std::string> asked;
  std::set<std::int64_t> lost;
  std::map<std::int64_t, std::vector<execution>> executions;
  std::map<std::string, protocol::completion_actor> completions;
  std::map<std::string, node> nodes;
};

} // namespace

TEST_CASE_METHOD(firing_path, "a declared job is claimed, sent at its instant and recorded with its result", "[actors]") {
  declare("settle");
  begin();
  CHECK(status().ready);
  advance(999ms);
  CHECK(runs_sent() == 0);
  REQUIRE(rows().size() == 1);
  CHECK(rows()[0].trigger_code == 0);
  CHECK(open_claims() == 1);
  advance(1ms);
  CHECK(runs_sent() == 1);
  advance(99ms);
  auto row = rows().at(0);
  CHECK(row.trigger_code == 200);
  CHECK(row.handle_code == 200);
  CHECK(row.handle_msg == "done");
  CHECK(row.trigger_time == start + 1s);
  CHECK(row.executor_address == "http://10.0.0.3:9999/");
  stop_jobs_and_settle();
  CHECK(open_claims() == 0);
  CHECK(nodes["a"].failed.empty());
}

TEST_CASE_METHOD(firing_path, "twenty jobs in sixty seconds: every instant once, at its millisecond, nothing left open", "[actors]") {
  declare_many(20);
  begin();
  advance(60s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  for (const auto& row : rows())
    for (const auto& done : executions[core::number(row.id)])
      CHECK(done.at == row.trigger_time);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a refused run is a failed row and costs no other", "[actors]") {
  declare("refused");
  begin();
  feels = mood::refuses;
  advance(3s);
  feels = mood::works;
  advance(3s);
  stop_jobs_and_settle();
  std::map<std::int32_t, int> codes;
  for (const auto& row : rows())
    ++codes[row.trigger_code];
  CHECK(codes[500] == 3);
  CHECK(codes[200] >= 3);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a node that dies between claim and send: its successor asks, sends once, and every instant is there", "[actors]") {
  declare_many(5);
  begin();
  advance(3900ms);
  REQUIRE(runs_sent() == 15);
  REQUIRE(rows().size() == 20);
  kill("a");
  advance(2s);
  asked.clear();
  begin("a");
  advance(20s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
  CHECK(status().life->incarnation == 2);
  // The five that were claimed were asked about before they were sent: the job's state first, then the run's log.
  CHECK(std::count(asked.begin(), asked.end(), "/idleBeat") >= 5);
  CHECK(std::count(asked.begin(), asked.end(), "/log") == 5);
  auto idle = std::find(asked.begin(), asked.end(), "/idleBeat"), log = std::find(asked.begin(), asked.end(), "/log");
  CHECK(idle < log);
}

TEST_CASE_METHOD(firing_path, "a node that dies before it hears an answer: what was executed is recorded, not sent again", "[actors]") {
  declare_many(5);
  begin();
  advance(2500ms);
  feels = mood::executes_pending;
  advance(700ms);
  REQUIRE(nodes["a"].client->pending() == 5);
  kill("a");
  feels = mood::works;
  begin("a");
  advance(20s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a node that dies before it can record: the executor's logs say that nothing must be sent again", "[actors]") {
  declare_many(5);
  begin();
  advance(2900ms);
  nodes["a"].fault = [](std::string_view method) { return method == "record" ? store_fault::away : store_fault::none; };
  advance(1s);
  kill("a");
  nodes["a"].fault = nullptr;
  auto sent = executions.size();
  CHECK(sent == 15);
  begin("a");
  advance(20s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "requests that got lost are asked about and sent once more; those that only lost their answer are not", "[actors]") {
  declare_many(3);
  begin();
  advance(1500ms);
  feels = mood::loses;
  advance(1s);
  feels = mood::executes_silently;
  advance(1s);
  feels = mood::works;
  advance(10s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "crashes at random moments: every instant once, every claim closed", "[actors]") {
  declare_many(6);
  auto seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u);
  CAPTURE(seed);
  std::uint32_t state = seed * 2654435761u;
  auto random = [&](std::uint32_t below) { return (state = state * 1664525u + 1013904223u) / 65536u % below; };
  begin();
  for (int crash = 0; crash < 5; ++crash) {
    constexpr mood moods[] = {mood::works, mood::executes_silently, mood::loses, mood::executes_pending};
    advance(std::chrono::milliseconds{1500 + random(2500)});
    feels = moods[random(4)];
    advance(std::chrono::milliseconds{random(1300)});
    kill("a");
    feels = mood::works;
    advance(std::chrono::milliseconds{random(2000)});
    begin("a");
  }
  advance(30s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a short loss of the store closes the gate, begins a new life and loses nothing", "[actors]") {
  declare_many(5);
  begin();
  advance(5500ms);
  auto life = status().life;
  REQUIRE(life);
  nodes["a"].fault = [](std::string_view) { return store_fault::away; };
  advance(1500ms);
  auto sent = runs_sent();
  CHECK_FALSE(nodes["a"].gate->open_at(boot_now()));
  CHECK_FALSE(status().ready);
  advance(1500ms);
  CHECK(runs_sent() == sent);
  nodes["a"].fault = nullptr;
  advance(10s);
  REQUIRE(status().life);
  CHECK(status().life->incarnation > life->incarnation);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a long loss of the store leaves the instants in it to the misfire policy", "[actors]") {
  declare("strict");
  declare("lenient", core::misfire_policy::fire_once_now);
  begin();
  advance(5500ms);
  nodes["a"].fault = [](std::string_view) { return store_fault::away; };
  advance(10s);
  auto back = civil();
  nodes["a"].fault = nullptr;
  advance(10s);
  stop_jobs_and_settle();
  check_nothing_twice();
  std::map<std::int32_t, int> lenient_in_the_gap;
  for (const auto& row : rows()) {
    CAPTURE(core::number(row.job), core::to_ms(row.trigger_time) - core::to_ms(start));
    for (const auto& done : executions[core::number(row.id)])
      if (done.job == 1)
        CHECK(done.at - row.trigger_time <= 5s);
    if (core::number(row.job) == 1 && row.trigger_code == 200)
      CHECK((row.trigger_time <= start + 6s || row.trigger_time > back - 5s));
    if (row.trigger_time > back + 1s)
      CHECK(row.handle_code == 200);
  }
  auto misfired = rows();
  CHECK(std::count_if(misfired.begin(), misfired.end(), [&](const auto& row) {
          return core::number(row.job) == 2 && row.trigger_time >= core::cut_to_second(back) && row.trigger_time < back + 2s;
        }) >= 2); // one for all that was missed, beside those on time
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a node whose peer dies takes its jobs over and loses none of its instants", "[actors]") {
  declare_many(20);
  begin("a");
  begin("b");
  advance(5900ms);
  REQUIRE(runs_sent("a") > 0);
  REQUIRE(runs_sent("b") > 0);
  kill("b");
  advance(20s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a graceful stop ends what is on its way and leaves nothing to recover", "[actors]") {
  declare_many(5);
  begin();
  advance(2900ms);
  auto stopped = later<caf::unit_t>(nodes["a"].actor, protocol::stop_request{});
  advance(3s);
  REQUIRE(*stopped);
  CHECK(open_claims() == 0);
  CHECK(runs_sent() == 15);
  for (const auto& row : rows())
    CHECK(row.trigger_code == 200);
  CHECK(nodes["a"].failed.empty());
}
