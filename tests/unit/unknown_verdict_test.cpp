#include "core/unknown_verdict.hpp"

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

TEST_CASE("a run whose log has begun is known, whatever idleBeat said", "[unit]") {
  for (std::int32_t idle_code : {0, 200, 404, 500})
    CHECK(judged(idle_code, first_line, 1) == unknown_verdict::known);
}

TEST_CASE("idle and no log file: the executor does not have the run", "[unit]") {
  CHECK(judged(200, missing, 0) == unknown_verdict::not_received);
  CHECK(judged(200, std::string{missing} + "\r\n", 0) == unknown_verdict::not_received);
}

TEST_CASE("Python's executor says the same in its own words", "[unit]") {
  constexpr auto said = "2026-11-22 13:05:30.281 [MainThread] [13] INFO /x/executor.py(_run:271) - "
                        "Start job jobId=5 logId=13 [RunData()]\n";
  CHECK(judged(200, said, 1) == unknown_verdict::known);
  CHECK(judged(200, python_log_missing, 0) == unknown_verdict::not_received);
  CHECK(judged(500, python_log_missing, 0) == unknown_verdict::busy);
  CHECK(judged(200, python_log_missing, 1) == unknown_verdict::cannot_tell);
}

TEST_CASE("busy and no log file: the run may be queued", "[unit]") {
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

TEST_CASE("without an answer to the log question nothing is known", "[unit]") {
  CHECK(judged(200, first_line, 1, false) == unknown_verdict::cannot_tell);
  CHECK(judged(200, missing, 0, false) == unknown_verdict::cannot_tell);
}
