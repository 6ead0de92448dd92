#pragma once

// Shared by the examples: settings from the command line, and waiting for the end.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "executor/executor.hpp"

/// Runs an executor with the arguments ADMIN APP_NAME [TOKEN], e.g. http://127.0.0.1:8080/xxl-job-admin my-executor. Returns the
/// exit code.
inline int serve_until_told(int argc, char** argv, ringmaster::executor::handlers known) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s ADMIN APP_NAME [TOKEN]\n", argv[0]);
    return 2;
  }
  // Before any thread starts, so that all threads leave these signals to `sigwait`.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  ringmaster::executor::executor_options options;
  options.admins = {argv[1]};
  options.app_name = argv[2];
  options.port = 0; // the first free port from 9999 on
  options.access_token = argc > 3 ? argv[3] : "";
  options.log = spdlog::stderr_color_mt("executor");
  auto running = ringmaster::executor::executor::start(std::move(options), std::move(known));
  if (!running) {
    std::fprintf(stderr, "%s\n", running.error().context.c_str());
    return 1;
  }
  std::printf("serving at %s\n", (*running)->address().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ending, &signal);
  (*running)->stop();
  return 0;
}

/// Adds a handler. Ends the program when the name is already registered.
inline void add(ringmaster::executor::handlers& to, std::string name, ringmaster::executor::handler run) {
  if (auto added = to.add(std::move(name), std::move(run)); !added) {
    std::fprintf(stderr, "%s\n", added.error().context.c_str());
    std::exit(2);
  }
}
