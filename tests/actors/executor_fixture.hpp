#pragma once

// An executor without a process: threads that the test runs manually, files in memory, admins that answer from a script.

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "actors/executor/admin_link.hpp"
#include "actors/executor/beat_actor.hpp"
#include "actors/executor/callbacks/callback_actor.hpp"
#include "actors/executor/executor_host.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scripted_client.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::test {

/// Threads that begin when the test runs them, and then end at once.
class hand_threads final : public actors::body_threads {
public:
  bool start(std::function<void()> work) override {
    if (std::exchange(broken, false))
      throw std::runtime_error{"a defect"};
    if (refusing)
      return false;
    ++started;
    (std::exchange(keep_next, false) ? kept : waiting).push_back(std::move(work));
    return true;
  }
  /// Runs the oldest thread; returns false if there is none.
  bool run_one() {
    if (waiting.empty())
      return false;
    auto work = std::move(waiting.front());
    waiting.pop_front();
    work();
    return true;
  }
  /// Resumes the threads that hung.
  void release() {
    std::move(kept.begin(), kept.end(), std::back_inserter(waiting));
    kept.clear();
  }

  bool refusing = false;
  /// Throws once, which no implementation does: it ends the calling actor.
  bool broken = false;
  /// The next thread hangs.
  bool keep_next = false;
  std::size_t started = 0;
  std::deque<std::function<void()>> waiting;
  std::deque<std::function<void()>> kept;
};

class memory_logs final : public actors::job_logs {
public:
  core::result<bool> has(const core::run_identity& which) override {
    if (broken)
      return core::fail(core::errc::unavailable, "the disk hums");
    return is_there(which);
  }
  core::result<core::log_lines> read(const core::run_identity& which, std::int32_t from_line,
                                     const std::optional<core::log_bounds>& bounds = {}) override {
    last_bounds = bounds;
    if (broken)
      return core::fail(core::errc::unavailable, "the disk hums");
    if (!is_there(which))
      return core::log_lines{from_line, 0, "readLog fail, logFile not exists", true};
    return core::log_lines{from_line, 1, texts[which.run], false};
  }
  core::result<void> append(const core::run_identity& which, std::string_view text) override {
    if (full && !texts.contains(which.run))
      return core::fail(core::errc::unavailable, "the log cannot be written: No space left on device");
    if (!is_there(which) || !whose.contains(which.run))
      whose.emplace(which.run, which);
    texts[which.run] += text;
    return {};
  }
  [[nodiscard]] bool is_there(const core::run_identity& which) const {
    const auto [first, last] = whose.equal_range(which.run);
    const auto fits = [&](const auto& each) { return core::is_same_run(each.second, which); };
    return texts.contains(which.run) && (first == last || std::any_of(first, last, fits));
  }

  /// Bounds of the last reading.
  std::optional<core::log_bounds> last_bounds;
  bool broken = false;
  /// New files cannot be created.
  bool full = false;
  std::map<core::log_id, std::string> texts;
  /// Runs with the same id share their text here.
  std::multimap<core::log_id, core::run_identity> whose;
};

class memory_files final : public actors::report_files {
public:
  core::result<std::string> save(std::span<const core::run_report> reports) override {
    if (full || save_fails)
      return core::fail(core::errc::unavailable, "no space left on device");
    auto name = "report-" + std::to_string(1'000'000 + ++saved);
    files[name] = {reports.begin(), reports.end()};
    return name;
  }
  core::result<std::vector<std::string>> names(std::size_t limit) override {
    std::vector<std::string> all;
    for (const auto& [name, reports] : files)
      if (all.size() < limit && !broken.contains(name))
        all.push_back(name);
    return all;
  }
  core::result<std::vector<core::run_report>> load(const std::string& name) override {
    if (broken.contains(name))
      return core::fail(core::errc::invalid_argument, name + " is broken");
    if (full || !files.contains(name))
      return core::fail(core::errc::unavailable, name + " cannot be read");
    return files[name];
  }
  core::result<void> remove(const std::string& name) override {
    files.erase(name);
    return {};
  }
  [[nodiscard]] std::size_t reports() const {
    std::size_t all = 0;
    for (const auto& [name, each] : files)
      all += each.size();
    return all;
  }

  bool full = false;
  bool save_fails = false;
  std::size_t saved = 0;
  std::map<std::string, std::vector<core::run_report>> files;
  std::map<std::string, bool> broken;
};

class memory_runs final : public actors::taken_runs {
public:
  core::result<bool> take(const core::trigger_request& request) override {
    const std::lock_guard lock{mutex};
    if (const auto which = core::identity_of(request); find(which) != runs.end())
      return false;
    if (full)
      return core::fail(core::errc::unavailable, "no room for another run");
    runs.emplace(request.run, entry{{request.run, request.log_time, 0, {}, request.job}, request.job});
    return true;
  }
  [[nodiscard]] bool contains(const core::run_identity& which) const override {
    const std::lock_guard lock{mutex};
    const auto [first, last] = runs.equal_range(which.run);
    return std::any_of(first, last,
                       [&](const auto& each) { return core::is_same_run(core::identity_of(each.second.report), which); });
  }
  void forget(const core::run_identity& which) override { remove(which); }
  void begin(const core::run_identity& which) override {
    change(which, [](entry& of) { of.begun = true; });
  }
  void settle(const core::run_report& report) override {
    change(core::identity_of(report), [&](entry& of) {
      if (of.report.code == 0)
        of.report = report;
    });
  }
  void remove(const core::run_identity& which) override {
    const std::lock_guard lock{mutex};
    if (const auto found = find(which); found != runs.end())
      runs.erase(found);
  }
  void close(const core::run_identity& which) override {
    change(which, [](entry& of) { of.closed = true; });
  }
  std::vector<core::run_report> open_of(core::job_id job) const override {
    return chosen([&](const entry& of) { return of.job == job && of.report.code == 0; });
  }
  std::vector<core::run_report> left() override {
    for (auto& [run, of] : runs)
      if (of.is_left && of.report.code == 0)
        of.report = {run, of.report.log_time, 500, of.begun ? "ended while it ran" : "ended before it began", of.job};
    auto out = chosen([](const entry& of) { return of.is_left && !of.closed; });
    for (auto& [run, of] : runs)
      of.is_left = false;
    return out;
  }
  void end_incarnation() {
    for (auto& [run, of] : runs)
      of.is_left = true;
  }
  std::vector<core::run_report> closed(std::size_t) const override {
    return chosen([](const entry& of) { return of.closed; });
  }
  bool is_scarce() const override { return full; }
  core::result<void> grow() override {
    ++grown;
    if (full_disk)
      return core::fail(core::errc::unavailable, "the disk is full");
    full = false;
    return {};
  }
  [[nodiscard]] bool empty() const { return runs.empty(); }

  struct entry {
    core::run_report report;
    core::job_id job{};
    bool begun = false;
    bool closed = false;
    bool is_left = false;
  };
  mutable std::mutex mutex;
  std::multimap<core::log_id, entry> runs;
  bool full = false;
  bool full_disk = false;
  std::size_t grown = 0;

private:
  std::multimap<core::log_id, entry>::iterator find(const core::run_identity& which) {
    const auto [first, last] = runs.equal_range(which.run);
    const auto fits = [&](const auto& each) { return core::is_same_run(core::identity_of(each.second.report), which); };
    const auto found = std::find_if(first, last, fits);
    return found != last ? found : runs.end();
  }
  void change(const core::run_identity& which, const std::function<void(entry&)>& how) {
    const std::lock_guard lock{mutex};
    if (const auto found = find(which); found != runs.end())
      how(found->second);
  }
  [[nodiscard]] std::vector<core::run_report> chosen(const std::function<bool(const entry&)>& which) const {
    const std::lock_guard lock{mutex};
    std::vector<core::run_report> out;
    for (const auto& [run, of] : runs)
      if (which(of))
        out.push_back(of.report);
    return out;
  }
};

/// Handlers by name, and scripts that are one body for each version.
class scripted_bodies final : public actors::body_source {
public:
  using run = decltype(actors::run_body::run);

  void add(const std::string& name, run what) {
    auto body = std::make_shared<actors::run_body>();
    body->init = [this, name] { told.push_back("init " + name); };
    body->destroy = [this, name] { told.push_back("destroy " + name); };
    body->run = std::move(what);
    handlers[name] = std::move(body);
  }
  core::result<std::shared_ptr<const actors::run_body>> find(const core::trigger_request& request,
                                                             const std::shared_ptr<const actors::run_body>& held) override {
    if (request.glue_type == "BEAN") {
      const auto found = handlers.find(request.handler.value_or(""));
      if (found == handlers.end())
        return core::fail(core::errc::not_found, "job handler [" + request.handler.value_or("") + "] not found.");
      return found->second;
    }
    if (request.glue_type != "GLUE_SHELL")
      return core::fail(core::errc::unsupported, "glueType[" + request.glue_type.value_or("null") + "] is not valid.");
    if (held && versions[held.get()] == request.glue_updated_ms)
      return held;
    auto made = std::make_shared<actors::run_body>();
    made->run = [](const auto&, auto, const auto&) { return core::run_outcome{}; };
    versions[made.get()] = request.glue_updated_ms;
    scripts.push_back(made);
    return made;
  }

  std::map<std::string, std::shared_ptr<const actors::run_body>> handlers;
  std::map<const actors::run_body*, std::int64_t> versions;
  std::vector<std::shared_ptr<const actors::run_body>> scripts;
  std::vector<std::string> told;
};

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
