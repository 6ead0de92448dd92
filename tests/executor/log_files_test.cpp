#include "executor/files/log_files.hpp"
#include "executor/files/run_log.hpp"

#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include "tests/executor/disk.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using test::some_time;

namespace {

core::log_id run(std::int64_t id) { return core::log_id{id}; }

core::zone zone_of(const char* name) {
  auto found = core::zone::find(name);
  REQUIRE(found);
  return *found;
}

std::size_t count_lines(const std::string& text, const std::string& piece) {
  std::size_t count = 0;
  for (auto at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1))
    ++count;
  return count;
}

} // namespace

TEST_CASE("log files: a run has a log once it has a writer, also after a restart", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  CHECK(logs.has({run(7), {}, some_time}) == false);

  const auto writer = logs.writer({run(7), {}, some_time});

  CHECK(logs.has({run(7), {}, some_time}) == true);
  CHECK(logs.has({run(8), {}, some_time}) == false);
  CHECK(logs.has({run(7), {}, some_time + std::chrono::days{1}}) == false);
  CHECK(executor::log_files{disk.options()}.has({run(7), {}, some_time}) == true);
}

TEST_CASE("log files: appending nothing creates a file, and leaves an existing one unchanged", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  CHECK(logs.append({run(7), {}, some_time}, ""));
  CHECK(logs.has({run(7), {}, some_time}) == true);
  CHECK(disk.bytes(7).empty());
  CHECK(logs.append({run(7), {}, some_time}, "x"));
  CHECK(logs.append({run(7), {}, some_time}, ""));
  CHECK(disk.bytes(7) == "x\n");
}

TEST_CASE("log files: a different run with the same id has its own file, also after a restart", "[executor]") {
  test::log_disk disk;
  const core::run_identity earlier{run(7), core::job_id{1}, some_time};
  const core::run_identity later{run(7), core::job_id{1}, some_time + std::chrono::seconds{15}};
  const core::run_identity other_job{run(7), core::job_id{2}, some_time};
  const auto head = [&](const core::run_identity& of) { return executor::head_of(disk.options(), of); };
  {
    executor::log_files logs{disk.options()};
    logs.append(earlier, head(earlier) + "earlier");
    CHECK(logs.has(earlier) == true);
    CHECK(logs.has(later) == false);
    CHECK(logs.read(later, 1)->ended);
    logs.append(later, head(later) + "later");
    logs.writer(later)->line({}, "of the later one");
    CHECK(logs.has(other_job) == false);
    logs.append(other_job, head(other_job) + "other");
    logs.append(earlier, "end");
  }
  executor::log_files logs{disk.options()};
  for (const auto& each : {earlier, later, other_job})
    CHECK(logs.has(each) == true);
  CHECK(disk.bytes(7) == head(earlier) + "earlier\nend\n");
  CHECK(logs.read(later, 1)->text == head(later) + "later\n" + "2023-11-14 22:13:20 []-[] of the later one\n");
  CHECK(logs.read(other_job, 1)->text == head(other_job) + "other\n");
  // Queries of admins: without the job, and those of Java with a rounded-up time.
  CHECK(logs.read({run(7), {}, later.log_time}, 1)->to_line == 2);
  CHECK(logs.read({run(7), {}, later.log_time + core::milliseconds{400}}, 1)->to_line == 2);
  CHECK(logs.read({run(7), {}, later.log_time + std::chrono::seconds{1} - core::milliseconds{600}}, 1)->to_line == 2);
  CHECK(logs.read({run(7), {}, later.log_time + std::chrono::minutes{1}}, 1)->ended);
  CHECK(logs.has({run(7), core::job_id{1}, some_time + std::chrono::minutes{1}}) == false);
  CHECK(disk.complaints.empty());
}

TEST_CASE("log files: a log that does not name its run counts for any run with its id", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  for (const char* text : {"", "x\n", "2023-11-14 22:13:20 [executor] <br>\n", "2023-11-14 22:13:20 [executor]-[job-",
                           "2023-11-14 22:13:20 [executor]-[job-7]-[", "2023-11-14 22:13:20 [executor]-[job-7]-[x] \n",
                           "\n2023-11-14 22:13:20 [executor]-[job-7]-[1] \n"}) {
    CAPTURE(text);
    std::filesystem::remove(disk.path(3));
    disk.write(3, text);
    CHECK(logs.has({run(3), core::job_id{1}, some_time}) == true);
  }
}

TEST_CASE("log files: reports when it is unknown whether a log exists", "[executor]") {
  test::log_disk disk;
  disk.folder = disk.place.path() + '/' + std::string(300, 'x');
  executor::log_files logs{disk.options()};
  const auto had = logs.has({run(7), {}, some_time});
  REQUIRE_FALSE(had);
  CHECK(had.error().code == core::errc::unavailable);
}

TEST_CASE("log files: the local date names the folder", "[executor]") {
  test::log_disk disk;
  auto options = disk.options();
  options.zone = zone_of("Asia/Shanghai");
  executor::log_files logs{options};
  const auto midnight = core::from_ms(1699977600000); // 2023-11-15 00:00 in Shanghai

  logs.append({run(1), {}, midnight - core::milliseconds{1}}, "before");
  logs.append({run(1), {}, midnight}, "after");

  CHECK(std::filesystem::exists(disk.folder + "/2023-11-14/1.log"));
  CHECK(std::filesystem::exists(disk.folder + "/2023-11-15/1.log"));
  CHECK(logs.read({run(1), {}, midnight - core::milliseconds{1}}, 1)->text == "before\n");
  CHECK(logs.read({run(1), {}, midnight + std::chrono::hours{24} - core::milliseconds{1}}, 1)->text == "after\n");
}

TEST_CASE("log files: a time rounded over midnight still finds the log", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  const auto midnight = core::from_ms(1700006400000);
  logs.append({run(1), {}, midnight - core::milliseconds{300}}, "x");
  CHECK(logs.read({run(1), {}, midnight}, 1)->text == "x\n");
  CHECK(logs.read({run(1), {}, midnight + core::milliseconds{500}}, 1)->ended);
  // If there is a log for that day, it takes precedence.
  logs.append({run(1), {}, midnight}, "y");
  CHECK(logs.read({run(1), {}, midnight}, 1)->text == "y\n");
}

TEST_CASE("log files: any number and any time give a file inside the folder", "[executor]") {
  using limits = std::numeric_limits<std::int64_t>;
  const std::int64_t before_year_1 = -62135596800001, after_year_9999 = 253402300800000;
  test::log_disk disk;
  auto options = disk.options();
  for (const char* zone : {"UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"}) {
    options.zone = zone_of(zone);
    executor::log_files logs{options};
    for (const auto id : {limits::min(), std::int64_t{-1}, std::int64_t{0}, limits::max()})
      for (const auto ms : {limits::min(), before_year_1, std::int64_t{0}, after_year_9999, limits::max()}) {
        CAPTURE(zone, id, ms);
        logs.append({run(id), {}, core::from_ms(ms)}, "x");
        CHECK(logs.has({run(id), {}, core::from_ms(ms)}) == true);
        CHECK(logs.read({run(id), {}, core::from_ms(ms)}, 1));
        CHECK(logs.read({core::log_id{4711}, {}, core::from_ms(ms)}, 1)->ended);
      }
  }
  CHECK(disk.complaints.empty());
  for (const auto& each : std::filesystem::directory_iterator{disk.folder}) {
    CAPTURE(each.path());
    CHECK(each.path().filename().string().size() == 10);
  }
  for (const auto& each : std::filesystem::directory_iterator{disk.place.path()})
    CHECK(each.path() == disk.folder);
}

TEST_CASE("log files: formats the line of a handler", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  const auto writer = logs.writer({run(1), {}, some_time});

  writer->line({"src/jobs/settle.cpp", "settle", 17, "worker-3"}, "first\nsecond <br> 你好");
  writer->line({"command", {}, 0, "job-7"}, "no function, no line");
  writer->line({}, "");

  CHECK(disk.bytes(1) == "2023-11-14 22:13:20 [settle.cpp#settle]-[17]-[worker-3] first\nsecond <br> 你好\n"
                         "2023-11-14 22:13:20 [command]-[job-7] no function, no line\n"
                         "2023-11-14 22:13:20 []-[] \n");
}

TEST_CASE("log files: shortens function names", "[executor]") {
  test::log_disk disk;
  const executor::log_files logs{disk.options()};
  core::trigger_request request;
  request.run = run(1);
  request.log_time = some_time;
  request.job = core::job_id{7};
  executor::run_log log{logs, request};
  for (const auto* function : {"main(int, char**)::<lambda(job_context&)>", "void ns::{anonymous}::build(job_context&)",
                               "std::pair<int, int> (anonymous namespace)::both(job_context &)", "operator()", "main", ""})
    log.line("", {"/a/b.cpp", function, 3});
  const auto text = disk.bytes(1);
  for (const auto* name : {"#main]", "#ns::build]", "#both]", "#operator]", "[b.cpp]-[3]-[job-7]"}) {
    CAPTURE(text, name);
    CHECK(text.find(name) != std::string::npos);
  }
  CHECK(text.find("anonymous") == std::string::npos);
}

TEST_CASE("log files: keeps bytes of a script unchanged, and starts the next line on a new line", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  const auto writer = logs.writer({run(1), {}, some_time});

  writer->raw("50 %\r");
  writer->raw("\xFF");
  writer->raw("");
  writer->note("end");
  writer->raw("more\n");
  writer->note("late\n");

  CHECK(disk.bytes(1) == "50 %\r\xFF\nend\nmore\nlate\n");
  CHECK(logs.read({run(1), {}, some_time}, 1)->text == "50 %\n\uFFFD\nend\nmore\nlate\n");
}

TEST_CASE("log files: appends lines after the result, also after a restart within a line", "[executor]") {
  test::log_disk disk;
  disk.write(1, "one\nhalf");
  executor::log_files logs{disk.options()};

  logs.append({run(1), {}, some_time}, "<br>----------- xxl-job job callback finish.");
  logs.append({run(1), {}, some_time}, "two\nthree\n");
  logs.append({run(1), {}, some_time}, "");

  CHECK(disk.bytes(1) == "one\nhalf\n<br>----------- xxl-job job callback finish.\ntwo\nthree\n");
}

TEST_CASE("log files: concurrent threads of a run do not mix their lines", "[executor]") {
  constexpr int threads = 8, lines = 500;
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  const auto writer = logs.writer({run(1), {}, some_time});
  std::vector<std::jthread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      const auto text = "<" + std::string(200, static_cast<char>('a' + t)) + ">";
      for (int i = 0; i < lines; ++i) {
        if (t == 0)
          logs.append({run(1), {}, some_time}, text);
        else
          writer->line({"f.cpp", "f", 1, "t"}, text);
        if (i % 100 == 0)
          CHECK(logs.has({run(1), {}, some_time}) == true);
      }
    });
  all.clear();

  const auto bytes = disk.bytes(1);
  CHECK(count_lines(bytes, "\n") == threads * lines);
  for (int t = 0; t < threads; ++t)
    CHECK(count_lines(bytes, "<" + std::string(200, static_cast<char>('a' + t)) + ">\n") == lines);
}

TEST_CASE("log files: recreates a removed folder", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  logs.append({run(1), {}, some_time}, "x");
  std::filesystem::remove_all(disk.folder);

  logs.append({run(2), {}, some_time}, "y");

  CHECK(logs.has({run(2), {}, some_time}) == true);
  CHECK(logs.has({run(1), {}, some_time}) == false);
  CHECK(disk.complaints.empty());
}

TEST_CASE("log files: neither reads nor writes nor waits for special files", "[executor]") {
  test::log_disk disk;
  executor::log_files logs{disk.options()};
  std::filesystem::create_directories(disk.path(1));
  const auto outside = disk.place.write("secret", "secret");
  std::filesystem::create_symlink(outside, disk.path(2));
  REQUIRE(::mkfifo(disk.path(3).c_str(), 0600) == 0);
  for (const auto id : {1, 2, 3}) {
    CAPTURE(id);
    logs.append({run(id), {}, some_time}, "x");
    const auto read = logs.read({run(id), {}, some_time}, 1);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == core::errc::unavailable);
  }
  CHECK(std::filesystem::file_size(outside) == 6);
}

TEST_CASE("log files: a folder that cannot be created loses logs, and is reported once a minute", "[executor]") {
  test::log_disk disk;
  disk.folder = disk.place.write("file", "no folder") + "/logs";
  executor::log_files logs{disk.options()};

  const auto writer = logs.writer({run(1), {}, some_time});
  for (int i = 0; i < 10; ++i) {
    writer->line({}, "x");
    CHECK_FALSE(logs.append({run(2), {}, some_time}, "x"));
  }

  REQUIRE(disk.complaints.size() == 1);
  CHECK(disk.complaints[0] == disk.path(1) + " cannot be written: Not a directory; log lines of runs are lost");
  CHECK(logs.append({run(2), {}, some_time}, "").error().context == disk.path(2) + " cannot be written: Not a directory");
  CHECK(logs.has({run(1), {}, some_time}) == false);
  const auto read = logs.read({run(1), {}, some_time}, 1);
  REQUIRE(read);
  CHECK(read->ended);
  disk.now += std::chrono::minutes{2};
  writer->line({}, "x");
  CHECK(disk.complaints.size() == 2);
  disk.now -= std::chrono::hours{2};
  writer->line({}, "x");
  CHECK(disk.complaints.size() == 3);
}
