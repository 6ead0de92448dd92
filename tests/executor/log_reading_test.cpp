#include "executor/files/log_reading.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/text/text.hpp"
#include "executor/files/log_files.hpp"
#include "tests/executor/disk.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using test::some_time;

namespace {

constexpr core::log_id followed{1};
constexpr core::milliseconds settled{5000};

/// The state of a reader after a response.
std::string told(const core::result<core::log_lines>& read) {
  if (!read)
    return "error: " + read.error().context;
  return std::to_string(read->from_line) + ".." + std::to_string(read->to_line) + (read->ended ? " ended " : " ") + read->text;
}

/// Returns the lines of a text by the rules of §2.9, with a simple implementation.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::string line;
  bool open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    open = true;
    if (text[i] != '\n' && text[i] != '\r') {
      line += text[i];
      continue;
    }
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n')
      ++i;
    lines.push_back(core::valid_utf8(line));
    line.clear();
    open = false;
  }
  if (open)
    lines.push_back(core::valid_utf8(line));
  return lines;
}

/// Follows a log to its end like consoles do; returns each line once.
std::string follow(executor::log_files& logs, std::int32_t& next) {
  std::string text;
  for (;;) {
    const auto read = logs.read({followed, {}, some_time}, next);
    REQUIRE(read);
    CHECK(read->from_line == next);
    if (read->to_line < next)
      return text;
    text += read->text;
    next = read->to_line + 1;
  }
}

long peak_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

} // namespace

TEST_CASE("log reading: a run without a log (E42)", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  CHECK(told(logs.read({followed, {}, some_time}, 1)) == "1..0 ended readLog fail, logFile not exists");
  logs.append({core::log_id{2}, {}, some_time}, "x");
  CHECK(told(logs.read({followed, {}, some_time}, 5)) == "5..0 ended readLog fail, logFile not exists");
}

TEST_CASE("log reading: reads from a line on, and beyond the end (E39, E41)", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  logs.append({followed, {}, some_time}, "a\nb\nc");
  CHECK(told(logs.read({followed, {}, some_time}, 1)) == "1..3 a\nb\nc\n");
  CHECK(told(logs.read({followed, {}, some_time}, 2)) == "2..3 b\nc\n");
  CHECK(told(logs.read({followed, {}, some_time}, 3)) == "3..3 c\n");
  CHECK(told(logs.read({followed, {}, some_time}, 4)) == "4..0 ");
  CHECK(told(logs.read({followed, {}, some_time}, 2147483647)) == "2147483647..0 ");
  CHECK(told(logs.read({followed, {}, some_time}, 0)) == "0..3 a\nb\nc\n");
  CHECK(told(logs.read({followed, {}, some_time}, -2147483647 - 1)) == "-2147483648..3 a\nb\nc\n");
  logs.append({followed, {}, some_time}, "late");
  CHECK(told(logs.read({followed, {}, some_time}, 4)) == "4..4 late\n");
}

TEST_CASE("log reading: an empty log has no line", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  const auto writer = logs.writer({followed, {}, some_time});
  CHECK(told(logs.read({followed, {}, some_time}, 1)) == "1..0 ");
}

TEST_CASE("log reading: handles every line end, and bytes that are not UTF-8", "[executor]") {
  test::log_disk disk;
  disk.write(1, std::string{"a\rb\r\nc\n\n\r\r\n\xFF\xC3\n\0d\n", 17});
  executor::log_files logs{disk.options()};
  CHECK(told(logs.read({followed, {}, some_time}, 1)) == "1..8 a\nb\nc\n\n\n\n\uFFFD\uFFFD\nd\n");
  CHECK(told(logs.read({followed, {}, some_time}, 3)) == "3..8 c\n\n\n\n\uFFFD\uFFFD\nd\n");
}

TEST_CASE("log reading: holds back an unfinished line for a limited time", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  disk.write(1, "a\nhal");
  CHECK(told(logs.read({followed, {}, some_time}, 1)) == "1..1 a\n");
  CHECK(told(logs.read({followed, {}, some_time}, 2)) == "2..0 ");
  disk.write(1, "f\n");
  CHECK(told(logs.read({followed, {}, some_time}, 2)) == "2..2 half\n");

  disk.write(1, "50 %");
  disk.look_after(1, settled);
  CHECK(told(logs.read({followed, {}, some_time}, 3)) == "3..3 50 %\n");
  CHECK(told(logs.read({followed, {}, some_time}, 4)) == "4..0 ");
  disk.write(1, " ... 100 %\nend\n");
  CHECK(told(logs.read({followed, {}, some_time}, 4)) == "4..4 end\n");
  CHECK(told(logs.read({followed, {}, some_time}, 3)) == "3..4 50 % ... 100 %\nend\n");
}

TEST_CASE("log reading: handles a carriage return and line feed that arrive separately", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  disk.write(1, "a\r");
  CHECK(told(logs.read({followed, {}, some_time}, 1)) == "1..1 a\n");
  disk.write(1, "\nb\n");
  CHECK(told(logs.read({followed, {}, some_time}, 2)) == "2..2 b\n");
}

TEST_CASE("log reading: following a log does not read it from the beginning", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  disk.write(1, "1\n2\n3\n4\n5\n");
  CHECK(told(logs.read({followed, {}, some_time}, 1)) == "1..5 1\n2\n3\n4\n5\n");
  // A reader that counted from the beginning would get other numbers.
  std::fstream{disk.path(1), std::ios::in | std::ios::out | std::ios::binary} << "\n\n\n\n";
  disk.write(1, "6\n");
  CHECK(told(logs.read({followed, {}, some_time}, 6)) == "6..6 6\n");

  // A file that became shorter is a different file.
  std::filesystem::resize_file(disk.path(1), 4);
  CHECK(told(logs.read({followed, {}, some_time}, 3)) == "3..4 \n\n");
}

TEST_CASE("log reading: a response holds whole lines of at most a megabyte", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  std::string text;
  for (int i = 1; i <= 30000; ++i)
    text += std::to_string(i) + std::string(90, 'x') + '\n';
  disk.write(1, text);

  const auto read = logs.read({followed, {}, some_time}, 1);

  REQUIRE(read);
  CHECK(read->text.size() > executor::answer_bytes_max * 9 / 10);
  CHECK(read->text.size() <= executor::answer_bytes_max);
  CHECK(read->to_line < 30000);
  std::int32_t next = 1;
  CHECK(follow(logs, next) == text);
  CHECK(next == 30001);
}

TEST_CASE("log reading: counts the size in JSON", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  for (int i = 0; i < 20; ++i)
    disk.write(1, std::string(100000, i % 2 == 0 ? '\x1b' : '"') + '\n');
  const auto read = logs.read({followed, {}, some_time}, 1);
  REQUIRE(read);
  CHECK(read->to_line == 2);
  CHECK(read->text.size() == 200002);
}

TEST_CASE("log reading: cuts a line that is longer than a response", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  disk.write(1, "a\n" + std::string(3000000, 'x') + "\nb\n");
  CHECK(told(logs.read({followed, {}, some_time}, 1)) == "1..1 a\n");
  const auto cut = logs.read({followed, {}, some_time}, 2);
  REQUIRE(cut);
  CHECK(cut->to_line == 2);
  CHECK(cut->text.starts_with("xxxx"));
  CHECK(cut->text.ends_with("x [cut: this line has 3000000 bytes]\n"));
  CHECK(cut->text.size() < executor::answer_bytes_max + 100);
  CHECK(told(logs.read({followed, {}, some_time}, 3)) == "3..3 b\n");
}

TEST_CASE("log reading: shows a huge unfinished line while it grows", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  disk.write(1, std::string(2000000, 'x'));
  CHECK(logs.read({followed, {}, some_time}, 1)->to_line == 1);
  disk.write(1, std::string(2000000, 'x'));
  CHECK(told(logs.read({followed, {}, some_time}, 2)) == "2..0 ");
  disk.write(1, "\nend\n");
  CHECK(told(logs.read({followed, {}, some_time}, 2)) == "2..2 end\n");
}

TEST_CASE("log reading: reads 200 MB and a gigabyte of zeros with little memory", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  disk.write(1, "first\n");
  std::string block;
  while (block.size() < 4 * 1024 * 1024)
    block += std::string(99, 'y') + '\n';
  std::size_t lines = 1;
  {
    std::ofstream out{disk.path(1), std::ios::binary | std::ios::app};
    for (int i = 0; i < 50; ++i, lines += block.size() / 100)
      out << block;
  }
  const auto sparse = disk.path(2);
  std::ofstream{sparse};
  std::filesystem::resize_file(sparse, 1024 * 1024 * 1024);
  std::ofstream{sparse, std::ios::app} << "\nend\n";
  const auto before = peak_kilobytes();

  const auto end = static_cast<std::int32_t>(lines);
  const auto last = logs.read({followed, {}, some_time}, end);
  CHECK(last->to_line == end);
  CHECK(last->text == std::string(99, 'y') + '\n');
  CHECK(logs.read({followed, {}, some_time}, end + 1)->to_line == 0);
  CHECK(logs.read({followed, {}, some_time}, 1)->to_line > 9000);
  CHECK(told(logs.read({core::log_id{2}, {}, some_time}, 2)) == "2..2 end\n");
  CHECK(logs.read({core::log_id{2}, {}, some_time}, 1)->text == " [cut: this line has 1073741824 bytes]\n");

  CHECK(peak_kilobytes() - before < 32 * 1024);
}

TEST_CASE("log reading: a follower gets each line of a writer once and complete", "[executor]") {
  constexpr int lines = 20000;
  test::log_disk disk, clock;
  clock.folder = disk.folder;
  auto options = disk.options();
  options.now = [&] { // as if the log had just been written
    clock.look_after(1, core::milliseconds{0});
    return clock.now;
  };
  executor::log_files logs{options};
  const auto writer = executor::log_files{disk.options()}.writer({followed, {}, some_time});
  std::string expected;
  for (int i = 0; i < lines; ++i)
    expected += std::to_string(i) + std::string(static_cast<std::size_t>(i % 90), 'x') + '\n';

  std::jthread writing{[&] {
    for (std::size_t at = 0, step = 1; at < expected.size(); at += step, step = step * 7 % 4099)
      writer->raw(std::string_view{expected}.substr(at, step));
  }};
  std::string followed;
  for (std::int32_t next = 1; next <= lines;)
    followed += follow(logs, next);

  CHECK((followed == expected));
}

TEST_CASE("log reading: any text in any pieces reaches a follower line by line", "[executor]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const std::vector<std::string> pieces{"\n", "\r", "\r\n", "abc", "你好", "\xFF", "\xE4\xBD", "\\\"", std::string(1, '\0'),
                                        std::string(300, 'z'), std::string(70000, 'w')};
  for (int round = 0; round < 30; ++round) {
    test::log_disk disk;
    executor::log_files logs{disk.options()};
    std::string whole, followed;
    std::int32_t next = 1;
    for (int step = 0; step < 20; ++step) {
      std::string text;
      for (auto count = random() % 40; count > 0; --count)
        text += pieces[random() % (random() % 8 == 0 ? pieces.size() : pieces.size() - 1)];
      whole += text;
      disk.write(1, text);
      if (random() % 3 != 0)
        followed += follow(logs, next);
    }
    disk.look_after(1, settled);
    followed += follow(logs, next);

    std::string expected;
    const auto lines = lines_of(whole);
    for (const auto& line : lines)
      expected += line + '\n';
    // An empty line that ends with a lone `\r` at the end of a piece already counts as a line.
    REQUIRE(followed.size() == expected.size());
    REQUIRE((followed == expected));
    const auto from = static_cast<std::int32_t>(random() % (lines.size() + 1)) + 1;
    std::int32_t again = from;
    std::string tail;
    for (auto i = static_cast<std::size_t>(from) - 1; i < lines.size(); ++i)
      tail += lines[i] + '\n';
    executor::log_files fresh{disk.options()};
    REQUIRE((follow(fresh, again) == tail));
  }
}
