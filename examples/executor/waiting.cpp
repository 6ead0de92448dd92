// A job that mostly waits: for a file that another process delivers. It is a coroutine, so it needs no thread while it waits, and
// thousands of such jobs cost a few kilobytes each. Parameter: path=/srv/inbox/orders.csv every_ms=1000

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "serve_until_told.hpp"

namespace {

using ringmaster::executor::job_context;
using ringmaster::executor::task;

std::size_t count_lines(const std::string& path) {
  std::ifstream file{path};
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line);)
    ++lines;
  return lines;
}

/// Waits for the file. Returns false if the run was stopped first. The referenced arguments live in the awaiting coroutine.
task<bool> arrival_of(job_context& context, const std::string& path, std::chrono::milliseconds period) {
  std::error_code unknown;
  bool awake = true;
  while (awake && !std::filesystem::exists(path, unknown))
    awake = co_await context.sleep_for(period);
  co_return awake;
}

task<> wait_for_file(job_context& context) {
  const auto path = context.argument<std::string>("path", "");
  const auto every_ms = context.argument<std::int64_t>("every_ms", 1000);
  if (!path || path->empty() || !every_ms || *every_ms < 1)
    co_return context.fail("the parameter needs path=… and optionally every_ms=…");
  const bool came = co_await arrival_of(context, *path, std::chrono::milliseconds{*every_ms});
  if (!came)
    co_return context.log("no longer waiting: " + context.stop_reason());
  // Reading blocks, so it runs on its own thread.
  const auto lines = co_await context.run_blocking([&path] { return count_lines(*path); });
  context.succeed(std::to_string(lines) + " lines");
}

} // namespace

int main(int argc, char** argv) {
  ringmaster::executor::handlers known;
  add(known, "wait-for-file", wait_for_file);
  return serve_until_told(argc, argv, std::move(known));
}
