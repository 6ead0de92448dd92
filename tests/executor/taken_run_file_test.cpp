#include "executor/files/taken_run_file.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/executor/disk.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t slot_bytes = 256;

core::trigger_request request(std::int64_t run, std::int32_t job = 1) {
  core::trigger_request made;
  made.job = core::job_id{job};
  made.run = core::log_id{run};
  made.log_time = test::some_time;
  return made;
}

core::run_report report(std::int64_t run, std::int32_t code, std::optional<std::string> message = std::nullopt) {
  return {core::log_id{run}, test::some_time, code, std::move(message), core::job_id{1}};
}

core::run_identity which(std::int64_t run) { return {core::log_id{run}, core::job_id{1}, test::some_time}; }

const std::string unknown_end = "the executor was ended while the run was open; whether it ran to its end is not known";
const std::string never_began = "the executor was ended before the run began";

struct run_disk {
  explicit run_disk(std::string in = {}) : path{(in.empty() ? place.path() : in) + "/taken-runs"} {}

  /// One process that uses the file.
  std::shared_ptr<executor::taken_run_file> open() {
    auto opened = try_open();
    INFO((opened ? std::string{} : opened.error().context));
    REQUIRE(opened);
    return *opened;
  }
  core::result<std::shared_ptr<executor::taken_run_file>> try_open() {
    executor::taken_run_options options;
    options.path = path;
    options.slots_first = slots_first;
    options.slots_max = slots_max;
    options.closed_max = 3;
    options.complain = [this](const std::string& what) { complaints.push_back(what); };
    return executor::taken_run_file::open(std::move(options));
  }
  [[nodiscard]] std::string bytes() const {
    std::ifstream from{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{from}, {}};
  }
  void write(const std::string& text) const { std::ofstream{path, std::ios::binary} << text; }

  test::temp_folder place;
  std::string path;
  std::size_t slots_first = 16;
  std::size_t slots_max = 64;
  std::vector<std::string> complaints;
};

using reports = std::vector<core::run_report>;

} // namespace

TEST_CASE("taken runs: a run is taken once, until it is removed or forgotten", "[executor]") {
  run_disk disk;
  const auto runs = disk.open();
  CHECK(runs->take(request(1)) == true);
  CHECK(runs->take(request(1)) == false);
  auto rounded = request(1);
  rounded.log_time += core::milliseconds{999};
  CHECK(runs->take(rounded) == false);
  runs->forget(which(1));
  CHECK(runs->take(request(1)) == true);
  runs->remove(which(1));
  runs->remove(which(1));
  CHECK(runs->take(request(1)) == true);
  CHECK(disk.complaints.empty());
}

TEST_CASE("taken runs: runs left open by an earlier process get a result, the same after every restart", "[executor]") {
  run_disk disk;
  {
    const auto runs = disk.open();
    CHECK(runs->left().empty());
    for (int run = 1; run <= 6; ++run)
      REQUIRE(runs->take(request(run)));
    for (int run = 2; run <= 6; ++run)
      runs->begin(which(run));
    runs->settle(report(3, 200));
    runs->settle(report(4, 999, "Zeile\n你好"));
    runs->settle(report(4, 502, "too late"));
    runs->settle(report(5, 500, std::string(213, 'm') + "你好"));
    runs->settle(report(6, 200));
    runs->remove(which(6));
    runs->settle(report(7, 200));
  }
  const reports expected{report(1, 500, never_began), report(2, 500, unknown_end), report(3, 200), report(4, 999, "Zeile\n你好"),
                         report(5, 500, std::string(213, 'm') + "... [the rest was lost when the executor was ended]")};
  for (int life = 0; life < 3; ++life) {
    const auto runs = disk.open();
    CHECK(runs->left() == expected);
    CHECK(runs->left().empty());
    CHECK(runs->take(request(2)) == false);
    CHECK(runs->take(request(6)) == true);
    runs->remove(which(6));
  }
  const auto runs = disk.open();
  for (const auto& each : runs->left())
    runs->remove(core::identity_of(each));
  CHECK(disk.open()->left().empty());
}

TEST_CASE("taken runs: a closed run is not reported again, and its copies are refused", "[executor]") {
  run_disk disk;
  {
    const auto runs = disk.open();
    REQUIRE(runs->take(request(1)));
    runs->settle(report(1, 500));
    runs->close(which(1));
    runs->close(which(1));
    CHECK(runs->closed(10) == reports{report(1, 500)});
  }
  const auto runs = disk.open();
  CHECK(runs->left().empty());
  CHECK(runs->closed(10) == reports{report(1, 500)});
  CHECK(runs->closed(0).empty());
  CHECK(runs->take(request(1)) == false);
  for (int run = 2; run <= 3; ++run) {
    REQUIRE(runs->take(request(run)));
    runs->close(which(run));
  }
  CHECK(runs->take(request(4)).error().context.find("the logs of 3 runs are missing") != std::string::npos);
  runs->remove(which(1));
  CHECK(runs->closed(10).size() == 2);
  CHECK(runs->take(request(4)) == true);
}

TEST_CASE("taken runs: different runs with one id can be open at once, also after a restart", "[executor]") {
  run_disk disk;
  auto later = request(1);
  later.log_time += core::seconds{15};
  const auto other_job = request(1, 2);
  {
    const auto runs = disk.open();
    CHECK(runs->take(request(1)) == true);
    CHECK(runs->take(later) == true);
    CHECK(runs->take(other_job) == true);
    runs->settle({later.run, later.log_time, 200, "later", later.job});
  }
  const auto runs = disk.open();
  CHECK(disk.complaints.empty());
  for (const auto& each : {request(1), later, other_job})
    CHECK(runs->take(each) == false);
  const auto left = runs->left();
  REQUIRE(left.size() == 3);
  for (const auto& each : left)
    CHECK((each.message == "later") == (each.log_time == later.log_time));
  runs->remove(core::identity_of(later));
  CHECK(runs->take(request(1)) == false);
  CHECK(runs->take(later) == true);
}

TEST_CASE("taken runs: returns the runs of a job without a result", "[executor]") {
  run_disk disk;
  const auto runs = disk.open();
  for (int run = 1; run <= 4; ++run)
    REQUIRE(runs->take(request(run, run % 2)));
  runs->settle(report(1, 200));
  CHECK(runs->open_of(core::job_id{1}) == reports{report(3, 0)});
  CHECK(runs->open_of(core::job_id{7}).empty());
}

TEST_CASE("taken runs: room doubles up to its limit, and keeps the taken runs", "[executor]") {
  run_disk disk;
  const auto runs = disk.open();
  int taken = 0;
  while (taken < 64) {
    const auto done = runs->take(request(taken + 1));
    if (done) {
      ++taken;
      continue;
    }
    CHECK(runs->is_scarce());
    REQUIRE(runs->grow());
  }
  CHECK_FALSE(runs->is_scarce());
  CHECK(runs->grow().error().context == "64 runs are open");
  CHECK(runs->take(request(100)).error().context == "the executor cannot keep one more run: 64 runs are open");
  runs->remove(which(9));
  CHECK(runs->take(request(100)) == true);
  CHECK(disk.open()->left().size() == 64);
  CHECK(disk.open()->take(request(101)).error().code == core::errc::unavailable);
}

TEST_CASE("taken runs: renames a foreign file, and reports it", "[executor]") {
  run_disk disk;
  SECTION("a text") { disk.write("hello\n"); }
  SECTION("another format") { disk.write("ringmaster taken runs 2\n" + std::string(1000, '\0')); }
  SECTION("larger than it can be") { disk.write(std::string(slot_bytes * 100, '\0')); }
  SECTION("a folder") { fs::create_directory(disk.path); }
  SECTION("a link") { fs::create_symlink("/dev/zero", disk.path); }
  SECTION("a pipe") { REQUIRE(::mkfifo(disk.path.c_str(), 0600) == 0); }
  const auto runs = disk.open();
  CHECK(runs->left().empty());
  CHECK(runs->take(request(1)) == true);
  REQUIRE(disk.complaints.size() == 1);
  CHECK(disk.complaints[0] == disk.path + " is not a list of runs; renamed to " + disk.path + ".broken");
  CHECK(fs::symlink_status(disk.path + ".broken").type() != fs::file_type::not_found);
}

TEST_CASE("taken runs: uses an uninitialized or truncated file as far as possible", "[executor]") {
  run_disk disk;
  {
    const auto runs = disk.open();
    for (int run = 1; run <= 10; ++run)
      REQUIRE(runs->take(request(run)));
  }
  SECTION("empty") {
    disk.write("");
    CHECK(disk.open()->left().empty());
    CHECK(disk.complaints.empty());
  }
  SECTION("allocated room without content") {
    disk.write(std::string(slot_bytes * 5, '\0'));
    CHECK(disk.open()->left().empty());
    CHECK(disk.complaints.empty());
  }
  SECTION("truncated within the fourth run") {
    fs::resize_file(disk.path, slot_bytes * 4 + 100);
    const auto runs = disk.open();
    CHECK(runs->left().size() == 3);
    CHECK(disk.complaints == std::vector<std::string>{disk.path + " is shorter than before: runs may be lost"});
    CHECK(runs->take(request(20)) == true);
    CHECK(disk.bytes().size() == slot_bytes * 17);
  }
}

TEST_CASE("taken runs: reads only complete runs from any bytes", "[executor]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  for (int round = 0; round < 200; ++round) {
    run_disk disk;
    {
      const auto runs = disk.open();
      for (int run = 1; run <= 10; ++run)
        REQUIRE(runs->take(request(run)));
      runs->settle(report(4, 200, "done"));
    }
    auto bytes = disk.bytes();
    for (auto changes = random() % 20; changes > 0; --changes)
      bytes[slot_bytes + random() % (bytes.size() - slot_bytes)] = static_cast<char>(random());
    disk.write(bytes);
    const auto runs = disk.open();
    for (const auto& each : runs->left()) {
      CHECK(core::number(each.run) >= 1);
      CHECK(core::number(each.run) <= 10);
      CHECK(each.log_time == test::some_time);
      CHECK((each.code == 500 || (each.code == 200 && core::number(each.run) == 4)));
    }
    CHECK((disk.complaints.empty() || fs::file_size(disk.path + ".broken") == bytes.size()));
    CHECK(runs->take(request(1000)) == true);
  }
}

TEST_CASE("taken runs: a kill at any moment loses no taken run", "[executor]") {
  run_disk disk;
  disk.slots_max = 1024;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto runs = disk.open();
    for (std::int64_t run = 1;; ++run) {
      while (!runs->take(request(run)))
        if (!runs->grow())
          ::_exit(2);
      if (::write(ends[1], &run, sizeof(run)) < 0)
        ::_exit(1);
      runs->begin(which(run));
      runs->settle(report(run, 200, "run " + std::to_string(run)));
      if (run > 400)
        runs->remove(which(run - 400));
    }
  }
  ::close(ends[1]);
  std::int64_t last = 0;
  for (std::int64_t said = 0; last < 3000; last = said)
    REQUIRE(::read(ends[0], &said, sizeof(said)) == sizeof(said));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (std::int64_t said = 0; ::read(ends[0], &said, sizeof(said)) == sizeof(said);)
    last = said;
  ::close(ends[0]);
  const auto left = disk.open()->left();
  CHECK(disk.complaints.empty());
  REQUIRE(left.size() >= 400);
  REQUIRE(left.size() <= 402);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto run = core::number(left[0].run) + static_cast<std::int64_t>(i);
    CHECK(core::number(left[i].run) == run);
    // The last ones may not have been written completely.
    if (run < last)
      CHECK(left[i] == report(run, 200, "run " + std::to_string(run)));
  }
  CHECK(core::number(left.back().run) >= last);
}

TEST_CASE("taken runs: a full disk is reported, refuses new runs, and loses none", "[executor]") {
  test::small_disk small{64};
  if (!small)
    return test::skip("a file system of its own needs root");
  run_disk disk{small.path()};
  disk.slots_max = 4096;
  SECTION("at the first start") {
    small.fill();
    const auto runs = disk.open();
    REQUIRE(disk.complaints.size() == 1);
    CHECK(disk.complaints[0].ends_with("No space left on device; no runs are accepted until there is room"));
    const auto refused = runs->take(request(1));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().context.ends_with("No space left on device"));
    CHECK(runs->is_scarce());
    CHECK_FALSE(runs->grow());
    small.free();
    CHECK(runs->grow());
    CHECK(runs->take(request(1)) == true);
  }
  SECTION("when it must grow, and at the next start") {
    {
      const auto runs = disk.open();
      small.fill();
      for (int run = 1; run <= 16; ++run)
        REQUIRE(runs->take(request(run)));
      CHECK_FALSE(runs->grow());
      CHECK_FALSE(runs->take(request(17)));
    }
    {
      const auto runs = disk.open();
      CHECK(disk.complaints.empty());
      CHECK(runs->left().size() == 16);
      runs->remove(which(5));
      CHECK(runs->take(request(17)) == true);
    }
    // Copied without its empty blocks, for which the disk has no room now.
    disk.slots_first = 256;
    CHECK(disk.open()->left().size() == 16);
  }
}

TEST_CASE("taken runs: a missing folder is an error", "[executor]") {
  run_disk disk{"/nowhere"};
  CHECK(disk.try_open().error().code == core::errc::unavailable);
}

TEST_CASE("taken runs: cost of a run", "[.][bench]") {
  run_disk disk;
  disk.slots_first = 8192;
  disk.slots_max = 1 << 20;
  const auto runs = disk.open();
  constexpr int count = 1'000'000;
  const std::optional<std::string> message{"no stock"};
  const auto begin = std::chrono::steady_clock::now();
  for (int run = 1; run <= count; ++run) {
    auto taken = runs->take(request(run));
    (void)runs->is_scarce();
    runs->begin(which(run));
    runs->settle({core::log_id{run}, test::some_time, 500, message});
    if (run > 1000)
      runs->remove(which(run - 1000));
    if (!taken)
      FAIL("no room");
  }
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  WARN("ns a run: " << time.count() / count);
}
