#include "executor/files/report_files.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/executor/disk.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
namespace fs = std::filesystem;

namespace {

using names = std::vector<std::string>;

std::vector<core::run_report> reports_of(std::size_t count, std::int64_t first = 1) {
  std::vector<core::run_report> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back({core::log_id{first + static_cast<std::int64_t>(i)}, test::some_time, 200,
                   i % 2 == 0 ? std::optional<std::string>{"Zeile\n\"你好\""} : std::nullopt});
  return out;
}

struct report_disk {
  explicit report_disk(std::string in = {}) : folder{in.empty() ? place.path() + "/deep/logs" : std::move(in)} {}
  executor::report_files open() {
    return executor::report_files{folder, [this] { return now; }};
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder + "/callbacklogs/" + name; }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator{folder + "/callbacklogs"}, fs::directory_iterator{}));
  }

  test::temp_folder place;
  std::string folder;
  core::time_point now = test::some_time;
};

} // namespace

TEST_CASE("report files: load returns the saved reports, also after a restart", "[executor]") {
  report_disk disk;
  const auto reports = reports_of(50);
  const auto name = disk.open().save(reports);
  REQUIRE(name);
  CHECK(*name == "xxl-job-callback-001700000000000-000000.log");

  auto files = disk.open();
  CHECK(files.names(10) == names{*name});
  CHECK(files.load(*name) == reports);
  CHECK(files.load(*name) == reports);
  CHECK(files.remove(*name));
  CHECK(files.remove(*name));
  CHECK(files.names(10) == names{});
  CHECK(disk.count() == 0);
}

TEST_CASE("report files: a missing folder contains no reports", "[executor]") {
  report_disk disk;
  CHECK(disk.open().names(10) == names{});
  CHECK_FALSE(fs::exists(disk.folder));
}

TEST_CASE("report files: lists the oldest first, up to the limit", "[executor]") {
  report_disk disk;
  auto files = disk.open();
  names all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(files.save(reports_of(1, i + 1)).value());
    disk.now += core::milliseconds{i % 3};
  }
  CHECK(files.names(100) == all);
  CHECK(files.names(7) == names(all.begin(), all.begin() + 7));
  CHECK(files.names(0) == names{});
}

TEST_CASE("report files: two processes in one millisecond, and a clock set back, overwrite nothing", "[executor]") {
  report_disk disk;
  names all;
  for (int life = 0; life < 5; ++life)
    all.push_back(disk.open().save(reports_of(1, life + 1)).value());
  auto files = disk.open();
  for (int life = 0; life < 5; ++life)
    CHECK(files.load(all[static_cast<std::size_t>(life)])->front().run == core::log_id{life + 1});
  disk.now = core::from_ms(-5);
  CHECK(files.save(reports_of(1)));
  CHECK(files.names(10)->size() == 6);
}

TEST_CASE("report files: save rejects invalid batches", "[executor]") {
  report_disk disk;
  auto files = disk.open();
  CHECK(files.save({}).error().code == core::errc::invalid_argument);
  CHECK(files.save(reports_of(51)).error().code == core::errc::too_large);
}

TEST_CASE("report files: renames a broken file", "[executor]") {
  report_disk disk;
  auto files = disk.open();
  const auto good = files.save(reports_of(1)).value();
  for (const std::string& text : {std::string{}, std::string{"[]"}, std::string{"[{\"logId\":1,"}, std::string(1000, '\0'),
                                  std::string{"\xAC\xED\x00\x05", 4}}) {
    const std::string name = "xxl-job-callback-0.log";
    disk.place.write("deep/logs/callbacklogs/" + name, text);
    const auto read = files.load(name);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == core::errc::invalid_argument);
    CHECK(fs::exists(disk.path(name + ".broken")));
    CHECK(files.names(10) == names{good});
  }
  fs::create_directory(disk.path("xxl-job-callback-1.log"));
  CHECK_FALSE(files.load("xxl-job-callback-1.log"));
  fs::create_symlink("/dev/zero", disk.path("xxl-job-callback-2.log"));
  CHECK_FALSE(files.load("xxl-job-callback-2.log"));
  disk.place.write("deep/logs/callbacklogs/xxl-job-callback-3.log", "[");
  fs::resize_file(disk.path("xxl-job-callback-3.log"), 100 * 1024 * 1024);
  CHECK(files.load("xxl-job-callback-3.log").error().code == core::errc::invalid_argument);
}

TEST_CASE("report files: rejects foreign names", "[executor]") {
  report_disk disk;
  auto files = disk.open();
  REQUIRE(files.save(reports_of(1)));
  const auto outside = disk.place.write("deep/logs/xxl-job-callback-x.log", "[{\"logId\":1}]");
  for (const std::string& name : {std::string{}, std::string{"../xxl-job-callback-x.log"},
                                  std::string{"xxl-job-callback-/../../xxl-job-callback-x.log"}, std::string{"other.log"}}) {
    CAPTURE(name);
    CHECK(files.load(name).error().code == core::errc::invalid_argument);
    CHECK_FALSE(files.remove(name));
  }
  CHECK(fs::exists(outside));
  CHECK(files.load("xxl-job-callback-missing.log").error().code == core::errc::unavailable);
}

TEST_CASE("report files: also reads files that a Java executor left", "[executor]") {
  report_disk disk;
  disk.place.write("deep/logs/callbacklogs/xxl-job-callback-9e107d9d372bb6826bd81d3542a419d6.log",
                   R"([{"handleCode":200,"logDateTim":1700000000000,"logId":7}])");
  auto files = disk.open();
  const auto found = files.names(10).value();
  REQUIRE(found.size() == 1);
  CHECK(files.load(found[0])->front().run == core::log_id{7});
}

TEST_CASE("report files: removes the rest of an interrupted save, but no saved file", "[executor]") {
  report_disk disk;
  const auto name = disk.open().save(reports_of(2)).value();
  disk.place.write("deep/logs/callbacklogs/.unfinished-4711", "[{\"logId\":1,");
  auto files = disk.open();
  CHECK(files.names(10) == names{name});
  CHECK(disk.count() == 1);
}

TEST_CASE("report files: a killed process loses none of its saved files", "[executor]") {
  report_disk disk;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto files = disk.open();
    const auto reports = reports_of(50);
    for (;;) {
      const auto name = files.save(reports);
      const auto line = name ? *name + '\n' : std::string{"failed\n"};
      if (::write(ends[1], line.data(), line.size()) < 0)
        ::_exit(1);
    }
  }
  ::close(ends[1]);
  std::string said;
  std::array<char, 4096> buffer;
  while (said.size() < 5000) {
    const auto count = ::read(ends[0], buffer.data(), buffer.size());
    REQUIRE(count > 0);
    said.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);

  auto files = disk.open();
  const auto kept = files.names(1000000).value();
  for (const auto& name : kept)
    CHECK(files.load(name) == reports_of(50));
  std::istringstream names_said{said.substr(0, said.rfind('\n') + 1)};
  for (std::string name; names_said >> name;)
    CHECK(std::binary_search(kept.begin(), kept.end(), name));
  CHECK(disk.count() == kept.size());
}

TEST_CASE("report files: a full disk is an error, and leaves nothing behind", "[executor]") {
  test::small_disk small{64};
  if (!small)
    return test::skip("a file system of its own needs root");
  report_disk disk{small.path()};
  auto files = disk.open();
  const auto first = files.save(reports_of(1)).value();
  small.fill();
  for (int i = 0; i < 3; ++i) {
    const auto lost = files.save(reports_of(50));
    REQUIRE_FALSE(lost);
    CHECK(lost.error().code == core::errc::unavailable);
    CHECK(lost.error().context.ends_with("No space left on device"));
  }
  CHECK(files.names(10) == names{first});
  CHECK(disk.count() == 1);
  CHECK(files.load(first));
  small.free();
  CHECK(files.save(reports_of(50)));
}

TEST_CASE("report files: handles a folder that cannot be created, or was removed", "[executor]") {
  report_disk disk;
  auto files = disk.open();
  REQUIRE(files.save(reports_of(1)));
  fs::remove_all(disk.folder);
  CHECK(files.names(10) == names{});
  CHECK(files.save(reports_of(1)));
  report_disk other;
  other.folder = other.place.write("file", "x");
  auto none = other.open();
  CHECK(none.save(reports_of(1)).error().code == core::errc::unavailable);
  CHECK(none.names(10).error().code == core::errc::unavailable);
}
