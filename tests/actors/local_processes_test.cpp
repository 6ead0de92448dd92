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

namespace {

pid_t paused_child() {
  const auto child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  REQUIRE(child > 0);
  return child;
}

void end_child(pid_t child) {
  ::kill(child, SIGKILL);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
}

elastic::host_facts facts_of(pid_t child) {
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
  return facts;
}

} // namespace

TEST_CASE("the end of a host is proved for its programs once they have ended, too", "[actors][elastic]") {
  const auto host = paused_child(), first = paused_child(), second = paused_child();
  const elastic::host_process process{elastic::host_number{1}, elastic::host_incarnation{1}};
  constexpr elastic::item_run_id runs[] = {elastic::item_run_id{11}, elastic::item_run_id{12}, elastic::item_run_id{13}};
  actors::local_processes processes;
  // Without a watched process there is no proof.
  processes.watch_program(process, runs[0], first);
  CHECK_FALSE(processes.has_programs(process));
  REQUIRE(processes.watch(process, facts_of(host)));
  processes.watch_program(process, runs[0], first);
  processes.watch_program(process, runs[1], second);
  end_child(second);
  // One that had ended before its report.
  processes.watch_program(process, runs[2], second);
  CHECK_FALSE(processes.programs_ended(process));
  end_child(host);
  CHECK(processes.ended() == std::vector{process});
  processes.forget(process);
  CHECK_FALSE(processes.programs_ended(process));
  SECTION("its program ends") { end_child(first); }
  SECTION("the run of its program ends") {
    processes.forget_program(process, runs[0]);
    end_child(first);
  }
  CHECK(processes.programs_ended(process));
  processes.forget_programs(process);
  CHECK_FALSE(processes.has_programs(process));
  CHECK_FALSE(processes.programs_ended(process));
}

TEST_CASE("a pidfd proves the end of a process of this machine", "[actors][elastic]") {
  const auto child = paused_child();
  const auto facts = facts_of(child);
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
  end_child(child);
  const auto ended = processes.ended();
  CHECK(ended.size() == actors::local_processes::watched_of_host);
  CHECK(ended.front() == process(10)); // the oldest one made room
  CHECK(processes.ended().empty());
  CHECK(processes.watch(process(5), facts));
  CHECK(processes.ended() == std::vector{process(5)});
}

} // namespace ringmaster::test::local_processes_test
