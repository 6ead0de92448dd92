#include <cstdlib>
#include <sys/stat.h>

#include "executor/process/environment.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace ringmaster::executor;

TEST_CASE("environment: does not inherit RINGMASTER_ variables, but all others", "[executor]") {
  REQUIRE(::setenv("RINGMASTER_SECURITY_ACCESS_TOKEN", "secret", 1) == 0);
  REQUIRE(::setenv("EXECUTOR_TEST_OTHER", "two words=3", 1) == 0);
  const auto inherited = inherited_environment();
  ::unsetenv("RINGMASTER_SECURITY_ACCESS_TOKEN");
  ::unsetenv("EXECUTOR_TEST_OTHER");
  for (const auto& each : inherited)
    CHECK_FALSE(each.starts_with("RINGMASTER_"));
  CHECK(find_variable(inherited, "EXECUTOR_TEST_OTHER") == "two words=3");
  CHECK(find_variable(inherited, "EXECUTOR_TEST_OTHE") == std::nullopt);
  CHECK(find_variable(inherited, "PATH"));
}

TEST_CASE("environment: finds the first executable file in PATH", "[executor]") {
  test::temp_folder folder;
  const auto first = folder.write("a/tool", ""), second = folder.write("b/tool", ""), plain = folder.write("b/plain", "");
  ::chmod(first.c_str(), 0644);
  ::chmod(second.c_str(), 0755);
  const auto path = "PATH=" + folder.path() + "/none:" + folder.path() + "/a:" + folder.path() + "/b";
  CHECK(find_program("tool", {path}) == second);
  CHECK(find_program("plain", {path}) == std::nullopt);
  CHECK(find_program("b", {"PATH=" + folder.path()}) == std::nullopt);
  CHECK(find_program(second, {}) == second);
  CHECK(find_program(first, {}) == std::nullopt);
  CHECK(find_program("sh", {}));
  CHECK(find_program("sh", {"PATH="}) == std::nullopt);
  CHECK(find_program("sh", {"PATH=::"}) == std::nullopt);
  CHECK(find_program("", {path}) == std::nullopt);
  CHECK(find_program(std::string_view{"sh\0x", 4}, {}) == std::nullopt);
}
