#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "actors/console/log_spool.hpp"
#include "protocol/error.hpp"
#include "protocol/wire/json/json_text.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::test {

inline constexpr const char* log_address = "http://10.0.0.3:9999/";

/// The spool, and an executor whose log is a text that a test changes.
struct spool_world : virtual_time {
  using answer = std::shared_ptr<std::optional<caf::expected<core::run_log>>>;

  spool_world() {
    executor->before_answer = [this](executor_record& record) { answer_log(record); };
  }

  void begin(actors::spool_settings settings = {}, const std::string& path = {}) {
    settings.folder = path.empty() ? folder.path() + "/spool" : path;
    spool = spawn<actors::log_spool_state, protocol::log_spool>(pool.actor, 7000ms, settings, clock(), silent_log());
  }

  /// Answers as XXL-JOB's executors do: everything from the asked line on.
  void answer_log(executor_record& record) const {
    const auto& asked = record.log_requests.back();
    std::string content = text;
    std::int32_t lines = 0;
    for (auto line = 1; line < asked.from_line && !content.empty(); ++line, ++lines)
      content.erase(0, content.find('\n') + 1);
    lines += static_cast<std::int32_t>(std::count(content.begin(), content.end(), '\n'));
    record.log = {!broken, content.empty() ? 0 : lines, content, broken ? "connection refused" : "", asked.from_line, false};
    if (!streams || broken)
      return;
    std::string json = R"({"code":200,"content":{"toLineNum":)" + std::to_string(record.log.to_line) + R"(,"logContent":)";
    protocol::wire::append_json(json, content);
    asked.sink->begin();
    asked.sink->take(json + "}}");
    record.log = {.answered = true, .streamed = true, .status = 200};
  }

  core::log_row row_of(core::log_id id) const {
    core::log_row row;
    row.id = id;
    row.executor_address = address;
    row.trigger_time = start;
    row.trigger_code = 200;
    row.handle_code = done ? 200 : 0;
    return row;
  }
  answer read_later(std::int32_t from_line, core::piece_limits limits = {}, core::log_id id = core::log_id{7}) {
    return later<core::run_log>(spool, protocol::spool_read{row_of(id), from_line, limits, 6500ms});
  }
  core::run_log read(std::int32_t from_line, core::piece_limits limits = {}, core::log_id id = core::log_id{7}) {
    auto reply = read_later(from_line, limits, id);
    run();
    REQUIRE(*reply);
    REQUIRE(**reply);
    return std::move(***reply);
  }
  core::error read_error(std::int32_t from_line) {
    auto reply = read_later(from_line);
    run();
    REQUIRE(*reply);
    REQUIRE_FALSE(**reply);
    return protocol::to_core((*reply)->error());
  }
  /// Returns the lines that the executor was asked for, and forgets them.
  std::vector<std::int32_t> asked_lines() {
    std::vector<std::int32_t> lines;
    for (const auto& each : std::exchange(executor->log_requests, {}))
      lines.push_back(each.from_line);
    return lines;
  }
  std::size_t files() const {
    namespace fs = std::filesystem;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator{folder.path() + "/spool"}, fs::directory_iterator{}));
  }

  using asked = std::vector<std::int32_t>;
  temp_folder folder;
  pool_double pool{*this};
  std::shared_ptr<executor_record> executor = pool.executor(log_address);
  protocol::log_spool spool;
  /// Executor of the next run that is read.
  std::string address = log_address;
  std::string text = "one\ntwo\nthree\n";
  bool streams = true;
  bool broken = false;
  bool done = false;
};

} // namespace ringmaster::test
