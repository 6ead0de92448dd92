// Pieces of logs of executors that know bounds: they are asked for the pieces themselves.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "actors/console/log_spool.hpp"
#include "tests/actors/run_admin_fixture.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::run_administration;

namespace {

/// Executor that knows bounds unless it is an XXL-JOB executor, and a node with copies of logs.
struct piecewise_log : run_administration {
  piecewise_log() {
    executor->before_answer = [this](test::executor_record& record) { record.log = answer_to(record.log_requests.back()); };
    const auto spool = spawn<actors::log_spool_state, protocol::log_spool>(
      pool.actor, 7000ms, actors::spool_settings{.folder = folder.path() + "/spool"}, clock(), silent_log());
    actor = spawn<actors::run_admin_state, protocol::run_admin>(actors::query_workers{worker.actor, edits.actor}, pool.actor,
                                                                completion, 6000ms, core::language::en, clock(), silent_log(),
                                                                spool);
  }

  protocol::log_reply answer_to(const protocol::log_request& asked) const {
    const auto lines = core::count_lines(text);
    core::piece_limits limits{.lines = 1'000'000, .bytes = 1'000'000};
    if (is_ours && asked.bounds) {
      limits.bytes = static_cast<std::size_t>(asked.bounds->bytes);
      limits.tail = asked.bounds->tail;
    }
    const auto piece = core::piece_of(text, 1, asked.from_line, limits);
    protocol::log_reply reply{true, piece.content.empty() ? 0 : piece.to_line, std::string{piece.content}, {}, piece.from_line};
    if (is_ours && asked.bounds)
      reply.size = core::log_size{lines, static_cast<std::int64_t>(text.size())};
    return reply;
  }

  core::run_log read(core::log_id run, std::int32_t from_line, core::piece_limits limits = {}) {
    auto log = ask<core::run_log>(actor, protocol::run_log_query{run, from_line, core::local_operator(), false, limits});
    REQUIRE(log);
    return *log;
  }
  /// Returns the number of requests, and forgets them.
  std::size_t asked() { return std::exchange(executor->log_requests, {}).size(); }

  test::temp_folder folder;
  std::string text = "one\ntwo\nthree\nfour\n";
  bool is_ours = true;
};

} // namespace

TEST_CASE_METHOD(piecewise_log, "an executor that knows bounds is asked for pieces from its first answer on",
                 "[actors][runs][pieces]") {
  const auto run = add_run(200);
  const auto first = read(run, 1, {.lines = 2});
  CHECK((first.content == "one\ntwo\n" && first.from_line == 1 && first.to_line == 2 && first.more && !first.end));
  CHECK((first.bytes == 19 && first.lines == 4));
  // The first answer showed what the executor knows, the second one is the piece.
  CHECK(asked() == 2);
  const auto last = read(run, 1, {.tail = 1});
  CHECK((last.content == "four\n" && last.from_line == 4 && last.to_line == 4 && !last.more));
  REQUIRE(executor->log_requests.size() == 1);
  REQUIRE(executor->log_requests.front().bounds);
  CHECK(executor->log_requests.front().bounds->tail == 1);
  asked();
  // Another run of the same executor.
  CHECK(read(add_run(200), 3).content == "three\nfour\n");
  CHECK(asked() == 1);
  const auto nothing = read(run, 5);
  CHECK((nothing.content.empty() && nothing.to_line == 4 && nothing.lines == 4 && !nothing.end));
  CHECK(read(run, 100).to_line == 4);
  text += "five\n";
  CHECK(read(run, 5).content == "five\n");
}

TEST_CASE_METHOD(piecewise_log, "a piece of an executor ends a log three seconds after the result", "[actors][runs][pieces]") {
  const auto run = add_run(200, 200);
  CHECK_FALSE(read(run, 1).end);
  advance(4s);
  CHECK(read(run, 1).end);
  CHECK_FALSE(read(run, 1, {.lines = 3}).end);
  CHECK(read(run, 4).end);
  CHECK((read(run, 5).end && read(run, 5).content.empty()));
  text = "";
  CHECK(read(run, 1).end);
}

TEST_CASE_METHOD(piecewise_log, "a long line of an executor is cut to the wanted bytes", "[actors][runs][pieces]") {
  const auto run = add_run(200);
  text = std::string(100'000, 'x') + "\nend\n";
  const auto piece = read(run, 1, {.bytes = 256});
  CHECK((piece.content == std::string(256, 'x') && piece.cut && piece.more && piece.to_line == 1));
  CHECK(executor->log_requests.back().bounds->bytes < 256 + 10'000);
}

TEST_CASE_METHOD(piecewise_log, "an executor without bounds is read through a copy", "[actors][runs][pieces]") {
  is_ours = false;
  const auto run = add_run(200);
  CHECK(read(run, 1, {.lines = 2}).content == "one\ntwo\n");
  CHECK(asked() == 1);
  CHECK(read(run, 2, {.lines = 1}).content == "two\n");
  CHECK(asked() == 0);
}

TEST_CASE_METHOD(piecewise_log, "an address where another executor answers now is read through a copy again",
                 "[actors][runs][pieces]") {
  const auto run = add_run(200);
  read(run, 1);
  is_ours = false;
  asked();
  const auto whole = read(run, 1);
  CHECK(whole.content == text);
  CHECK_FALSE(executor->log_requests.front().bounds == std::nullopt);
  asked();
  CHECK(read(run, 1, {.lines = 1}).content == "one\n");
  CHECK(asked() == 0);
  SECTION("and without one when it is replaced again") {
    is_ours = true;
    CHECK(read(add_run(200), 2, {.lines = 1}).content == "two\n");
    asked();
    CHECK(read(run, 2, {.lines = 1}).content == "two\n");
    CHECK(asked() == 1);
  }
  SECTION("also if its answer is too long") {
    is_ours = true;
    read(add_run(200), 1);
    executor->before_answer = [this](test::executor_record& record) {
      record.log = record.log_requests.back().sink ? answer_to(record.log_requests.back())
                                                   : protocol::log_reply{.error = "too long", .too_long = true};
    };
    CHECK(read(add_run(200), 1).content == text);
  }
}

TEST_CASE_METHOD(piecewise_log, "without an answer in pieces a reader gets the reason, or the kept part",
                 "[actors][runs][pieces]") {
  const auto run = add_run(200, 200);
  read(run, 1);
  executor->before_answer = [](test::executor_record& record) { record.log = {.error = "connection refused"}; };
  CHECK(log_error(run).context.find("connection refused") != std::string::npos);
  const auto kept = add_run(200, 200);
  REQUIRE(test::expect(store.kept_logs().keep(kept, "one\n", true)));
  const auto part = read(kept, 1);
  CHECK((part.content == "one\n" && part.kept));
  executor->before_answer = [](test::executor_record& record) {
    record.log = {true, 0, "readLog fail, logFile not exists", {}, 1, true};
    record.log.size = core::log_size{};
  };
  const auto message = read(run, 1);
  CHECK((message.content == "readLog fail, logFile not exists" && message.to_line == 0 && message.end && !message.lines));
  CHECK(read(kept, 1).content == "one\n");
}

TEST_CASE_METHOD(piecewise_log, "a piece with invalid line numbers is refused", "[actors][runs][pieces]") {
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  const auto run = add_run(200);
  read(run, 1);
  protocol::log_reply reply{true, 2, "one\ntwo\n", {}, 1};
  reply.size = core::log_size{4, 19};
  executor->before_answer = [&](test::executor_record& record) { record.log = reply; };
  CHECK(read(run, 1).to_line == 2);
  const auto reason_of = [&](core::piece_limits limits) {
    auto log = ask<core::run_log>(actor, protocol::run_log_query{run, 1, core::local_operator(), false, limits});
    REQUIRE_FALSE(log);
    return protocol::to_core(log.error()).context;
  };
  const std::string expected = "its answer has invalid line numbers";
  SECTION("the last line is after the end of the log") {
    reply.to_line = most;
    CHECK(reason_of({}).find(expected) != std::string::npos);
    reply.size->lines = most;
    CHECK(reason_of({}).find(expected) != std::string::npos);
  }
  SECTION("the last lines begin at a line that does not fit") {
    reply.from_line = most;
    reply.to_line = most;
    reply.size->lines = most;
    CHECK(reason_of({.tail = 2}).find(expected) != std::string::npos);
  }
  SECTION("the lines have no text") {
    reply.content.clear();
    CHECK(reason_of({}).find(expected) != std::string::npos);
  }
  SECTION("the size is negative") {
    reply.size = core::log_size{-1, 19};
    CHECK(reason_of({}).find(expected) != std::string::npos);
    reply.size = core::log_size{4, -1};
    CHECK(reason_of({}).find(expected) != std::string::npos);
  }
}

TEST_CASE_METHOD(piecewise_log, "a reader waits no longer when the executor is asked in two ways", "[actors][runs][pieces]") {
  const auto run = add_run(200);
  const auto begin = [&] {
    return later<core::run_log>(actor, protocol::run_log_query{run, 1, core::local_operator(), false, core::piece_limits{}});
  };
  executor->log_takes = 4s;
  const auto late = begin();
  advance(5900ms);
  CHECK(asked() == 2);
  CHECK_FALSE(*late);
  advance(200ms);
  REQUIRE(*late);
  REQUIRE_FALSE(**late);
  CHECK(protocol::to_core((*late)->error()).code == core::errc::timeout);
  // The next reader asks in one way, and has all the time for it.
  const auto next = begin();
  advance(4s);
  REQUIRE((*next && **next));
  CHECK((**next)->content == text);
}

TEST_CASE_METHOD(piecewise_log, "an executor that still counts the lines is asked again", "[actors][runs][pieces]") {
  const auto run = add_run(200);
  read(run, 1);
  int counts = 3;
  executor->before_answer = [&](test::executor_record& record) {
    const auto& request = record.log_requests.back();
    record.log = answer_to(request);
    if (counts <= 0)
      return;
    --counts;
    record.log.size = core::log_size{2, 19, false};
    record.log.content = request.bounds && request.bounds->tail ? "" : "one\ntwo\n";
    record.log.to_line = record.log.content.empty() ? 0 : 2;
    record.log.from_line = 1;
  };
  SECTION("for the last lines") {
    asked();
    const auto last = read(run, 1, {.tail = 1});
    CHECK((last.content == "four\n" && last.from_line == 4 && last.lines == 4));
    CHECK(asked() == 4);
  }
  SECTION("but not for lines that are there") {
    asked();
    const auto first = read(run, 1);
    CHECK((first.content == "one\ntwo\n" && first.to_line == 2 && first.more && !first.end));
    CHECK((first.bytes == 19 && !first.lines));
    CHECK(asked() == 1);
  }
  SECTION("until the time of the reader is over") {
    counts = 1'000'000;
    executor->log_takes = 100ms;
    core::piece_limits limits;
    limits.tail = 1;
    const auto late = later<core::run_log>(actor, protocol::run_log_query{run, 1, core::local_operator(), false, limits});
    advance(7s);
    REQUIRE(*late);
    REQUIRE_FALSE(**late);
    const auto why = protocol::to_core((*late)->error());
    CHECK(why.code == core::errc::timeout);
    CHECK(why.context.find("still counting the lines") != std::string::npos);
    CHECK(asked() < 70); // each question takes 100 ms of six seconds
  }
}
