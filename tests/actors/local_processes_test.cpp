#include "actors/elastic/local_processes.hpp"

#include <csignal>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

namespace ringmaster::test::local_processes_test {

namespace elastic = core::elastic;

TEST_CASE("a pidfd proves the end of a process of this machine", "[actors][elastic]") {
  const auto child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  REQUIRE(child > 0);
  elastic::host_facts facts;
  std::getline(std::ifstream{"/proc/sys/kernel/random/boot_id"}, facts.boot);
  struct stat space {};
  REQUIRE(::stat("/proc/self/ns/pid", &space) == 0);
  facts.pid_namespace = static_cast<std::int64_t>(space.st_ino);
  facts.pid = child;
  std::string line;
  std::getline(std::ifstream{"/proc/" + std::to_string(child) + "/stat"}, line);
  std::istringstream rest{line.substr(line.rfind(')') + 1)};
  std::string field;
  for (int i = 3; i <= 22; ++i)
    rest >> field;
  facts.start_ticks = std::stoll(field);

  actors::local_processes processes;
  const auto process = [](std::int64_t incarnation) {
    return elastic::host_process{elastic::host_number{1}, elastic::host_incarnation{incarnation}};
  };
  CHECK(processes.watch(process(1), facts));
  CHECK(processes.watch(process(1), facts));
  CHECK(processes.ended().empty());
  auto other = facts;
  other.boot = "another machine";
  CHECK_FALSE(processes.watch(process(2), other));
  // The number belongs to another process, or the host is in another time namespace: its lease decides.
  other = facts;
  ++other.start_ticks;
  CHECK_FALSE(processes.watch(process(3), other));
  CHECK(processes.ended().empty());
  CHECK(processes.watch(process(4), facts));
  processes.forget(process(4));
  constexpr auto most = static_cast<std::int64_t>(actors::local_processes::watched_of_host);
  for (std::int64_t entered = 10; entered <= 9 + most; ++entered)
    CHECK(processes.watch(process(entered), facts));
  ::kill(child, SIGKILL);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  const auto ended = processes.ended();
  CHECK(ended.size() == actors::local_processes::watched_of_host);
  CHECK(ended.front() == process(10)); // the oldest one made room
  CHECK(processes.ended().empty());
  CHECK(processes.watch(process(5), facts));
  CHECK(processes.ended() == std::vector{process(5)});
}

} // namespace ringmaster::test::local_processes_test
