// The executor of executor_bench, a program that links the SDK. Usage: noop_executor KEY=VALUE…; ends with SIGTERM. Handlers:
// `noop` only counts its run, `wait` waits for its stop.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "bench/run_tally.hpp"
#include "executor/executor.hpp"

namespace {

using namespace ringmaster;
using bench::shared_tally;
using executor::job_context;

struct arguments {
  executor::executor_options options;
  std::string tally;
};

void set(arguments& to, std::string_view key, const std::string& value) {
  auto& options = to.options;
  if (key == "admin")
    options.admins.push_back(value);
  else if (key == "token")
    options.access_token = value;
  else if (key == "node")
    options.nodes.push_back(value);
  else if (key == "certificate")
    options.link_certificate = value;
  else if (key == "key")
    options.link_key = value;
  else if (key == "ca")
    options.link_ca = value;
  else if (key == "data_dir")
    options.data_dir = value;
  else if (key == "port")
    options.port = std::stoul(value);
  else if (key == "tally")
    to.tally = value;
  else
    throw std::runtime_error("unknown key: " + std::string{key});
}

arguments read_arguments(int argc, char** argv) {
  arguments out;
  out.options.app_name = "bench";
  out.options.scripts = true;
  out.options.log = spdlog::stderr_logger_mt("executor");
  out.options.log->set_level(spdlog::level::warn);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto cut = std::min(word.size(), word.find('='));
    set(out, word.substr(0, cut), std::string{word.substr(std::min(word.size(), cut + 1))});
  }
  return out;
}

executor::handlers handlers_for(const shared_tally& tally) {
  executor::handlers known;
  auto added = known.add("noop", [&tally](job_context& context) { tally->add(static_cast<std::int64_t>(context.run())); });
  if (added)
    added = known.add("wait", [&tally](job_context& context) {
      const auto run = static_cast<std::int64_t>(context.run());
      tally->add(run);
      tally->waiting = run;
      (void)context.wait_for(std::chrono::hours{1});
      tally->stopped_us = bench::monotonic_us();
    });
  if (!added)
    throw std::runtime_error(added.error().context);
  return known;
}

int run(arguments given) {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  const shared_tally tally{given.tally, shared_tally::side::opens};
  auto running = executor::executor::start(std::move(given.options), handlers_for(tally));
  if (!running)
    throw std::runtime_error(running.error().context);
  int signal = 0;
  sigwait(&ending, &signal);
  (*running)->stop();
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(read_arguments(argc, argv));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "noop_executor: %s\n", problem.what());
    return 1;
  }
}
