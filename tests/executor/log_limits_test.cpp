#include <filesystem>
#include <string>

#include <sys/resource.h>

#include "executor/files/log_files.hpp"
#include "tests/executor/disk.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using test::some_time;

namespace {

constexpr core::log_id limited{1};

std::string last_line(const std::string& text) {
  const auto at = text.rfind('\n', text.size() - 2);
  return text.substr(at == std::string::npos ? 0 : at + 1);
}

} // namespace

TEST_CASE("log limits: cuts the log of a run that prints without end, and says so in the log", "[executor]") {
  test::log_disk disk;
  auto options = disk.options();
  options.bytes_max = 100000;
  executor::log_files logs{options};
  const auto writer = logs.writer({limited, {}, some_time});
  const std::string block(4096, 'x');

  for (int i = 0; i < 1000; ++i) {
    writer->raw(block);
    writer->line({}, "x");
  }

  const auto bytes = disk.bytes(1);
  CHECK(bytes.size() > 100000);
  CHECK(bytes.size() < 100200);
  CHECK(last_line(bytes) == "[The log ends here: the limit is 100000 bytes. Further output of this run is dropped.]\n");
  CHECK(bytes.find("[The log ends") == bytes.rfind("[The log ends"));

  SECTION("the process can still append its lines") {
    writer->note("end");
    logs.append({limited, {}, some_time}, "callback finish");
    CHECK(disk.bytes(1).ends_with("dropped.]\nend\ncallback finish\n"));
  }
  SECTION("these lines are limited, too") {
    for (int i = 0; i < 1000; ++i)
      logs.append({limited, {}, some_time}, block);
    CHECK(disk.bytes(1).size() < 100200 + 1024 * 1024);
  }
  SECTION("a restarted run does not get a new limit") {
    const auto again = logs.writer({limited, {}, some_time});
    for (int i = 0; i < 1000; ++i)
      again->raw(block);
    CHECK(disk.bytes(1).size() < 100400);
  }
  SECTION("other runs keep their logs") {
    logs.writer({core::log_id{2}, {}, some_time})->raw(block);
    CHECK(disk.bytes(2) == block);
  }
}

TEST_CASE("log limits: text that fits exactly is complete", "[executor]") {
  test::log_disk disk;
  auto options = disk.options();
  options.bytes_max = 10;
  executor::log_files logs{options};
  const auto writer = logs.writer({limited, {}, some_time});
  writer->raw("12345678\n");
  CHECK(disk.bytes(1) == "12345678\n");
  writer->raw("\n");
  CHECK(disk.bytes(1) == "12345678\n\n");
  writer->raw("x");
  CHECK(disk.bytes(1).starts_with("12345678\n\n[The log ends here"));
}

TEST_CASE("log limits: does not split a character", "[executor]") {
  test::log_disk disk;
  auto options = disk.options();
  options.bytes_max = 8;
  executor::log_files logs{options};
  logs.writer({limited, {}, some_time})->raw("你好你好");
  CHECK(disk.bytes(1).starts_with("你好\n[The log ends here"));
}

TEST_CASE("log limits: without a free descriptor lines are lost, but not runs", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  logs.append({limited, {}, some_time}, "before");
  rlimit usual{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual) == 0);
  const rlimit none{0, usual.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const auto writer = logs.writer({core::log_id{2}, {}, some_time});
  writer->note("lost");
  logs.append({limited, {}, some_time}, "lost");
  const auto read = logs.read({limited, {}, some_time}, 1);
  const bool had = logs.has({limited, {}, some_time}) == true;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &usual) == 0);

  CHECK(had);
  REQUIRE_FALSE(read);
  CHECK(read.error().code == core::errc::unavailable);
  CHECK(disk.complaints.size() == 1);
  writer->note("after");
  CHECK(disk.bytes(2) == "[5 bytes of this log could not be written: Too many open files]\nafter\n");
  CHECK(disk.bytes(1) == "before\n");
}

TEST_CASE("log limits: a full disk loses lines, never the run, and is noted once there is room", "[executor]") {
  test::small_disk small{256};
  if (!small)
    return test::skip("a file system of its own needs root");
  test::log_disk disk{small.path() + "/logs"};
  executor::log_files logs{disk.options()};
  const auto writer = logs.writer({limited, {}, some_time});
  writer->note("before");
  small.fill();
  const std::string block(100000, 'x');

  for (int i = 0; i < 5; ++i)
    writer->raw(block);
  writer->note("lost");
  const auto other = logs.writer({core::log_id{2}, {}, some_time});
  other->note("lost");

  CHECK(disk.complaints.size() == 1);
  CHECK(disk.complaints[0].ends_with("/2023-11-14/1.log cannot be written: No space left on device; log lines of runs are lost"));
  CHECK(logs.read({limited, {}, some_time}, 1)->text.starts_with("before\n"));

  small.free();
  writer->note("after");
  other->note("after");
  const auto bytes = disk.bytes(1);
  CHECK(bytes.ends_with(" bytes of this log could not be written: No space left on device]\nafter\n"));
  CHECK(bytes.find('[') != std::string::npos);
  CHECK(disk.bytes(2).ends_with("[5 bytes of this log could not be written: No space left on device]\nafter\n"));
}

TEST_CASE("log limits: a writer without an open file between writes keeps counting", "[executor]") {
  test::log_disk disk;
  auto options = disk.options();
  options.bytes_max = 10'000;
  executor::log_files logs{options};
  const auto count_open = [] {
    const std::filesystem::directory_iterator open{"/proc/self/fd"};
    return std::distance(begin(open), end(open));
  };
  const auto before = count_open();
  const auto writer = logs.writer({limited, {}, some_time}, executor::log_writer::opens::for_each_write);
  CHECK_FALSE(logs.has({limited, {}, some_time}).value());

  for (int i = 0; i < 200; ++i) {
    writer->raw(std::string(50, 'x'));
    writer->line({}, "y");
    CHECK(count_open() == before);
  }

  const auto bytes = disk.bytes(1);
  CHECK(bytes.size() < 10'200);
  CHECK(last_line(bytes) == "[The log ends here: the limit is 10000 bytes. Further output of this run is dropped.]\n");
  logs.append({limited, {}, some_time}, "the end\n");
  CHECK(last_line(disk.bytes(1)) == "the end\n");
}
