#include "actors/store/failed_runs.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <sstream>
#include <string>

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

/// Log lines of an actor, and batches whose runs all end in the same way.
struct failing_runs {
  std::ostringstream text;
  std::shared_ptr<spdlog::logger> log =
    std::make_shared<spdlog::logger>("failed runs", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  actors::failed_run_lines lines;

  failing_runs() { log->set_pattern("%v"); }

  std::string written(core::run_end how, std::int64_t count, core::log_rate_limiter::steady now,
                      const std::string& message = "boom") {
    core::record_batch batch;
    core::record_outcome outcome;
    for (std::int64_t i = 1; i <= count; ++i) {
      batch.callbacks.push_back({core::log_id{i}, 500, message, nullptr});
      outcome.ended.push_back({core::log_id{i}, core::group_id{1}, core::job_id{7}, how});
    }
    text.str({});
    lines.write(log, batch, outcome, now);
    return text.str();
  }
};

} // namespace

TEST_CASE("a failed run is logged with its reason", "[actors]") {
  failing_runs runs;
  const core::log_rate_limiter::steady now{1h};
  CHECK(runs.written(core::run_end::failed, 1, now) == "job=7 run=1 failed: code 500: boom\n");
  CHECK(runs.written(core::run_end::failed, 1, now, "java.lang.Error: x\n\tat a.B\n")
        == "job=7 run=1 failed: code 500: java.lang.Error: x\n");
  CHECK(runs.written(core::run_end::failed, 1, now, "") == "job=7 run=1 failed: code 500\n");
  for (const auto how : {core::run_end::succeeded, core::run_end::not_sent, core::run_end::missed})
    CHECK(runs.written(how, 3, now).empty());
}

TEST_CASE("ten thousand failed runs in a second are logged in a few lines and a count", "[actors]") {
  failing_runs runs;
  const core::log_rate_limiter::steady now{1h};
  const auto first = runs.written(core::run_end::failed, 10'000, now);
  CHECK(std::count(first.begin(), first.end(), '\n') == actors::failed_run_lines::a_second_max);
  CHECK(runs.written(core::run_end::failed, 1, now + 1s)
        == "job=7 run=1 failed: code 500: boom (9995 similar messages suppressed)\n");
}
