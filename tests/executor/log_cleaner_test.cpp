#include "executor/files/log_cleaner.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <string>

#include "tests/executor/disk.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono;
namespace fs = std::filesystem;

TEST_CASE("log cleaner: accepts only valid dates", "[executor]") {
  CHECK(executor::parse_date("2023-11-14") == year{2023} / 11 / 14);
  CHECK(executor::parse_date("2024-02-29") == year{2024} / 2 / 29);
  CHECK(executor::parse_date("0000-01-01") == year{0} / 1 / 1);
  for (const char* name : {"", "2023-11-1", "2023-11-014", "2023-02-29", "2023-13-01", "2023-00-10", "2023/11/14", "2023-11-1x",
                           "-023-11-14", "2023-+1-14", "callbacklogs", "gluesource", "2023-11-14 ", "20231114--"}) {
    CAPTURE(name);
    CHECK_FALSE(executor::parse_date(name));
  }
}

TEST_CASE("log cleaner: keeps a day for the configured days and one more", "[executor]") {
  const std::vector<std::string> names{"2023-11-11", "callbacklogs", "2023-11-10", "2023-11-14", "2099-01-01", "1970-01-01"};
  const auto today = year{2023} / 11 / 14;
  using list = std::vector<std::string>;
  CHECK(executor::outdated_folders(names, today, 3) == list{"2023-11-10", "1970-01-01"});
  CHECK(executor::outdated_folders(names, today, 4) == list{"1970-01-01"});
  CHECK(executor::outdated_folders(names, year{2023} / 11 / 15, 3) == list{"2023-11-11", "2023-11-10", "1970-01-01"});
  CHECK(executor::outdated_folders(names, today, 2147483647).empty());
  for (const auto days : {2, 1, 0, -1, -2147483647 - 1})
    CHECK(executor::outdated_folders(names, today, days).empty());
}

TEST_CASE("log cleaner: removes old days with their content, and nothing else", "[executor]") {
  test::log_disk disk;
  const auto make = [&](const std::string& name) { disk.place.write("logs/" + name, "x"); };
  for (const char* name : {"2023-11-10/1.log", "2023-11-10/2.log", "2023-11-10/deep/3.log", "2023-11-11/1.log",
                           "2023-11-14/1.log", "gluesource/1_1.sh", "callbacklogs/a.log", "2023-11-1/1.log"})
    make(name);
  fs::create_directories(disk.folder + "/2020-01-01");
  disk.place.write("logs/2020-01-02", "a file, no folder");
  disk.place.write("elsewhere/keep.log", "x");
  fs::create_directory_symlink(disk.place.path() + "/elsewhere", disk.folder + "/2020-01-03");
  fs::create_directory_symlink(disk.place.path() + "/elsewhere", disk.folder + "/2023-11-10/link");

  const auto done = executor::clean_logs(disk.options(), 3, {});

  REQUIRE(done);
  CHECK(done->folders == 2);
  CHECK(done->problem.empty());
  CHECK_FALSE(fs::exists(disk.folder + "/2023-11-10"));
  CHECK_FALSE(fs::exists(disk.folder + "/2020-01-01"));
  for (const char* name : {"2023-11-11/1.log", "2023-11-14/1.log", "gluesource/1_1.sh", "callbacklogs/a.log", "2023-11-1/1.log",
                           "2020-01-02", "2020-01-03/keep.log"}) {
    CAPTURE(name);
    CHECK(fs::exists(disk.folder + "/" + name));
  }
}

TEST_CASE("log cleaner: a missing folder counts as empty; a file in its place is an error", "[executor]") {
  test::log_disk disk;
  CHECK(executor::clean_logs(disk.options(), 3, {})->folders == 0);
  disk.folder = disk.place.write("file", "x");
  const auto done = executor::clean_logs(disk.options(), 3, {});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == core::errc::unavailable);
  CHECK(executor::clean_logs(disk.options(), 0, {})->folders == 0);
}

TEST_CASE("log cleaner: ends at a stop request", "[executor]") {
  test::log_disk disk;
  disk.place.write("logs/2020-01-01/1.log", "x");
  std::stop_source stop;
  stop.request_stop();
  CHECK(executor::clean_logs(disk.options(), 3, stop.get_token())->folders == 0);
  CHECK(fs::exists(disk.folder + "/2020-01-01/1.log"));
}

TEST_CASE("log cleaner: cleans again after a change of the date", "[executor]") {
  test::log_disk disk;
  disk.place.write("logs/2023-11-14/1.log", "x");
  std::atomic<std::int64_t> now_ms{core::to_ms(test::some_time)};
  auto options = disk.options();
  std::promise<void> looked;
  options.now = [&, looks = 0]() mutable {
    if (++looks == 3)
      looked.set_value();
    return core::from_ms(now_ms);
  };
  std::promise<std::size_t> removed;
  auto heard = removed.get_future();
  executor::log_cleaner cleaner{options, 3,
                                [&](const core::result<executor::cleaned_logs>& done) { removed.set_value(done->folders); },
                                core::milliseconds{1}};
  REQUIRE(looked.get_future().wait_for(seconds{60}) == std::future_status::ready);
  CHECK(fs::exists(disk.folder + "/2023-11-14/1.log"));

  now_ms += 4 * 86400000;

  REQUIRE(heard.wait_for(seconds{60}) == std::future_status::ready);
  CHECK(heard.get() == 1);
  CHECK_FALSE(fs::exists(disk.folder + "/2023-11-14"));
}

TEST_CASE("log cleaner: cleans at the start and ends at once", "[executor]") {
  test::log_disk disk;
  disk.place.write("logs/2020-01-01/1.log", "x");
  std::promise<std::size_t> removed;
  auto heard = removed.get_future();
  {
    executor::log_cleaner cleaner{disk.options(), 3, [&](const core::result<executor::cleaned_logs>& done) {
                                    removed.set_value(done ? done->folders : 0);
                                  }};
    REQUIRE(heard.wait_for(seconds{60}) == std::future_status::ready);
    CHECK(heard.get() == 1);
  }
  CHECK_FALSE(fs::exists(disk.folder + "/2020-01-01"));
}
