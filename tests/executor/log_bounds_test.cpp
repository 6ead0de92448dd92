// Parts of logs with bounds, and the size of logs.

#include <chrono>
#include <fstream>
#include <optional>
#include <string>

#include "executor/files/log_files.hpp"
#include "tests/executor/disk.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::some_time;

namespace {

constexpr core::log_id sized{1};

struct bounded_logs {
  core::log_lines read(std::int32_t from_line, std::int32_t bytes, std::optional<std::int32_t> tail = {}) {
    auto lines = logs.read({sized, {}, some_time}, from_line, core::log_bounds{bytes, tail});
    REQUIRE(lines);
    REQUIRE(lines->size);
    return std::move(*lines);
  }
  void add(const std::string& text) {
    disk.write(1, text);
    disk.look_after(1, 5s);
  }

  test::log_disk disk;
  executor::log_files logs{disk.options()};
};

std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i)
    text += "line " + std::to_string(i) + '\n';
  return text;
}

} // namespace

TEST_CASE_METHOD(bounded_logs, "log bounds: a part has at most the wanted bytes, and ends after a line", "[executor]") {
  disk.write(1, "one\ntwo\nthree\nfour\n");
  const auto first = read(1, 9);
  CHECK((first.text == "one\ntwo\n" && first.from_line == 1 && first.to_line == 2 && !first.ended));
  CHECK(*first.size == core::log_size{4, 19});
  const auto next = read(3, 1000);
  CHECK((next.text == "three\nfour\n" && next.to_line == 4));
  const auto beyond = read(5, 1000);
  CHECK((beyond.text.empty() && beyond.to_line == 0 && *beyond.size == core::log_size{4, 19}));
  // A line that is longer is cut and marked.
  CHECK(read(3, 4).text == "thr [cut: this line has 5 bytes]\n");
  CHECK_FALSE(logs.read({sized, {}, some_time}, 1)->size);
}

TEST_CASE_METHOD(bounded_logs, "log bounds: the last lines have their numbers", "[executor]") {
  disk.write(1, "a\rb\r\nc\n\nd\n");
  const auto two = read(1, 1000, 2);
  CHECK((two.text == "\nd\n" && two.from_line == 4 && two.to_line == 5));
  CHECK(two.size->lines == 5);
  CHECK(read(1, 1000, 5).text == "a\nb\nc\n\nd\n");
  CHECK(read(1, 1000, 4).text == "b\nc\n\nd\n");
  const auto all = read(7, 1000, 5000);
  CHECK((all.text == "a\nb\nc\n\nd\n" && all.from_line == 1));
  // Fewer lines, if they are longer than the wanted bytes.
  CHECK(read(1, 3, 5).text == "\nd\n");
  CHECK(read(1, 2, 5).text == "d\n");
}

TEST_CASE_METHOD(bounded_logs, "log bounds: lines are counted as a log grows", "[executor]") {
  add(numbered(1, 10));
  CHECK(read(1, 1000, 3).text == numbered(8, 10));
  add(numbered(11, 12));
  CHECK(read(1, 1000, 3).text == numbered(10, 12));
  CHECK(read(1, 1000, 9).text == numbered(4, 12));
  CHECK(read(1, 1000, 1).from_line == 12);
  CHECK(read(4, 14).text == numbered(4, 5));
  add("unfinished");
  CHECK(read(13, 1000).text == "unfinished\n");
  CHECK(read(1, 1000, 2).text == "line 12\nunfinished\n");
  CHECK(read(1, 1000).size->lines == 13);
  // The rest of a line that was counted already is a part of it.
  add(" line\n" + numbered(14, 15));
  CHECK(read(1, 1000, 3).text == "unfinished line\n" + numbered(14, 15));
  CHECK(read(1, 1000).size->lines == 15);
}

TEST_CASE_METHOD(bounded_logs, "log bounds: an unfinished last line counts when it is not held back any more", "[executor]") {
  disk.write(1, "one\ntw");
  CHECK(read(1, 1000).size->lines == 1);
  CHECK(read(1, 1000, 1).text == "one\n");
  disk.look_after(1, 2s);
  CHECK(read(1, 1000).size->lines == 2);
  CHECK(read(1, 1000, 1).text == "tw\n");
}

TEST_CASE_METHOD(bounded_logs, "log bounds: empty and missing logs have no lines", "[executor]") {
  const auto missing = read(1, 1000, 3);
  CHECK((missing.ended && missing.to_line == 0 && missing.text == "readLog fail, logFile not exists"));
  CHECK(*missing.size == core::log_size{});
  disk.write(1, "");
  const auto empty = read(1, 1000, 3);
  CHECK((empty.text.empty() && empty.to_line == 0 && *empty.size == core::log_size{}));
  // A file that was replaced by a shorter one.
  add(numbered(1, 10));
  CHECK(read(1, 1000, 2).to_line == 10);
  std::ofstream{disk.path(1), std::ios::binary} << numbered(1, 2);
  CHECK(read(1, 1000, 5).text == numbered(1, 2));
}

TEST_CASE_METHOD(bounded_logs, "log bounds: the ends of a log of 100 MB are read without the rest", "[executor]") {
  disk.write(1, "first\n");
  {
    const auto block = [] {
      std::string lines;
      while (lines.size() < 1'000'000)
        lines += std::string(99, 'y') + '\n';
      return lines;
    }();
    std::ofstream out{disk.path(1), std::ios::binary | std::ios::app};
    for (int i = 0; i < 100; ++i)
      out << block;
    out << "last\n";
  }
  disk.look_after(1, 5s);
  const auto counting = read(1, 1024, 3);
  CHECK((counting.text.empty() && counting.to_line == 0 && !counting.size->counted));
  const auto end = read(1, 1024, 3);
  CHECK(end.text == std::string(99, 'y') + '\n' + std::string(99, 'y') + "\nlast\n");
  CHECK((end.to_line == 1'000'002 && end.from_line == 1'000'000));
  CHECK(*end.size == core::log_size{1'000'002, 100'000'011});
  const auto begin = read(1, 256);
  CHECK((begin.text.starts_with("first\nyyy") && begin.text.size() <= 256));
  CHECK(read(1'000'002, 1024).text == "last\n");
}

TEST_CASE("log bounds: the lines of a long log are counted in parts", "[executor]") {
  test::log_disk disk;
  disk.write(1, numbered(1, 999));
  disk.look_after(1, 5s);
  executor::log_files logs{disk.options(), 1000};
  const auto read = [&](std::int32_t from_line, std::optional<std::int32_t> tail = {}) {
    auto lines = logs.read({sized, {}, some_time}, from_line, core::log_bounds{256, tail});
    REQUIRE(lines);
    REQUIRE(lines->size);
    return *lines;
  };
  const auto first = read(1);
  CHECK(first.text.starts_with("line 1\n"));
  CHECK_FALSE(first.size->counted);
  CHECK((first.size->lines > 100 && first.size->lines < 200 && first.size->bytes == 8'883));
  // Lines that were not counted yet can be read, too, and what was read on the way is counted.
  CHECK(read(500).text.starts_with("line 500\n"));
  int asked = 0;
  auto last = read(1, 2);
  for (; !last.size->counted && asked < 20; ++asked) {
    CHECK((last.text.empty() && last.to_line == 0));
    last = read(1, 2);
  }
  CHECK((asked > 1 && asked < 9));
  CHECK((last.text == "line 998\nline 999\n" && last.from_line == 998 && last.to_line == 999));
  CHECK(*last.size == core::log_size{999, 8'883});
  CHECK(read(1).size->counted);
}

TEST_CASE("log marks: the end of a growing log does not replace the marks of others", "[executor]") {
  executor::log_marks marks{4};
  const executor::log_identity other{core::log_id{1}, 1, 1}, growing{core::log_id{2}, 1, 2};
  marks.keep(other, {100, 10});
  for (std::int32_t line = 1; line <= 50; ++line) {
    marks.keep(growing, {static_cast<std::uint64_t>(line) * 10, line + 1}, executor::mark_use::end);
    marks.keep(growing, {static_cast<std::uint64_t>(line) * 10 - 5, line}, executor::mark_use::tail);
  }
  CHECK(marks.before(other, 10, 1000).offset == 100);
  CHECK(marks.before(growing, 51, 1000).offset == 500);
  CHECK(marks.before(growing, 50, 1000).offset == 495);
  CHECK(marks.before(growing, 49, 1000).offset == 0);
}
