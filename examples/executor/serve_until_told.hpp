#pragma once

// What each example needs beside its handlers: settings from the command line, and a wait for the end.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "executor/executor.hpp"

/// PROGRAM ADMIN APP_NAME [TOKEN], e.g. http://127.0.0.1:8080/xxl-job-admin my-executor. Returns what `main` returns.
inline int serve_until_told(int argc, char** argv, ringmaster::executor::handlers known) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s ADMIN APP_NAME [TOKEN]\n", argv[0]);
    return 2;
  }
  // Before any thread begins, so that all of them leave these signals to `sigwait`.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  ringmaster::executor::executor_options options;
  options.admins = {argv[1]};
  options.app_name = argv[2];
  options.port = 0; // the first free one from 9999 on
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

/// Ends the program when a name is taken.
inline void add(ringmaster::executor::handlers& to, std::string name, ringmaster::executor::handler run) {
  if (auto added = to.add(std::move(name), std::move(run)); !added) {
    std::fprintf(stderr, "%s\n", added.error().context.c_str());
    std::exit(2);
  }
}
