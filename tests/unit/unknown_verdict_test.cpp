#include "core/run/unknown_verdict.hpp"

#include <chrono>
#include <string>

#include "tests/support/catch.hpp"

using namespace ringmaster::core;

namespace {

constexpr auto missing = "readLog fail, logFile not exists";
constexpr auto first_line = "2026-03-01 12:00:00 [com.x.JobThread#run]-[133]-[xxl-job, JobThread-1] "
                            "<br>----------- xxl-job job execute start -----------\n";

unknown_verdict judged(std::int32_t idle_code, std::string_view content, std::int32_t to_line, bool answered = true) {
  return judge({idle_code, answered, content, to_line});
}

} // namespace

TEST_CASE("a run whose log has begun is known, whatever idleBeat answered", "[unit]") {
  for (std::int32_t idle_code : {0, 200, 404, 500})
    CHECK(judged(idle_code, first_line, 1) == unknown_verdict::known);
}

TEST_CASE("idle without a log file: the executor does not have the run", "[unit]") {
  CHECK(judged(200, missing, 0) == unknown_verdict::not_received);
  CHECK(judged(200, std::string{missing} + "\r\n", 0) == unknown_verdict::not_received);
}

TEST_CASE("Python's executor is recognised by its own words", "[unit]") {
  constexpr auto said = "2026-11-22 13:05:30.281 [MainThread] [13] INFO /x/executor.py(_run:271) - "
                        "Start job jobId=5 logId=13 [RunData()]\n";
  CHECK(judged(200, said, 1) == unknown_verdict::known);
  CHECK(judged(200, python_log_missing, 0) == unknown_verdict::not_received);
  CHECK(judged(500, python_log_missing, 0) == unknown_verdict::busy);
  CHECK(judged(200, python_log_missing, 1) == unknown_verdict::cannot_tell);
}

TEST_CASE("busy without a log file: the run may be queued", "[unit]") {
  CHECK(judged(500, missing, 0) == unknown_verdict::busy);
}

TEST_CASE("a missing file proves nothing without a clear answer to idleBeat", "[unit]") {
  CHECK(judged(0, missing, 0) == unknown_verdict::cannot_tell);
  CHECK(judged(404, missing, 0) == unknown_verdict::cannot_tell);
  CHECK(judged(401, missing, 0) == unknown_verdict::cannot_tell);
}

TEST_CASE("answers of clients that do not keep logs prove nothing", "[unit]") {
  CHECK(judged(200, "", 0) == unknown_verdict::cannot_tell);
  CHECK(judged(200, "readLog fail, logFile not found", 0) == unknown_verdict::cannot_tell);
  CHECK(judged(200, missing, 2) == unknown_verdict::cannot_tell);
  CHECK(judged(200, std::string{"no log: "} + missing, 0) == unknown_verdict::cannot_tell);
  CHECK(judged(200, "some line of a handler\n", 1) == unknown_verdict::cannot_tell);
}

TEST_CASE("several processes behind an address: a denial proves nothing, a log does", "[unit]") {
  const auto entered = [](std::int32_t idle_code, std::string_view content, std::int32_t to_line) {
    return judge({idle_code, true, content, to_line, false});
  };
  CHECK(entered(200, missing, 0) == unknown_verdict::cannot_tell);
  CHECK(entered(500, missing, 0) == unknown_verdict::busy);
  CHECK(entered(200, first_line, 1) == unknown_verdict::known);
}

TEST_CASE("a log of an earlier run with the same id is not this run's log", "[unit]") {
  using namespace std::chrono_literals;
  // 2026-03-01 12:00:00 in UTC.
  const auto fired = from_ms(1772366400000);
  const auto judged_for = [&](std::string_view content, std::int32_t job, time_point fire_at, milliseconds later = 5s) {
    return judge({200, true, content, 1, true, job_id{job}, fire_at, fire_at + later});
  };
  const auto java = [](const char* time, const char* thread) {
    return std::string{time} + " [com.x.JobThread#run]-[133]-[xxl-job, JobThread-" + thread
           + "] <br>----------- xxl-job job execute start -----------\n";
  };
  SECTION("this run, in any zone of its executor") {
    for (const char* time : {"2026-03-01 12:00:00", "2026-03-01 20:00:01", "2026-03-01 11:59:30", "2026-03-01 17:30:02",
                             "2026-03-01 17:45:00", "2026-03-01 00:00:00", "2026-03-02 02:00:00", "2026-03-01 04:00:00"}) {
      CAPTURE(time);
      CHECK(judged_for(java(time, "7-1772366399000"), 7, fired) == unknown_verdict::known);
    }
    CHECK(judged_for(first_line, 7, fired) == unknown_verdict::known);
    CHECK(judged_for("no time: job execute start", 7, fired) == unknown_verdict::known);
  }
  SECTION("another time") {
    for (const char* time : {"2026-03-01 11:52:00", "2026-03-01 19:53:10", "2026-02-26 12:00:00"}) {
      CAPTURE(time);
      CHECK(judged_for(java(time, "7-1772366399000"), 7, fired) == unknown_verdict::cannot_tell);
    }
    // Queried late, it may have waited in the queue.
    CHECK(judged_for(java("2026-03-01 12:07:00", "7-1772366399000"), 7, fired, 8min) == unknown_verdict::known);
  }
  SECTION("another job") {
    CHECK(judged_for(java("2026-03-01 12:00:00", "8-1772366399000"), 7, fired) == unknown_verdict::cannot_tell);
    CHECK(judged_for("2026-03-01 12:00:01.281 [x] - Start job jobId=5 logId=13", 7, fired) == unknown_verdict::cannot_tell);
    CHECK(judged_for("2026-03-01 12:00:01.281 [x] - Start job jobId=7 logId=13", 7, fired) == unknown_verdict::known);
  }
  SECTION("Ringmaster's executor names job and second") {
    const auto ours = [](int job, std::int64_t second) {
      return "2026-03-01 12:00:00 [executor]-[job-" + std::to_string(job) + "]-[" + std::to_string(second)
             + "] <br>----------- xxl-job job execute start -----------\n";
    };
    CHECK(judged_for(ours(7, 1772366400), 7, fired + 900ms) == unknown_verdict::known);
    CHECK(judged_for(ours(7, 1772366399), 7, fired) == unknown_verdict::cannot_tell);
    CHECK(judged_for(ours(8, 1772366400), 7, fired) == unknown_verdict::cannot_tell);
  }
  SECTION("Java writes both into one file") {
    const auto both = java("2026-03-01 03:07:11", "7-1772334431000") + "work\n" + java("2026-03-01 12:00:02", "7-1772334431000");
    CHECK(judged_for(both, 7, fired) == unknown_verdict::known);
  }
}

TEST_CASE("without an answer to the log request nothing is known", "[unit]") {
  CHECK(judged(200, first_line, 1, false) == unknown_verdict::cannot_tell);
  CHECK(judged(200, missing, 0, false) == unknown_verdict::cannot_tell);
}
