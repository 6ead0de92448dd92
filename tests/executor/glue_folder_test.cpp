#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "executor/process/glue_folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace ringmaster::executor;
using namespace ringmaster::test;
using namespace std::string_literals;

namespace {

script_key key(int job, std::int64_t version) { return {core::job_id{job}, "GLUE_SHELL", version}; }

mode_t mode_of(const std::string& path) {
  struct stat what {};
  REQUIRE(::stat(path.c_str(), &what) == 0);
  return what.st_mode & 07777;
}

std::string content(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::set<std::string> names(const std::string& folder) {
  std::set<std::string> out;
  for (const auto& each : std::filesystem::directory_iterator{folder})
    out.insert(each.path().filename().string());
  return out;
}

} // namespace

TEST_CASE("a script's file holds its exact source and is readable only by the owner", "[executor]") {
  temp_folder base;
  glue_folder folder{base.path() + "/logs"};
  const auto source = "echo 中\r\n\0\xff no end of line"s;
  REQUIRE(folder.replace(key(7, 1'700'000'000'000), ".sh", source, 1));
  const auto path = folder.path_of(key(7, 1'700'000'000'000), ".sh");
  CHECK(path == base.path() + "/logs/gluesource/7_1700000000000.sh");
  CHECK(content(path) == source);
  CHECK(mode_of(path) == 0600);
  CHECK(mode_of(base.path() + "/logs/gluesource") == 0700);
}

TEST_CASE("a new version replaces the job's other files, but not those of other jobs", "[executor]") {
  temp_folder base;
  glue_folder folder{base.path()};
  for (const int job : {1, 11, 111, 2, -1})
    REQUIRE(folder.replace(key(job, 5), ".sh", "old", 1));
  base.write("gluesource/1_4.py", "");
  base.write("gluesource/1_9.sh.part", "left by a crash");
  base.write("gluesource/1", "");
  REQUIRE(folder.replace(key(1, 6), ".sh", "new", 1));
  CHECK(names(base.path() + "/gluesource") == std::set<std::string>{"1", "1_6.sh", "11_5.sh", "111_5.sh", "2_5.sh", "-1_5.sh"});
  REQUIRE(folder.replace(key(11, 6), ".sh", "new", 1));
  CHECK(names(base.path() + "/gluesource") == std::set<std::string>{"1", "1_6.sh", "11_6.sh", "111_5.sh", "2_5.sh", "-1_5.sh"});
}

TEST_CASE("a late script does not remove the file of a newer version", "[executor]") {
  temp_folder base;
  glue_folder folder{base.path()};
  REQUIRE(folder.replace(key(1, 6), ".sh", "new", 2));
  REQUIRE(folder.replace(key(1, 5), ".sh", "old", 1));
  CHECK(names(base.path() + "/gluesource") == std::set<std::string>{"1_5.sh", "1_6.sh"});
  REQUIRE(folder.replace(key(1, 5), ".sh", "back again", 3));
  CHECK(names(base.path() + "/gluesource") == std::set<std::string>{"1_5.sh"});
}

TEST_CASE("keeps an existing file and restores a missing one", "[executor]") {
  temp_folder base;
  glue_folder folder{base.path()};
  REQUIRE(folder.keep(key(1, 1), ".sh", "first", 1));
  REQUIRE(folder.keep(key(1, 1), ".sh", "second", 1));
  CHECK(content(folder.path_of(key(1, 1), ".sh")) == "first");
  std::filesystem::remove_all(base.path() + "/gluesource");
  REQUIRE(folder.keep(key(1, 1), ".sh", "third", 1));
  CHECK(content(folder.path_of(key(1, 1), ".sh")) == "third");
}

TEST_CASE("on a full disk the previous version remains and no partial file", "[executor]") {
  temp_folder base;
  glue_folder folder{base.path()};
  REQUIRE(folder.replace(key(1, 1), ".sh", "old", 1));
  {
    const file_size_limit full{100};
    const auto written = folder.replace(key(1, 2), ".sh", std::string(1000, '#'), 1);
    REQUIRE_FALSE(written);
    CHECK(written.error().code == core::errc::unavailable);
    CHECK(written.error().context.starts_with("cannot write " + base.path() + "/gluesource/1_2.sh: "));
  }
  CHECK(names(base.path() + "/gluesource") == std::set<std::string>{"1_1.sh"});
  CHECK(folder.replace(key(1, 2), ".sh", std::string(1000, '#'), 1));
}

TEST_CASE("takes back a folder that others can write to, or refuses it", "[executor]") {
  temp_folder base;
  std::filesystem::create_directory(base.path() + "/gluesource");
  ::chmod((base.path() + "/gluesource").c_str(), 0777);
  glue_folder folder{base.path()};
  CHECK(folder.replace(key(1, 1), ".sh", "", 1));
  CHECK(mode_of(base.path() + "/gluesource") == 0700);
  std::filesystem::create_directories(base.path() + "/linked/elsewhere");
  std::filesystem::create_symlink("elsewhere", base.path() + "/linked/gluesource");
  glue_folder linked{base.path() + "/linked"};
  CHECK_FALSE(linked.replace(key(1, 1), ".sh", "", 1));
  CHECK(names(base.path() + "/linked/elsewhere").empty());
  if (::geteuid() == 0) {
    std::filesystem::create_directories(base.path() + "/foreign/gluesource");
    REQUIRE(::chown((base.path() + "/foreign/gluesource").c_str(), 12345, 12345) == 0);
    glue_folder foreign{base.path() + "/foreign"};
    CHECK_FALSE(foreign.replace(key(1, 1), ".sh", "", 1));
  }
}

TEST_CASE("handles a file in place of the folder, and a link in place of the temporary file", "[executor]") {
  temp_folder base;
  base.write("a/gluesource", "a file");
  glue_folder blocked{base.path() + "/a"};
  CHECK_FALSE(blocked.replace(key(1, 1), ".sh", "x", 1));
  CHECK(content(base.path() + "/a/gluesource") == "a file");
  const auto precious = base.write("precious", "data");
  std::filesystem::create_directory(base.path() + "/gluesource");
  std::filesystem::create_symlink(precious, base.path() + "/gluesource/1_1.sh.part");
  std::filesystem::create_symlink(precious, base.path() + "/gluesource/1_1.sh");
  glue_folder folder{base.path()};
  REQUIRE(folder.replace(key(1, 1), ".sh", "x", 1));
  CHECK(content(precious) == "data");
  CHECK(content(folder.path_of(key(1, 1), ".sh")) == "x");
}

TEST_CASE("scripts written concurrently do not corrupt each other", "[executor]") {
  temp_folder base;
  glue_folder folder{base.path()};
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&folder, &failed, thread] {
      for (int turn = 0; turn < 50; ++turn)
        failed += folder.replace(key(thread % 2 ? 1 : 11, 3), ".sh", std::string(5000, 'x'), 1) ? 0 : 1;
    });
  for (auto& each : threads)
    each.join();
  CHECK(failed == 0);
  CHECK(names(base.path() + "/gluesource") == std::set<std::string>{"1_3.sh", "11_3.sh"});
  CHECK(content(folder.path_of(key(1, 3), ".sh")).size() == 5000);
}
