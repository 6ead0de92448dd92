// Copies of executors' logs: how often executors are asked, and what readers get meanwhile.

#include <string>
#include <utility>
#include <vector>

#include "tests/actors/spool_world.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::spool_world;

namespace {

using source_state = protocol::http_body_source::state;

/// Begins an answer, and leaves it open.
protocol::log_reply begin_silent(test::executor_record& record, const std::string& json) {
  record.log_requests.back().sink->begin();
  record.log_requests.back().sink->take(json);
  return {};
}

} // namespace

TEST_CASE_METHOD(spool_world, "spool: a last line that grows is read again", "[actors][spool]") {
  streams = GENERATE(true, false);
  begin();
  text = "one\nabc\n";
  CHECK(read(1).content == text);
  text = "one\nabcdef\nnext\n";
  CHECK(read(1).content == text);
  CHECK(asked_lines() == asked{1, 2});
}

TEST_CASE_METHOD(spool_world, "spool: a finished run's short first part is not taken for its log", "[actors][spool]") {
  begin();
  done = true;
  // Parts of one line each.
  const std::vector<std::string> parts{"needle\n", std::string(900'000, 'x') + '\n', std::string(500'000, 'y') + '\n',
                                       "needle\n"};
  executor->before_answer = [&parts](test::executor_record& record) {
    const auto line = static_cast<std::size_t>(record.log_requests.back().from_line);
    record.log = {true, 0, {}, {}, 0, false};
    if (line <= parts.size())
      record.log = {true, static_cast<std::int32_t>(line), parts[line - 1], {}, 0, false};
  };
  SECTION("tail") {
    const auto end = read(1, {.tail = 1});
    CHECK((end.content == "needle\n" && end.from_line == 4 && end.end));
  }
  SECTION("file") {
    const auto file = ask<protocol::run_file>(spool, protocol::spool_open{row_of(core::log_id{7}), 60s});
    REQUIRE(file);
    CHECK((file->bytes == 1'400'016 && file->end && file->partial_reason.empty()));
  }
  SECTION("search") {
    std::vector<std::int32_t> found;
    for (std::optional<std::int32_t> next = 1; next && found.size() < 10;) {
      const auto some = ask<protocol::log_matches>(
        spool, protocol::spool_search{row_of(core::log_id{7}), {.wanted = "needle", .from_line = *next}, 5s});
      REQUIRE(some);
      for (const auto& each : some->matches)
        found.push_back(each.line);
      next = some->next_line;
    }
    CHECK(found == std::vector<std::int32_t>{1, 4});
  }
}

TEST_CASE_METHOD(spool_world, "spool: a run that writes much is served, and its executor is not asked without pause",
                 "[actors][spool]") {
  begin();
  text = std::string(100'000, 'x') + '\n';
  executor->before_answer = [this](test::executor_record& record) {
    answer_log(record);
    text += std::string(30'000, 'y') + '\n';
  };
  CHECK(read(1, {.tail = 1}).content.size() == 30'001);
  CHECK(asked_lines().size() == 3);
  const auto file = ask<protocol::run_file>(spool, protocol::spool_open{row_of(core::log_id{7}), 60s});
  REQUIRE(file);
  CHECK((file->bytes > 100'000 && !file->end));
  CHECK(asked_lines().size() <= 3);
}

TEST_CASE_METHOD(spool_world, "spool: a download at its deadline has the part that was here before", "[actors][spool]") {
  begin();
  CHECK(read(1).to_line == 3);
  executor->before_answer = [](test::executor_record& record) {
    begin_silent(record, R"({"code":200,"content":{"logContent":"three\nfour\nfi)");
    record.silent = true;
  };
  auto file = later<protocol::run_file>(spool, protocol::spool_open{row_of(core::log_id{7}), 5s});
  advance(6s);
  REQUIRE(*file);
  REQUIRE(**file);
  CHECK(((**file)->bytes == 14 && !(**file)->end && !(**file)->partial_reason.empty()));
}

TEST_CASE_METHOD(spool_world, "spool: a copy that was made again does not continue a download", "[actors][spool]") {
  begin();
  text = std::string(300'000, 'x') + '\n';
  const auto file = ask<protocol::run_file>(spool, protocol::spool_open{row_of(core::log_id{7}), 60s});
  REQUIRE(file);
  const auto source = file->open(0, file->bytes);
  std::string piece;
  CHECK(source->next(piece) == source_state::not_yet);
  run();
  advance(16min);
  CHECK(files() == 0);
  text = std::string(300'000, 'y') + '\n';
  read(1);
  // The piece that was read ahead is of the first copy.
  CHECK(source->next(piece) == source_state::ready);
  CHECK(piece.front() == 'x');
  run();
  CHECK(source->next(piece) == source_state::failed);
}

TEST_CASE_METHOD(spool_world, "spool: a copy that is being downloaded does not make room", "[actors][spool]") {
  begin({.bytes_max = 30});
  read(1, {}, core::log_id{1});
  const auto file = ask<protocol::run_file>(spool, protocol::spool_open{row_of(core::log_id{1}), 60s});
  REQUIRE(file);
  const auto source = file->open(0, file->bytes);
  std::string piece;
  CHECK(source->next(piece) == source_state::not_yet);
  run();
  read(1, {}, core::log_id{2});
  advance(1s);
  read(1, {}, core::log_id{3});
  CHECK(files() == 2);
  asked_lines();
  read(1, {.lines = 1}, core::log_id{1});
  CHECK(asked_lines().empty());
}

TEST_CASE_METHOD(spool_world, "spool: few answers of one executor are under way at a time", "[actors][spool]") {
  begin();
  std::vector<std::shared_ptr<test::executor_record>> executors{executor};
  for (int i = 0; i < 5; ++i)
    executors.push_back(pool.executor("http://10.0.1." + std::to_string(i) + ":9999/"));
  for (const auto& each : executors)
    each->silent = true;
  std::vector<answer> answers;
  for (int i = 0; i < 10; ++i)
    answers.push_back(read_later(1, {}, core::log_id{100 + i}));
  run();
  CHECK(executor->log_requests.size() == 4);
  for (int at = 0; at < 5; ++at) {
    address = "http://10.0.1." + std::to_string(at) + ":9999/";
    for (int i = 0; i < 4; ++i)
      answers.push_back(read_later(1, {}, core::log_id{200 + 10 * at + i}));
  }
  run();
  std::size_t under_way = 0;
  for (const auto& each : executors)
    under_way += each->log_requests.size();
  CHECK(under_way == actors::log_spool_state::answers_max);
  // Readers that wait for a turn are not forgotten.
  advance(7s);
  for (const auto& each : answers)
    CHECK(*each);
}

TEST_CASE_METHOD(spool_world, "spool: a log that waits for its turn is read when another answer ends", "[actors][spool]") {
  begin();
  executor->log_takes = 1s;
  std::vector<answer> answers;
  for (int i = 0; i < 9; ++i)
    answers.push_back(read_later(1, {}, core::log_id{100 + i}));
  advance(4s);
  for (const auto& each : answers) {
    REQUIRE((*each && **each));
    CHECK((**each)->content == text);
  }
}

TEST_CASE_METHOD(spool_world, "spool: an answer without a reader is ended", "[actors][spool]") {
  begin();
  std::shared_ptr<protocol::http_body_sink> sink;
  executor->before_answer = [&sink](test::executor_record& record) {
    sink = record.log_requests.back().sink;
    begin_silent(record, R"({"code":200,"content":{"logContent":"one\ntwo\n)");
    record.silent = true;
  };
  CHECK(read(1, {.lines = 1}).content == "one\n");
  CHECK(sink->take("three\\n"));
  advance(14s);
  CHECK(sink->take("four\\n"));
  advance(7s);
  CHECK_FALSE(sink->take("five\\n"));
}

TEST_CASE_METHOD(spool_world, "spool: readers are answered when the actor ends", "[actors][spool]") {
  begin();
  executor->silent = true;
  executor->before_answer = {};
  const auto waiting = read_later(1);
  run();
  CHECK_FALSE(*waiting);
  caf::anon_send_exit(caf::actor_cast<caf::actor>(spool), caf::exit_reason::user_shutdown);
  run();
  REQUIRE(*waiting);
  CHECK_FALSE(**waiting);
}

TEST_CASE_METHOD(spool_world, "spool: searches at the same time are all answered", "[actors][spool]") {
  begin();
  for (int i = 0; i < 100'000; ++i)
    text += i % 10'000 == 0 ? "needle\n" : "a line without it\n";
  std::vector<std::shared_ptr<std::optional<caf::expected<protocol::log_matches>>>> found;
  for (int i = 0; i < 9; ++i) {
    const auto id = core::log_id{1 + i % 2};
    found.push_back(later<protocol::log_matches>(spool, protocol::spool_search{row_of(id), {.wanted = "needle"}, 5s}));
  }
  run();
  for (const auto& each : found) {
    REQUIRE((*each && **each));
    CHECK((**each)->matches.size() == 10);
    CHECK((**each)->matches.back().line == 90'004);
    CHECK((**each)->scanned_to == 100'003);
  }
}
