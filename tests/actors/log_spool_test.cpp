// Copies of executors' logs: what is asked, what readers get, what is dropped.

#include <string>
#include <utility>

#include "tests/actors/spool_world.hpp"
#include "tests/support/file_size_limit.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::log_address;
using test::spool_world;

TEST_CASE_METHOD(spool_world, "spool: an executor is asked for what the copy lacks", "[actors][spool]") {
  streams = GENERATE(true, false);
  begin();
  const auto first = read(1, {.lines = 2});
  CHECK((first.content == "one\ntwo\n" && first.to_line == 2 && first.more && !first.end));
  CHECK(asked_lines() == asked{1});
  // The size is known when the answer has ended.
  const auto second = read(2, {.lines = 1});
  CHECK((second.content == "two\n" && second.bytes == 14 && second.lines == 3));
  CHECK(asked_lines().empty());
  // The end is where the copy may lack something; the last line may have grown.
  text += "four\n";
  CHECK(read(3).content == "three\nfour\n");
  CHECK(asked_lines() == asked{3});
  CHECK(read(1, {.tail = 2}).content == "three\nfour\n");
  CHECK(asked_lines() == asked{4});
  const auto nothing = read(5);
  CHECK((nothing.content.empty() && nothing.to_line == 4 && !nothing.end));
  CHECK(files() == 1);
}

TEST_CASE_METHOD(spool_world, "spool: the log of a finished run is asked for until it is whole, and no more", "[actors][spool]") {
  begin();
  CHECK_FALSE(read(1).end);
  asked_lines();
  done = true;
  // Java never says that a log ends: an answer without lines shows it.
  CHECK_FALSE(read(1).more);
  CHECK(asked_lines() == asked{3, 4});
  const auto end = read(4);
  CHECK((end.end && end.content.empty()));
  CHECK(read(1).end);
  CHECK(read(1, {.tail = 1}).content == "three\n");
  CHECK(asked_lines().empty());
}

TEST_CASE_METHOD(spool_world, "spool: readers at the same time share one answer", "[actors][spool]") {
  begin();
  executor->before_answer = {};
  executor->silent = true;
  auto first = read_later(1);
  auto second = read_later(2);
  run();
  CHECK(executor->calls.size() == 1);
  CHECK((!*first && !*second));
  advance(7s);
  REQUIRE((*first && *second));
  REQUIRE_FALSE(**first);
  CHECK(protocol::to_core((*first)->error()).code == core::errc::timeout);
}

TEST_CASE_METHOD(spool_world, "spool: an executor that answers in parts is asked until it has no more", "[actors][spool]") {
  begin();
  text = std::string(20'000, 'a') + '\n' + std::string(20'000, 'b') + '\n';
  CHECK(read(1, {.tail = 1}).content.front() == 'b');
  // The first answer was long, so there might be more, and a line might not fit with the last one.
  CHECK(asked_lines() == asked{1, 2, 3});
  text += "end\n";
  const auto rest = read(3);
  CHECK(rest.content == "end\n");
  CHECK(asked_lines() == asked{2, 3, 4});
}

TEST_CASE_METHOD(spool_world, "spool: a log that its executor no longer has leaves the copy", "[actors][spool]") {
  begin();
  CHECK(read(1).to_line == 3);
  broken = true;
  const auto part = read(2);
  CHECK(part.content == "two\nthree\n");
  CHECK(part.partial_reason.find("connection refused") != std::string::npos);
  CHECK_FALSE(part.end);
  CHECK(read_error(4).context.find("connection refused") != std::string::npos);
  broken = false;
  text += "four\n";
  const auto again = read(4);
  CHECK((again.content == "four\n" && again.partial_reason.empty()));
}

TEST_CASE_METHOD(spool_world, "spool: an answer that breaks off leaves its whole lines", "[actors][spool]") {
  begin();
  executor->before_answer = [](test::executor_record& record) {
    auto& sink = *record.log_requests.back().sink;
    sink.begin();
    sink.take(R"({"code":500,"msg":"The access token is wrong."})");
    // Asked again with another token.
    sink.begin();
    sink.take(R"({"code":200,"content":{"logContent":"one\ntwo\nthr)");
    record.log = {.error = "the connection broke"};
  };
  const auto part = read(1);
  CHECK(part.content == "one\ntwo\n");
  CHECK(part.partial_reason.find("the connection broke") != std::string::npos);
  executor->before_answer = [this](test::executor_record& record) { answer_log(record); };
  asked_lines();
  CHECK(read(1).content == "one\ntwo\nthree\n");
  CHECK(asked_lines() == asked{2});
}

TEST_CASE_METHOD(spool_world, "spool: a message of the executor does not count as a line of the log", "[actors][spool]") {
  begin();
  executor->before_answer = [](test::executor_record& record) {
    record.log = {true, 0, "readLog fail, logFile not exists", {}, 1, true};
  };
  const auto message = read(1);
  CHECK((message.content == "readLog fail, logFile not exists" && message.to_line == 0 && !message.end));
  done = true;
  CHECK(read(1).end);
  // A file that appears later is read from its first line.
  executor->before_answer = [this](test::executor_record& record) { answer_log(record); };
  CHECK(read(1).content == text);
}

TEST_CASE_METHOD(spool_world, "spool: a last line without an end is completed before the next one", "[actors][spool]") {
  streams = false;
  begin();
  executor->before_answer = [](test::executor_record& record) { record.log = {true, 2, "one\ntwo", {}, 1, false}; };
  CHECK(read(1).content == "one\ntwo");
  executor->before_answer = [](test::executor_record& record) { record.log = {true, 3, "three\n", {}, 3, false}; };
  const auto rest = read(2);
  CHECK((rest.content == "two\nthree\n" && rest.to_line == 3));
}

TEST_CASE_METHOD(spool_world, "spool: a log that is too long is read as far as a copy may be", "[actors][spool]") {
  begin({.log_bytes_max = 100});
  const auto whole = read(1);
  text += std::string(200, 'x') + '\n';
  done = true;
  const auto part = read(1);
  CHECK(part.content == "one\ntwo\nthree\n");
  CHECK(part.end);
  CHECK(part.partial_reason.find("the log is longer than") == 0);
  asked_lines();
  CHECK(read(1).end);
  const auto after = read(4);
  CHECK((after.end && after.content.empty() && !after.partial_reason.empty()));
  CHECK(asked_lines().empty());
}

TEST_CASE_METHOD(spool_world, "spool: copies that are not read make room for others", "[actors][spool]") {
  begin({.bytes_max = 30});
  read(1, {}, core::log_id{1});
  advance(1s);
  read(1, {}, core::log_id{2});
  CHECK(files() == 2);
  advance(1s);
  read(1, {}, core::log_id{3});
  CHECK(files() == 2);
  // The copy of run 1 was the oldest.
  asked_lines();
  read(1, {.lines = 1}, core::log_id{2});
  CHECK(asked_lines().empty());
  advance(15min);
  CHECK(files() == 0);
}

TEST_CASE_METHOD(spool_world, "spool: a full disk costs a reader the rest of the log, for a while", "[actors][spool]") {
  begin();
  CHECK(read(1).to_line == 3);
  text += std::string(500, 'x') + '\n';
  {
    const test::file_size_limit full{100};
    const auto part = read(1);
    CHECK(part.content == "one\ntwo\nthree\n");
    CHECK_FALSE(part.partial_reason.empty());
  }
  asked_lines();
  CHECK_FALSE(read(1).partial_reason.empty());
  CHECK(asked_lines().empty());
  advance(30s);
  CHECK(read(1).to_line == 4);
}

TEST_CASE_METHOD(spool_world, "spool: the folder is emptied at the start, and its absence is told", "[actors][spool]") {
  folder.write("spool/9-1.log", "of a process that was killed");
  folder.write("spool/note.txt", "not ours");
  begin();
  CHECK(files() == 1);
  const auto path = folder.write("file", "");
  begin({}, path + "/spool");
  CHECK(read_error(1).subject == "spool");
}

TEST_CASE_METHOD(spool_world, "spool: a whole log is opened, and read in parts", "[actors][spool]") {
  using state = protocol::http_body_source::state;
  begin();
  text.clear();
  while (text.size() < 400'000)
    text += "line " + std::to_string(text.size()) + "\n";
  core::log_row row;
  row.id = core::log_id{7};
  row.executor_address = log_address;
  row.trigger_code = 200;
  row.handle_code = 200;
  const auto file = ask<protocol::run_file>(spool, protocol::spool_open{row, 60s});
  REQUIRE(file);
  CHECK((file->bytes == text.size() && file->end && file->partial_reason.empty()));
  const auto read_all = [&](std::uint64_t offset, std::uint64_t bytes) {
    const auto source = file->open(offset, bytes);
    CHECK(source->bytes() == bytes);
    std::string all;
    for (int tries = 0; all.size() < bytes && tries < 100; ++tries) {
      std::string piece;
      const auto now = source->next(piece);
      REQUIRE(now != state::failed);
      if (now == state::ready)
        all += piece;
      run();
    }
    return all;
  };
  CHECK(read_all(0, text.size()) == text);
  CHECK(read_all(100, 1) == text.substr(100, 1));
  CHECK(read_all(1000, 200'000) == text.substr(1000, 200'000));
  // A copy that was dropped ends the download.
  const auto late = file->open(0, text.size());
  advance(16min);
  std::string piece;
  CHECK(late->next(piece) == state::not_yet);
  run();
  CHECK(late->next(piece) == state::failed);
  broken = true;
  CHECK_FALSE(ask<protocol::run_file>(spool, protocol::spool_open{row, 60s}));
}

TEST_CASE_METHOD(spool_world, "spool: a log is searched beyond what a reader has", "[actors][spool]") {
  begin();
  text.clear();
  for (int i = 1; i <= 50'000; ++i)
    text += (i % 10'000 == 0 ? "Needle " : "hay ") + std::to_string(i) + '\n';
  text += std::string(600'000, 'x') + "needle\nneedle at the end";
  streams = false;
  core::log_row row;
  row.id = core::log_id{7};
  row.executor_address = log_address;
  row.trigger_code = 200;
  executor->before_answer = [this](test::executor_record& record) { record.log = {true, 50'002, text, {}, 1, false}; };
  const auto search = [&](core::log_search asked) {
    auto found = ask<protocol::log_matches>(spool, protocol::spool_search{row, std::move(asked), 5s});
    REQUIRE(found);
    return *found;
  };
  const auto some = search({.wanted = "needle", .limit = 3});
  REQUIRE(some.matches.size() == 3);
  CHECK((some.matches[2].line == 30'000 && some.matches[2].column == 1 && some.matches[2].text == "Needle 30000"));
  CHECK((some.scanned_to == 30'000 && some.next_line == 30'001));
  const auto rest = search({.wanted = "needle", .from_line = 30'001});
  // The end of a line of more than 256 KiB is not searched.
  REQUIRE(rest.matches.size() == 3);
  CHECK(rest.matches[2].line == 50'002);
  CHECK((rest.scanned_to == 50'002 && !rest.next_line));
  CHECK(search({.wanted = "needle", .match_case = true}).matches.size() == 1);
  executor->log_requests.clear();
  CHECK(search({.wanted = "absent"}).matches.empty());
  CHECK(asked_lines().empty());
}
