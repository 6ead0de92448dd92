#pragma once

// An executor without a process: threads that the test runs manually, files in memory, admins that answer from a script.

#include <chrono>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "actors/executor/admin_link.hpp"
#include "actors/executor/beat_actor.hpp"
#include "actors/executor/callbacks/callback_actor.hpp"
#include "actors/executor/executor_host.hpp"
#include "tests/actors/executor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scripted_client.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::test {

struct told_result {
  std::int64_t run = 0;
  std::int32_t code = 0;
  std::string message;

  friend bool operator==(const told_result&, const told_result&) = default;
  friend std::ostream& operator<<(std::ostream& out, const told_result& result) {
    return out << result.run << ' ' << result.code << ' ' << result.message.substr(0, 200);
  }
};

/// Returns the results in one callback of either family.
[[nodiscard]] inline std::vector<told_result> results_in(const protocol::http_call& call) {
  std::vector<told_result> out;
  auto body = nlohmann::json::parse(call.body);
  for (const auto& item : body.is_array() ? body : body.at("callbackList"))
    out.push_back({item.at("logId"), item.at("handleCode"), item.value("handleMsg", "(none)")});
  return out;
}

struct executor_world : virtual_time {
  explicit executor_world(std::vector<std::string> admins = {"http://10.0.0.1:8080/xxl-job-admin"}) {
    link_settings.admins = settings.admins = std::move(admins);
    link_settings.app_name = settings.app_name = "pay-worker";
    link_settings.access_token = "secret";
    add_handlers();
  }

  executor_world(const executor_world&) = delete;
  executor_world& operator=(const executor_world&) = delete;
  ~executor_world() { end_process(); }

  /// Starts the actors; most tests do it at once.
  void start() {
    start_without_threads();
    settle();
  }
  void start_without_threads() {
    admins = spawn<actors::admin_link_state, protocol::admin_link>(client, link_settings, silent_log());
    actors::callback_tools tools{admins, actors::patience_with(link_settings), threads, files, logs, runs, counts, silent_log()};
    callbacks = spawn<actors::callback_actor_state, protocol::callback_actor>(std::move(tools));
    actors::host_tools host_tools{bodies, threads, logs, runs, callbacks, counts, settings, silent_log()};
    host = spawn<actors::executor_host_state, protocol::executor_host>(std::move(host_tools));
  }
  /// Ends the process as with kill -9: memory is lost, files remain.
  void kill_process() {
    end_process();
    threads = std::make_shared<hand_threads>();
    counts = std::make_shared<actors::executor_counts>();
    runs->end_incarnation();
    client->forget();
  }

  /// Runs everything that can run without time passing.
  void settle() {
    do
      run();
    while (threads->run_one());
  }
  /// Runs everything while time passes.
  void pass(std::chrono::milliseconds time) {
    for (settle(); time > 0ms; time -= 100ms) {
      advance(std::min(time, 100ms));
      settle();
    }
  }

  [[nodiscard]] core::trigger_request request(std::int64_t run, std::string handler, std::string param = "",
                                              std::int32_t job = 1) const {
    core::trigger_request made;
    made.job = core::job_id{job};
    made.run = core::log_id{run};
    made.log_time = start_time;
    made.handler = std::move(handler);
    made.param = std::move(param);
    made.glue_type = "BEAN";
    return made;
  }
  core::trigger_reply trigger(core::trigger_request asked) {
    auto replies = expect(ask<protocol::trigger_replies>(host, protocol::trigger_batch{{std::move(asked)}}));
    REQUIRE(replies.replies.size() == 1);
    return std::move(replies.replies[0]);
  }
  /// Returns "ok", or the text of the refusal.
  std::string told(core::trigger_request asked) {
    auto reply = trigger(std::move(asked));
    return reply.code == 200 && reply.message.empty() ? "ok" : std::to_string(reply.code) + " " + reply.message;
  }
  core::trigger_reply idle(std::int32_t job = 1) {
    return expect(ask<core::trigger_reply>(host, protocol::idle_query{core::job_id{job}}));
  }
  core::trigger_reply kill(std::int32_t job = 1, std::int64_t run = 0) {
    return expect(ask<core::trigger_reply>(host, protocol::kill_job{core::job_id{job}, core::log_id{run}}));
  }
  protocol::executor_state state() {
    return expect(ask<protocol::executor_state>(host, protocol::executor_state_query{}));
  }

  template <class T>
  static T expect(caf::expected<T> got) {
    INFO((got ? std::string{} : caf::to_string(got.error())));
    REQUIRE(got);
    return std::move(*got);
  }

  /// Returns the requests whose path ends with `path`.
  [[nodiscard]] std::vector<protocol::http_call> calls(const std::string& path = "/api/callback") const {
    std::vector<protocol::http_call> out;
    for (const auto& call : client->sent())
      if (call.target.ends_with(path))
        out.push_back(call);
    return out;
  }
  /// Returns all results reported in callbacks, in order.
  [[nodiscard]] std::vector<told_result> results() const {
    std::vector<told_result> out;
    for (const auto& call : calls())
      for (auto& each : results_in(call))
        out.push_back(std::move(each));
    return out;
  }
  [[nodiscard]] std::string log_of(std::int64_t run) const { return logs->texts[core::log_id{run}]; }
  [[nodiscard]] static std::string header(const protocol::http_call& call, const std::string& name) {
    for (const auto& [key, value] : call.headers)
      if (key == name)
        return value;
    return "(none)";
  }

  static constexpr core::time_point start_time = virtual_time::start;
  config::executor_settings settings;
  actors::admin_link_settings link_settings;
  std::shared_ptr<hand_threads> threads = std::make_shared<hand_threads>();
  std::shared_ptr<memory_logs> logs = std::make_shared<memory_logs>();
  std::shared_ptr<memory_files> files = std::make_shared<memory_files>();
  std::shared_ptr<memory_runs> runs = std::make_shared<memory_runs>();
  std::shared_ptr<scripted_bodies> bodies = std::make_shared<scripted_bodies>();
  std::shared_ptr<actors::executor_counts> counts = std::make_shared<actors::executor_counts>();
  std::shared_ptr<scripted_client> client = std::make_shared<scripted_client>(boot());
  protocol::admin_link admins;
  protocol::callback_actor callbacks;
  protocol::executor_host host;

private:
  void end_process() {
    end_all();
    threads->waiting.clear();
    threads->kept.clear();
    run();
  }

  /// Adds the stub handlers of XXL wire §7.
  void add_handlers() {
    bodies->add("ok", [](const auto&, auto, const auto&) { return core::run_outcome{}; });
    bodies->add("bad", [](const auto&, auto, const auto&) { return core::run_outcome{500, "no stock"}; });
    bodies->add("boom", [](const auto&, auto, const auto&) -> core::run_outcome { throw std::runtime_error{"kaboom"}; });
    bodies->add("zero", [](const auto&, auto, const auto&) { return core::run_outcome{0, "x"}; });
    bodies->add("nine", [](const auto&, auto, const auto&) { return core::run_outcome{999, "n"}; });
    // Takes seconds; lets other threads work meanwhile, and obeys a stop.
    bodies->add("sleep", [this](const core::trigger_request& asked, std::stop_token stop, const auto& reason) {
      for (int tenths = 10 * std::stoi(*asked.param); tenths > 0; --tenths) {
        if (stop.stop_requested())
          return core::run_outcome{500, "stopped: " + reason()};
        pass(100ms);
      }
      return core::run_outcome{};
    });
    // Takes seconds and ignores a stop.
    bodies->add("deaf", [this](const core::trigger_request& asked, std::stop_token, const auto&) {
      pass(std::chrono::seconds{std::stoi(*asked.param)});
      return core::run_outcome{200, "done after all"};
    });
  }
};

} // namespace ringmaster::test
