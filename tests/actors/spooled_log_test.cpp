// Text of a copy, as the answers of executors arrive.

#include "actors/console/spooled_log.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "protocol/wire/json/json_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

/// A copy, and the executor whose log it copies.
struct copied_log {
  copied_log() {
    row.executor_address = "http://10.0.0.3:9999/";
    row.trigger_code = 200;
  }

  /// Reads the rest of the log from a line on, as XXL-JOB's executors do: a last line without an end gets one.
  std::string answer_of_java(std::int32_t from_line) const {
    std::string content = text;
    if (!content.empty() && content.back() != '\n')
      content += '\n';
    auto lines = std::count(content.begin(), content.end(), '\n');
    for (auto line = 1; line < from_line && !content.empty(); ++line)
      content.erase(0, content.find('\n') + 1);
    return json_of(content, content.empty() ? 0 : lines);
  }
  static std::string json_of(const std::string& content, std::int64_t to_line) {
    std::string json = R"({"code":200,"content":{"toLineNum":)" + std::to_string(to_line) + R"(,"logContent":)";
    protocol::wire::append_json(json, content);
    return json + "}}";
  }

  std::int32_t begin() {
    const auto line = log.begin_answer(path);
    REQUIRE(line);
    asked.push_back(*line);
    return *line;
  }
  void take(const std::string& json) {
    begin();
    finish(json);
  }
  void finish(const std::string& json) {
    for (std::size_t at = 0; at < json.size(); at += piece)
      log.take_json(std::string_view{json}.substr(at, piece));
    log.end_streamed(200);
  }
  /// Asks once.
  void ask() { finish(answer_of_java(begin())); }
  /// Asks as long as the executor may have more, as a reader of the end does.
  void ask_all() {
    do
      ask();
    while (log.may_have_more() && asked.size() < 100);
  }
  void break_off(const std::string& json) {
    begin();
    log.take_json(json);
    log.end_answer(core::fail(core::errc::unavailable, "the connection broke"));
  }
  std::string all() const { return log.bytes_at(0, log.bytes()); }
  void end_run() {
    row.handle_code = 200;
    row.handle_time = now;
    log.know(row);
  }

  using lines = std::vector<std::int32_t>;
  test::temp_folder folder;
  std::string path = folder.path() + "/7-1.log";
  core::log_row row;
  core::time_point now = core::from_ms(1'772'452'800'000);
  actors::spooled_log log{row, {1024 * 1024 * 1024, [](std::size_t) { return true; }, [this] { return now; }}};
  std::string text;
  std::size_t piece = 1 << 20;
  lines asked;
};

} // namespace

TEST_CASE_METHOD(copied_log, "copy: a last line that grows between two answers is completed", "[actors][spool]") {
  piece = GENERATE(1, 3, 1 << 20);
  text = "one\nabc";
  ask();
  CHECK(all() == "one\nabc\n");
  text += "def\nnext";
  ask();
  CHECK(all() == "one\nabcdef\nnext\n");
  CHECK(asked == lines{1, 2});
  // A character that was not whole was replaced.
  text = "one\nabcdef\nnext \xEF\xBF\xBD\n";
  ask();
  text = "one\nabcdef\nnext \xE6\x97\xA5\n";
  ask();
  CHECK(all() == text);
  ask();
  CHECK(all() == text);
  CHECK_FALSE(log.may_have_more());
}

TEST_CASE_METHOD(copied_log, "copy: an answer that begins with another line is appended", "[actors][spool]") {
  piece = GENERATE(1, 1 << 20);
  text = "one\nabc";
  ask();
  take(json_of("abX\nlast\n", 4));
  CHECK(all() == "one\nabc\nabX\nlast\n");
  take(json_of("la", 4));
  CHECK(all() == "one\nabc\nabX\nlast\nla");
}

TEST_CASE_METHOD(copied_log, "copy: a restart and a break-off keep the last line", "[actors][spool]") {
  text = "one\nabc";
  ask();
  begin();
  log.take_json(R"({"code":200,"content":{"toLineNum":3,"logContent":"abcdef\nno)");
  CHECK(all() == "one\nabcdef\nno");
  log.restart_answer();
  CHECK(all() == "one\nabc\n");
  text = "one\nabcd\nthree\n";
  finish(answer_of_java(2));
  CHECK(all() == text);
  break_off(R"({"code":200,"content":{"toLineNum":3,"logContent":"three and mo)");
  CHECK(all() == "one\nabcd\nthree and mo");
  text = "one\nabcd\nthree and more\nfour\n";
  ask();
  CHECK(all() == text);
  CHECK(asked == lines{1, 2, 3, 3});
}

TEST_CASE_METHOD(copied_log, "copy: a finished run is asked until it has no more, in parts of any size", "[actors][spool]") {
  // The first part ends before a line that does not fit in it, and the second one has only that line.
  const std::string parts[] = {"small\n", std::string(1'000'000, 'x') + '\n', std::string(900'000, 'y') + '\n'};
  const bool was_live = GENERATE(false, true);
  const auto ask_part = [&] {
    const auto line = begin();
    finish(line <= 3 ? json_of(parts[line - 1], line) : json_of("", 0));
  };
  if (was_live)
    for (int i = 0; i < 12; ++i) {
      ask_part();
      CHECK(all() == (parts[0] + parts[1] + parts[2]).substr(0, all().size()));
    }
  CHECK(log.bytes() == (was_live ? 1'900'008 : 0));
  end_run();
  now += 3s;
  core::piece_limits tail;
  tail.tail = 1;
  for (int i = 0; i < 10 && !log.satisfies(1, tail); ++i) {
    ask_part();
    const auto found = log.search({.wanted = "absent"}, [] { return false; });
    REQUIRE(found);
    CHECK(found->next_line.has_value() == !log.satisfies(1, tail));
    CHECK(log.may_have_more() == !log.satisfies(1, tail));
  }
  CHECK(all() == parts[0] + parts[1] + parts[2]);
  CHECK(log.piece(1, tail)->end);
}

TEST_CASE_METHOD(copied_log, "copy: an executor whose answers have one long line each is asked to the end", "[actors][spool]") {
  const std::string parts[] = {std::string(20'000, 'a') + '\n', std::string(20'000, 'b') + '\n', std::string(20'000, 'c') + '\n'};
  do {
    const auto line = begin();
    finish(line <= 3 ? json_of(parts[line - 1], line) : json_of("", 3));
  } while (log.may_have_more() && asked.size() < 20);
  CHECK(all() == parts[0] + parts[1] + parts[2]);
  CHECK(log.has_part(3));
  CHECK_FALSE(log.has_part(4));
  CHECK(asked.size() < 20);
}

TEST_CASE_METHOD(copied_log, "copy: lines that a run writes after its result are read", "[actors][spool]") {
  text = "one\n";
  ask();
  end_run();
  ask_all();
  CHECK_FALSE(log.piece(2, {})->end);
  text += "interrupted\n";
  now += 2s;
  ask_all();
  ask_all();
  CHECK(all() == text);
  CHECK_FALSE(log.piece(3, {})->end);
  now += 1s;
  ask_all();
  CHECK(log.piece(3, {})->end);
  CHECK(all() == text);
}

TEST_CASE_METHOD(copied_log, "copy: an executor whose run writes much is not asked without pause", "[actors][spool]") {
  for (int i = 0; i < 50'000; ++i)
    text += "a line of a chatty run\n";
  ask();
  CHECK(log.may_have_more());
  text += std::string(30'000, 'x') + '\n';
  ask();
  CHECK_FALSE(log.may_have_more());
  CHECK(all() == text);
}

TEST_CASE_METHOD(copied_log, "copy: numbers of lines that the text cannot have are not believed", "[actors][spool]") {
  take(json_of("a\n", 2'147'483'647));
  break_off(R"({"code":200,"content":{"logContent":"a\nb\nc)");
  CHECK(all() == "a\nb\n");
  break_off(R"({"code":200,"content":{"logContent":"b\nc\nd)");
  CHECK(all() == "a\nb\nc\n");
  begin();
  CHECK(asked == lines{1, 1, 2, 3});
}

TEST_CASE_METHOD(copied_log, "copy: an answer without a number of lines is kept whole", "[actors][spool]") {
  for (int i = 0; i < 1000; ++i)
    text += "ten bytes\n";
  std::string json = R"({"code":200,"content":{"logContent":)";
  protocol::wire::append_json(json, text);
  take(json + "}}");
  CHECK(all() == text);
  CHECK(begin() == 1000);
}

TEST_CASE_METHOD(copied_log, "copy: an answer that no reader waited for is continued by the next one", "[actors][spool]") {
  begin();
  log.take_json(R"({"code":200,"content":{"logContent":"one\ntwo\nth)");
  log.abandon();
  CHECK_FALSE(log.wants_more());
  log.take_json("ree");
  log.end_answer(core::fail(core::errc::unavailable, "the connection was closed"));
  CHECK(all() == "one\ntwo\n");
  CHECK(log.may_have_more());
  CHECK(log.piece(1, {})->partial_reason.empty());
  text = "one\ntwo\nthree\n";
  ask();
  CHECK(all() == text);
  CHECK(asked == lines{1, 2});
}
