#pragma once

// Neighbours of an executor in memory: threads that a test runs, logs, files and runs.

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/executor/bodies.hpp"
#include "actors/executor/callbacks/report_files.hpp"
#include "actors/executor/job_logs.hpp"
#include "actors/executor/taken_runs.hpp"

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

} // namespace ringmaster::test
