#include <algorithm>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/process/own_children.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;

namespace {

std::vector<pid_t> children(const std::string& proc, bool& told) {
  std::vector<pid_t> out;
  const auto note = [](void* found, pid_t child) { static_cast<std::vector<pid_t>*>(found)->push_back(child); };
  told = executor::visit_own_children(proc.c_str(), &out, note);
  return out;
}

/// A child that waits to be killed, or has ended and was not waited for.
struct waiting_child {
  pid_t process = ::fork();
  waiting_child() {
    if (process == 0)
      for (;;)
        ::pause();
  }
  ~waiting_child() {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
};

} // namespace

TEST_CASE("finds its own children, and no other process", "[executor]") {
  waiting_child first, second;
  bool told = false;
  auto found = children("/proc", told);
  CHECK(told);
  std::sort(found.begin(), found.end());
  auto expected = std::vector{first.process, second.process};
  std::sort(expected.begin(), expected.end());
  CHECK(found == expected);
  CHECK_FALSE(executor::is_own_child(1));
  CHECK_FALSE(executor::is_own_child(::getpid()));
  CHECK_FALSE(executor::is_own_child(0));
  CHECK_FALSE(executor::is_own_child(-1));
}

TEST_CASE("finds its own children among all processes if the kernel has no list", "[executor]") {
  waiting_child child;
  test::temp_folder proc;
  for (const auto& name : {std::to_string(child.process), std::to_string(::getpid()), std::string{"1"}, std::string{"self"},
                           std::string{"0"}, std::string{"99999999999999999999"}, std::to_string(child.process) + "x"})
    proc.write(name, "");
  bool told = false;
  CHECK(children(proc.path(), told) == std::vector{child.process});
  CHECK(told);
  CHECK(children(proc.path() + "/none", told).empty());
  CHECK_FALSE(told);
}

TEST_CASE("a list with children of other processes is harmless", "[executor]") {
  waiting_child child;
  test::temp_folder proc;
  proc.write("thread-self/children", "1 " + std::to_string(::getpid()) + " " + std::to_string(child.process) + " 0 ");
  bool told = false;
  CHECK(children(proc.path(), told) == std::vector{child.process});
}
