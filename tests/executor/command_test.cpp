#include <sys/stat.h>

#include "executor/process/command.hpp"
#include "tests/executor/process_marks.hpp"
#include "tests/executor/recorded_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace ringmaster::executor;
using namespace ringmaster::test;

namespace {

struct command_fixture {
  recorded_log log;
  process_mark mark;

  core::run_outcome run(command_options options, const core::trigger_request& request, const std::stop_token& stop = {}) {
    auto environment = mark.environment();
    environment.emplace_back("JOB_PARAM=not of this run");
    const auto made = command::make(std::move(options), environment);
    REQUIRE(made);
    const auto of_run = log.opener()(request);
    return made->run(request, stop, [] { return std::string{"a reason"}; }, *of_run);
  }
};

core::trigger_request request_with(const std::string& param) {
  core::trigger_request out;
  out.job = core::job_id{7};
  out.run = core::log_id{1'000'000'000'000};
  out.param = param;
  out.shard_index = 2;
  out.shard_total = 5;
  return out;
}

} // namespace

TEST_CASE("command: passes the parameter as a variable, not as an argument", "[executor]") {
  command_fixture f;
  const std::string script = R"(echo "$#:$JOB_PARAM:$JOB_ID:$JOB_LOG_ID:$JOB_SHARD_INDEX:$JOB_SHARD_TOTAL")";
  const auto outcome = f.run({"bash", {"-c", script, "bash"}}, request_with("$(id) -rf 'x"));
  CHECK(outcome.code == 200);
  CHECK_FALSE(outcome.message);
  CHECK(f.log.text() == "0:$(id) -rf 'x:7:1000000000000:2:5\n");
  CHECK(f.log.lines().empty());
}

TEST_CASE("command: can pass the parameter as the last argument", "[executor]") {
  command_fixture f;
  command_options options{"printf", {"<%s>", "fixed"}};
  options.append_param = true;
  CHECK(f.run(options, request_with("a  b;c")).code == 200);
  CHECK(f.log.text() == "<fixed><a  b;c>");
  auto request = request_with("");
  request.param.reset();
  CHECK(f.run(options, request).code == 200);
  CHECK(f.log.text() == "<fixed><a  b;c><fixed><>");
}

TEST_CASE("command: does not pass the parameter as an option", "[executor]") {
  command_fixture f;
  command_options options{"printf", {"<%s>"}};
  options.append_param = true;
  CHECK(f.run(options, request_with("-v")).code == 500);
  CHECK(f.run(options, request_with("a -v")).code == 200);
  options.arguments = {"<%s>", "--"};
  CHECK(f.run(options, request_with("-v")).code == 200);
  CHECK(f.log.text().ends_with("<a -v><--><-v>"));
}

TEST_CASE("command: accepts a parameter up to the system's limit for variables", "[executor]") {
  command_fixture f;
  const std::size_t most = 128 * 1024 - std::string_view{"JOB_PARAM="}.size() - 1;
  CHECK(f.run({"true"}, request_with(std::string(most, 'x'))).code == 200);
  CHECK(f.run({"true"}, request_with(std::string(most + 1, 'x'))).message->ends_with("true: Argument list too long"));
}

TEST_CASE("command: its exit is the result", "[executor]") {
  command_fixture f;
  CHECK(f.run({"false"}, request_with("")).message == "the program ended with exit code 1");
  CHECK(f.run({"bash", {"-c", "kill -9 $$"}}, request_with("")).message == "the program was ended by signal 9");
  CHECK(f.run({"no-such-program"}, request_with("")).message
        == "the program cannot start: no-such-program was not found in PATH");
  CHECK(f.log.lines().back() == "----------- cannot start: no-such-program was not found in PATH -----------");
  CHECK(f.log.last_place() == "command");
  CHECK(f.run({"/etc/passwd"}, request_with("")).message == "the program cannot start: /etc/passwd is not an executable file");
  CHECK(f.run({"true"}, request_with(std::string{"\0", 1})).code == 500);
}

TEST_CASE("command: a stop ends all its processes", "[executor]") {
  command_fixture f;
  std::stop_source stopper;
  f.log.seen = [&](const std::string&) { stopper.request_stop(); };
  CHECK(f.run({"bash", {"-c", "setsid sleep 60 & echo runs; sleep 60"}}, request_with(""), stopper.get_token()).code == 500);
  CHECK(f.mark.count() == 0);
  CHECK(f.log.lines().back() == "----------- command stopped: a reason -----------");
}

TEST_CASE("command: applies its folder and its limits", "[executor]") {
  command_fixture f;
  temp_folder folder;
  command_options options{"bash", {"-c", "pwd; head -c 5000 /dev/zero"}, folder.path()};
  options.limits.output_bytes_max = 2000;
  CHECK(f.run(options, request_with("")).code == 200);
  CHECK(f.log.text().starts_with(folder.path() + "\n"));
  CHECK(f.log.text().size() < 2100);
}

TEST_CASE("command: rejects options that can never work", "[executor]") {
  CHECK_FALSE(command::make({}, {}));
  CHECK_FALSE(command::make({std::string{"a\0b", 3}}, {}));
  CHECK_FALSE(command::make({"true", {std::string{"a\0b", 3}}}, {}));
}
