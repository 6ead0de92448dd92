// XXL-JOB's GLUE jobs (XXL wire §5.7, §7.3 E33 to E38).

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <thread>

#include "executor/process/environment.hpp"
#include "executor/process/scripts.hpp"
#include "tests/executor/process_marks.hpp"
#include "tests/executor/recorded_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace ringmaster::executor;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

struct glue_fixture {
  temp_folder folder;
  process_mark mark;
  recorded_log log;
  executor::script_options options;
  std::vector<std::string> environment = mark.environment();
  std::unique_ptr<executor::scripts> made;

  glue_fixture() {
    options.log_path = folder.path();
    options.on = true;
  }

  executor::scripts& scripts() {
    if (!made) {
      options.environment = environment;
      made = std::make_unique<executor::scripts>(options, log.opener());
    }
    return *made;
  }

  /// Creates an interpreter with this name, the only one in PATH besides the system's tools. It prints its name and its
  /// arguments.
  void stand_in(const std::string& name) {
    const auto path = folder.write("bin/" + name, "#!/bin/bash\necho \"" + name + ":$#:${1##*/}:$2:$3:$4\"\n");
    ::chmod(path.c_str(), 0755);
    environment[1] = "PATH=" + folder.path() + "/bin";
  }

  core::run_outcome run(const core::trigger_request& request, std::stop_token stop = {}) {
    const auto body = scripts().find(request, nullptr);
    REQUIRE(body);
    return (*body)->run(request, std::move(stop), [] { return std::string{"a reason"}; });
  }

  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> out;
    for (const auto& each : std::filesystem::directory_iterator{folder.path() + "/gluesource"})
      out.insert(each.path().filename().string());
    return out;
  }
};

core::trigger_request request_of(const std::string& source, const std::string& type = "GLUE_SHELL", int job = 1,
                                 std::int64_t version = 1'700'000'000'000) {
  core::trigger_request out;
  out.job = core::job_id{job};
  out.run = core::log_id{11};
  out.param = "";
  out.glue_type = type;
  out.glue_source = source;
  out.glue_updated_ms = version;
  return out;
}

std::string find_error(executor::scripts& in, const core::trigger_request& request) {
  const auto found = in.find(request, nullptr);
  return found ? "found" : found.error().context;
}

} // namespace

TEST_CASE("E33: a shell script gets the parameter, the shard and the number of shards", "[executor]") {
  glue_fixture f;
  auto request = request_of(R"(echo "$#:$1:$2:$3"; exit 0)");
  request.param = "a b";
  request.shard_index = 2;
  request.shard_total = 5;
  const auto outcome = f.run(request);
  CHECK(outcome.code == 200);
  CHECK_FALSE(outcome.message);
  CHECK(f.log.text() == "3:a b:2:5\n");
  const auto path = f.folder.path() + "/gluesource/1_1700000000000.sh";
  CHECK(std::filesystem::exists(path));
  CHECK(f.log.lines() == std::vector<std::string>{"----------- script file:" + path + " -----------"});
}

TEST_CASE("E34: a script's exit code is its result", "[executor]") {
  glue_fixture f;
  for (const auto& [source, text] : {std::pair{"exit 3", "script exit value(3) is failed"},
                                     std::pair{"kill -9 $$", "script exit value(137) is failed"},
                                     std::pair{"kill -TERM $$", "script exit value(143) is failed"},
                                     std::pair{"no_such_command_at_all", "script exit value(127) is failed"},
                                     std::pair{"if", "script exit value(2) is failed"}}) {
    const auto outcome = f.run(request_of(source));
    CHECK(outcome.code == 500);
    CHECK(outcome.message == text);
  }
}

TEST_CASE("E35: a new version replaces the old one, but not that of another job", "[executor]") {
  glue_fixture f;
  (void)f.run(request_of("echo one", "GLUE_SHELL", 1, 5000));
  (void)f.run(request_of("echo eleven", "GLUE_SHELL", 11, 5000));
  CHECK(f.files() == std::set<std::string>{"1_5000.sh", "11_5000.sh"});
  (void)f.run(request_of("echo two", "GLUE_SHELL", 1, 6000));
  CHECK(f.files() == std::set<std::string>{"1_6000.sh", "11_5000.sh"});
  (void)f.run(request_of("print('twelve')", "GLUE_PYTHON", 11, 7000));
  CHECK(f.files() == std::set<std::string>{"1_6000.sh", "11_7000.py"});
  CHECK(f.log.text() == "one\neleven\ntwo\ntwelve\n");
}

TEST_CASE("E36: a script that exceeds its time limit leaves no process", "[executor]") {
  glue_fixture f;
  std::stop_source late;
  f.log.seen = [&](const std::string&) { late.request_stop(); };
  const auto begun = std::chrono::steady_clock::now();
  const auto outcome = f.run(request_of("(setsid sleep 60 &); echo runs; sleep 60"), late.get_token());
  CHECK(std::chrono::steady_clock::now() - begun < 10s);
  CHECK(outcome.code == 500);
  CHECK(f.mark.count() == 0);
  CHECK(f.log.lines().back() == "----------- script stopped: a reason -----------");
}

TEST_CASE("E37: a script without a parameter gets an empty one", "[executor]") {
  glue_fixture f;
  auto request = request_of(R"(echo "$#:$1:")");
  request.param.reset();
  CHECK(f.run(request).code == 200);
  CHECK(f.log.text() == "3::\n");
}

TEST_CASE("E38: the error output of a script is in the log", "[executor]") {
  glue_fixture f;
  CHECK(f.run(request_of("echo oops >&2")).code == 200);
  CHECK(f.log.text() == "oops\n");
}

TEST_CASE("scripts: passes a parameter completely, and never as code", "[executor]") {
  glue_fixture f;
  for (const std::string& param : {std::string{"$(touch x); `id` 'quoted\" \\"}, std::string{"two\nlines"}, std::string{"-rf"},
                                   std::string{"中文 🎉"}, std::string(100'000, 'x')}) {
    auto request = request_of("printf '<%s>' \"$1\"");
    request.param = param;
    const auto before = f.log.text().size();
    CHECK(f.run(request).code == 200);
    CHECK(f.log.text().substr(before) == "<" + param + ">");
  }
}

TEST_CASE("scripts: a parameter that cannot be passed fails with its reason", "[executor]") {
  glue_fixture f;
  auto request = request_of("echo ran");
  request.param = std::string(300'000, 'x');
  const auto bash = find_program("bash", f.environment).value_or("");
  CHECK(f.run(request).message.value_or("") == "script exit value(-1) is failed: " + bash + ": Argument list too long");
  request.param = std::string{"a\0b", 3};
  CHECK(f.run(request).message ==
        "script exit value(-1) is failed: the parameter contains a NUL character, which cannot be passed to a program");
  CHECK(f.log.text().empty());
}

TEST_CASE("scripts: each type has its interpreter and its suffix", "[executor]") {
  for (const auto& [type, interpreter, file] :
       {std::tuple{"GLUE_SHELL", "bash", "1_5.sh"}, std::tuple{"GLUE_PYTHON", "python3", "1_5.py"},
        std::tuple{"GLUE_PYTHON", "python", "1_5.py"}, std::tuple{"GLUE_PYTHON2", "python2", "1_5.py"},
        std::tuple{"GLUE_PYTHON2", "python", "1_5.py"}, std::tuple{"GLUE_PHP", "php", "1_5.php"},
        std::tuple{"GLUE_NODEJS", "node", "1_5.js"}, std::tuple{"GLUE_POWERSHELL", "pwsh", "1_5.ps1"},
        std::tuple{"GLUE_POWERSHELL", "powershell", "1_5.ps1"}}) {
    glue_fixture f;
    f.stand_in(interpreter);
    CHECK(f.run(request_of("source", type, 1, 5)).code == 200);
    CHECK(f.log.text() == std::string{interpreter} + ":4:" + file + "::0:1\n");
  }
}

TEST_CASE("scripts: prefers the newer name of an interpreter", "[executor]") {
  glue_fixture f;
  for (const auto* each : {"python", "python3", "pwsh", "powershell"})
    f.stand_in(each);
  (void)f.run(request_of("", "GLUE_PYTHON"));
  (void)f.run(request_of("", "GLUE_POWERSHELL"));
  CHECK(f.log.text().starts_with("python3:"));
  CHECK(f.log.text().find("pwsh:") != std::string::npos);
}

TEST_CASE("scripts: runs Python and Node", "[executor]") {
  glue_fixture f;
  (void)f.run(request_of("import sys\nprint(sys.argv[1:], flush=True)\nsys.exit(4)", "GLUE_PYTHON"));
  CHECK(f.log.text() == "['', '0', '1']\n");
  if (!find_program("node", f.environment))
    return;
  const auto outcome = f.run(request_of("console.log(process.argv.length); process.exit(5)", "GLUE_NODEJS", 2));
  CHECK(f.log.text() == "['', '0', '1']\n5\n");
  CHECK(outcome.message == "script exit value(5) is failed");
}

TEST_CASE("scripts: names a missing interpreter", "[executor]") {
  glue_fixture f;
  f.environment[1] = "PATH=" + f.folder.path();
  CHECK(f.run(request_of("", "GLUE_PHP")).message == "script exit value(-1) is failed: php was not found in PATH");
  const auto outcome = f.run(request_of("", "GLUE_PYTHON"));
  CHECK(outcome.code == 500);
  CHECK(outcome.message == "script exit value(-1) is failed: python3 (or python) was not found in PATH");
  CHECK(f.log.lines().back() == "----------- cannot start: python3 (or python) was not found in PATH -----------");
  CHECK(f.log.last_place() == "script");
}

TEST_CASE("scripts: refuses other types with XXL-JOB's text", "[executor]") {
  glue_fixture f;
  for (const std::string type : {"GLUE_RUBY", "GLUE_GROOVY", "glue_shell", "GLUE_SHELL ", "", "BEAN"})
    CHECK(find_error(f.scripts(), request_of("", type)) == "glueType[" + type + "] is not valid.");
  auto request = request_of("");
  request.glue_type.reset();
  CHECK(find_error(f.scripts(), request) == "glueType[null] is not valid.");
}

TEST_CASE("scripts: runs nothing when scripts are off", "[executor]") {
  glue_fixture f;
  f.options.on = false;
  for (const auto& [type, display] :
       {std::pair{"GLUE_SHELL", "GLUE(Shell)"}, std::pair{"GLUE_PYTHON", "GLUE(Python3)"}, std::pair{"GLUE_PHP", "GLUE(PHP)"},
        std::pair{"GLUE_PYTHON2", "GLUE(Python2)"}, std::pair{"GLUE_NODEJS", "GLUE(Nodejs)"},
        std::pair{"GLUE_POWERSHELL", "GLUE(PowerShell)"}})
    CHECK(find_error(f.scripts(), request_of("", type)) ==
          "fail, current glue type [" + std::string{display} + "] not supported.");
  CHECK(find_error(f.scripts(), request_of("", "GLUE_GROOVY")) == "glueType[GLUE_GROOVY] is not valid.");
  CHECK_FALSE(std::filesystem::exists(f.folder.path() + "/gluesource"));
}

TEST_CASE("scripts: keeps a body as long as type and version stay the same", "[executor]") {
  glue_fixture f;
  const auto first = *f.scripts().find(request_of("a"), nullptr);
  CHECK(*f.scripts().find(request_of("another source"), first) == first);
  CHECK(*f.scripts().find(request_of("a", "GLUE_SHELL", 1, 8), first) != first);
  CHECK(*f.scripts().find(request_of("a", "GLUE_PYTHON"), first) != first);
  CHECK(*f.scripts().find(request_of("a"), nullptr) != first);
  actors::run_body bean;
  bean.run = [](const core::trigger_request&, std::stop_token, const std::function<std::string()>&) {
    return core::run_outcome{};
  };
  CHECK(*f.scripts().find(request_of("a"), std::make_shared<const actors::run_body>(bean)) != first);
}

TEST_CASE("scripts: a body outlives its factory", "[executor]") {
  glue_fixture f;
  const auto body = *f.scripts().find(request_of("echo alive"), nullptr);
  f.made.reset();
  CHECK(body->run(request_of("echo alive"), {}, nullptr).code == 200);
  CHECK(f.log.text() == "alive\n");
}

TEST_CASE("scripts: does not run a stale file of an earlier process", "[executor]") {
  glue_fixture f;
  f.folder.write("gluesource/1_1700000000000.sh", "echo stale");
  (void)f.run(request_of("echo fresh"));
  CHECK(f.log.text() == "fresh\n");
}

TEST_CASE("scripts: restores a removed file", "[executor]") {
  glue_fixture f;
  const auto body = *f.scripts().find(request_of("echo run"), nullptr);
  (void)body->run(request_of("echo run"), {}, nullptr);
  std::filesystem::remove_all(f.folder.path() + "/gluesource");
  CHECK(body->run(request_of("echo run"), {}, nullptr).code == 200);
  CHECK(f.log.text() == "run\nrun\n");
}

TEST_CASE("scripts: a missing source fails, an empty one does not", "[executor]") {
  glue_fixture f;
  auto request = request_of("");
  CHECK(f.run(request).code == 200);
  request.glue_source.reset();
  CHECK(f.run(request).message == "script exit value(-1) is failed: the job has no source");
}

TEST_CASE("scripts: a full disk fails the run with its reason, and the next run works", "[executor]") {
  glue_fixture f;
  const auto request = request_of("exit 0 " + std::string(1000, '#'));
  const auto body = *f.scripts().find(request, nullptr);
  {
    const file_size_limit full{100};
    const auto outcome = body->run(request, {}, nullptr);
    CHECK(outcome.code == 500);
    CHECK(outcome.message.value_or("").starts_with("script exit value(-1) is failed: cannot write "));
  }
  CHECK(body->run(request, {}, nullptr).code == 200);
}

TEST_CASE("scripts: one job runs twice at once, and a new version next to the old one", "[executor]") {
  glue_fixture f;
  const auto old = *f.scripts().find(request_of("read -t 0; echo old"), nullptr);
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&] { failed += old->run(request_of(""), {}, nullptr).code == 200 ? 0 : 1; });
  for (auto& each : threads)
    each.join();
  CHECK(failed == 0);

  core::run_outcome ended_late;
  std::stop_source stopper;
  std::thread running;
  f.log.seen = [&](const std::string& text) {
    if (text.find("new\n") != std::string::npos)
      stopper.request_stop();
  };
  const auto source = "trap 'echo over; exit 9' TERM; echo begun; sleep 60 & wait";
  const auto slow = *f.scripts().find(request_of(source, "GLUE_SHELL", 3, 1), nullptr);
  running = std::thread{[&] { ended_late = slow->run(request_of(""), stopper.get_token(), nullptr); }};
  (void)f.run(request_of("echo new", "GLUE_SHELL", 3, 2));
  running.join();
  CHECK(f.log.text().find("new\n") != std::string::npos);
  CHECK(ended_late.code == 500);
}

TEST_CASE("scripts: drops output beyond the limit, and logs how much", "[executor]") {
  glue_fixture f;
  f.options.limits.output_bytes_max = 1024;
  CHECK(f.run(request_of("head -c 5000 /dev/zero | tr '\\0' x")).code == 200);
  CHECK(f.log.text().starts_with(std::string(1024, 'x') + "\n-----------"));
  CHECK(f.log.lines().back() == "----------- 3976 bytes of output were dropped -----------");
}

TEST_CASE("scripts: applies the memory limit", "[executor]") {
  glue_fixture f;
  f.options.limits.memory_bytes_max = 256 * 1024 * 1024;
  CHECK(f.run(request_of("x = bytearray(1 << 30)", "GLUE_PYTHON")).message == "script exit value(1) is failed");
  CHECK(f.log.text().find("MemoryError") != std::string::npos);
}
