// The complete program of docs/executor.md: one handler, and the code that a process needs around it.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <spdlog/sinks/stdout_color_sinks.h>

#include "executor/executor.hpp"

using namespace ringmaster::executor;

int main() {
  // Before any thread starts, so that all threads leave these signals to `sigwait`.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  handlers known;
  auto added = known.add("hello", [](job_context& context) {
    context.line() << "hello, " << context.param() << ", in run " << context.run();
  });

  executor_options options;
  options.admins = {"http://127.0.0.1:8080/xxl-job-admin"};
  options.app_name = "my-executor";
  if (const char* token = std::getenv("RINGMASTER_SECURITY_ACCESS_TOKEN"))
    options.access_token = token;
  options.port = 0; // the first free port from 9999 on
  options.data_dir = "my-executor";
  options.log = spdlog::stderr_color_mt("my-executor");

  auto running = executor::start(std::move(options), std::move(known));
  if (!added || !running) {
    std::fprintf(stderr, "my_executor: %s\n", (added ? running.error() : added.error()).context.c_str());
    return 1;
  }
  int signal = 0;
  sigwait(&ending, &signal);
  (*running)->stop(); // waits for active runs
  return 0;
}
