// The executor for the test vectors: handlers with the names of XXL wire §7. Usage: vector_executor KEY=VALUE…, with the keys of
// [executor], and token. Prints the registered address and runs until SIGTERM.

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "executor/executor.hpp"

using namespace ringmaster;
using executor::job_context;

namespace {

executor::task<> nap(job_context& context) {
  const auto time = context.argument<std::int64_t>("s", 0);
  const bool slept = co_await context.sleep_for(std::chrono::seconds{time.value_or(0)});
  if (!slept)
    context.log("woken: " + context.stop_reason());
  context.succeed(slept ? "slept" : "woken");
}

void add_handlers(executor::handlers& to) {
  const auto add = [&](const char* name, executor::handler run, executor::handler_hooks hooks = {}) {
    if (auto done = to.add(name, std::move(run), std::move(hooks)); !done)
      throw std::runtime_error(done.error().context);
  };
  add("ok", [](job_context&) {});
  add("bad", [](job_context& context) { context.fail("no stock"); });
  add("boom", [](job_context&) { throw std::runtime_error("the roof fell in"); });
  add("zero", [](job_context& context) { context.set_result(0); });
  add("nine", [](job_context& context) { context.set_result(999, "n"); });
  add("long", [](job_context& context) { context.succeed(std::string(60'000, 'x')); });
  add("sleep", [](job_context& context) {
    (void)context.wait_for(std::chrono::seconds{context.param_as<std::int64_t>().value_or(1)});
  });
  add("deaf", [](job_context& context) {
    std::mutex guard;
    std::condition_variable never;
    std::unique_lock lock{guard};
    const std::chrono::seconds time{context.param_as<std::int64_t>().value_or(1)};
    (void)never.wait_for(lock, time, [] { return false; });
  });
  add("shard", [](job_context& context) {
    context.line() << "shard " << context.shard_index() << " of " << context.shard_total();
    context.succeed(std::to_string(context.shard_index()) + "/" + std::to_string(context.shard_total()));
  });
  add("flood", [](job_context& context) {
    const std::string line(1000, 'y');
    for (std::int64_t i = 0; i < context.param_as<std::int64_t>().value_or(1); ++i)
      context.log(line);
  });
  add("nap", nap);
  add("nap_boom", [](job_context& context) -> executor::task<> {
    co_await context.sleep_for(std::chrono::milliseconds{1});
    throw std::runtime_error("the roof fell in");
  });
  add("nap_deaf", [](job_context& context) -> executor::task<> {
    for (bool slept = true; slept;)
      slept = co_await context.sleep_for(std::chrono::hours{1});
    co_await context.run_blocking([&context] { context.log("not yet"); });
    co_await std::suspend_always{}; // never resumed
  });
  add("hooked_nap", nap,
      {[] { std::puts("hook init"), std::fflush(stdout); }, [] { std::puts("hook destroy"), std::fflush(stdout); }});
  add("hooked", [](job_context&) {},
      {[] { std::puts("hook init"), std::fflush(stdout); }, [] { std::puts("hook destroy"), std::fflush(stdout); }});
}

bool set(executor::executor_options& to, std::string_view key, const std::string& value) {
  if (key == "admin")
    to.admins.push_back(value);
  else if (key == "app_name")
    to.app_name = value;
  else if (key == "token")
    to.access_token = value;
  else if (key == "data_dir")
    to.data_dir = value;
  else if (key == "address")
    to.address = value;
  else if (key == "port")
    to.port = std::stoul(value);
  else if (key == "idle_limit_ms")
    to.idle_limit = std::chrono::milliseconds{std::stol(value)};
  else if (key == "drain_ms")
    to.drain_timeout = std::chrono::milliseconds{std::stol(value)};
  else if (key == "queue_max")
    to.queue_max = std::stoul(value);
  else if (key == "scripts")
    to.scripts = value == "true";
  else
    return false;
  return true;
}

int run(int argc, char** argv) {
  executor::executor_options options;
  options.log = spdlog::stderr_logger_mt("executor");
  options.log->set_level(spdlog::level::debug);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto cut = word.find('=');
    if (cut == std::string::npos || !set(options, std::string_view{word}.substr(0, cut), word.substr(cut + 1))) {
      std::fprintf(stderr, "unknown: %s\n", word.c_str());
      return 2;
    }
  }
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  executor::handlers known;
  add_handlers(known);
  auto running = executor::executor::start(std::move(options), std::move(known));
  if (!running) {
    std::fprintf(stderr, "%s\n", running.error().context.c_str());
    return 1;
  }
  std::printf("%s\n", (*running)->address().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ending, &signal);
  (*running)->stop();
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "%s\n", thrown.what());
    return 1;
  }
}
