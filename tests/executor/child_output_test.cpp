// The output of a child arrives completely, with bounded memory and in bounded time.

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/executor/process_marks.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::executor;
using namespace ringmaster::test;

namespace {

/// Returns the peak memory of this process in KiB.
long peak_memory_kib() {
  std::ifstream in{"/proc/self/status"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmHWM:"))
      return std::stol(line.substr(6));
  return 0;
}

} // namespace

TEST_CASE("both streams arrive, each in order", "[executor]") {
  shell sh;
  CHECK(sh.run("for i in {1..2000}; do echo $i; echo e$i >&2; done").number == 0);
  std::ostringstream out, err;
  for (int i = 1; i <= 2000; ++i) {
    out << i << "\n";
    err << "e" << i << "\n";
  }
  CHECK(sh.out == out.str());
  CHECK(sh.err == err.str());
}

TEST_CASE("any bytes arrive", "[executor]") {
  shell sh;
  CHECK(sh.run("python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)) * 300)'").number == 0);
  REQUIRE(sh.out.size() == 256 * 300);
  for (std::size_t i = 0; i < sh.out.size(); ++i)
    if (static_cast<unsigned char>(sh.out[i]) != i % 256)
      FAIL("byte " << i);
}

TEST_CASE("output arrives while the child runs", "[executor]") {
  shell sh;
  CHECK(sh.stop_when_ready("echo ready; exec sleep 60").what == child_end::how::signalled);
}

TEST_CASE("a gigabyte of output is fast and needs little memory", "[executor]") {
  shell sh;
  sh.limits.output_bytes_max = 100'000;
  const auto before = peak_memory_kib();
  const auto begun = std::chrono::steady_clock::now();
  const auto end = sh.run("head -c 1G /dev/zero; exit 4");
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{30});
  CHECK(peak_memory_kib() - before < 8 * 1024);
  CHECK(end.what == child_end::how::exited);
  CHECK(end.number == 4);
  CHECK(end.dropped_bytes == (1U << 30) - 100'000);
  CHECK(sh.out == std::string(100'000, '\0') + "\n----------- output beyond 100000 bytes is dropped -----------\n");
}

TEST_CASE("the output limit counts both streams exactly", "[executor]") {
  shell exact;
  exact.limits.output_bytes_max = 6;
  CHECK(exact.run("printf abc; printf def >&2").dropped_bytes == 0);
  CHECK(exact.out + exact.err == "abcdef");
  shell beyond;
  beyond.limits.output_bytes_max = 6;
  CHECK(beyond.run("printf abc; printf defg >&2").dropped_bytes == 1);
}

TEST_CASE("a child that closes its output keeps running", "[executor]") {
  shell sh;
  const auto end = sh.run("echo first; exec >&- 2>&-; for i in {1..1000}; do :; done; exit 6");
  CHECK(end.number == 6);
  CHECK(sh.out == "first\n");
}

TEST_CASE("pending output of a background process arrives", "[executor]") {
  shell sh;
  CHECK(sh.run("exec > >(while read -r line; do echo \"<$line>\"; done); for i in {1..500}; do echo $i; done").number == 0);
  CHECK(sh.out.ends_with("<500>\n"));
}

TEST_CASE("an exception of the sink ends the child and propagates", "[executor]") {
  shell sh;
  const auto descriptors = open_descriptor_count();
  sh.seen = [](const std::string&) { throw std::runtime_error{"disk"}; };
  CHECK_THROWS_AS(sh.run("(setsid sleep 60 &); echo text; sleep 60"), std::runtime_error);
  CHECK(sh.mark.count() == 0);
  CHECK(open_descriptor_count() == descriptors);
  CHECK(own_child_count() == 0);
}

TEST_CASE("a stop works while the sink blocks", "[executor]") {
  shell sh;
  bool gone = false;
  sh.seen = [&](const std::string& text) {
    if (text.find("ready") == std::string::npos || gone)
      return;
    sh.stopper.request_stop();
    gone = sh.mark.reaches(0);
  };
  CHECK(sh.run("(setsid sleep 60 &); echo ready; sleep 60").what == child_end::how::signalled);
  CHECK(gone);
}

TEST_CASE("large output does not delay a stop", "[executor]") {
  shell sh;
  sh.limits.output_bytes_max = 1000;
  std::chrono::steady_clock::time_point asked;
  bool first = true;
  sh.seen = [&](const std::string&) {
    if (std::exchange(first, false)) {
      asked = std::chrono::steady_clock::now();
      sh.stopper.request_stop();
    }
  };
  CHECK(sh.run("exec yes").what == child_end::how::signalled);
  CHECK(std::chrono::steady_clock::now() - asked < std::chrono::seconds{2});
}
