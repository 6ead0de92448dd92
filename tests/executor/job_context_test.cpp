#include "executor/job_context.hpp"
#include "executor/spdlog_sink.hpp"

#include <thread>
#include <vector>

#include <spdlog/spdlog.h>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using executor::find_argument;
using executor::parse_value;

namespace {

struct kept_log final : executor::job_log {
  void line(std::string_view text, const executor::code_place& where) override {
    lines.emplace_back(text);
    places.emplace_back(std::string{where.file.substr(where.file.rfind('/') + 1)} + ':' + std::to_string(where.line));
  }
  void raw(std::string_view) override {}
  std::vector<std::string> lines;
  std::vector<std::string> places;
};

struct running {
  explicit running(std::optional<std::string> param = {}) { request.param = std::move(param); }

  core::trigger_request request;
  kept_log log;
  std::stop_source stop;
  executor::job_context::stop_reason_source why = [] { return std::string{"the reason"}; };
  executor::job_context& context() {
    if (!made)
      made.emplace(request, log, stop.get_token(), why);
    return *made;
  }
  std::optional<executor::job_context> made;
};

} // namespace

TEST_CASE("parses the values of a parameter", "[executor]") {
  CHECK(parse_value<std::int64_t>("-42") == -42);
  CHECK(parse_value<double>("2.5e3") == 2500.0);
  CHECK(parse_value<bool>("true") == true);
  CHECK(parse_value<bool>("0") == false);
  CHECK(parse_value<std::string>("any text") == "any text");
  for (const auto* text : {"", " 1", "1 ", "0x10", "9223372036854775808", "1.0", "one", "+1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_value<std::int64_t>(text));
  }
  for (const auto* text : {"", "nan", "inf", "1e999", "1,5", "1 "}) {
    CAPTURE(text);
    CHECK_FALSE(parse_value<double>(text));
  }
  CHECK(parse_value<int>("2147483647") == 2147483647);
  CHECK_FALSE(parse_value<int>("2147483648"));
  CHECK_FALSE(parse_value<std::uint8_t>("-1"));
  CHECK(parse_value<float>("0.5") == 0.5F);
  CHECK(parse_value<bool>("yes").error().context == "\"yes\" is neither true nor false");
}

TEST_CASE("finds the named arguments of a parameter", "[executor]") {
  CHECK(find_argument("from=1 to=20", "to") == "20");
  CHECK(find_argument("url=http://h/?a=1&method=DELETE", "url") == "http://h/?a=1&method=DELETE");
  CHECK_FALSE(find_argument("url=http://h/?a=1&method=DELETE", "method"));
  CHECK(find_argument(R"(data="{\"a\": \"b\\\\c\"}" next=1)", "data") == R"({"a": "b\\c"})");
  CHECK(find_argument(R"(data="{\"a\": 1}" next=1)", "next") == "1");
  CHECK(find_argument("  name=\"two words\" next=3 ", "name") == "two words");
  CHECK(find_argument("  name=\"two words\" next=3 ", "next") == "3");
  CHECK(find_argument("a= b=2", "a") == "");
  CHECK(find_argument("a=1 a=2", "a") == "1");
  CHECK(find_argument("url=http://x?y=1", "url") == "http://x?y=1");
  CHECK_FALSE(find_argument("", "a"));
  CHECK_FALSE(find_argument("a", "a"));
  CHECK_FALSE(find_argument("ab=1", "a"));
  CHECK(find_argument("open=\"never closed", "open") == "never closed");
  CHECK(find_argument("x=\"\"", "x") == "");
  CHECK_FALSE(find_argument("=1 =2", "1"));
}

TEST_CASE("a handler can read the data of its run", "[executor]") {
  running f{"limit=7 dry=true word=x"};
  f.request.shard_index = 1;
  f.request.shard_total = 3;
  auto& context = f.context();
  CHECK(context.argument<std::int64_t>("limit", 1) == 7);
  CHECK(context.argument<std::int64_t>("absent", 1) == 1);
  CHECK_FALSE(context.argument<std::int64_t>("word", 1));
  CHECK(context.argument<bool>("dry", false) == true);
  CHECK(context.is_of_shard(4));
  CHECK_FALSE(context.is_of_shard(3));
  CHECK(context.is_of_shard(-2));
  CHECK(running{}.context().param().empty());
  CHECK(running{"12"}.context().param_as<std::int64_t>() == 12);
}

TEST_CASE("the result is the last code with the last given message", "[executor]") {
  running f;
  auto& context = f.context();
  CHECK(context.outcome().code == 200);
  CHECK_FALSE(context.outcome().message);
  context.fail("no stock");
  context.succeed();
  CHECK(context.outcome().code == 200);
  CHECK(context.outcome().message == "no stock");
  context.set_result(999, "n");
  CHECK(context.outcome().code == 999);
}

TEST_CASE("a stop wakes a sleeping handler and gives the reason", "[executor]") {
  running f;
  auto& context = f.context();
  CHECK(context.wait_for(1ms));
  CHECK(context.stop_reason().empty());
  std::jthread stopping{[&] { f.stop.request_stop(); }};
  CHECK_FALSE(context.wait_for(1h));
  CHECK(context.stop_requested());
  CHECK(context.stop_reason() == "the reason");
}

TEST_CASE("writes lines and progress", "[executor]") {
  running f;
  auto& context = f.context();
  context.line() << "done " << 3 << " of " << 4.5;
  context.progress(0.25, "rows");
  context.progress(0.5, "rows"); // within the same second
  context.progress(1);
  CHECK(f.log.lines == std::vector<std::string>{"done 3 of 4.5", "progress 25.0 %: rows", "progress 100.0 %"});
}

TEST_CASE("a line names the place that wrote it", "[executor]") {
  running f;
  auto& context = f.context();
  const auto here = [](unsigned line) { return "job_context_test.cpp:" + std::to_string(line); };
  const unsigned first = __LINE__;
  context.log("a");
  context.line() << "b";
  context.progress(1);
  context.log("c", {"rows", "import", 7});
  const auto log = executor::logger_of(context);
  SPDLOG_LOGGER_WARN(log, "of {} rows", 3);
  log->error("no place");
  CHECK(f.log.places == std::vector<std::string>{here(first + 1), here(first + 2), here(first + 3), "rows:7", here(first + 6),
                                                 "run:0"});
  CHECK(f.log.lines[4] == "warning of 3 rows");
}

TEST_CASE("ids are written as numbers", "[executor]") {
  running f;
  f.request.run = core::log_id{1'000'000'000'000};
  f.context().line() << "run " << f.context().run() << " of job " << f.context().job();
  CHECK(f.log.lines == std::vector<std::string>{"run 1000000000000 of job 0"});
  CHECK(std::to_string(number(f.context().run())) == "1000000000000");
}
